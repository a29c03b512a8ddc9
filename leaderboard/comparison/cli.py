"""The command line of both entrances: what to compare, progress, and the file that comes of it."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grading import exit_status
from grading.architectures import ARCHS
from grading.comparison.gradings import Gradings
from grading.comparison.journal import Journal, JournalError
from grading.comparison.subjects import Subject, baselines
from grading.comparison.summary import summary
from grading.pipeline import Options
from grading.sandbox.local import host_arch
from grading.sandbox.registry import BACKENDS, check
from grading.version import kernel_version
from kernels.catalog import BadSuite, choose, load_catalog
from kernels.spec import DEFAULT_SUITE, KernelSpec
from leaderboard.bundles.types import BundleError
from leaderboard.comparison.runs import Runs, read_runs
from leaderboard.comparison.table import summary_text
from leaderboard.lib.progress_bar import progress_bar

FORMAT = "arch-kernels comparison 1"
DESCRIPTION = "Grade the answers of runs, the reference and the tuned code of every kernel on both architectures, and compare."
EPILOG = """
Each grading is kept beside OUT, in OUT.journal, as soon as it is done: run the same command again to resume.
Exit status: 0 when all is graded, 2 for a wrong command line, 3 when gradings failed on our side (run it again), 130 when
interrupted.
"""

Say = Callable[[str], None]


class Refused(Exception):
    """Nothing was graded; the message says what to change."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", metavar="OUT.json", type=Path, help="where the comparison is written")
    parser.add_argument(
        "runs", metavar="RUN", type=Path, nargs="*", help="run folders, archives or single files of answers; none: baselines only"
    )
    parser.add_argument(
        "--sandbox",
        metavar="ARCH=NAME",
        action="append",
        default=[],
        help=f"the sandbox of an architecture ({', '.join(BACKENDS)}); default: SANDBOX_AMD64 and SANDBOX_ARM64, else local, "
        "and emulated for arm64 on amd64",
    )
    parser.add_argument(
        "--arch",
        choices=ARCHS,
        action="append",
        help="grade on this architecture only; use the journal's gradings of the other (may be repeated)",
    )
    parser.add_argument(
        "--kernels", metavar="NAMES", action="append", default=[], help="only these, joined by commas (may be repeated)"
    )
    parser.add_argument(
        "--suite",
        default="",
        metavar="NAME",
        help=f"compare all kernels of this suite; default: that of --kernels, else {DEFAULT_SUITE}",
    )
    parser.add_argument("--limit", type=_positive, metavar="N", help="only the first N answers")
    parser.add_argument("--model", default="", help="the model of rows that do not name one")
    parser.add_argument("--no-baselines", action="store_true", help="without the reference and the tuned code")
    parser.add_argument("--rounds", type=_positive, metavar="N", help="for development: fewer rounds; the file says so")


def main(argv: list[str] | None = None) -> int:
    """Without Django: what scripts/arch_compare.py runs."""
    parser = argparse.ArgumentParser(
        prog="arch_compare.py", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    try:
        return run(vars(parser.parse_intermixed_args(argv)), say=print)  # OUT --kernels dot_f32 RUN
    except Refused as refused:
        parser.error(str(refused))


def run(options: Mapping[str, Any], say: Say, defaults: Mapping[str, str] | None = None) -> int:
    """The whole command; returns the exit status. defaults: sandboxes by architecture. Raises Refused."""
    out: Path = options["out"]
    kernels = chosen_kernels(options["kernels"], options.get("suite", ""))
    sandboxes = chosen_sandboxes(options, defaults or {arch: os.environ.get(f"SANDBOX_{arch.upper()}", "") for arch in ARCHS})
    check_out(out)
    try:
        runs = read_runs(options["runs"], load_catalog(), options["model"])
        journal = Journal(out.with_name(f"{out.name}.journal"))
    except (BundleError, JournalError) as error:
        raise Refused(str(error)) from error
    answers = [answer for answer in runs.answers if answer.kernel in kernels][: options["limit"]]
    subjects = [*([] if options["no_baselines"] else baselines(kernels.values())), *answers]
    with journal, _sigterm_as_interrupt():
        with Gradings(sandboxes=sandboxes, journal=journal, options=_spend(options["rounds"])) as gradings:
            if not _grade(gradings, subjects, say):
                say(f"Interrupted: the gradings so far are in {journal.path}; run the same command again to resume.")
                return exit_status.INTERRUPTED
        comparison = _comparison(subjects, gradings, runs, kernels)
    write(out, comparison)
    say(summary_text(comparison["summary"]))
    say(f"\n{len(comparison['results'])} gradings of {len(subjects)} subjects in {out}")
    return _faults(comparison["faults"], say)


def chosen_kernels(words: list[str], suite: str = "") -> dict[str, KernelSpec]:
    """The chosen kernels by name; all of one suite, since their ratios go into one mean."""
    catalog = load_catalog()
    names = [name.strip() for word in words for name in word.split(",") if name.strip()]
    if unknown := [name for name in names if name not in catalog]:
        raise Refused(f"no kernel {', '.join(unknown)}; there are: {', '.join(catalog)}")
    try:
        return choose(names, suite)
    except BadSuite as error:
        raise Refused(str(error)) from error


def chosen_sandboxes(options: Mapping[str, Any], defaults: Mapping[str, str]) -> dict[str, str]:
    """{architecture: sandbox}, each looked at: what is missing is said before anything is graded."""
    asked = {}
    for word in options["sandbox"]:
        arch, sign, name = word.partition("=")
        if not sign or arch not in ARCHS or name not in BACKENDS:
            raise Refused(f"--sandbox is ARCH=NAME, with {' or '.join(ARCHS)} and one of {', '.join(BACKENDS)}; not {word!r}")
        asked[arch] = name
    sandboxes = {arch: asked.get(arch) or defaults.get(arch) or _usual(arch) for arch in options["arch"] or ARCHS}
    missing = {arch: reason for arch, name in sandboxes.items() if (reason := check(name, arch))}
    if missing:
        told = "; ".join(f"{arch} in {sandboxes[arch] or 'no sandbox'}: {reason}" for arch, reason in missing.items())
        raise Refused(f"{told}. Another sandbox: --sandbox {next(iter(missing))}=NAME; one architecture at a time: --arch")
    return {arch: sandboxes[arch] for arch in ARCHS if arch in sandboxes}


def _usual(arch: str) -> str:
    """Never one that costs money unasked."""
    return "local" if arch == host_arch() else "emulated"


def check_out(out: Path) -> None:
    """A file that is not ours is not written over."""
    if not out.parent.is_dir():
        raise Refused(f"{out.parent} is not a folder")
    if not out.exists():
        return
    try:
        ours = json.loads(out.read_text(encoding="utf-8")).get("format") == FORMAT
    except (OSError, ValueError, AttributeError):
        ours = False
    if not ours:
        raise Refused(f"{out} exists and is not a comparison: give another name")


def write(out: Path, comparison: Mapping[str, Any]) -> None:
    """Replace the file in one step: there is the old file or the whole new one."""
    temporary = out.with_name(f".{out.name}.{os.getpid()}")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(comparison, file, indent=1, ensure_ascii=False, allow_nan=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(out)
    finally:
        temporary.unlink(missing_ok=True)


def _grade(gradings: Gradings, subjects: list[Subject], say: Say) -> bool:
    """False when somebody ended it."""
    for sentence in gradings.outdated(subjects):
        say(f"Graded again: {sentence}.")
    todo = gradings.missing(subjects)
    total = len(subjects) * len(gradings.sandboxes)
    where = ", ".join(f"{arch} in {name}" for arch, name in gradings.sandboxes.items())
    say(f"{total} gradings ({where}), {total - len(todo)} of them known already")
    with progress_bar(total, "gradings") as bar:
        bar.update(total - len(todo))

        def graded(subject: Subject, arch: str, record: Mapping[str, Any] | None) -> None:
            bar.update(1)
            if not sys.stderr.isatty():  # a log has lines instead of a bar
                print(
                    f"{subject.kernel}, {subject.name}, {arch}: {record['verdict'] if record else 'failed on our side'}",
                    file=sys.stderr,
                )
            elif record is None:
                bar.say(f"{subject.kernel}, {subject.name}, {arch}: failed on our side: {gradings.troubles[-1].reason}")

        try:
            gradings.grade(todo, graded)
        except KeyboardInterrupt:
            return False
    return True


def _comparison(subjects: list[Subject], gradings: Gradings, runs: Runs, kernels: Mapping[str, KernelSpec]) -> dict[str, Any]:
    """The file's content: what each field is stands in docs/comparing-architectures.md."""
    graded = [(subject, {arch: record for arch in ARCHS if (record := _known(gradings, subject, arch))}) for subject in subjects]
    complete = not gradings.troubles and all(len(pair) == len(ARCHS) for _, pair in graded)
    return {
        "format": FORMAT,
        "complete": complete,
        "sandboxes": {arch: gradings.sandboxes.get(arch, "") for arch in ARCHS},
        "settings": gradings.options.overrides,
        "kernels": {
            name: {"version": kernel_version(spec), "unit": spec.unit, "memory_limit_mb": spec.memory_limit_mb}
            for name, spec in kernels.items()
        },
        "runs": runs.runs,
        "subjects": [subject.to_dict() for subject in subjects],
        "results": [
            {"identity": subject.identity, "kind": subject.kind, "model": subject.model, "rollout": subject.rollout, **record}
            for subject, pair in graded
            for record in pair.values()
        ],
        "summary": summary(graded),
        "faults": [trouble.to_dict() for trouble in gradings.troubles],
        "skipped": runs.skipped,
    }


def _known(gradings: Gradings, subject: Subject, arch: str) -> dict[str, Any] | None:
    """Gradings from the journal; on an architecture that is not graded here, whatever sandbox it was in."""
    if arch in gradings.sandboxes:
        return gradings.journal.record(gradings.key(subject, arch))
    known = gradings.journal.entries.get((subject.identity, arch))
    if known is None:
        return None
    (other,) = set(ARCHS) - {arch}
    now = gradings.key(subject, other)
    same = all(getattr(known[0], name) == getattr(now, name) for name in ("kernel_version", "source_sha256", "settings"))
    return known[1] if same else None


def _faults(faults: list[dict[str, Any]], say: Say) -> int:
    for fault in faults:
        tried = f"after {fault['attempts']} attempts" if fault["attempts"] else "not tried"
        say(f"  not graded: {fault['kernel']}, {fault['identity']}, {fault['arch']}, {tried}: {fault['reason']}")
    if faults:
        say(f"{len(faults)} gradings failed on our side, which says nothing about the code: run the same command again.")
    return exit_status.FAULT if faults else 0


def _spend(rounds: int | None) -> Options:
    told: list[bool] = []

    def waiting(waited_s: float) -> None:
        if not told:
            told.append(True)
            print("another grading runs on this machine: waiting for it to end", file=sys.stderr, flush=True)

    return Options(rounds=rounds, processes=None if rounds is None else min(rounds, 5), on_wait=waiting)


@contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """Sandboxes are ended on the way out, whichever signal it is."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return value
