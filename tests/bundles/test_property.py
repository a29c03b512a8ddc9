"""Whatever is uploaded: it is imported whole with every row accounted for, or refused with a reason and leaves nothing."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.files import File
from django.db import transaction
from hypothesis import HealthCheck, event, given, settings

from leaderboard.models import Bundle, BundleEntry, LanguageModel, Result, Submission
from leaderboard.services import bundle_files, bundle_reading, importing
from tests.bundles.mutations import Upload, uploads

CASES = int(os.environ.get("FUZZ_CASES", "5000"))
PEAK_MB = 30
EACH = {
    "deadline": timedelta(seconds=30),  # of one small bundle: only what never ends is meant
    "suppress_health_check": list(HealthCheck),
    "database": None,
}

_written: list[str] | None = None  # paths, while somebody wants to know
_writer = 0  # the thread that is meant: others may be at the cache meanwhile


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if _written is None or threading.get_ident() != _writer:
        return
    if event == "open" and isinstance(arguments[0], str | bytes) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        _written.append(os.fsdecode(arguments[0]))
    elif event in ("os.mkdir", "os.rename", "os.link", "os.symlink", "os.mkfifo", "shutil.copyfile", "os.chmod", "os.truncate"):
        _written.extend(os.fsdecode(name) for name in arguments[:2] if isinstance(name, str | bytes))


sys.addaudithook(_watch)


@contextmanager
def nothing_outside_of(folder: Path) -> Iterator[None]:
    """Every file that this thread opens for writing, makes, moves or links lies below the folder, or in a cache of the site."""
    global _written, _writer
    _written, _writer = [], threading.get_ident()
    try:
        yield
    finally:
        written, _written = _written, None
    allowed = [folder.resolve(), *(Path(cache["LOCATION"]).resolve() for cache in django_settings.CACHES.values())]
    outside = [name for name in written if not any(Path(name).resolve().is_relative_to(one) for one in allowed)]
    assert outside == []


@contextmanager
def small_limits() -> Iterator[None]:
    small = {"UNPACKED_MB": 4, "RATIO": 50, "FILES": 5, "LINE_MB": 1, "ROWS": 8, "VALUES": 2000, "MODELS": 3, "HEADER_MB": 1}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in small.items():
            patch.setattr(django_settings, f"BUNDLE_MAX_{name}", value)
        yield


def bring(upload: Upload) -> Bundle:
    bundle = bundle_files.keep_file(File(io.BytesIO(upload.data)), name=upload.name)
    bundle_reading.read(bundle)
    return importing.import_bundle(bundle) if bundle.state == Bundle.State.PREVIEW else bundle


def check(upload: Upload) -> None:
    with transaction.atomic():
        models_before = LanguageModel.objects.count()
        left_before = set(Path(django_settings.FILE_UPLOAD_TEMP_DIR).iterdir())  # other tests' uploads, until they are collected
        with bounded_memory(), nothing_outside_of(Path(django_settings.MEDIA_ROOT)):
            bundle = bring(upload)  # whatever it raises fails the test
        event(f"{bundle.state} {bundle.answers > 0} {bundle.skipped > 0} {bundle.error[:40]}")  # for --hypothesis-show-statistics
        try:
            if bundle.state == Bundle.State.FAILED:
                assert bundle.error.endswith(".") or ":" in bundle.error
                assert "Error:" not in bundle.error  # a sentence, not the name of an exception
                assert not Submission.objects.exists()
                assert LanguageModel.objects.count() == models_before
            else:
                check_imported(bundle, upload)
        finally:
            bundle.file.delete(save=False)
            transaction.set_rollback(True)
    assert set(Path(django_settings.FILE_UPLOAD_TEMP_DIR).iterdir()) <= left_before


def check_imported(bundle: Bundle, upload: Upload) -> None:
    assert bundle.state == Bundle.State.IMPORTED
    assert bundle.answers + bundle.skipped == bundle.rows > 0
    assert BundleEntry.objects.filter(bundle=bundle).count() == bundle.answers == bundle.added == Submission.objects.count()
    assert Result.objects.count() == 2 * bundle.answers
    assert sum(bundle.counts["kernels"].values()) == sum(bundle.counts["models"].values()) == bundle.answers
    assert sum(bundle.counts["reasons"].values()) == len(bundle.report) >= bundle.skipped
    for item in bundle.report:
        assert item["file"]
        assert item["reason"]
        assert len(item["reason"]) <= 400
        "".join(item[key] for key in ("file", "reason")).encode()  # no lone surrogates: PostgreSQL refuses them
    for submission in Submission.objects.all():
        assert "\0" not in (submission.reply + submission.model.name)
    with pytest.raises(bundle_files.AlreadyThere):
        bring(upload)


@contextmanager
def bounded_memory() -> Iterator[None]:
    """The peak of this one import: hypothesis itself remembers more with each case. Linux forgets a peak when it is told to."""
    forget = Path("/proc/self/clear_refs")
    if not os.access(forget, os.W_OK):
        yield
        return
    forget.write_text("5")
    before = memory_kb("VmRSS")
    yield
    assert memory_kb("VmHWM") - before < PEAK_MB << 10


def memory_kb(what: str) -> int:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(f"{what}:"))


@pytest.mark.usefixtures("kernels")
def test_a_hundred_changed_bundles_are_imported_whole_or_refused() -> None:
    with small_limits():
        settings(max_examples=100, derandomize=True, **EACH)(given(uploads)(check))()


@pytest.mark.fuzz
@pytest.mark.usefixtures("kernels")
def test_so_are_five_thousand() -> None:
    """FUZZ_CASES sets another number."""
    with small_limits():
        settings(max_examples=CASES, print_blob=True, **EACH)(given(uploads)(check))()
