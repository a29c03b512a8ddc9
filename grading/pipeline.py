"""One answer graded: compile, inspect, judge, by the harness in a sandbox; the record, from what it found out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from grading import blame, scoring
from grading.answer import Extracted, extract
from grading.compile_log import first_error
from grading.driver import Outcome, grade_command, parse_outcome
from grading.faults import Fault, HarnessBroken, SandboxGone
from grading.harness_source import HarnessSource
from grading.hostlock import host_lock
from grading.isolation import NO_OUTER, WARNING, is_allowed_open, is_open, isolation_of
from grading.machine import machine_facts
from grading.other_architecture import written_for_another
from grading.result import GradingResult, Stages, Verdict, stages_of
from grading.sandbox.base import HARNESS_MISSING, Completed, Sandbox
from grading.statistics import Samples, is_unresolved, keeps_state, of_first_calls, speedup_of, with_cold_calls
from grading.text import clean, one_sentence
from grading.translation_unit import SOURCE_LIMIT_BYTES, is_too_long, translation_unit
from grading.version import kernel_version
from kernels.spec import KernelSpec

CALL_S = 60  # CPU seconds of one call
TOTAL_S = 180  # CPU seconds of a whole run
FUSE_S = 120.0  # wall time beyond the budget: compiling, inputs, checks
# wall time an answer may take for each second of its budget: a neighbour on the other core slowed calls 3.5 times
FUSE_FACTOR = 4.0
EMULATED_FACTOR = 2  # budgets under an emulator, which is 5 to 20 times slower: enough for what is quick, and it ends


@dataclass(frozen=True, kw_only=True)
class Options:
    """What a grading may spend; and, for development only, other sizes than the kernel's own."""

    call_s: int = CALL_S
    total_s: int = TOTAL_S
    size: int | None = None
    batch: int | None = None
    rounds: int | None = None
    processes: int | None = None
    memory_limit_mb: float | None = None
    # while another grading holds the host: renew a lease
    on_wait: Callable[[float], None] | None = field(default=None, compare=False)

    @property
    def overrides(self) -> dict[str, int]:
        """The settings that differ from the kernel's own, as options of the driver."""
        chosen = {name: getattr(self, name) for name in ("size", "batch", "rounds", "processes")}
        chosen["mem_kb"] = None if self.memory_limit_mb is None else int(self.memory_limit_mb * 1024)
        return {name: value for name, value in chosen.items() if value is not None}

    @property
    def fuse_s(self) -> float:
        return FUSE_S + FUSE_FACTOR * self.total_s


def grade_reply(reply: str, kernel: KernelSpec, sandbox: Sandbox, options: Options | None = None) -> GradingResult:
    """Grade what a model replied; a reply without an answer gets its verdict too. Raises Fault."""
    return grade_extracted(extract(reply, kernel.entry), kernel, sandbox, options)


def grade_extracted(answer: Extracted, kernel: KernelSpec, sandbox: Sandbox, options: Options | None = None) -> GradingResult:
    """Grade an answer that was extracted already. Raises Fault."""
    graded = grade_source(answer.source, kernel, sandbox, options)
    return replace(graded, answer_from=answer.answer_from)


def grade_source(source: str | None, kernel: KernelSpec, sandbox: Sandbox, options: Options | None = None) -> GradingResult:
    """Grade C source; None is no answer. Raises Fault for everything that is not the answer's doing."""
    options = options or Options()
    if source is None:
        return _without_run(Verdict.NO_ANSWER, "The reply has no complete, non-empty <answer>...</answer>.", kernel, sandbox)
    if is_too_long(source):
        detail = f"The source is over {SOURCE_LIMIT_BYTES // 1000} kB; an answer may have {SOURCE_LIMIT_BYTES} bytes."
        return _without_run(Verdict.FORBIDDEN, detail, kernel, sandbox)
    if sandbox.emulated:
        options = replace(options, call_s=EMULATED_FACTOR * options.call_s, total_s=EMULATED_FACTOR * options.total_s)
    seconds: dict[str, float] = {}
    with blame.ours("cannot grade"), _host_to_ourselves(sandbox, options, seconds):
        with _timed(seconds, "prepare"):
            harness = sandbox.harness(HarnessSource(kernel))
            machine = machine_facts(sandbox, harness)
        began = time.monotonic()
        done = _run(source, kernel, sandbox, harness, options, machine)
        outcome = parse_outcome(done)
        machine |= _isolation(outcome, sandbox, machine)
        seconds |= outcome.seconds
        seconds["sandbox"] = max(0.0, time.monotonic() - began - sum(outcome.seconds.values()))
    return _record(outcome, kernel, sandbox, options, machine=machine, seconds=seconds)


def fault_result(fault: Fault, kernel: KernelSpec, *, arch: str, sandbox: str) -> GradingResult:
    """A fault of ours as a record, for who reads records; it scores nothing."""
    return GradingResult(
        kernel=kernel.name,
        kernel_version=kernel_version(kernel),
        arch=arch,
        sandbox=sandbox,
        emulated=False,
        verdict=Verdict.INTERNAL_ERROR,
        detail=one_sentence(fault.reason),
        log={"compile": "", "run": clean(fault.log)},
        **_flags(stages_of(Verdict.INTERNAL_ERROR)),
    )


def _run(source: str, kernel: KernelSpec, sandbox: Sandbox, harness: str, options: Options, machine: dict[str, Any]) -> Completed:
    """Two trips to the sandbox: the source, one command."""
    command = grade_command(harness, kernel.name, _driver_options(kernel, sandbox, options, machine))
    sandbox.put("answer.c", translation_unit(source, kernel))
    done = sandbox.run(command, options.fuse_s)
    if done.exit_code == HARNESS_MISSING:
        raise SandboxGone(f"the sandbox has lost the harness at {harness}")
    return done


def _driver_options(kernel: KernelSpec, sandbox: Sandbox, options: Options, machine: dict[str, Any]) -> dict[str, int]:
    return {
        "size": kernel.benchmark_size,
        "rounds": kernel.rounds,
        "processes": kernel.processes,
        "mem_kb": int(kernel.memory_limit_mb * 1024),
        "call_s": options.call_s,
        "total_s": options.total_s,
        "emulate": int(sandbox.emulated),
        "resolution_kb": int((machine.get("memory_resolution_mb") or 0.0) * 1024),
        "unwalled": int(sandbox.is_walled or is_allowed_open()),
    } | options.overrides


def _record(
    outcome: Outcome,
    kernel: KernelSpec,
    sandbox: Sandbox,
    options: Options,
    *,
    machine: dict[str, Any],
    seconds: dict[str, float],
) -> GradingResult:
    verdict, emulated = outcome.verdict, sandbox.emulated
    measured: dict[str, Any] = {}
    if not emulated:
        measured = {"extra_mb": outcome.extra_mb, "peak_mb": outcome.peak_mb, "samples": _samples(outcome, outcome.samples)}
    if outcome.extra_mb is not None and not emulated:
        measured["memory_resolution_mb"] = machine.get("memory_resolution_mb")
    if verdict is Verdict.PASSED and not emulated:
        measured |= _speed(outcome)
    counted = scoring.counted_speedup(measured.get("speedup"), measured.get("speedup_low"), unresolved=measured.get("unresolved"))
    return GradingResult(
        kernel=kernel.name,
        kernel_version=kernel_version(kernel),
        arch=sandbox.arch,
        sandbox=sandbox.name,
        emulated=emulated,
        verdict=verdict,
        detail=_detail(outcome, measured, options, sandbox.arch),
        kernel_score=scoring.kernel_score(verdict, counted, emulated=emulated),
        const_kb=outcome.const_kb,
        machine=machine,
        log=outcome.log | {"run": _run_log(outcome, machine, options)},
        seconds={name: round(value, 4) for name, value in seconds.items()},
        **measured,
        **_flags(_stages(outcome, emulated)),
    )


def _isolation(outcome: Outcome, sandbox: Sandbox, machine: dict[str, Any]) -> dict[str, Any]:
    """What was in force in this grading, in place of what the backend says of itself."""
    answer = {name for name, active in outcome.defences.items() if active} if outcome.defences else None
    walls: dict[str, Any] = {"walled": sandbox.is_walled, "compiler": outcome.compiler_walls or set(), "answer": answer}
    warnings = [machine["warning"]] if "warning" in machine else []
    warnings += [WARNING] if is_open(**walls) else []
    said = {"isolation": isolation_of(machine.get("isolation", NO_OUTER), **walls)}
    return said | ({"warning": "; ".join(warnings)} if warnings else {})


def _stages(outcome: Outcome, emulated: bool) -> Stages:
    # some kernels (gVisor) do not tell what an answer's memory is either
    unmeasured = emulated or outcome.extra_mb is None
    return stages_of(outcome.verdict, compiled=outcome.compiled, correct=outcome.correct, emulated=unmeasured)


def _speed(outcome: Outcome) -> dict[str, Any]:
    if outcome.samples is None or outcome.units is None or outcome.units < 1:
        raise HarnessBroken("the harness passed an answer without having timed it")
    samples, first = outcome.samples, outcome.first
    first_call = None if first is None else keeps_state(samples, first)
    if first is not None and first_call:
        samples = of_first_calls(samples, first)
    speedup = with_cold_calls(speedup_of(samples), first)
    return {
        "speedup": speedup.ratio,
        "speedup_low": speedup.low,
        "speedup_high": speedup.high,
        "sol_ms": speedup.sol_ms,
        "ref_ms": speedup.ref_ms,
        "throughput_m": scoring.throughput_m(outcome.units, speedup.sol_ms),
        "samples": _samples(outcome, samples),
        "first_call": first_call,
        "unresolved": is_unresolved(speedup, outcome.empty_spread_ns),
    }


def _samples(outcome: Outcome, counted: Samples | None) -> dict[str, list[float]] | None:
    """What the figures are made of, the first calls beside it, and the later calls where those do not count."""
    if counted is None:
        return None
    table: dict[str, list[float]] = {
        "answer_ns": list(counted.answer_ns),
        "reference_ns": list(counted.reference_ns),
        "process": list(counted.process),
    }
    if outcome.first is not None:
        table["first_answer_ns"] = list(outcome.first.answer_ns)
    if outcome.samples is not None and counted is not outcome.samples:
        table["later_answer_ns"] = list(outcome.samples.answer_ns)
    return table


def _detail(outcome: Outcome, measured: dict[str, Any], options: Options, arch: str) -> str:
    detail, speedup = outcome.detail, measured.get("speedup")
    if outcome.verdict is Verdict.COMPILE_ERROR:
        log = outcome.log["compile"]
        detail = detail if outcome.limit else written_for_another(log, arch) or first_error(log) or detail
    if outcome.verdict is Verdict.PASSED:
        detail = "Passed every test." if speedup is None else f"Passed every test; {speedup:.3g} times the reference's speed."
    if measured.get("first_call"):
        detail += " That is by first calls in fresh processes: what it keeps from one call makes later ones cheap."
    if measured.get("unresolved"):
        detail += f" Its time is at the clock's limit: it is ranked by {measured['speedup_low']:.3g}."
    if options.overrides:
        detail = f"{detail} (Development run: {_named(options.overrides)}.)"
    return detail


def _run_log(outcome: Outcome, machine: dict[str, Any], options: Options) -> str:
    lines = [outcome.log["run"].rstrip()]
    if outcome.rounds["rounds"]:
        lines.append("{rounds} rounds counted, {dirty} disturbed and measured again".format(**outcome.rounds))
    if options.overrides:
        lines.append(f"development run, not the kernel's own benchmark: {_named(options.overrides)}")
    if absent := [name for name, active in outcome.defences.items() if not active]:
        lines.append(f"warning: graded without {', '.join(absent)}")
    if "warning" in machine:
        lines.append(f"warning: {machine['warning']}")
    return "\n".join(line for line in lines if line)


def _named(overrides: dict[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in overrides.items())


def _without_run(verdict: Verdict, detail: str, kernel: KernelSpec, sandbox: Sandbox) -> GradingResult:
    return GradingResult(
        kernel=kernel.name,
        kernel_version=kernel_version(kernel),
        arch=sandbox.arch,
        sandbox=sandbox.name,
        emulated=sandbox.emulated,
        verdict=verdict,
        detail=detail,
        kernel_score=scoring.kernel_score(verdict, None, emulated=sandbox.emulated),
        **_flags(stages_of(verdict)),
    )


def _flags(stages: Stages) -> dict[str, Any]:
    return dict(vars(stages))


@contextmanager
def _host_to_ourselves(sandbox: Sandbox, options: Options, seconds: dict[str, float]) -> Iterator[None]:
    """Two gradings never run at once on one host, whoever started them."""
    if not sandbox.on_this_host:
        yield
        return
    with host_lock(options.on_wait) as waited_s:
        seconds["wait"] = waited_s
        yield


@contextmanager
def _timed(seconds: dict[str, float], stage: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    seconds[stage] = time.monotonic() - began
