"""For whoever watches the service: does the process answer, and can it serve?"""

from __future__ import annotations

import logging

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache

log = logging.getLogger(__name__)


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers. Asks nothing else, so that a slow database does not get it killed."""
    return HttpResponse("ok", content_type="text/plain")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """The database answers and every migration is applied; else 503 and the reason."""
    try:
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        log.exception("readyz: the database does not answer")
        return HttpResponse("the database does not answer", status=503, content_type="text/plain")
    if missing:
        return HttpResponse(f"{len(missing)} migrations are not applied", status=503, content_type="text/plain")
    return HttpResponse("ok", content_type="text/plain")
