"""`arch-kernels upload PATH --url https://... --token ...`: a bundle to a site, from a script or by hand. Knows no Django.

It ends with 0 when the bundle is there; 1 when the site or the bundle refused; 2 for a wrong command line; 3 when the site could
not be reached, has no room, or asks to come back later; 130 when it was interrupted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, NoReturn
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from tqdm import tqdm

from leaderboard.bundles.archives import read_folder
from leaderboard.bundles.preview import preview
from leaderboard.bundles.types import ArchiveLimits, BundleError

TIMEOUT_S = 120.0
POLL_S = 2.0
PATIENCE_S = 120.0  # while it waits for gradings, the site may restart
AGAIN_S = (2.0, 5.0, 15.0)  # between two sendings, when the connection breaks
THERE_ALREADY = 200  # 201: it is new
EMPTY = 400  # the answer to an upload without a body
TOO_OFTEN = 429
NO_ROOM = 507
CHUNK_BYTES = 1 << 20
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # in every archive: the same folder is the same file, which the site recognises
ANY_SIZE = ArchiveLimits(unpacked_mb=1 << 30, ratio=1 << 30, files=1 << 30, line_mb=1 << 30, rows=1 << 30)  # the site has its own


class Refused(Exception):
    """It did not work; the message says why, for the person at the terminal."""

    status = 1  # what the command ends with

    def __init__(self, why: str, code: int = 0) -> None:
        super().__init__(why)
        self.code = code  # the site's, where it answered


class Later(Refused):
    """It may work in a while: the site is not to be reached, or has had enough for now."""

    status = 3

    def __init__(self, why: str, code: int = 0, wait_s: float = 0.0) -> None:
        super().__init__(why, code)
        self.wait_s = wait_s  # as the site said


class NoRedirect(HTTPRedirectHandler):
    """A redirected upload would arrive empty, and its token somewhere else."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> NoReturn:
        raise Refused(f"The site redirects to {newurl}: give that site as --url.")


class Site:
    """The API of one site, with a token."""

    def __init__(self, url: str, token: str) -> None:
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
            raise Refused(f"--url should be like https://example.org, not {url!r}.")
        self.root, self.token = url.rstrip("/"), token
        self.status = 0  # of its last answer
        # A proxy of the surroundings is used as everywhere, but never for this machine itself.
        direct = [ProxyHandler({})] if urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1") else []
        self.opener: OpenerDirector = build_opener(NoRedirect, *direct)

    def first(self, digest: str, size: int) -> dict[str, Any] | None:
        """What an earlier sending of the same file became. Also finds out, before hundreds of megabytes are on their way for
        nothing, whether the token may upload, and so much."""
        try:
            return self.ask("/api/bundles", b"", {"Content-Length": "0", "Upload-Length": str(size)} | key_of(digest))
        except Refused as refused:
            if refused.code != EMPTY:
                raise
            return None

    def bundle(self, uid: str) -> dict[str, Any]:
        return self.ask(f"/api/bundles/{uid}")

    def upload(self, file: IO[bytes], *, digest: str, size: int, bar: tqdm[NoReturn], **query: str) -> dict[str, Any]:
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Length": str(size),
            **key_of(digest),
        }
        return self.ask("/api/bundles?" + urlencode({"sha256": digest, **query}), Counted(file, bar), headers)

    def ask(self, path: str, body: Any = None, headers: dict[str, str] | None = None) -> dict[str, Any]:
        method = "GET" if body is None else "POST"
        sent = {"Authorization": f"Bearer {self.token}", "Accept": "application/json", **(headers or {})}
        try:
            with self.opener.open(Request(self.root + path, body, sent, method=method), timeout=TIMEOUT_S) as answer:
                text, self.status = answer.read(), answer.status
        except HTTPError as error:
            raise said(error) from None
        except (URLError, HTTPException, OSError) as error:
            where = "closed the connection" if body else "does not answer"
            raise Later(f"{self.root} {where}: {getattr(error, 'reason', None) or error or type(error).__name__}") from None
        try:
            found = json.loads(text)
        except ValueError:
            raise Refused(f"{self.root} does not answer like the API: is --url right?") from None
        return dict(found)


def key_of(digest: str) -> dict[str, str]:
    return {"Idempotency-Key": f"sha256-{digest}"}


def said(error: HTTPError) -> Refused:
    """The site's own words, where it has any."""
    try:
        detail = str(json.loads(error.read(1 << 16))["detail"])
    except (ValueError, KeyError, TypeError, OSError):
        kind = Later if error.code >= 500 else Refused
        return kind(f"The site answered {error.code} {error.reason}; is --url right?", error.code)
    if error.code == 401:
        return Refused("The site does not know this token, or it was revoked.")
    if error.code == TOO_OFTEN:
        wait = error.headers.get("Retry-After", "")
        return Later(f"Too many requests to the site: try again in {wait or 'some'} s.", TOO_OFTEN, float(wait or 10))
    if error.code == NO_ROOM:
        return Later(f"The site has no room for it now ({NO_ROOM}): {detail}", NO_ROOM)
    if error.code >= 500:
        return Later(f"The site failed ({error.code}): {detail}", error.code)
    return Refused(f"The site refused ({error.code}): {detail}", error.code)


class Counted:
    """A file that moves a progress bar as it is read."""

    def __init__(self, file: IO[bytes], bar: tqdm[NoReturn]) -> None:
        self.file, self.bar = file, bar

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.bar.update(len(data))
        return data


@contextmanager
def packed(path: Path) -> Iterator[tuple[IO[bytes], str]]:
    """The file to send, and its name: a folder as a zip of what can hold answers. Raises Refused."""
    if not path.exists():
        raise Refused(f"There is no {path}.")
    if path.is_file():
        with path.open("rb") as file:
            yield file, path.name
        return
    found = read_folder(path, ANY_SIZE)
    members = found.members
    if not members:
        raise Refused(f"{path} holds no .jsonl and no .c file.")
    for left_out in found.skipped:  # only what is sent is in the site's report
        print(f"left out: {left_out.member}: {left_out.reason}")
    with tempfile.TemporaryFile() as raw:
        with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
            for member in members:
                entry = zipfile.ZipInfo(member.name, LONG_AGO)
                entry.compress_type = zipfile.ZIP_DEFLATED
                entry.file_size = member.size
                with member.path.open("rb") as source, archive.open(entry, "w") as target:
                    while chunk := source.read(CHUNK_BYTES):
                        target.write(chunk)
        raw.seek(0)
        yield raw, f"{path.resolve().name}.zip"


def measure(file: IO[bytes]) -> tuple[str, int]:
    """SHA-256 and size."""
    digest, size = hashlib.sha256(), 0
    while chunk := file.read(CHUNK_BYTES):
        digest.update(chunk)
        size += len(chunk)
    file.seek(0)
    if not size:
        raise Refused("The file is empty.")
    return digest.hexdigest(), size


def upload(options: argparse.Namespace) -> None:
    with packed(options.path) as (file, name):
        digest, size = measure(file)
        print(f"{name}: {size / 2**20:.2f} MiB, sha256 {digest}")
        if options.dry_run:
            print("\n".join(preview(options.path, options.model).lines()))
            print("Nothing was sent.")
            return
        site = Site(options.url, options.token)
        query = {"name": name, "model": options.model, "public": "false" if options.private else "true"}
        if options.overlap:
            query["overlap"] = options.overlap
        bundle, was_there = sent(site, file, digest, size, query)
    if was_there:
        print("It is there already.")
    side = "public" if bundle["public"] else "private"
    print(f"Bundle {bundle['uid']} ({side}): {bundle['state']}; {site.root}/api/bundles/{bundle['uid']}")
    if options.wait:
        report(wait(site, bundle["uid"]))


def sent(site: Site, file: IO[bytes], digest: str, size: int, query: dict[str, str]) -> tuple[dict[str, Any], bool]:
    """The bundle, and whether it was there before. A connection that breaks is tried again: what the site has, it says."""
    if bundle := site.first(digest, size):
        return bundle, True
    for pause_s in (*AGAIN_S, None):
        try:
            with tqdm(total=size, unit="B", unit_scale=True, desc="sent", disable=not sys.stderr.isatty()) as bar:
                return site.upload(file, digest=digest, size=size, bar=bar, **query), site.status == THERE_ALREADY
        except Later as broken:
            if pause_s is None or broken.code:
                raise
            print(f"arch-kernels: {broken}; sending it again", file=sys.stderr)
            time.sleep(pause_s)
            file.seek(0)
            if bundle := site.first(digest, size):  # all of it had arrived; and it says why it refuses, if it does
                return bundle, False
    raise AssertionError("the last time is returned or raised")


def wait(site: Site, uid: str) -> dict[str, Any]:
    """Until it is imported and graded wherever it can be. Raises Refused when it cannot be imported."""
    told = ""
    with tqdm(unit=" gradings", desc="graded", disable=not sys.stderr.isatty()) as bar:
        heard = time.monotonic()
        while True:
            try:
                bundle = site.bundle(uid)
            except Later as trouble:
                if time.monotonic() - heard > PATIENCE_S + trouble.wait_s:
                    raise
                time.sleep(max(POLL_S, trouble.wait_s))
                continue
            heard = time.monotonic()
            if bundle["state"] == "failed":
                raise Refused(f"The bundle could not be imported: {bundle['error']}")
            if bundle["error"] != told and (told := bundle["error"]):  # a fault of the site, which continues by itself
                print(f"arch-kernels: {told}", file=sys.stderr)
            if bundle["state"] == "preview":  # uploaded in the admin before
                raise Refused("The bundle is waiting in the site's admin: somebody has to confirm or discard it there.")
            moving = [row for row in bundle["progress"] if not row["parked"]]
            bar.total = sum(row["done"] + row["waiting"] + row["failed"] for row in moving) or None
            bar.n = sum(row["done"] for row in moving)
            bar.refresh()
            if bundle["state"] == "imported" and not any(row["waiting"] for row in moving):
                return bundle
            time.sleep(POLL_S)


def report(bundle: dict[str, Any]) -> None:
    print(f"{bundle['answers']} answers, {bundle['added']} of them new, {bundle['skipped']} rows skipped")
    for row in bundle["report"][:20]:
        print(f"  {row['file']}:{row['line']}: {row['reason']}")
    verdicts: dict[str, Counter[str]] = {}
    for row in bundle["verdicts"]:
        verdicts.setdefault(row["arch"], Counter())[row["verdict"]] = row["count"]
    for row in bundle["progress"]:
        counts = ", ".join(f"{n} {verdict}" for verdict, n in verdicts.get(row["arch"], Counter()).most_common())
        more = f"; {row['waiting']} wait: {row['reason']}" if row["waiting"] else ""
        print(f"{row['arch']}: {counts or 'nothing graded'}{more}")


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="arch-kernels")
    command = top.add_subparsers(required=True, metavar="COMMAND").add_parser("upload", help="send a bundle to a site")
    command.add_argument("path", type=Path, help="a run folder, an archive of some, or a file of JSON lines")
    command.add_argument("--url", default=os.environ.get("ARCH_KERNELS_URL", ""), help="the site; or ARCH_KERNELS_URL")
    command.add_argument(
        "--token",
        default=os.environ.get("ARCH_KERNELS_TOKEN", ""),
        help="made in the site's admin; better given as ARCH_KERNELS_TOKEN, which other users of this machine cannot see",
    )
    command.add_argument("--model", default="", metavar="NAME", help="for rows that do not name their model")
    command.add_argument("--private", action="store_true", help="not on the public pages")
    runs = command.add_mutually_exclusive_group()
    runs.add_argument(
        "--same-run",
        dest="overlap",
        action="store_const",
        const="same",
        default="",
        help="answers shared with an earlier bundle are the same ones: only the rest is new (for rows without trace ids)",
    )
    runs.add_argument(
        "--another-run",
        dest="overlap",
        action="store_const",
        const="another",
        help="this is another run, in which some answers happen to be equal: all are new",
    )
    command.add_argument("--wait", action="store_true", help="wait until everything that can be graded is graded")
    command.add_argument("--dry-run", action="store_true", help="show what is in it, and each skipped row, and send nothing")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    top = parser()
    options = top.parse_args(arguments)
    if not options.dry_run and not (options.url and options.token):
        top.error("--url and --token are needed (or ARCH_KERNELS_URL and ARCH_KERNELS_TOKEN)")
    try:
        upload(options)
    except (Refused, BundleError, OSError) as error:
        print(f"arch-kernels: {error}", file=sys.stderr)
        return getattr(error, "status", 1)
    except KeyboardInterrupt:
        print("arch-kernels: stopped; send it again to continue with the same bundle", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
