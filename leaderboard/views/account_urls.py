"""/account/: one's password, for everybody who has an account."""

from django.urls import path

from leaderboard.views import accounts

urlpatterns = [
    path("password/", accounts.change, name="password_change"),
    path("password/done/", accounts.changed, name="password_change_done"),
    path("reset/", accounts.ask, name="admin_password_reset"),  # the admin's login form links to the address of that name
    path("reset/sent/", accounts.sent, name="password_reset_sent"),
    path("reset/done/", accounts.reset_done, name="password_reset_done"),
    path("reset/<uidb64>/<token>/", accounts.reset, name="password_reset_confirm"),
]
