"""/try/: paste an answer, see its verdict. Everything here is its author's alone (and of those who may view trials)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from grading.answer import AnswerFrom, Kind, extract
from grading.architectures import ARCHS
from leaderboard.board import verdicts
from leaderboard.lib.highlight import highlight_c
from leaderboard.models import Kernel, Result, Trial, access
from leaderboard.queue.status import arch_counts, living_workers
from leaderboard.services import trials as service

SHOWN = 20
AGAIN_S = 60  # when somebody's share is used up: a verdict takes about so long
TEXT_LIMIT = 1_000_000  # characters; a source above 200 kB is refused by the grader, in its own words


class TrialForm(forms.Form):
    kernel = forms.ModelChoiceField(Kernel.objects.none(), to_field_name="name", empty_label=None)
    archs = forms.MultipleChoiceField(
        choices=[(arch, arch) for arch in ARCHS],
        initial=service.moving_archs,
        widget=forms.CheckboxSelectMultiple,
        label="Architectures",
    )
    kind = forms.ChoiceField(
        choices=[("code", "C code"), ("reply", "a model's reply, with answer tags")],
        initial="code",
        widget=forms.RadioSelect,
        label="What it is",
    )
    text = forms.CharField(
        max_length=TEXT_LIMIT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false"}),
        label="Answer",
        error_messages={"null_characters_not_allowed": "The answer holds a NUL character."},
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        cast(forms.ModelChoiceField, self.fields["kernel"]).queryset = Kernel.objects.active()


@never_cache
@login_required(login_url="login")
def trials(request: HttpRequest) -> HttpResponse:
    """The form, and one's last trials."""
    user = cast(User, request.user)
    form = TrialForm(request.POST or None, initial=begun_from(request))
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            begun = service.begin(user, values["kernel"], values["text"], values["archs"], is_reply=values["kind"] == "reply")
        except service.TooMany as reason:
            form.add_error(None, str(reason))
        else:
            return redirect("trial", begun.submission.uid)
    mine = Trial.objects.filter(user=user).select_related("submission__kernel").prefetch_related("submission__results")
    context = {"section": "try", "form": form, "mine": mine[:SHOWN]}
    response = render(request, "leaderboard/try.html", context, status=429 if form.non_field_errors() else 200)
    if response.status_code == 429:
        response["Retry-After"] = str(AGAIN_S)
    return response


def begun_from(request: HttpRequest) -> dict[str, Any]:
    """What the form holds at first: the kernel that a link names, or an earlier trial, to be changed."""
    earlier = Trial.objects.filter(user=request.user.pk, submission__uid=request.GET.get("from", ""))
    found = earlier.select_related("submission__kernel").first()
    if found is None:
        return {"kernel": request.GET.get("kernel")}
    submission = found.submission
    archs = sorted(set(submission.results.values_list("arch", flat=True)))
    is_c = extract(submission.reply, submission.kernel.name, Kind.RAW).source == submission.source
    kind = "code" if submission.answer_from == AnswerFrom.RAW or (is_c and not submission.answer_from) else "reply"
    return {"kernel": submission.kernel.name, "text": submission.reply, "kind": kind} | ({"archs": archs} if archs else {})


@never_cache
@login_required(login_url="login")
def trial(request: HttpRequest, uid: str) -> HttpResponse:
    """The state of a trial: verdicts with their details, times, samples, logs."""
    found = theirs(request, uid)
    results = list(found.submission.results.select_related("machine").order_by("arch", "-id"))
    newest = [next(result for result in results if result.arch == arch) for arch in ARCHS if arch in {r.arch for r in results}]
    context = {
        "section": "try",
        "trial": found,
        "submission": found.submission,
        "cards": [card(result, reason) for result, reason in zip(newest, reasons(newest), strict=True)],
        "waiting": any(result.state in ("queued", "running") for result in newest),
        "source": highlight_c(found.submission.source) if found.submission.source else "",
    }
    return render(request, "leaderboard/trial.html", context)


@never_cache
@login_required(login_url="login")
def trial_state(request: HttpRequest, uid: str) -> JsonResponse:
    """What static/js/trial.js asks for, to know when there is something new to show."""
    results = list(theirs(request, uid).submission.results.light().order_by("arch", "id"))
    said = zip(results, reasons(results), strict=True)
    states = [{"arch": r.arch, "state": r.state, "verdict": r.verdict, "attempt": r.attempt, "reason": why} for r, why in said]
    return JsonResponse({"waiting": any(r.state in ("queued", "running") for r in results), "results": states})


def theirs(request: HttpRequest, uid: str) -> Trial:
    """To everybody but its author, and whoever may view trials, it does not exist."""
    rows = Trial.objects.select_related("submission__kernel", "submission__model")
    if not access.has(request.user, "view_trial"):
        rows = rows.filter(user=request.user.pk)
    found = rows.filter(submission__uid=uid).first()
    if found is None:
        raise Http404
    return found


def reasons(results: Sequence[Result]) -> list[str]:
    """Why each does not move; empty where it does."""
    if not any(result.state == Result.State.QUEUED for result in results):
        return [""] * len(results)
    workers = living_workers()
    return [
        (arch_counts(result.arch, {(result.arch, "queued"): 1}, workers).reason or "") if result.state == "queued" else ""
        for result in results
    ]


def card(result: Result, reason: str) -> dict[str, Any]:
    """One architecture's part of the page."""
    samples, log = result.samples or {}, result.log or {}
    rounds = zip(samples.get("answer_ns") or (), samples.get("reference_ns") or (), strict=False)
    return {
        "result": result,
        "reason": reason,
        "detail": result.detail or verdicts.MEANINGS.get(result.verdict, ""),
        "rounds": [(answer / 1e6, reference / 1e6) for answer, reference in rounds],
        "logs": [(stage, (log.get(stage) or "").strip() or "no messages") for stage in ("compile", "run")] if log else [],
    }
