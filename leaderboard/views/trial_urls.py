"""/try/: for people who are signed in."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path, reverse_lazy

from leaderboard.views import trials

sign_in = LoginView.as_view(
    template_name="leaderboard/login.html",
    next_page=reverse_lazy("try"),
    redirect_authenticated_user=True,  # every page's footer leads here
)

urlpatterns = [
    path("", trials.trials, name="try"),
    path("login/", sign_in, name="login"),
    path("logout/", LogoutView.as_view(next_page=reverse_lazy("try")), name="logout"),
    path("<slug:uid>/", trials.trial, name="trial"),
    path("<slug:uid>/state.json", trials.trial_state, name="trial_state"),
]
