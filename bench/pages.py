#!/usr/bin/env python3
"""How long the server needs for a page of a large site: `make bench-pages`.

    make bench-pages [ARGS="--results 100000 --models 48 --keep /tmp/site"]

Invents a site of so many results (SQLite, both architectures, every round of every answer), then asks for every kind of page and
figure, within this process: first is the first time ever, cold the first time after a result was recorded and before housekeeping
came, warm the median of the next ones. The targets: 150 ms at the median, at most 12 queries, cold or warm; exit status 1 where a
page misses one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
TARGET_MS, TARGET_QUERIES = 150, 12
WARM = 9


@dataclass(frozen=True, kw_only=True)
class Timed:
    address: str
    first_ms: float
    cold_ms: float
    warm_ms: float
    cpu_ms: float  # of the processor, in the warm ones: the same on a busy host, nearly
    queries: int
    bytes: int

    @property
    def fine(self) -> bool:
        return self.warm_ms <= TARGET_MS and self.queries <= TARGET_QUERIES


def main() -> int:
    options = arguments()
    folder = Path(options.keep or tempfile.mkdtemp(prefix="bench-pages-"))
    os.environ |= {"DATA_DIR": str(folder), "DJANGO_SETTINGS_MODULE": "tests.settings", "LOG_LEVEL": "ERROR"}
    try:
        import django

        django.setup()
        fill(options.results, options.models)
        return report(measure())
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--results", type=int, default=100_000)
    parser.add_argument("--models", type=int, default=48)
    parser.add_argument("--keep", help="a folder for the site's data: it is made once and used again")
    return parser.parse_args()


def fill(results: int, models: int) -> None:
    """A site of about so many results, unless there is one already."""
    from django.core.management import call_command
    from django.db import connection

    from leaderboard.models import Result
    from leaderboard.services import standings
    from tests.pages import factories

    call_command("migrate", verbosity=0)
    if not Result.objects.exists():
        rollouts = round(results / (2 * len(factories.KERNELS) * models))
        began = time.perf_counter()
        factories.make_site(models=models, rollouts=rollouts)
        with connection.cursor() as cursor:  # one after the other, as a real site's are
            cursor.execute("UPDATE leaderboard_result SET graded_at = datetime(graded_at, '+' || id || ' seconds')")
        print(f"made in {time.perf_counter() - began:.0f} s")
    print(f"{Result.objects.count():,} results, {models} models")
    began, cell = time.perf_counter(), standings.cell_of(Result.objects.latest("pk"))
    for _ in range(WARM):
        standings.recompute([cell])
    print(f"a summary brought up to date in {(time.perf_counter() - began) / WARM * 1000:.1f} ms, while a result is recorded")


def measure() -> list[Timed]:
    from django.core.cache import cache
    from django.utils import timezone

    from leaderboard.board import architecture_ratios, summaries
    from leaderboard.models import Standing

    cache.clear()
    for name, warm in (("summaries and ranks", summaries.warm), ("ratios of architectures", architecture_ratios.warm)):
        began = time.perf_counter()
        warm()
        print(f"{name} computed in the background in {time.perf_counter() - began:.1f} s")
    timed = []
    for address in ("/", *addresses()):
        first_ms, _, _ = get(address)
        Standing.objects.filter(pk=Standing.objects.latest("pk").pk).update(updated_at=timezone.now())  # a result was recorded
        cold_ms, queries, size = get(address)
        began = time.process_time()
        warm_ms = median(get(address)[0] for _ in range(WARM))
        cpu_ms = (time.process_time() - began) / WARM * 1000
        timed.append(
            Timed(
                address=address, first_ms=first_ms, cold_ms=cold_ms, warm_ms=warm_ms, cpu_ms=cpu_ms, queries=queries, bytes=size
            )
        )
    return timed[1:]  # the first one was for imports and templates


def addresses() -> list[str]:
    """Every kind of page and of figure, and the filters."""
    from leaderboard.models import Submission

    answer = Submission.objects.filter(results__verdict="passed", model__kind="llm").order_by("pk").first()
    assert answer is not None
    model, kernel = answer.model.slug, answer.kernel.name
    return [
        *("/", "/?arch=both", "/?arch=both&sort=speedup", "/?sort=pass", "/?sort=memory", "/?sort=throughput", "/?sort=fast&p=2"),
        *("/?sort=best&k=5", "/?arch=both&sort=fast&p=8&scale=linear"),
        *("/?arch=both&kernel=sort_u32", "/?kernel=sort_u32,dot_f32,levenshtein&sort=memory", f"/?arch=both&model={model},tuned"),
        *("/figures/speedup.json?arch=both", "/figures/memory.json?arch=both"),
        *("/kernels/", f"/kernels/{kernel}/", f"/kernels/{kernel}/?model={model}", f"/kernels/{kernel}/?arch=arm64"),
        *(f"/figures/kernels/{kernel}/answers-amd64.json", f"/figures/kernels/{kernel}/memory.json"),
        *(f"/models/{model}/", f"/models/{model}/?page=3&hide=noisy,flagged", f"/figures/models/{model}.json"),
        *("/architectures/", f"/architectures/?model={model}", "/architectures/?kernel=sort_u32", "/architectures/?page=9"),
        *("/figures/architectures-throughput.json", "/figures/architectures-memory.json"),
        *("/compare/", f"/compare/?models={model},lab-two-large", f"/compare/?models={model},lab-two-large&kernel=dot_f32"),
        f"/figures/compare.json?models={model},lab-two-large",
        *(f"/submissions/{answer.uid}/", f"/submissions/{answer.uid}/diff/?with=tuned"),
        *("/machines/", "/queue/", "/api/queue", "/changes/", "/methodology/"),
    ]


def get(address: str) -> tuple[float, int, int]:
    """Milliseconds, queries and bytes of an answer."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(headers={"host": "localhost"})
    with CaptureQueriesContext(connection) as queries:
        began = time.perf_counter()
        response = client.get(address)
        took = time.perf_counter() - began
    assert response.status_code == 200, f"{address}: {response.status_code}"
    return took * 1000, len(queries), len(response.content)


def report(timed: list[Timed]) -> int:
    print(f"\n{'page':72s} {'first, ms':>9s} {'cold, ms':>9s} {'warm, ms':>9s} {'CPU, ms':>8s} {'queries':>8s} {'kB':>7s}")
    for row in timed:
        misses = "" if row.fine else "  over the target"
        times = f"{row.first_ms:9.0f} {row.cold_ms:9.0f} {row.warm_ms:9.0f} {row.cpu_ms:8.0f}"
        print(f"{row.address:72s} {times} {row.queries:8d} {row.bytes / 1e3:7.0f}{misses}")
    slow = [row for row in timed if not row.fine]
    cold = median(row.cold_ms for row in timed)
    fine = f"{len(timed) - len(slow)} of {len(timed)} within {TARGET_MS} ms and {TARGET_QUERIES} queries"
    print(f"\n{fine}; cold {cold:.0f} ms at the median, {max(row.cold_ms for row in timed):.0f} ms at most")
    return int(bool(slow))


if __name__ == "__main__":
    sys.exit(main())
