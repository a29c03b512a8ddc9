"""Verdicts as pages show them: their order, their groups in failure bars, their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grading.pipeline import CALL_S
from grading.result import Verdict
from grading.translation_unit import SOURCE_LIMIT_BYTES

PASSED, INTERNAL_ERROR = Verdict.PASSED.value, Verdict.INTERNAL_ERROR.value


@dataclass(frozen=True)
class Group:
    """Verdicts that share a colour; `key` is its CSS class suffix."""

    key: str
    label: str
    verdicts: tuple[str, ...]

    def count(self, verdicts: Mapping[str, int]) -> int:
        return sum(verdicts.get(name, 0) for name in self.verdicts)


FAILURE_GROUPS = (
    Group("build", "not built: no answer, compile error, forbidden", ("no_answer", "compile_error", "forbidden")),
    Group("crash", "crashed, too slow or used threads", ("runtime_error", "time_limit", "extra_thread")),
    Group("wrong", "wrong answer", ("wrong_answer",)),
    Group("memory", "over the memory limit", ("memory_limit",)),
)
FAILURES = tuple(name for group in FAILURE_GROUPS for name in group.verdicts)
ORDER = tuple(verdict.value for verdict in Verdict if verdict is not Verdict.INTERNAL_ERROR)  # of precedence

# The one wording: pages, the report and docs/record.md have it from here.
MEANINGS = {
    "no_answer": "The reply holds no C source between answer tags.",
    "compile_error": "gcc refused the source, it does not define the function, or it calls what is not in libc, libm or libgcc.",
    "forbidden": (
        "It has a constructor, executable data or stack, or two definitions of the function, "
        f"or is over {SOURCE_LIMIT_BYTES // 1000} kB."
    ),
    "runtime_error": "It crashed, aborted, or made a call to the system that is refused.",
    "time_limit": f"One call took over {CALL_S} s of CPU time, or the whole run its budget.",
    "wrong_answer": "A result was not what the kernel asks for, or it wrote outside its output.",
    "extra_thread": "It made a thread or a process.",
    "memory_limit": "Every result was right, but it needed more memory than the kernel allows.",
    "passed": "Every result was right, within the limits.",
    INTERNAL_ERROR: "Failed on our side: never scored, graded again.",
}


def describe(verdicts: Mapping[str, int]) -> str:
    """The failures in words: "1 no_answer, 7 wrong_answer"."""
    return ", ".join(f"{verdicts[name]} {name}" for name in FAILURES if verdicts.get(name)) or "no failure"
