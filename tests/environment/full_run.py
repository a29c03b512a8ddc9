"""The README's vf-eval command for real: all kernels, every recorded rollout, against a loopback endpoint; its scores beside the
grader's own.

    make setup && scripts/setup_environment.sh
    .venv/bin/python -m tests.environment.full_run [--model stub/simd-x] [--rollouts 2] [--sandbox prime] [--arch arm64]

With --sandbox prime the loopback double of the service is used; with --sandbox emulated an arm64 run needs no machine of its own.
The run folder is kept (--folder), to be imported into a site. Exit status 1 where a verdict differs.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from grading.architectures import ARCHS
from grading.pipeline import grade_reply
from grading.sandbox.local import host_arch
from grading.sandbox.registry import BACKENDS, open_sandbox
from kernels.catalog import get_kernel, load_catalog
from tests.doubles.openai import OpenAIStub, recorded
from tests.doubles.prime import PrimeDouble
from tests.environment.running import ROOT, Verifiers, reply_text, run_folder, traces


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.environment.full_run", description=(__doc__ or "").partition("\n\n")[0]
    )
    parser.add_argument("--model", choices=sorted(recorded()), default="stub/simd-x")
    parser.add_argument("--rollouts", type=int, default=2)
    parser.add_argument("--sandbox", choices=list(BACKENDS), default="local")
    parser.add_argument("--arch", choices=ARCHS, default=host_arch())
    parser.add_argument("--kernels", default=",".join(load_catalog()))
    parser.add_argument("--folder", type=Path, help="where outputs/ is written; a temporary one by default")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what is started here ends with it
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="arch-kernels-environment-"))
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        stub = stack.enter_context(OpenAIStub(recorded()))
        surroundings: dict[str, str] = {}
        if asked.sandbox == "prime":
            surroundings = stack.enter_context(PrimeDouble()).environment | {"ARCH_KERNELS_CACHE": str(folder / "cache")}
        verifiers = Verifiers(ROOT / "var" / "environment")
        chosen = [
            "--env.taskset.arch",
            asked.arch,
            "--env.taskset.sandbox",
            asked.sandbox,
            "--env.taskset.kernels",
            asked.kernels,
        ]
        command = verifiers.command(stub.url, asked.model, "-r", str(asked.rollouts), *chosen)
        print(" ".join(command))
        verifiers.run(command, folder, surroundings, timeout_s=7200)
        os.environ.update(surroundings | {"HOME": str(folder)})  # the Prime client keeps tokens at home
        sandbox = stack.enter_context(closing(open_sandbox(asked.sandbox, asked.arch)))
        return compare(run_folder(folder), sandbox)


def compare(run: Path, sandbox: Any) -> int:
    """Grade every reply once more and print both; the number of verdicts that differ, at most 1."""
    print(f"{run}\n{'kernel':20}{'run':>14}{'grader':>14}{'score':>8}{'score':>8}{'speedup':>9}{'speedup':>9}")
    verdicts: Counter[str] = Counter()
    differing, distances = 0, []
    for trace in traces(run):
        if not trace["ok"]:
            print(f"{trace['task']['data']['kernel']:20}{'error':>14} {trace['errors'][-1]['message'][:90]}")
            differing += 1
            continue
        mine = trace["info"]["grade"]
        again = grade_reply(reply_text(trace), get_kernel(mine["kernel"]), sandbox).to_dict()
        verdicts[mine["verdict"]] += 1
        differing += mine["verdict"] != again["verdict"]
        if mine["kernel_score"] is not None and again["kernel_score"] is not None:
            distances.append(abs(mine["kernel_score"] - again["kernel_score"]))
        pairs = [(mine["verdict"], again["verdict"], ">14"), *((mine[name], again[name], f">{width}") for name, width in COLUMNS)]
        print(f"{mine['kernel']:20}" + "".join(f"{_shown(value):{width}}" for *values, width in pairs for value in values))
    print(f"{verdicts.total()} graded: {dict(verdicts)}; {differing} verdicts differ", end="")
    print(f"; scores differ by at most {max(distances):.3f}" if distances else "")
    return int(differing > 0)


COLUMNS = (("kernel_score", 8), ("speedup", 9))


def _shown(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value if value is not None else "-")


if __name__ == "__main__":
    raise SystemExit(main())
