"""A record for people at a terminal."""

from __future__ import annotations

from grading.result import GradingResult, Verdict
from grading.text import clean

LOG_EXCERPT = 2_000


def report(result: GradingResult) -> str:
    """Verdict first, then what was measured, where, and the logs."""
    lines = [f"{result.kernel} on {result.arch}: {result.verdict}", f"  {result.detail}"]
    if result.speedup is not None and result.sol_ms is not None:
        lines.append(f"  speedup   {result.speedup:.3g}x  (95 % interval {result.speedup_low:.3g} to {result.speedup_high:.3g})")
        lines.append(f"  time      {result.sol_ms:.4g} ms, reference {result.ref_ms:.4g} ms, {result.throughput_m:.4g} M units/s")
    if result.extra_mb is not None:
        peak = "" if result.peak_mb is None else f" (whole process {result.peak_mb:.1f} MiB)"
        lines.append(f"  memory    {result.extra_mb:.2f} MiB extra{peak}")
    lines.append(f"  score     {'none' if result.kernel_score is None else f'{result.kernel_score:.3f}'}")
    if result.machine:
        facts = [result.machine.get(name) for name in ("cpu_model", "compiler", "kernel_release")]
        lines.append(
            f"  machine   {', '.join(str(fact) for fact in facts if fact)} (sandbox {result.sandbox}: {_isolation(result)})"
        )
    lines.append(f"  version   {result.kernel_version}")
    for name, text in result.log.items():
        if text.strip() and (result.verdict is not Verdict.PASSED or name == "run"):
            lines += [f"  {name} log", *(f"    {line}" for line in clean(text, LOG_EXCERPT).strip().splitlines())]
    return "\n".join(lines)


def _isolation(result: GradingResult) -> str:
    return str(result.machine.get("isolation", "unknown isolation"))
