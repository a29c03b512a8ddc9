"""What a harness prints, whatever its bytes: a record that can be stored and counted, or a fault; nothing else.

The first byte says where the rest goes: it is all that the driver (or `describe`) prints, or what stands in place
of some members of a valid record.
"""

from __future__ import annotations

import json
import math
from typing import Any

from grading.faults import Fault
from grading.pipeline import grade_source
from grading.result import GradingResult, Verdict
from grading.sandbox.base import Completed
from kernels.catalog import get_kernel
from tests.grading.fakes import FACTS, PASSED, FakeSandbox, printed

LEFT_OUT = 255  # in place of a value: the member is not there
KERNEL = get_kernel("dot_f32")
FIRST_CALLS = {
    "empty_spread_ns": 90.0,
    "first_answer_ns": [1e6] * 3,
    "first_start_ns": [1e3] * 3,
    "first_faults": [4] * 3,
    "first_reference_ns": [2e6] * 3,
    "fault_ns": 500.0,
}
VALID = PASSED | {"const_kb": 1.5, "samples": PASSED["samples"] | FIRST_CALLS}  # type: ignore[operator]


class PrintedFacts(FakeSandbox):
    """One whose `describe` prints any bytes."""

    def __init__(self, graded: Completed, described: Completed) -> None:
        super().__init__(graded)
        self.described = described

    def run(self, command: list[str], timeout_s: float) -> Completed:
        return self.described if command[0].endswith("/describe") else super().run(command, timeout_s)


# What may stand in place of a value; JSON, so that it may be more than Python writes.
VALUES = (
    *("null", "true", "false", "0", "-1", "1", "2", "-0.0", "0.5", "1e-320", "1e308", "1e400", "-1e400", "NaN", "Infinity"),
    *("1" + "0" * 400, "9223372036854775808", "18446744073709551616", "1" + "0" * 5000),
    *('""', '" "', r'"\u0000"', r'"\ud800"', r'"\n\n"', '"passed"', '"no_answer"', '"internal_error"', '"compile_error"'),
    *('"forbidden"', '"extra_thread"', '"memory_limit"', '"time_limit"', "[]", "{}", "[null]", "[1]", "[1e6, 2e6, 3e6]"),
    *("[0, 0, 0, 0, 0, 0]", "[1e308, 1e308, 1e308, 1e308, 1e308, 1e308]", '{"": 1}', '["landlock"]'),
    *("[0, 1, 2, 3, 4, 1000000]", "[-1, 0, 1, 2, 3, 1e300]", "[1e-320, 0, 0, 0, 0, -1e308]", "[[1]]", '{"passed": []}'),
    *("[" * 600 + "]" * 600, f"[{', '.join(['1e6'] * 20000)}]", f"[{', '.join(map(str, range(20000)))}]", f'"{"x" * 40000}"'),
)  # fmt: skip


def replaced(valid: dict[str, Any], body: bytes) -> bytes:
    """The record with values in other places: two bytes say which member, which value."""
    record = {name: dict(value) if isinstance(value, dict) else value for name, value in valid.items()}
    marks: dict[str, str] = {}
    for which, what in zip(body[::2], body[1::2], strict=False):
        places = [(record, name) for name in record]
        places += [(table, name) for table in record.values() if isinstance(table, dict) for name in table]
        if not places:
            break
        table, name = places[which % len(places)]
        mark = f"@{len(marks)}@"
        marks[json.dumps(mark)] = VALUES[what % len(VALUES)]
        table[name] = mark
        if what == LEFT_OUT:
            del table[name]
    text = json.dumps(record)
    for mark, value in marks.items():
        text = text.replace(mark, value)
    return text.encode()


def check(data: bytes) -> GradingResult | Fault | None:
    """Returns what becomes of it, where that is one of the two; raises for anything else."""
    if not data:
        return None
    way, body = data[0] % 4, data[1:]
    graded = {0: body, 2: replaced(VALID, body)}.get(way, json.dumps(VALID).encode())
    described = {1: body, 3: replaced(FACTS, body)}.get(way, json.dumps(FACTS).encode())
    result: GradingResult | Fault
    try:
        result = grade_source("int x;", KERNEL, PrintedFacts(printed(graded), printed(described)))
    except Fault as fault:
        result = fault
    if isinstance(result, Fault):
        assert result.reason.strip()
        result.reason.encode()
    else:
        check_result(result)
    return result


def check_result(result: GradingResult) -> None:
    record = result.to_dict()
    text = json.dumps(record, allow_nan=False, ensure_ascii=False)
    assert "\0" not in text
    assert "\\u0000" not in text
    text.encode()
    assert result.verdict not in (Verdict.INTERNAL_ERROR, Verdict.NO_ANSWER)
    assert result.detail
    numbers = ("speedup", "speedup_low", "speedup_high", "sol_ms", "ref_ms", "throughput_m", "kernel_score")
    if result.verdict is Verdict.PASSED:
        for name in numbers:
            assert math.isfinite(record[name]), name
            assert record[name] > 0, name
        assert record["speedup_low"] <= record["speedup"] <= record["speedup_high"]
    for name in ("extra_mb", "peak_mb", "const_kb", "memory_resolution_mb"):
        assert record[name] is None or 0 <= record[name] < math.inf, name
    assert all(math.isfinite(value) and value >= 0 for value in result.seconds.values())
