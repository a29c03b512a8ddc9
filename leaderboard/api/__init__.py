"""The HTTP API, and its description at /api/openapi.json: one module per area.

Reading needs no token and shows public rows only; uploading needs one, which belongs to a user and has that user's rights. The
schemas follow from the export columns, so that a column is described in one place. Every error is one sentence in JSON,
whatever raised it.
"""

from __future__ import annotations

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import Throttled, ValidationError

from leaderboard.api import bundles, read
from leaderboard.board.selection import BadSelection

api = NinjaAPI(
    title="Arch Kernels",
    version="1",
    description="Upload bundles of answers and read what was measured. Uploads need a token: `Authorization: Bearer ...`.",
    docs_url=None,  # its page loads scripts from elsewhere
    urls_namespace="api",
)
api.add_router("", read.router)
api.add_router("", bundles.router)


@api.exception_handler(BadSelection)
def bad_selection(request: HttpRequest, bad: BadSelection) -> HttpResponse:
    """Parameters of another form were refused before: this one names what is not there."""
    return api.create_response(request, {"detail": str(bad)}, status=404)


@api.exception_handler(SuspiciousOperation)
def suspicious(request: HttpRequest, bad: SuspiciousOperation) -> HttpResponse:
    return api.create_response(request, {"detail": str(bad) or "The request is not understood."}, status=400)


@api.exception_handler(Throttled)
def too_often(request: HttpRequest, refused: Throttled) -> HttpResponse:
    """ninja adds Retry-After."""
    return api.create_response(request, {"detail": "Too many requests: wait for the time given by Retry-After."}, status=429)


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, bad: ValidationError) -> HttpResponse:
    """One sentence, as all errors are."""
    said = "; ".join(f"{'.'.join(map(str, error['loc'][1:]))}: {error['msg']}" for error in bad.errors)
    return api.create_response(request, {"detail": said}, status=422)


def not_found(request: HttpRequest) -> HttpResponse:
    """Programs get no page, not even when they are lost."""
    return api.create_response(request, {"detail": "There is no such address."}, status=404)
