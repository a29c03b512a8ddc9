from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from leaderboard.api import api, not_found

handler400 = "leaderboard.web.refusals.bad_request"
handler403 = "leaderboard.web.forbidden.forbidden"
handler500 = "leaderboard.web.errors.server_error"

urlpatterns = [
    path("admin/password_change/", RedirectView.as_view(pattern_name="password_change")),  # the admin's does not count guesses
    path("admin/", admin.site.urls),
    path("", include("leaderboard.views.urls")),
    path("try/", include("leaderboard.views.trial_urls")),
    path("account/", include("leaderboard.views.account_urls")),
    path("api/", api.urls),  # after the public addresses: /api/queue is one of those
    re_path("^api/", not_found),
]
