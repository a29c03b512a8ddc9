"""What kept the answer from this machine's files and calls while it was graded, in words.

Two things ran that an answer has written or can steer: the compiler and its own program. Around both is the outer sandbox, where
there is one; inside, the harness puts each behind walls of its own, and says which of them were in force.
"""

from __future__ import annotations

import os

ALLOW = "ARCH_KERNELS_ALLOW_UNISOLATED"
WORDS = {"landlock": "landlock", "mount_namespace": "mount namespace", "seccomp": "seccomp"}
# what keeps files away from the compiler, and what from the answer, whose filter opens none
COMPILERS_FILES = {"landlock", "mount_namespace"}
ANSWERS_FILES = {"landlock", "seccomp"}
NO_OUTER = "no outer sandbox"
OPEN = "no file isolation"
HOW_TO_ISOLATE = f"install bubblewrap where it works, or set {ALLOW}=1 to grade all the same"
WARNING = f"graded without file isolation, as {ALLOW}=1 allows: an answer can read files of this machine"


def is_allowed_open() -> bool:
    """Whether the operator has accepted gradings in which nothing keeps files away."""
    return os.environ.get("ARCH_KERNELS_ALLOW_UNISOLATED") == "1"


def is_open(*, walled: bool, compiler: set[str], answer: set[str] | None) -> bool:
    """Whether files of this machine could be read. answer: None where its program did not run."""
    return not walled and not (compiler & COMPILERS_FILES and (answer is None or answer & ANSWERS_FILES))


def isolation_of(outer: str, *, walled: bool, compiler: set[str], answer: set[str] | None) -> str:
    """For example "bubblewrap, landlock, seccomp, resource limits": what was in force, from outside to inside. A wall that only
    one of the two had says whose it was."""
    words = [outer]
    if is_open(walled=walled, compiler=compiler, answer=answer):
        words.append(OPEN)
    for wall, word in WORDS.items():
        holders = (wall in compiler, wall in compiler if answer is None else wall in answer)
        if any(holders):
            words.append(word if all(holders) else f"{word} ({'compiler' if holders[0] else 'answer'})")
    return ", ".join([*words, "resource limits"])
