"""Reading what is public: kernels, models, results, the leaderboard, the queue. Needs no token."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from ninja import Query, Router

from grading.architectures import ARCHS
from kernels.spec import DEFAULT_SUITE
from leaderboard.api import throttling
from leaderboard.api.schemas import Error, KernelsOut, LeaderboardOut, ModelsOut, QueueOut, ResultsOut
from leaderboard.board.selection import BadSelection, Selection, read_selection
from leaderboard.exports import contents
from leaderboard.exports.columns import RESULT_COLUMNS
from leaderboard.models import Kernel, LanguageModel, Submission
from leaderboard.views.queue import api_queue

router = Router(tags=["reading"], throttle=throttling.reads)
CURSOR = rf"^([0-9a-z]{{1,16}}\.({'|'.join(ARCHS)}))?$"
TOO_OFTEN = {429: Error}
REFUSED = {400: Error, **TOO_OFTEN}  # 400: characters that are no text (leaderboard/web/fit_requests.py)
Arch = Annotated[Literal["amd64", "arm64", "both"], Query(description="The architecture.")]
NO_NUL = r"^[^\x00]*$"
Names = Annotated[str, Query(max_length=4000, pattern=NO_NUL, description="Names or slugs, joined by commas; none: all of them.")]

Suite = Annotated[str, Query(max_length=64, pattern=NO_NUL, description=f"Only this suite; default `{DEFAULT_SUITE}`.")]


@router.get(
    "/kernels",
    response={200: KernelsOut, 404: Error, 422: Error, **REFUSED},
    openapi_extra=throttling.RETRY,
    summary="The tasks",
)
def kernels(request: HttpRequest, suite: Suite = "") -> dict[str, Any]:
    return {"items": list(Kernel.objects.of_suite(selected(request).suite))}


@router.get(
    "/models", response={200: ModelsOut, **REFUSED}, openapi_extra=throttling.RETRY, summary="Models with a public answer"
)
def models(request: HttpRequest) -> dict[str, Any]:
    return {"items": list(LanguageModel.objects.public().order_by("name", "slug"))}


@router.get(
    "/leaderboard",
    response={200: LeaderboardOut, 400: Error, 404: Error, 422: Error, **TOO_OFTEN},
    openapi_extra=throttling.RETRY,
    summary="One row per model and architecture, as in leaderboard.csv",
)
def leaderboard(
    request: HttpRequest, arch: Arch = "both", kernel: Names = "", model: Names = "", suite: Suite = ""
) -> dict[str, Any]:
    table = contents.leaderboard_table(selected(request))
    rows = [dict(zip(table.header, values, strict=True)) for values in table.values()]
    return {"generated_at": table.meta["generated_at"], "items": rows}


@router.get(
    "/results",
    response={200: ResultsOut, 400: Error, 404: Error, 422: Error, **TOO_OFTEN},
    openapi_extra=throttling.RETRY,
    summary="Every current result, as in results.csv, page by page",
)
def results(
    request: HttpRequest,
    arch: Arch = "both",
    kernel: Names = "",
    model: Names = "",
    cursor: Annotated[str, Query(pattern=CURSOR, description="`next` of the page before; none: the first page.")] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    suite: Suite = "",
) -> dict[str, Any]:
    """Order by submission and architecture: a grading that is repeated meanwhile moves no row to another page."""
    fields = [column.field for column in RESULT_COLUMNS]
    rows = contents.result_rows(selected(request)).filter(after(cursor)).order_by("submission_id", "arch")
    names = [column.name for column in RESULT_COLUMNS]
    found = [dict(zip(names, values, strict=True)) for values in rows.values_list(*fields)[: limit + 1]]
    page = found[:limit]
    more = len(found) > limit
    return {"items": page, "next": f"{page[-1]['submission']}.{page[-1]['arch']}" if more else None}


@router.get("/queue", response={200: QueueOut, 400: Error}, summary="What is waiting, running and parked; public rows only")
def queue(request: HttpRequest) -> HttpResponse:
    return api_queue(request)


def selected(request: HttpRequest) -> Selection:
    """Raises BadSelection. Only what the document names is read: the pages know more parameters."""
    asked = QueryDict(mutable=True)
    for name in ("arch", "kernel", "model", "suite"):
        asked.setlist(name, request.GET.getlist(name))
    return read_selection(asked)


def after(cursor: str) -> Q:
    """The rows behind that one. It names a public answer, not a row number: those would tell of private ones."""
    if not cursor:
        return Q()
    uid, _, arch = cursor.partition(".")
    last = Submission.objects.public().filter(uid=uid).values_list("pk", flat=True).first() if arch in ARCHS else None
    if last is None:
        raise BadSelection("Unknown cursor: start again without one.")
    return Q(submission_id__gt=last) | Q(submission_id=last, arch__gt=arch)
