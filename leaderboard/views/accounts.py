"""/account/: change a password, or set a new one by mail. What is said never depends on whether somebody has an account."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth import authenticate, views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from leaderboard.services import passwords
from leaderboard.web import login_throttle
from leaderboard.web.client_address import client_address


class ChangeForm(PasswordChangeForm):
    """The old password is asked as a login is: guesses count, and end in the same pause."""

    def __init__(self, user: Any, *args: Any, request: HttpRequest, **more: Any) -> None:
        super().__init__(user, *args, **more)
        self.request = request

    def clean_old_password(self) -> str:
        old: str = self.cleaned_data["old_password"]
        if authenticate(self.request, username=self.user.get_username(), password=old) is None:
            raise forms.ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return old


@method_decorator([never_cache, login_required(login_url="login")], name="dispatch")
class Change(views.PasswordChangeView):
    form_class = ChangeForm
    template_name = "leaderboard/account/change.html"
    success_url = reverse_lazy("password_change_done")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}


class AskForm(forms.Form):
    email = forms.EmailField(max_length=254, label="Mail address", widget=forms.EmailInput(attrs={"autocomplete": "email"}))


class Reset(views.PasswordResetConfirmView):
    template_name = "leaderboard/account/reset.html"
    success_url = reverse_lazy("password_reset_done")


change = sensitive_post_parameters()(Change.as_view())
reset = never_cache(Reset.as_view())


@never_cache
@login_required(login_url="login")
def changed(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/account/said.html", {"title": "Your password is changed", "said": CHANGED})


@never_cache
def ask(request: HttpRequest) -> HttpResponse:
    """Asks for an address and answers alike whether there is an account: the mail is made elsewhere, later."""
    if not settings.SENDS_MAIL:
        return render(request, "leaderboard/account/said.html", {"title": "Set a new password", "said": NO_MAIL})
    form = AskForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        email = form.cleaned_data["email"]
        if not passwords.may_ask(client_address(request), email):
            return login_throttle.asked_too_often(request)
        passwords.ask(email, settings.SITE_URL or request.build_absolute_uri("/"))
        return redirect("password_reset_sent")
    return render(request, "leaderboard/account/ask.html", {"form": form})


@never_cache
def sent(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/account/said.html", {"title": "Check your mail", "said": SENT})


@never_cache
def reset_done(request: HttpRequest) -> HttpResponse:
    return render(request, "leaderboard/account/said.html", {"title": "The new password is set", "said": DONE})


CHANGED = (
    "It is valid from now on; other browsers that were signed in with the old one have to sign in again. "
    "API tokens are unchanged."
)
NO_MAIL = (
    "This site sends no mail, so nobody can set a forgotten password here. Ask the operator of the site: an administrator "
    "can set a new one for you in the admin, under Users, or with manage.py changepassword."
)
SENT = (
    "If an account has that address, a mail with a link is on its way; the link works once, for a day. If no mail arrives, ask "
    "the operator of the site."
)
DONE = "Sign in with it from now on."
