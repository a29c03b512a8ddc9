"""A grader for tests of the site: quick, and does what the source tells it to.

Sources: "speedup 2.5" passes with that speedup, "verdict wrong_answer" fails so, "sleep 0.2" takes its time, "gone" loses the
sandbox, "operator" needs an operator, "bug" raises, "internal" reports an internal error. Several lines are done in turn.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from grading.calibration import Calibration
from grading.faults import CalibrationFailed, MachineShort, SandboxGone, SandboxUnavailable
from grading.scoring import kernel_score
from grading.version import kernel_version
from kernels.catalog import load_catalog

unavailable: dict[str, str] = {}  # arch -> reason; tests fill it in
real: set[str] = set()  # architectures whose sandbox measures; tests fill it in
swept: list[int] = []
places: dict[str, str] = {}
slow: set[str] = set()
unmeasurable: set[str] = set()
uncalibrated: dict[str, str] = {}  # arch -> why a tuned baseline fails there
short_of: dict[str, str] = {}  # arch -> what the machine is short of
calibrated: list[str] = []
MACHINE = {"cpu_model": "Fake", "vcpus": 2, "memory_mb": 4096.0, "compiler": "gcc 14.2.0"}
graded: list[tuple[str, str | None, str]] = []


def why_unavailable(arch: str) -> str | None:
    if arch in os.environ.get("FAKE_GRADER_ARCHS", "amd64,arm64").split(","):
        return unavailable.get(arch)
    return f"no {arch} sandbox configured"


def is_real(arch: str) -> bool:
    return arch in real


def place(arch: str) -> str:
    return places.get(arch, f"fake:{arch}")


def sandbox_name(arch: str) -> str:
    return "fake"


def calibrate(arch: str) -> Calibration | None:
    calibrated.append(arch)
    if arch in uncalibrated:
        raise CalibrationFailed(uncalibrated[arch])
    if arch in unmeasurable:
        return None
    figures = {"dot_f32": 100.0, "crc32_ieee": 200.0} if arch not in slow else {"dot_f32": 70.0, "crc32_ieee": 199.0}
    return Calibration(limits={"read_bandwidth": 9.0}, throughput_m=figures, machine=dict(MACHINE))


def sweep() -> None:
    swept.append(1)


def grade(kernel: str, source: str | None, arch: str) -> dict[str, Any]:
    if arch in short_of:
        raise MachineShort(short_of[arch])
    graded.append((kernel, source, arch))
    if path := os.environ.get("FAKE_GRADER_LOG"):  # what was begun, by which process: for tests across processes
        with Path(path).open("a") as log:
            log.write(f"{os.getpid()} {arch} {source!r}\n")
    time.sleep(float(os.environ.get("FAKE_GRADER_SLEEP", "0")))
    if source is None:
        return record(kernel, arch, verdict="no_answer")
    verdict, speedup = "passed", 1.0
    for line in source.splitlines():
        word, _, value = line.partition(" ")
        if word == "sleep":
            time.sleep(float(value))
        elif word == "gone":
            raise SandboxGone("the sandbox is gone")
        elif word == "operator":
            raise SandboxUnavailable("set PRIME_API_KEY")
        elif word == "bug":
            raise KeyError("a bug of ours")
        elif word == "internal":
            return record(kernel, arch, verdict="internal_error")
        elif word == "verdict":
            verdict = value
        elif word == "speedup":
            speedup = float(value)
    return record(kernel, arch, verdict=verdict, speedup=speedup)


def record(kernel: str, arch: str, *, verdict: str = "passed", speedup: float = 1.0, **more: Any) -> dict[str, Any]:
    """A record as the grader makes them."""
    passed = verdict == "passed"
    catalog = load_catalog()
    values: dict[str, Any] = {
        "schema": 1,
        "kernel": kernel,
        "kernel_version": kernel_version(catalog[kernel]) if kernel in catalog else "1.1+00000000",
        "arch": arch,
        "sandbox": "fake",
        "emulated": False,
        "verdict": verdict,
        "detail": f"It is {verdict}.",
        "answer_parsed": verdict != "no_answer",
        "compiled": None if verdict == "no_answer" else verdict != "compile_error",
        "correct": passed,
        "within_memory": True if passed else None,
        "passed": passed,
        "speedup": speedup if passed else None,
        "speedup_low": speedup * 0.9 if passed else None,
        "speedup_high": speedup * 1.1 if passed else None,
        "sol_ms": 10.0 / speedup if passed else None,
        "ref_ms": 10.0 if passed else None,
        "throughput_m": 100.0 * speedup if passed else None,
        "extra_mb": 0.5 if passed else None,
        "peak_mb": 12.0 if passed else None,
        "kernel_score": kernel_score(verdict, speedup if passed else None),
        "samples": {"answer_ns": [1.0, 2.0], "reference_ns": [2.0, 4.0]} if passed else None,
        "machine": dict(MACHINE),
        "log": {"compile": "", "run": ""},
        "seconds": {"compile": 0.1},
    }
    return values | more
