"""The columns of every export: names, values, meanings.

New ones go at the end; tests hold names and order against the contract.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple

from leaderboard.board import verdicts
from leaderboard.board.aggregates import BEST_OF
from leaderboard.exports.tables import Column
from leaderboard.models import Standing


class ResultColumn(NamedTuple):
    """A column of results.csv: its name, the field of Result it is read from, what it means."""

    name: str
    field: str
    meaning: str


INTERVAL = "95 % interval; empty where there is none"


def _best_columns(k: int) -> tuple[Column, ...]:
    meaning = f"expected best score of {k} answers to a kernel, mean over kernels; empty where a kernel has fewer"
    return (
        Column(f"best_of_{k}", lambda r: r.summary.best_at(k).value, meaning),
        Column(f"best_of_{k}_low", lambda r: r.summary.best_at(k).low, INTERVAL),
        Column(f"best_of_{k}_high", lambda r: r.summary.best_at(k).high, INTERVAL),
    )


def _verdict_column(verdict: str) -> Column:
    """The column that counts one verdict, from a Standing or from a row of the leaderboard."""
    return Column(verdict, lambda r: getattr(r, "summary", r).verdicts.get(verdict, 0), f"answers that got {verdict}", "int")


def _fast_column(p: float) -> Column:
    meaning = f"share of all answers that pass with a speedup of at least {p:g}"
    return Column(f"fast_{p:g}", lambda r: r.summary.fast_at(p).value, meaning)


LEADERBOARD_COLUMNS = (
    Column("model", lambda r: r.model.name, "the exact name in the runs"),
    Column("kind", lambda r: r.model.kind, "llm or baseline"),
    Column("arch", lambda r: r.arch, "amd64 or arm64"),
    Column("answers", lambda r: r.summary.answers, "answers that count"),
    Column("passed", lambda r: r.summary.passed, "of them, passed"),
    Column("pass_rate", lambda r: r.summary.pass_rate.value, "passed / answers"),
    Column("pass_rate_low", lambda r: r.summary.pass_rate.low, "95 % interval (Wilson)"),
    Column("pass_rate_high", lambda r: r.summary.pass_rate.high, "95 % interval (Wilson)"),
    Column("score", lambda r: r.summary.score.value, "mean over kernels of the mean kernel_score over answers"),
    Column("score_low", lambda r: r.summary.score.low, INTERVAL),
    Column("score_high", lambda r: r.summary.score.high, INTERVAL),
    Column("speedup_geomean", lambda r: r.summary.speedup.value, "geometric mean over passed answers"),
    Column("speedup_low", lambda r: r.summary.speedup.low, INTERVAL),
    Column("speedup_high", lambda r: r.summary.speedup.high, INTERVAL),
    Column("extra_mb_geomean", lambda r: r.summary.extra_mb, "MiB, geometric mean over passed answers, one page at least"),
    Column("extra_share_of_limit", lambda r: r.summary.extra_share, "extra_mb / the kernel's limit, likewise"),
    Column(
        "rank_low",
        lambda r: r.rank[0] if r.rank else None,
        "1 + models surely better; empty for baselines, and for models without a graded answer to every kernel",
    ),
    Column("rank_high", lambda r: r.rank[1] if r.rank else None, "models that are not surely worse, itself included"),
    Column("kernels", lambda r: r.summary.kernels, "kernels with an answer that counts; the others are left out"),
    Column(
        "speedup_failures_1x",
        lambda r: r.summary.speedup_all.value,
        "over all answers, a failed one as 1",
    ),
    Column("speedup_failures_1x_low", lambda r: r.summary.speedup_all.low, INTERVAL),
    Column("speedup_failures_1x_high", lambda r: r.summary.speedup_all.high, INTERVAL),
    Column("extra_mb_low", lambda r: r.summary.extra.low, INTERVAL),
    Column("extra_mb_high", lambda r: r.summary.extra.high, INTERVAL),
    Column("extra_share_of_reference", lambda r: r.summary.share_of_reference.value, "extra_mb / the reference's, likewise"),
    Column("throughput_geomean_m", lambda r: r.summary.throughput.value, "millions of units a second, passed answers"),
    *(_fast_column(p) for p in (1.0, 2.0, 4.0, 8.0)),
    Column("extra_share_of_limit_low", lambda r: r.summary.share.low, INTERVAL),
    Column("extra_share_of_limit_high", lambda r: r.summary.share.high, INTERVAL),
    Column("extra_share_of_reference_low", lambda r: r.summary.share_of_reference.low, INTERVAL),
    Column("extra_share_of_reference_high", lambda r: r.summary.share_of_reference.high, INTERVAL),
    Column("throughput_low_m", lambda r: r.summary.throughput.low, INTERVAL),
    Column("throughput_high_m", lambda r: r.summary.throughput.high, INTERVAL),
    *(column for k in BEST_OF for column in _best_columns(k)),
    *(_verdict_column(verdict) for verdict in verdicts.FAILURES),
)

# What the leaderboard shows, by what it ranks by: the columns of a table for a paper.
SHOWN = (
    *("model", "arch", "rank_low", "rank_high", "answers", "score", "score_low", "score_high"),
    *("pass_rate", "pass_rate_low", "pass_rate_high", "speedup_geomean", "speedup_low", "speedup_high"),
    *("extra_mb_geomean", "extra_share_of_limit"),
)

FAST_COLUMNS = (
    Column("model", lambda r: r[0].model.name, "the exact name in the runs", "text"),
    Column("kind", lambda r: r[0].model.kind, "llm or baseline", "text"),
    Column("arch", lambda r: r[0].arch, "amd64 or arm64", "text"),
    Column("p", lambda r: r[1], "speedup that counts as fast"),
    Column("fast_p", lambda r: r[2].value, "share of all answers that pass with a speedup of at least p"),
    Column("fast_p_low", lambda r: r[2].low, "95 % interval (Wilson)"),
    Column("fast_p_high", lambda r: r[2].high, "95 % interval (Wilson)"),
)

KERNEL_COLUMNS = (
    Column("model", lambda s: s.model.name, "the exact name in the runs", "text"),
    Column("kind", lambda s: s.model.kind, "llm or baseline", "text"),
    Column("kernel", lambda s: s.kernel.name, "the kernel answered", "text"),
    Column("arch", lambda s: s.arch, "amd64 or arm64", "text"),
    Column("answers", lambda s: s.answers, "answers that count", "int"),
    Column("passed", lambda s: s.passed, "of them, passed", "int"),
    Column("score", lambda s: s.score_mean, "mean kernel_score over the answers"),
    Column("speedup_median", lambda s: _median_speedup(s), "over passed answers; of an even number the middle two's mean"),
    Column("speedup_best", lambda s: s.speedup_best, "the fastest passed answer's"),
    Column("extra_mb_median", lambda s: s.extra_mb_median, "MiB, over passed answers"),
    *(_verdict_column(verdict) for verdict in verdicts.FAILURES),
)

MACHINE_COLUMNS = (
    Column("machine", lambda m: m.uid, "the machine's id, as in results", "text"),
    Column("arch", lambda m: m.arch, "amd64 or arm64", "text"),
    Column("cpu_model", lambda m: m.cpu_model, "as the machine names it", "text"),
    Column("vcpus", lambda m: m.vcpus, "virtual processors", "int"),
    Column("memory_mb", lambda m: m.memory_mb, "MiB of memory"),
    Column("kernel_release", lambda m: m.kernel_release, "of Linux", "text"),
    Column("compiler", lambda m: m.compiler, "gcc's version", "text"),
    Column("flags", lambda m: m.flags, "the compiler's", "text"),
    Column("libc", lambda m: m.libc, "the C library", "text"),
    Column("page_size_bytes", lambda m: m.page_size_bytes, "of memory", "int"),
    Column("huge_pages", lambda m: m.huge_pages, "whether memory may come in huge pages", "text"),
    Column("sandbox", lambda m: m.backend, "what answers run in", "text"),
    Column("image", lambda m: m.image, "of a container, with its digest", "text"),
    Column("emulated", lambda m: m.emulated, "not a machine of that architecture: not a time to compare", "bool"),
    Column("results", lambda m: m.result_count, "public results measured on it", "int"),
    Column("first_seen", lambda m: m.first_seen, "UTC", "time"),
)


def _median_speedup(standing: Standing) -> float | None:
    logs = standing.per_answer.get("log_speedups")
    return math.exp(median(logs)) if logs else None


RESULT_COLUMNS = (
    ResultColumn("submission", "submission__uid", "the answer's public id: /submissions/<id>/"),
    ResultColumn("model", "model__name", "the exact name in the runs"),
    ResultColumn("kind", "model__kind", "llm or baseline"),
    ResultColumn("kernel", "kernel__name", "the kernel answered"),
    ResultColumn("kernel_version", "kernel_version", "measurement + hash, as it was when graded"),
    ResultColumn("arch", "arch", "amd64 or arm64"),
    ResultColumn("rollout", "submission__rollout", "which of the model's answers to the kernel"),
    ResultColumn("verdict", "verdict", "see /methodology/"),
    ResultColumn("answer_parsed", "answer_parsed", "the reply held C source"),
    ResultColumn("compiled", "compiled", "gcc accepted it; empty where it did not come to that"),
    ResultColumn("correct", "correct", "every result was right; empty where it did not come to that"),
    ResultColumn("within_memory", "within_memory", "extra_mb was within the kernel's limit"),
    ResultColumn("passed", "passed", "the verdict is passed"),
    ResultColumn("kernel_score", "kernel_score", "0 to 1; empty for emulated runs and faults of ours"),
    ResultColumn("speedup", "speedup", "ref_ms / sol_ms; empty unless passed"),
    ResultColumn("speedup_low", "speedup_low", "95 % bootstrap interval of this answer's rounds"),
    ResultColumn("speedup_high", "speedup_high", "95 % bootstrap interval of this answer's rounds"),
    ResultColumn("sol_ms", "sol_ms", "median time of the answer"),
    ResultColumn("ref_ms", "ref_ms", "median time of the reference, interleaved on the same inputs"),
    ResultColumn("throughput_m", "throughput_m", "millions of the kernel's units per second"),
    ResultColumn("extra_mb", "extra_mb", "MiB by which calling the answer raised peak resident memory"),
    ResultColumn("peak_mb", "peak_mb", "MiB of the whole process's peak, inputs included"),
    ResultColumn("emulated", "emulated", "measured under emulation: not a time to compare"),
    ResultColumn("sandbox", "sandbox", "what it ran in"),
    ResultColumn("machine", "machine__uid", "the machine's id: /machines/"),
    ResultColumn("cpu_model", "machine__cpu_model", "as the machine names it"),
    ResultColumn("compiler", "machine__compiler", "gcc's version"),
    ResultColumn("bundle", "bundle", "id of the first public bundle that brought the answer; empty for baselines"),
    ResultColumn("graded_at", "graded_at", "when it was graded, UTC"),
    ResultColumn("source_sha256", "submission__source_sha256", "of the C source; empty without one"),
    ResultColumn("flagged", "flagged", "too good, or of too much data, to be counted before a person has looked"),
    ResultColumn("invalidated", "invalidated", "declared invalid by a person: never current"),
    ResultColumn("outdated", "outdated", "of an earlier measurement: counts in no summary"),
    ResultColumn("weights", "model__weights", "open, closed, or empty where nobody has said"),
    ResultColumn("temperature", "temperature", "as the run or its uploader says; several, where the bundle has several runs"),
    ResultColumn("max_tokens", "max_tokens", "likewise; empty where nothing is said"),
    ResultColumn(
        "answer_from",
        "submission__answer_from",
        "which rule chose the C: text, block, last_text, last_block or raw; empty without an answer, or where it was not noted",
    ),
    ResultColumn("unresolved", "unresolved", "the time is at the clock's limit: ranks, scores and means use speedup_low"),
    ResultColumn("const_kb", "const_kb", "size of the answer's own code and initialised data, in units of 1024 bytes"),
    ResultColumn("first_call", "first_call", "state makes later calls cheap: the figures are of first calls in fresh processes"),
    ResultColumn("memory_resolution_mb", "memory_resolution_mb", "MiB that the machine's counters of peak memory may not see"),
)


SAMPLE_COLUMNS = (
    Column("submission", lambda s: s[0], "the answer's public id: /submissions/<id>/", "text"),
    Column("arch", lambda s: s[1], "amd64 or arm64", "text"),
    Column("round", lambda s: s[2], "counted round of this grading, from 0", "int"),
    Column("process", lambda s: s[3], "set of processes it was measured in, from 0; empty where unknown", "int"),
    Column("answer_ns", lambda s: s[4], "CPU time of one call of the answer, an empty call's subtracted"),
    Column("reference_ns", lambda s: s[5], "the same of the reference, on the same inputs"),
)


ARCHITECTURE_COLUMNS = (
    Column("model", lambda r: r[0].name, "the exact name in the runs", "text"),
    Column("kind", lambda r: r[0].kind, "llm or baseline", "text"),
    Column("kernel", lambda r: r[1], "the kernel, or all", "text"),
    Column("answers_on_both", lambda r: r[2].pairs, "answers that passed on both architectures, natively measured", "int"),
    Column(
        "throughput_amd64_m", lambda r: _unless_all(r, r[2].amd64), "geometric mean, millions of units a second; empty for all"
    ),
    Column(
        "throughput_arm64_m", lambda r: _unless_all(r, r[2].arm64), "geometric mean, millions of units a second; empty for all"
    ),
    Column("throughput_ratio", lambda r: r[2].throughput.value, "arm64 / amd64, geometric mean over the answers"),
    Column("throughput_ratio_low", lambda r: r[2].throughput.low, INTERVAL),
    Column("throughput_ratio_high", lambda r: r[2].throughput.high, INTERVAL),
    Column("memory_ratio", lambda r: r[2].memory.value, "arm64 / amd64 of extra memory, one page at least"),
    Column("memory_ratio_low", lambda r: r[2].memory.low, INTERVAL),
    Column("memory_ratio_high", lambda r: r[2].memory.high, INTERVAL),
)


def _unless_all(row: Any, value: float | None) -> float | None:
    """Units differ between kernels: a mean over all of them means nothing by itself."""
    return None if row[1] == "all" else value


def _difference_columns(name: str, attribute: str, meaning: str) -> tuple[Column, ...]:
    return (
        Column(name, lambda r: getattr(r[5], attribute).value, meaning),
        Column(f"{name}_low", lambda r: getattr(r[5], attribute).low, INTERVAL),
        Column(f"{name}_high", lambda r: getattr(r[5], attribute).high, INTERVAL),
    )


COMPARE_COLUMNS = (
    Column("model_a", lambda r: r[0].name, "the first model", "text"),
    Column("model_b", lambda r: r[1].name, "the second model", "text"),
    Column("arch", lambda r: r[2], "amd64 or arm64", "text"),
    Column("kernel", lambda r: r[3], "the kernel, or all that both answered", "text"),
    Column("outcome", lambda r: r[5].outcome, "of the first, in score: win, tie or loss", "text"),
    Column("score_a", lambda r: r[4] and r[4].scores[0], "mean score of the first; empty for all"),
    Column("score_b", lambda r: r[4] and r[4].scores[1], "mean score of the second; empty for all"),
    *_difference_columns("score_difference", "score", "first less second, mean over kernels"),
    *_difference_columns("pass_rate_difference", "pass_rate", "first less second, mean over kernels"),
    *_difference_columns("speedup_ratio", "speedup", "first / second, passed answers, geometric mean over kernels"),
    *_difference_columns("memory_ratio", "memory", "first / second, likewise"),
)


COLUMNS: dict[str, Sequence[Column | ResultColumn]] = {
    "leaderboard": LEADERBOARD_COLUMNS,
    "results": RESULT_COLUMNS,
    "samples": SAMPLE_COLUMNS,
    "architectures": ARCHITECTURE_COLUMNS,
    "compare": COMPARE_COLUMNS,
    "fast": FAST_COLUMNS,
    "kernels": KERNEL_COLUMNS,
    "machines": MACHINE_COLUMNS,
}
