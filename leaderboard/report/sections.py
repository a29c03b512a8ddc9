"""The document, section by section: each a function from the data to lines of Markdown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from grading.architectures import ARCHS
from grading.comparison.agreement import BOTH, NEITHER
from grading.pipeline import CALL_S
from grading.scoring import SCORE_WORDS
from grading.statistics import Estimate
from leaderboard.board import verdicts
from leaderboard.board.architecture_ratios import ArchitectureRatios, ModelRatios, Ratios, details, shown_models
from leaderboard.board.marks import NOT_COUNTED, WORDS
from leaderboard.board.rows import Row
from leaderboard.figures.forest import rank_text
from leaderboard.lib import formatting
from leaderboard.lib.formatting import MISSING
from leaderboard.models import LanguageModel, Machine
from leaderboard.report.data import Counts, Report
from leaderboard.report.markdown import code, plain, table

FOLDER = Path(__file__).resolve().parent
TABLES = ("leaderboard", "results", "architectures")  # that lie beside the document
ONE_SIDED = 25  # listed one by one


def summary(report: Report, note: str) -> Iterator[str]:
    """What was measured, and until when. note: what its readers should know first, from whoever wrote it."""
    llms = [model for model in report.models if not model.is_baseline]
    yield f"# Arch Kernels {report.suite.removeprefix('arch-kernels-')}: results"
    yield ""
    when = f"As of {formatting.utc(report.newest)}, its newest result:" if report.newest else "So far:"
    who = f"{_count(len(llms), 'model')} and {_count(len(report.models) - len(llms), 'baseline')}"
    totals = {arch: _total(counts) for arch, counts in report.verdicts.items()}
    graded = ", ".join(f"{_count(n, 'graded answer')} on {arch}" for arch, n in totals.items()) or "nothing graded"
    yield f"{when} {who} on {_count(len(report.kernels), 'kernel')}; {graded}."
    yield ""
    if note:
        yield plain(note)
        yield ""
    for arch, counts in report.emulated.items():
        wholly = "" if arch in report.boards else " Nothing was timed on it, so it has no speeds, scores or ranks here."
        yield f"> **{arch} was emulated** for {_count(_total(counts), 'result')}: they say what is right, no more.{wholly}"
        yield ""
    yield "The tables behind this page: " + ", ".join(f"[{name}.csv]({name}.csv)" for name in TABLES) + "."
    yield ""


def method(report: Report) -> Iterator[str]:
    yield from _text("method")
    if left_out := [f"{why}: {n}" for why, n in report.left_out.items() if n]:
        yield f"- Left out here: {'; '.join(left_out)}."
    yield ""


def models(report: Report) -> Iterator[str]:
    """Models by metrics, a table per architecture."""
    yield "## Models"
    yield ""
    header = ("model", "rank", "score", "95 %", "passed", "95 %", "speedup", "95 %", "extra MiB", "of limit")
    for arch, rows in report.boards.items():
        yield f"### {arch}"
        yield ""
        yield from table(header, [_model_row(row) for row in rows])
    for arch, counts in report.emulated.items():
        yield f"### {arch}, emulated: verdicts only"
        yield ""
        yield from table(("model", "passed", "answers", "failures"), _emulated_rows(report, counts))
    if any(own["tokens"] for own in report.sampled.values()):
        yield "### Answers"
        yield ""
        yield from table(("model", "answers", "mean tokens", "cut short", "without code"), _sampled_rows(report))


def kernel_by_model(report: Report) -> Iterator[str]:
    """Kernel x model: the median speedup of passed answers, and how many passed."""
    yield "## Kernels"
    yield ""
    yield "Median speedup over passed answers, and how many of the answers passed."
    yield ""
    for arch in ARCHS:
        if arch in report.boards:
            yield from _matrix(report, arch, f"### {arch}", _speed_cell)
        if arch in report.emulated:
            yield from _matrix(report, arch, f"### {arch}, emulated", _emulated_cell)


def architectures(report: Report) -> Iterator[str]:
    yield "## The same answers on both architectures"
    yield ""
    if not any(ratios.agreement for ratios in report.pairs.models):
        yield "No answer has a result on both architectures."
        yield ""
        return
    yield from table(("model", "on both", "pass on both", "only amd64", "only arm64", "on neither"), _agreement_rows(report))
    measured = [ratios for ratios in report.pairs.models if ratios.overall.pairs]
    if measured:
        yield "Ratios arm64 / amd64, over answers that passed and were measured on both; geometric means."
        yield ""
        yield from table(("model", "answers", "throughput", "95 %", "extra memory", "95 %"), [_ratio_row(r) for r in measured])
        yield from _kernel_ratios(report, report.pairs)
    else:
        yield "No answer was timed on both, so that speed and memory cannot be compared: only verdicts can."
        yield ""
    yield from _one_sided(report)


def failures(report: Report) -> Iterator[str]:
    """Verdicts by model."""
    yield "## Failures"
    yield ""
    for arch, counts in report.verdicts.items():
        found = _by_model(counts)
        seen = [name for name in verdicts.FAILURES if any(own[name] for own in found.values())]
        yield f"### {arch}"
        yield ""
        rows = [
            (
                plain(model),
                str(found[model.name].total()),
                *(_or_dot(found[model.name][name]) for name in (*seen, verdicts.PASSED)),
            )
            for model in report.models
            if model.name in found
        ]
        yield from table(("model", "answers", *(code(name) for name in (*seen, verdicts.PASSED))), rows)
    occurring = {name for counts in report.verdicts.values() for own in counts.values() for name in own}
    for name in verdicts.FAILURES:
        if name in occurring:
            yield f"- `{name}`: {verdicts.MEANINGS[name]}"
    yield ""


def machines(report: Report) -> Iterator[str]:
    yield "## Machines"
    yield ""
    header = ("processor", "architecture", "vCPUs", "memory", "Linux", "compiler", "libc", "pages", "sandbox", "results")
    yield from table(header, [_machine_row(machine, report.gradings.get(machine.pk, 0)) for machine in report.machines], words=2)
    if flags := sorted({machine.flags for machine in report.machines if machine.flags}):
        yield f"Compiled with {' or '.join(code(flag) for flag in flags)}."
        yield ""
    for arch in ARCHS:
        own = [machine for machine in report.machines if machine.arch == arch and not machine.emulated]
        if len(own) > 1:
            yield f"{arch} was graded on {len(own)} machines: speedups are against the reference on the same one."
            yield ""


def versions(report: Report) -> Iterator[str]:
    yield "## Versions"
    yield ""
    yield "`measurement of the kernel.measurement of the harness+hash of both`: results compare within one measurement."
    yield ""
    rows = [
        (
            code(kernel.name),
            ", ".join(code(version) for version in report.versions.get(kernel.name, [])) or MISSING,
            plain(kernel.unit),
            plain(kernel.benchmark),
            f"{kernel.memory_limit_mb:g} MiB",
        )
        for kernel in report.kernels
    ]
    yield from table(("kernel", "graded as", "unit", "benchmark", "extra memory limit"), rows, words=4)
    if report.bundles:
        yield "The answers came in these bundles:"
        yield ""
        yield from table(
            ("bundle", "sha256", "format", "asked with", "answers"), [_bundle_row(b) for b in report.bundles], words=4
        )


def reproduce() -> Iterator[str]:
    yield from _text("reproduce")
    yield ""


def _text(name: str) -> list[str]:
    """What is the same in every report."""
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    not_counted = "; ".join(f"*{word}*: {WORDS[word]}" for word in NOT_COUNTED)
    for name, value in (("score", SCORE_WORDS), ("call_s", str(CALL_S)), ("not_counted", not_counted)):
        text = text.replace(f"{{{name}}}", value)
    return text.splitlines()


# Rows of tables


def _model_row(row: Row) -> tuple[str, ...]:
    own = row.summary
    bare = row.model.is_baseline  # graded once a kernel: its interval would describe the choice of kernels only
    share = "" if own.extra_share is None else formatting.percent(own.extra_share)
    return (
        f"*{plain(row.model)}*" if bare else plain(row.model),
        rank_text(row),
        formatting.score(own.score.value),
        "" if bare else formatting.span(own.score.low, own.score.high, digits=2),
        f"{own.passed} / {own.answers}",
        "" if bare else _percents(own.pass_rate),
        formatting.times(own.speedup.value),
        "" if bare else formatting.span(own.speedup.low, own.speedup.high),
        formatting.mib(own.extra.value),
        share,
    )


def _percents(estimate: Estimate) -> str:
    span = formatting.span(estimate.low, estimate.high, unit=100, digits=0)
    return f"{span}{formatting.THIN}%" if span else ""


def _emulated_rows(report: Report, counts: Counts) -> Iterator[tuple[str, ...]]:
    found = _by_model(counts)
    for model in report.models:
        if own := found.get(model.name):
            yield plain(model), str(own[verdicts.PASSED]), str(own.total()), verdicts.describe(own).replace("_", "\\_")


def _sampled_rows(report: Report) -> Iterator[tuple[str, ...]]:
    for model in report.models:
        own = report.sampled.get(model.pk)
        if own and not model.is_baseline:
            tokens = MISSING if own["tokens"] is None else f"{own['tokens']:,.0f}"
            yield plain(model), str(own["answers"]), tokens, str(own["cut_short"]), str(own["none"])


def _matrix(report: Report, arch: str, title: str, cell: Any) -> Iterator[str]:
    yield title
    yield ""
    names = [model for model in report.models if any(cell(report, arch, model, kernel.name) for kernel in report.kernels)]
    rows = [
        (code(kernel.name), *(cell(report, arch, model, kernel.name) or MISSING for model in names)) for kernel in report.kernels
    ]
    yield from table(("kernel", *map(plain, names)), rows)


def _speed_cell(report: Report, arch: str, model: LanguageModel, kernel: str) -> str:
    standing = report.cells[arch].get(model.pk, {}).get(kernel)
    if standing is None:
        return ""
    logs = standing.per_answer.get("log_speedups", [])
    speed = formatting.times(math.exp(median(logs))) if logs else MISSING
    return f"{speed} ({standing.passed}/{standing.answers})"


def _emulated_cell(report: Report, arch: str, model: LanguageModel, kernel: str) -> str:
    counts = report.emulated[arch].get((model.name, kernel))
    return f"{counts[verdicts.PASSED]}/{counts.total()}" if counts else ""


def _agreement_rows(report: Report) -> Iterator[tuple[str, ...]]:
    found = {ratios.model.pk: ratios.agreement for ratios in report.pairs.models}
    for model in report.models:
        if own := found.get(model.pk):
            yield plain(model), str(sum(own.values())), *(str(own.get(where, 0)) for where in (BOTH, *ARCHS, NEITHER))


def _ratio_row(ratios: ModelRatios) -> tuple[str, ...]:
    return plain(ratios.model), str(ratios.overall.pairs), *_ratio_cells(ratios.overall)


def _ratio_cells(own: Ratios) -> tuple[str, ...]:
    return (
        formatting.three_digits(own.throughput.value),
        formatting.span(own.throughput.low, own.throughput.high),
        formatting.three_digits(own.memory.value),
        formatting.span(own.memory.low, own.memory.high),
    )


def _kernel_ratios(report: Report, pairs: ArchitectureRatios) -> Iterator[str]:
    """Throughput on each and its ratio, by kernel: of the baselines and the model with the most pairs."""
    for ratios in shown_models(pairs):
        yield f"By kernel, *{plain(ratios.model)}* (M units/s):"
        yield ""
        header = ("kernel", "answers", "amd64", "arm64", "throughput", "95 %", "extra memory", "95 %")
        rows = [
            (
                code(kernel.name),
                str(own.pairs),
                formatting.three_digits(own.amd64),
                formatting.three_digits(own.arm64),
                *_ratio_cells(own),
            )
            for kernel in report.kernels
            if (own := ratios.kernels.get(kernel.name)) and own.pairs
        ]
        yield from table(header, rows)


def _one_sided(report: Report) -> Iterator[str]:
    found = report.pairs.one_sided
    if not found:
        yield "Nothing passes on one architecture only."
        yield ""
        return
    names = {model.pk: model for model in report.models}
    said = details(found[:ONE_SIDED])
    yield f"Passing on one architecture only ({len(found)}):"
    yield ""
    rows = [
        (
            plain(names.get(one.model_id, "")),
            code(one.kernel),
            one.passed_on,
            f"{code(one.verdict)} on {one.failed_on}",
            plain(said.get(one.uid, "")),
        )
        for one in found[:ONE_SIDED]
    ]
    yield from table(("model", "kernel", "passes on", "fails", "why"), rows, words=5)
    if len(found) > ONE_SIDED:
        yield f"And {len(found) - ONE_SIDED} more: `results.csv` has them all."
        yield ""


def _machine_row(machine: Machine, n: int) -> tuple[str, ...]:
    memory = MISSING if machine.memory_mb is None else f"{machine.memory_mb / 1024:.1f} GiB"
    pages = MISSING if machine.page_size_bytes is None else f"{machine.page_size_bytes // 1024} KiB"
    return (
        plain(machine.cpu_model),
        f"{machine.arch}, emulated" if machine.emulated else machine.arch,
        MISSING if machine.vcpus is None else str(machine.vcpus),
        memory,
        plain(machine.kernel_release),
        plain(machine.compiler),
        plain(machine.libc),
        pages,
        plain(machine.backend),
        str(n),
    )


def _bundle_row(bundle: Any) -> tuple[str, ...]:
    asked = ", ".join(
        f"{name} {bundle.config[name]}"
        for name in ("temperature", "top_p", "max_tokens", "reasoning_effort")
        if name in bundle.config
    )
    return plain(bundle.name), code(bundle.sha256[:12]), plain(bundle.format), plain(asked) or MISSING, str(bundle.answers)


def _by_model(counts: Counts) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for (model, _), own in counts.items():
        found.setdefault(model, Counter()).update(own)
    return found


def _total(counts: Counts) -> int:
    return sum(own.total() for own in counts.values())


def _or_dot(n: int) -> str:
    return str(n) if n else "·"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def by_model(counts: Counts, models: Iterable[LanguageModel]) -> list[tuple[LanguageModel, Counter[str]]]:
    """Verdicts of each model, in the order given."""
    found = _by_model(counts)
    return [(model, found[model.name]) for model in models if model.name in found]
