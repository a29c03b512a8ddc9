"""A bundle comes in as a file, or as a folder that is packed: kept as it came, once."""

from __future__ import annotations

import gzip
import hashlib
import tarfile
import tempfile
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.core.files import File
from django.db import IntegrityError, transaction

from leaderboard.bundles import archives
from leaderboard.bundles.registry import NO_FILE
from leaderboard.bundles.types import ArchiveLimits, BundleError
from leaderboard.lib.faults import fault_of
from leaderboard.lib.text import clean, shorten
from leaderboard.models import Bundle
from leaderboard.storage import room


class AlreadyThere(Exception):
    """The file was uploaded before; `bundle` is what it became."""

    def __init__(self, bundle: Bundle) -> None:
        super().__init__(f"The same file is here already, as bundle {bundle.uid} ({bundle.name}).")
        self.bundle = bundle


def hash_of(file: File) -> str:
    """sha256 (hex), by which a bundle is known again; the file is at its start afterwards."""
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def keep_file(
    file: File,
    *,
    name: str,
    public: bool = True,
    model: str = "",
    overlap: str = "",
    uploader: AbstractBaseUser | None = None,
) -> Bundle:
    """Store an uploaded file as it came. Raises AlreadyThere; one that could not be read before is tried afresh."""
    bundle = Bundle(
        name=shorten(clean(Path(name).name or "bundle"), 255),
        sha256=hash_of(file),
        size_bytes=file.size or 0,
        public=public,
        model_override=clean(model).strip()[:300],
        overlap=overlap,
        uploader=uploader,  # type: ignore[misc]
    )
    known = Bundle.objects.known_to(uploader).filter(sha256=bundle.sha256).first()
    if known:
        restore(known, file)
        return tried_afresh(known, bundle)
    bundle.file.save(f"{bundle.uid}{suffix_of(bundle.name)}", file, save=False)
    # Somebody's private bundle of the same file is not even mentioned: this one is kept beside it.
    for key in (bundle.sha256, f"{bundle.sha256}-{uploader.pk if uploader else ''}"):
        bundle.file_key = key
        try:
            with transaction.atomic():
                bundle.save(force_insert=True)
                return bundle
        except IntegrityError:  # it is there, or was uploaded in the same moment
            if known := Bundle.objects.known_to(uploader).filter(sha256=bundle.sha256).first():
                break
        except BaseException:  # no room for the row: then there is no file either
            with suppress(OSError):
                bundle.file.delete(save=False)
            raise
    bundle.file.delete(save=False)
    if known is None:
        raise BundleError("The same file was uploaded and deleted at the same moment: try again.")
    raise AlreadyThere(known)


def restore(known: Bundle, file: File) -> None:
    """Put a file with the same bytes back, for a bundle whose file somebody has deleted from the media folder."""
    storage, name = known.file.storage, known.file.name
    if name and not storage.exists(name):
        storage.save(name, file)


def tried_afresh(known: Bundle, asked: Bundle) -> Bundle:
    """A bundle that failed, back to its beginning with what was asked for this time. Any other is refused."""
    failed = Bundle.objects.filter(pk=known.pk, state=Bundle.State.FAILED)
    wanted = {"public": asked.public, "model_override": asked.model_override, "overlap": asked.overlap}
    if not failed.update(state=Bundle.State.READING, error="", attempt=0, not_before=None, **wanted):
        raise AlreadyThere(known)
    known.refresh_from_db()
    return known


def suffix_of(name: str) -> str:
    """The file's kind, for whoever looks into the media folder; its name is the bundle's id."""
    return next((suffix for suffix in (".tar.gz", ".tar.zst", ".tgz", ".zip", ".jsonl") if name.lower().endswith(suffix)), ".bin")


def keep_path(path: Path, *, public: bool = True, model: str = "", overlap: str = "") -> Bundle:
    """Store a file, or a folder as a tar.gz that is the same for the same folder. Raises AlreadyThere, BundleError."""
    if not path.is_dir():
        with path.open("rb") as raw:
            return keep_file(File(raw), name=path.name, public=public, model=model, overlap=overlap)
    with tempfile.TemporaryFile(dir=room.incoming()) as raw:
        try:
            pack_folder(path, raw)
        except OSError as error:
            if fault_of(error):
                raise
            raise BundleError(f"The folder cannot be read: {error}") from error
        raw.seek(0)
        return keep_file(File(raw), name=f"{path.resolve().name}.tar.gz", public=public, model=model, overlap=overlap)


def pack_folder(path: Path, into: Any) -> None:
    unpacked = archives.read_folder(path, limits())
    if not unpacked.members:
        raise BundleError(f"{path} holds {NO_FILE}.")
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=into, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for member in unpacked.members:
            info = tarfile.TarInfo(member.name)
            info.size = member.size
            with member.path.open("rb") as file:
                archive.addfile(info, file)
        for left_out in unpacked.skipped:  # by name only: the report is to tell of it
            info = tarfile.TarInfo(left_out.member)
            info.type = tarfile.SYMTYPE
            archive.addfile(info)


def limits() -> ArchiveLimits:
    return ArchiveLimits(**{limit.name: getattr(settings, f"BUNDLE_MAX_{limit.name.upper()}") for limit in fields(ArchiveLimits)})
