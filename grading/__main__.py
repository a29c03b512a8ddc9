"""The grader on the command line: `python -m grading --kernel dot_f32 answer.c`."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import FrameType

from grading import blame, exit_status
from grading.answer import AnswerFrom, Extracted, Kind, extract
from grading.architectures import ARCHS
from grading.faults import Fault
from grading.pipeline import CALL_S, TOTAL_S, Options, fault_result, grade_extracted
from grading.result import GradingResult, Verdict
from grading.sandbox.local import host_arch
from grading.sandbox.registry import BACKENDS, open_sandbox
from grading.terminal import report
from kernels.catalog import BadSuite, UnknownKernel, choose, load_catalog, of_suite
from kernels.spec import BASELINES, DEFAULT_SUITE, KernelSpec, SpecError

SPENDING = ("call_s", "total_s", "size", "batch", "rounds", "processes", "memory_limit_mb")
EPILOG = """
FILE is C, or a reply in which the C stands between <answer> and </answer>; - reads standard input.
Without --kernel a baseline is graded on every kernel of the suite; --json then prints one object per line.
Exit status: 0 for any verdict on the answer, 2 for a wrong command line, 3 when the grader itself failed.
"""


def main(argv: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        if options.list:
            return _list(options.suite or DEFAULT_SUITE)
        jobs = _jobs(parser, options)
    except (UnknownKernel, BadSuite, SpecError) as error:
        parser.error(str(error))
    signal.signal(signal.SIGTERM, _end)
    try:
        verdicts = [_grade(kernel, answer, options) for kernel, answer in jobs]
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return exit_status.INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exit_status.BROKEN_PIPE
    return exit_status.FAULT if Verdict.INTERNAL_ERROR in verdicts else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m grading",
        description="Grade one C answer to one kernel.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="a .c file, a reply, or - for standard input")
    parser.add_argument("--kernel", metavar="NAME", help="which kernel it answers; --list names them")
    parser.add_argument("--baseline", choices=list(BASELINES), help="grade one of the repository's own sources instead of FILE")
    parser.add_argument("--arch", choices=ARCHS, default=host_arch(), help="default: this machine's")
    parser.add_argument("--sandbox", choices=list(BACKENDS), default="local")
    parser.add_argument("--json", action="store_true", help="print the record as one JSON object and nothing else")
    parser.add_argument("--list", action="store_true", help="list the kernels of the suite and end")
    parser.add_argument("--suite", default="", metavar="NAME", help=f"the suite; default: that of --kernel, else {DEFAULT_SUITE}")
    reading = parser.add_mutually_exclusive_group()
    reading.add_argument("--reply", dest="read", action="store_const", const=Kind.REPLY, help="FILE is a reply, tags or not")
    reading.add_argument("--raw", dest="read", action="store_const", const=Kind.RAW, help="FILE is C, tags or not")
    parser.set_defaults(read=Kind.AUTO)
    limits = parser.add_argument_group("limits, in CPU seconds")
    limits.add_argument("--call-s", type=_positive, default=CALL_S, metavar="S", help=f"one call; default {CALL_S}")
    limits.add_argument("--total-s", type=_positive, default=TOTAL_S, metavar="S", help=f"the whole run; default {TOTAL_S}")
    development = parser.add_argument_group("for development: the record says that these were used")
    for name in ("size", "batch", "rounds", "processes"):
        development.add_argument(f"--{name}", type=_positive, metavar="N", help=f"another {name} than the kernel's")
    development.add_argument("--memory-limit-mb", type=_positive, metavar="MIB", help="another limit than the kernel's")
    return parser


def _jobs(parser: argparse.ArgumentParser, options: argparse.Namespace) -> list[tuple[KernelSpec, Extracted]]:
    """What is to be graded: kernels and sources. Ends with status 2 where the command line does not say."""
    if options.baseline:
        if options.file:
            parser.error("either FILE or --baseline, not both")
        kernels = choose([options.kernel] if options.kernel else [], options.suite).values()
        return [(kernel, Extracted(BASELINES[options.baseline](kernel), AnswerFrom.RAW)) for kernel in kernels]
    if not options.file:
        parser.error("FILE is missing (or --baseline)")
    if not options.kernel:
        parser.error(f"--kernel is missing; there are: {', '.join(load_catalog())}")
    (kernel,) = choose([options.kernel], options.suite).values()
    return [(kernel, _read(parser, options, kernel))]


def _read(parser: argparse.ArgumentParser, options: argparse.Namespace, kernel: KernelSpec) -> Extracted:
    try:
        data = sys.stdin.buffer.read() if options.file == "-" else Path(options.file).read_bytes()
    except OSError as error:
        parser.error(f"cannot read {options.file}: {error.strerror}")
    text = data.decode("utf-8", "surrogateescape")
    is_reply = options.read == Kind.AUTO and options.file != "-" and not options.file.endswith(".c")
    return extract(text, kernel.entry, Kind.REPLY if is_reply else options.read)


def _grade(kernel: KernelSpec, answer: Extracted, options: argparse.Namespace) -> Verdict:
    """Grade, print, and say what came out."""
    waiting = None if options.json else _say_once("another grading runs on this machine: waiting for it to end")
    spend = replace(
        Options(),
        **{name: getattr(options, name) for name in SPENDING},
        on_wait=waiting,
    )
    try:
        with blame.ours("cannot grade"), closing(open_sandbox(options.sandbox, options.arch)) as sandbox:
            result = grade_extracted(answer, kernel, sandbox, spend)
    except Fault as fault:
        result = fault_result(fault, kernel, arch=options.arch, sandbox=options.sandbox)
    _print(result, as_json=options.json)
    return result.verdict


def _print(result: GradingResult, *, as_json: bool) -> None:
    print(json.dumps(result.to_dict(), allow_nan=False) if as_json else report(result), flush=True)


def _say_once(text: str) -> Callable[[float], None]:
    said: list[str] = []

    def say(waited_s: float) -> None:
        del waited_s
        if not said:
            said.append(text)
            print(text, file=sys.stderr, flush=True)

    return say


def _list(suite: str) -> int:
    for kernel in of_suite(suite).values():
        print(f"{kernel.name:20} {kernel.title:24} {kernel.benchmark_description}; {kernel.memory_limit_mb:g} MiB extra")
    return 0


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return value


def _end(signum: int, frame: FrameType | None) -> None:
    """SIGTERM takes the way of every other exit, so that the sandbox is cleaned up."""
    del frame
    raise SystemExit(128 + signum)


if __name__ == "__main__":
    sys.exit(main())
