"""A folder of C files: <model>/<kernel>.c, or <model>/<kernel>/<rollout>.c. The file is C as it stands, no reply around it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from leaderboard.bundles.formats.base import FileFormat, NoReply, Reply
from leaderboard.bundles.line_reader import UTF_16
from leaderboard.bundles.types import Member


class CFiles(FileFormat):
    name = "C files"
    files = "C files"
    suffixes = (".c",)

    def path_in_run(self, member: Member, kernels: Collection[str]) -> str:
        return path_in_run(member, kernels)

    def replies(self, member: Member, kernels: Collection[str], most_bytes: int) -> Iterable[Reply | NoReply]:
        yield read_c_file(member, kernels, most_bytes)


def path_in_run(member: Member, kernels: Collection[str]) -> str:
    """<model>/<kernel>[/<rollout>].c, without the folders above."""
    parts = member.name.split("/")
    is_rollout = len(parts) >= 2 and (parts[-2] in kernels or is_number(parts[-1][:-2]))
    return "/".join(parts[-3:] if is_rollout else parts[-2:])


def read_c_file(member: Member, kernels: Collection[str], most_bytes: int) -> Reply | NoReply:
    if member.size > most_bytes:
        return NoReply(reason=f"a C file over {most_bytes >> 20} MB (BUNDLE_MAX_REPLY_MB)")
    *folders, last = path_in_run(member, kernels)[:-2].split("/")
    if folders and (is_number(last) or folders[-1] in kernels):
        if not is_number(last):
            return NoReply(reason="the file's name is no rollout number")
        kernel, folders = folders[-1], folders[:-1]
        rollout: int | None = int(last)
    else:
        kernel, rollout = last, None
    model = folders[-1] if folders else None  # without a folder above, the model has to be given
    return Reply(kernel=kernel, model=model, text=decoded(member.read_bytes()), rollout=rollout, raw=True)


def is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def decoded(data: bytes) -> str:
    """Comments in another encoding do no harm: what is no UTF-8 is replaced."""
    return data.decode("utf-16" if data.startswith(UTF_16) else "utf-8", "replace")
