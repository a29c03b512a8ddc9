from django.contrib import admin
from django.urls import include, path, re_path

from leaderboard.api import api, not_found

handler400 = "leaderboard.views.refusals.bad_request"
handler500 = "leaderboard.views.errors.server_error"

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("leaderboard.public_urls")),
    path("try/", include("leaderboard.trial_urls")),
    path("api/", api.urls),  # after the public addresses: /api/queue is one of those
    re_path("^api/", not_found),
]
