"""An answer's page: its verdicts, its code, where and how it was measured; its source, record and figures by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from itertools import zip_longest
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers, patch_vary_headers

from grading.architectures import ARCHS
from leaderboard.board import verdicts
from leaderboard.board.marks import explanations, marks
from leaderboard.board.provenance import provenance
from leaderboard.board.reported_scores import reported_scores
from leaderboard.exports.record import record
from leaderboard.figures import charts
from leaderboard.lib import formatting
from leaderboard.lib.highlight import highlight_c
from leaderboard.models import Bundle, LanguageModel, Result, Submission, access
from leaderboard.models.querysets import ResultQuerySet
from leaderboard.queue.page import pending


def for_whom_it_is(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Some see more: no cache may give their answer to others, nor keep what is private."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        patch_vary_headers(response, ["Cookie"])
        if request.user.is_authenticated:
            add_never_cache_headers(response)
        return response

    return wrapped


@for_whom_it_is
def submission(request: HttpRequest, uid: str) -> HttpResponse:
    found = visible(request, uid)
    results = list(shown(request, found).select_related("machine", "kernel").order_by("-id"))
    current = [result for arch in ARCHS for result in results if result.is_current and result.arch == arch]
    panels = [_panel(found, result) for result in current]
    parked = _parked_reasons(results)
    timed = [panel for panel in panels if panel["rounds"]]
    bundles = Bundle.objects.public() | Bundle.objects.seen_by(request.user)
    context = {
        "section": "kernels",
        "title": f"{found.model}{'' if found.model.is_baseline else f', rollout {found.rollout},'} on {found.kernel.name}",
        "submission": found,
        "model_is_seen": found.public or LanguageModel.objects.seen_by(request.user).filter(pk=found.model_id).exists(),
        "sentences": _sentences(results, current, parked),
        "panels": panels,
        "round_archs": [panel["arch"] for panel in timed],
        "rounds": _rounds([panel["result"] for panel in timed]),
        "source": highlight_c(found.source) if found.source else "",
        "source_lines": len((found.source or "").splitlines()),
        "source_bytes": len((found.source or "").encode()),
        "source_url": request.build_absolute_uri(reverse("submission_source", args=[found.uid])),
        "provenance": provenance(current),
        "logs": _logs(current),
        "history": results,
        "parked": parked,
        "reported": reported_scores(found, current, bundles),
        "bundles": bundles.filter(entries__submission=found).distinct().order_by("id"),
    }
    return render(request, "leaderboard/submission.html", context)


@for_whom_it_is
def submission_source(request: HttpRequest, uid: str) -> HttpResponse:
    """The C as it was graded, to download: never shown as a page."""
    found = visible(request, uid)
    if found.source is None:
        raise Http404
    response = HttpResponse(found.source, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="answer.c"'
    return response


@for_whom_it_is
def submission_record(request: HttpRequest, uid: str) -> JsonResponse:
    """The current records, as `python -m grading --json` prints them, one per architecture."""
    found = visible(request, uid)
    current = shown(request, found).current().select_related("machine", "kernel").order_by("arch")
    return JsonResponse({"submission": found.uid, "results": [record(result) for result in current]})


@for_whom_it_is
def samples_figure(request: HttpRequest, uid: str, arch: str) -> JsonResponse:
    found = visible(request, uid)
    result = shown(request, found).current().filter(arch=arch).first()
    samples = Samples.of(result) if result else None
    if samples is None:
        raise Http404
    return JsonResponse(charts.samples(samples.answer_ns, samples.reference_ns, arch, samples.process))


def _parked_reasons(results: Sequence[Result]) -> dict[str, str | None]:
    """Why a queued grading does not move, by architecture."""
    if not any(result.state == Result.State.QUEUED for result in results):
        return {}
    return {status.arch: status.reason for status in pending(ARCHS) if status.parked}


def visible(request: HttpRequest, uid: str) -> Submission:
    """A public answer; a private one for its uploader, and for whoever may view it. To anybody else it does not exist."""
    found = Submission.objects.seen_by(request.user).select_related("kernel", "model").filter(uid=uid).first()
    if found is None:
        raise Http404
    return found


def shown(request: HttpRequest, found: Submission) -> ResultQuerySet:
    """The results of a submission; those of a test double only for whoever may view results."""
    results = Result.objects.filter(submission=found)
    return results if access.has(request.user, "view_result") else results.real()


@dataclass(frozen=True, kw_only=True)
class Samples:
    """A result's counted rounds, if it has any."""

    answer_ns: tuple[float, ...]
    reference_ns: tuple[float, ...]
    process: tuple[int, ...]

    @classmethod
    def of(cls, result: Result) -> Samples | None:
        raw = result.samples or {}
        answer, reference = raw.get("answer_ns"), raw.get("reference_ns")
        if not answer or not reference:
            return None
        return cls(answer_ns=tuple(answer), reference_ns=tuple(reference), process=tuple(raw.get("process") or ()))


def _panel(found: Submission, result: Result) -> dict[str, Any]:
    """One architecture's key figures."""
    samples = Samples.of(result)
    rounds = len(samples.answer_ns) if samples else 0
    return {
        "arch": result.arch,
        "result": result,
        "share": None if result.extra_mb is None else result.extra_mb / found.kernel.memory_limit_mb,
        "marks": marks(result),
        "explanations": explanations(result),
        "rounds": rounds,
        "figure": reverse("figure_samples", args=[found.uid, result.arch]) if rounds else "",
        "label": f"Strip plot of {rounds} rounds on {result.arch}; the table behind it follows.",
    }


def _sentences(results: Sequence[Result], current: Sequence[Result], parked: dict[str, str | None]) -> list[dict[str, str]]:
    """A verdict in a sentence, architectures that agree in one. What is not graded yet says so."""
    said = []
    passed = [result for result in current if result.passed]
    if passed:
        speeds = ", ".join(f"{formatting.times(result.speedup)} on {result.arch}" for result in passed)
        said.append(_sentence(verdicts.PASSED, f"Right in every test; speed against the reference: {speeds}.", passed))
    failed: dict[tuple[str, str], list[Result]] = {}
    for result in current:
        if not result.passed:
            text = result.detail or verdicts.MEANINGS.get(result.verdict, "")
            failed.setdefault((result.verdict, text), []).append(result)
    said += [_sentence(verdict, text, agreeing) for (verdict, text), agreeing in failed.items()]
    graded = {result.arch for result in current}
    waiting = [result for result in results if result.state != Result.State.DONE and result.arch not in graded]
    return said + [_waiting_sentence(result, parked.get(result.arch)) for result in waiting]


def _sentence(verdict: str, text: str, results: Sequence[Result]) -> dict[str, str]:
    sign, kind = {verdicts.PASSED: ("✓", ""), verdicts.INTERNAL_ERROR: ("◌", "ours")}.get(verdict, ("✕", "fail"))
    return {"word": f"{sign} {verdict} on {' and '.join(result.arch for result in results)}", "text": text, "kind": kind}


def _waiting_sentence(result: Result, parked: str | None) -> dict[str, str]:
    word, text = {
        "queued": ("queued", "It is waiting in the queue."),
        "running": ("being graded", "A worker is grading it now."),
        "failed": ("failed on our side", "Nothing is scored; an operator has to look into it."),
    }[result.state]
    if result.state == Result.State.QUEUED and parked:
        why = f"{parked[0].upper()}{parked[1:]}"
        word, text = "parked", f"{why}. It starts automatically once a sandbox is available; nothing is scored."
    return {"word": f"◌ {word} on {result.arch}", "text": f"{result.failure} {text}".strip(), "kind": "ours"}


def _rounds(results: Sequence[Result]) -> list[list[float | None]]:
    """Milliseconds by round: answer and reference of each architecture."""
    columns: list[list[float]] = []
    for result in results:
        samples = Samples.of(result)
        if samples:
            columns += [[ns / 1e6 for ns in samples.answer_ns], [ns / 1e6 for ns in samples.reference_ns]]
    return [list(row) for row in zip_longest(*columns)]


def _logs(results: Sequence[Result]) -> list[dict[str, str]]:
    """What gcc and the run said; the same on both architectures is shown once."""
    logs: dict[tuple[str, str], list[str]] = {}
    for stage in ("compile", "run"):
        for result in results:
            text = ((result.log or {}).get(stage) or "").strip() or "no messages"
            logs.setdefault((stage, text), []).append(result.arch)
    return [{"title": f"{stage.capitalize()}, {' and '.join(archs)}", "text": text} for (stage, text), archs in logs.items()]
