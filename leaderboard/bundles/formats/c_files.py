"""A folder of C files: <model>/<kernel>.c, or <model>/<kernel>/<rollout>.c. The file is C as it stands, no reply around it."""

from __future__ import annotations

from collections.abc import Collection

from leaderboard.bundles.formats.base import NoReply, Reply
from leaderboard.bundles.found import Member

NAME = "C files"
SIZE_LIMIT = 4 << 20  # far above what the grader takes: it says so itself


def path_in_run(member: Member, kernels: Collection[str]) -> str:
    """<model>/<kernel>[/<rollout>].c, without the folders above."""
    parts = member.name.split("/")
    deep = len(parts) >= 3 and parts[-2] in kernels
    return "/".join(parts[-3:] if deep else parts[-2:])


def read_c_file(member: Member, kernels: Collection[str]) -> Reply | NoReply:
    if member.size > SIZE_LIMIT:
        return NoReply(reason="a C file over 4 MB")
    parts = path_in_run(member, kernels).removesuffix(".c").split("/")
    if len(parts) == 1:  # kernel.c alone: the model has to be given
        model, kernel, rollout = None, parts[0], "0"
    elif len(parts) == 2:
        (model, kernel), rollout = parts, "0"
    else:
        model, kernel, rollout = parts
    if not rollout.isascii() or not rollout.isdigit() or len(rollout) > 9:
        return NoReply(reason="the file's name is no rollout number")
    text = member.path.read_bytes().decode("utf-8", "replace")
    return Reply(kernel=kernel, model=model, text=text, rollout=int(rollout), raw=True)
