"""An answer beside another text, and as a folder to grade at home."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from kernels.catalog import UnknownKernel, get_kernel
from leaderboard.exports.record import record
from leaderboard.exports.reproduction import reproduction
from leaderboard.models import Submission
from leaderboard.views.submissions import for_whom_it_is, shown, visible

LONGEST_LINES = 3000  # difflib needs seconds beyond
OTHER_ANSWERS = 30


@dataclass(frozen=True)
class Other:
    """What an answer is compared with."""

    label: str
    source: str


@for_whom_it_is
def diff(request: HttpRequest, uid: str) -> HttpResponse:
    """?with=reference, tuned or another answer's id: what one would change in the other text to get this answer."""
    found = visible(request, uid)
    if found.source is None:
        raise Http404
    key = request.GET.get("with") or "reference"
    other = _other(request, found, key)
    mine, theirs = found.source.splitlines(), other.source.splitlines()
    too_long = max(len(mine), len(theirs)) > LONGEST_LINES
    lines = [] if too_long else list(difflib.unified_diff(theirs, mine, other.label, f"answer {found.uid}", lineterm="", n=4))
    siblings = Submission.objects.seen_by(request.user).filter(kernel=found.kernel).exclude(pk=found.pk).exclude(source=None)
    context = {
        "section": "kernels",
        "submission": found,
        "other": other,
        "key": key,
        "lines": [{"kind": _kind(line), "text": line} for line in lines],
        "too_long": too_long,
        "added": sum(line.startswith("+") for line in lines[2:]),
        "removed": sum(line.startswith("-") for line in lines[2:]),
        "siblings": siblings.light().select_related("model").order_by("model__name", "rollout", "id")[:OTHER_ANSWERS],
    }
    return render(request, "leaderboard/diff.html", context)


@for_whom_it_is
def folder(request: HttpRequest, uid: str) -> HttpResponse:
    found = visible(request, uid)
    if found.source is None:
        raise Http404
    current = shown(request, found).current().select_related("machine", "kernel").order_by("arch")
    try:
        archive = reproduction(found, [record(result) for result in current])
    except UnknownKernel as gone:
        raise Http404 from gone
    response = HttpResponse(archive, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{found.uid}.zip"'
    return response


def _other(request: HttpRequest, found: Submission, key: str) -> Other:
    if key in ("reference", "tuned"):
        try:
            spec = get_kernel(found.kernel.name)
        except UnknownKernel as gone:
            raise Http404 from gone
        return Other(f"{key}.c", spec.reference_source if key == "reference" else spec.tuned_source)
    other = visible(request, key)
    return Other(f"answer {other.uid} of {other.model}", other.source or "")


def _kind(line: str) -> str:
    if line.startswith(("---", "+++")):
        return "head"
    return {"+": "plus", "-": "minus", "@": "at"}.get(line[:1], "")
