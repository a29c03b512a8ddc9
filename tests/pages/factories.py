"""Rows for page tests: single ones with sensible defaults, and a whole site of invented results, the same at every call."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from leaderboard.models import Bundle, BundleEntry, Kernel, LanguageModel, Machine, Result, Standing, Submission
from leaderboard.services import standings

NUMBERS = count(1)
WHEN = datetime(2026, 11, 27, 14, 2, tzinfo=UTC)
KERNELS = (
    ("dot_f32", "float dot_f32(const float *a, const float *b, size_t n)", "element", 4, 14.0, 2.2),
    ("prefix_sum_i64", "void prefix_sum_i64(const int64_t *in, int64_t *out, size_t n)", "element", 4, 10.6, 1.0),
    ("byte_histogram", "void byte_histogram(const uint8_t *data, size_t n, uint64_t counts[256])", "byte", 4, 55.0, 3.4),
    ("count_primes", "uint64_t count_primes(uint64_t n)", "candidate", 4, 250.0, 60.0),
    ("matmul_f32", "void matmul_f32(const float *a, const float *b, float *c, size_t n)", "FMA", 4, 45.0, 40.0),
    ("sort_u32", "void sort_u32(uint32_t *data, size_t n)", "element", 20, 280.0, 8.8),
    ("count_substr", "size_t count_substr(const char *text, size_t n, const char *pattern, size_t m)", "byte", 4, 36.0, 20.0),
    ("popcount_u64", "uint64_t popcount_u64(const uint64_t *words, size_t n)", "word", 4, 91.0, 9.4),
    ("count_distinct_u32", "size_t count_distinct_u32(const uint32_t *values, size_t n)", "value", 10, 282.0, 44.0),
    ("transpose_f32", "void transpose_f32(const float *in, float *out, size_t rows, size_t cols)", "element", 4, 119.0, 10.3),
    ("crc32_ieee", "uint32_t crc32_ieee(const uint8_t *data, size_t n)", "byte", 4, 36.8, 31.0),
    ("levenshtein", "uint32_t levenshtein(const uint8_t *a, size_t n, const uint8_t *b, size_t m)", "cell", 4, 35.0, 22.0),
    (
        "mandel_count",
        "uint64_t mandel_count(double x0, double y0, double dx, double dy, size_t width, size_t height, uint32_t max_iter)",
        "pixel",
        4,
        677.0,
        91.0,
    ),
)  # name, signature, unit, memory limit, reference's ms, tuned speedup
MODELS = (
    ("lab-one/wide-405b", "Lab One", "open", 0.92, 0.85),
    ("lab-two/large", "Lab Two", "closed", 0.96, 0.75),
    ("lab-two/medium-2026-09", "Lab Two", "closed", 0.9, 0.62),
    ("lab-three/moe-235b-a22b", "Lab Three", "open", 0.85, 0.6),
    ("lab-four/coder-120b-instruct", "Lab Four", "open", 0.8, 0.58),
    ("lab-five/mini", "Lab Five", "closed", 0.72, 0.5),
    ("lab-three/dense-32b", "", "", 0.66, 0.38),
    ("lab-six/tiny-8b", "Lab Six", "open", 0.45, 0.2),
)  # name, provider, weights, chance to pass, how much of tuned's gain it finds
FAILURES = (
    "no_answer",
    "compile_error",
    "forbidden",
    "runtime_error",
    "time_limit",
    "wrong_answer",
    "wrong_answer",
    "wrong_answer",
    "memory_limit",
)
DETAILS = {
    "passed": "Passed every test.",
    "wrong_answer": "On test “n = 7, data before a page end” it returned 3 where 4 is right: look at the last elements.",
    "compile_error": "Line 1: immintrin.h: No such file or directory.",
    "memory_limit": "Right, but it needed four times the memory that is allowed: look at the copy of the input.",
    "runtime_error": "SIGSEGV on test “n = 0”: look at what it reads before it compares with n.",
}
COMPILE_LOG = """\
answer.c:1:10: fatal error: immintrin.h: No such file or directory
    1 | #include <immintrin.h>
compilation terminated.
"""
SOURCE = """\
#include <immintrin.h>

/* one line a lane; "tail" <later> & so on */
static const int lanes = 0x10;

float dot_f32(const float *a, const float *b, size_t n)
{
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return lanes ? sum : 'x';
}
"""


def make_kernel(name: str = "dot_f32", **more: Any) -> Kernel:
    known = {row[0]: row for row in KERNELS}
    _, signature, unit, limit, _, _ = known.get(name, KERNELS[0])
    values = {
        "title": name.replace("_", " ").capitalize(),
        "unit": unit,
        "signature": signature,
        "benchmark": "n = 16 Mi",
        "memory_limit_mb": limit,
        "version": "1.1+3f9c21ab",
        "measurement": "1.1",
        "position": list(known).index(name) if name in known else 99,
    }
    return Kernel.objects.create(name=name, **(values | more))


def make_model(name: str = "lab/one", **more: Any) -> LanguageModel:
    slug = name.lower().replace("/", "-").replace(".", "-")
    return LanguageModel.objects.create(name=name, **({"slug": slug} | more))


def make_machine(arch: str = "amd64", **more: Any) -> Machine:
    values = {
        "arch": arch,
        "cpu_model": "AMD EPYC 9R14" if arch == "amd64" else "Neoverse-V2",
        "vcpus": 2,
        "memory_mb": 7936.0,
        "kernel_release": "6.12.9",
        "compiler": "gcc 14.2.0",
        "flags": "-std=gnu11 -O3 -march=native -D_GNU_SOURCE",
        "libc": "glibc 2.41",
        "page_size_bytes": 4096,
        "huge_pages": "off",
        "backend": "local",
    }
    fingerprint = hashlib.sha256(f"{arch} {sorted(more.items())}".encode()).hexdigest()
    return Machine.objects.create(fingerprint=fingerprint, **(values | more))


def make_submission(kernel: Kernel, model: LanguageModel, rollout: int = 0, **more: Any) -> Submission:
    submission = build_submission(kernel, model, rollout, **more)
    submission.save(force_insert=True)
    return submission


def build_submission(kernel: Kernel, model: LanguageModel, rollout: int = 0, **more: Any) -> Submission:
    source = more.pop("source", SOURCE)
    values = {
        "identity": f"{model.name}:{kernel.name}:{rollout}:{next(NUMBERS)}",
        "reply": f"Here it is.\n<answer>{source}</answer>",
        "source": source,
        "source_sha256": hashlib.sha256((source or "").encode()).hexdigest() if source else "",
        "answer_from": "text" if source else "",
    }
    return Submission(kernel=kernel, model=model, rollout=rollout, **(values | more))


def make_result(submission: Submission, arch: str = "amd64", verdict: str = "passed", **more: Any) -> Result:
    """A current, done result; a speedup of 4 and one page of extra memory where nothing else is said."""
    result = build_result(submission, arch, verdict, **more)
    result.save(force_insert=True)
    standings.recompute([standings.cell_of(result)])
    return result


def build_result(submission: Submission, arch: str = "amd64", verdict: str = "passed", **more: Any) -> Result:
    passed = verdict == "passed"
    speedup = more.get("speedup", 4.0) if passed else None
    built = verdict not in ("no_answer", "compile_error", "forbidden")
    values = {
        "kernel": submission.kernel,
        "model": submission.model,
        "public": submission.public,
        "state": Result.State.DONE,
        "is_current": True,
        "started_at": WHEN,
        "graded_at": WHEN + timedelta(seconds=9),
        "attempt": 1,
        "kernel_version": submission.kernel.version,
        "measurement": submission.kernel.measurement,
        "verdict": verdict,
        "answer_parsed": verdict != "no_answer",
        "compiled": None if verdict == "no_answer" else verdict != "compile_error",
        "correct": verdict in ("passed", "memory_limit") if built else None,
        "within_memory": verdict != "memory_limit" if passed or verdict == "memory_limit" else None,
        "passed": passed,
        "kernel_score": score(speedup) if speedup else 0.0,
        "speedup": speedup,
        "speedup_low": speedup and speedup * 0.98,
        "speedup_high": speedup and speedup * 1.02,
        "sol_ms": speedup and 14.0 / speedup,
        "ref_ms": speedup and 14.0,
        "throughput_m": speedup and 16.78 / 14 * speedup * 1000,
        "extra_mb": 1 / 256 if built else None,
        "peak_mb": 140.25 if built else None,
        "sandbox": "local",
    }
    return Result(submission=submission, arch=arch, **(values | more))


def make_queued(submission: Submission, arch: str = "amd64", **more: Any) -> Result:
    values = {"kernel": submission.kernel, "model": submission.model, "public": submission.public}
    return Result.objects.create(submission=submission, arch=arch, **(values | more))


def make_bundle(name: str = "run.zip", *, public: bool = True, submissions: tuple[Submission, ...] = ()) -> Bundle:
    bundle = Bundle.objects.create(
        name=name, sha256=hashlib.sha256(name.encode()).hexdigest(), public=public, state=Bundle.State.IMPORTED
    )
    for line, submission in enumerate(submissions, 1):
        BundleEntry.objects.create(bundle=bundle, submission=submission, member="traces.jsonl", line=line)
    return bundle


def score(speedup: float) -> float:
    return 0.5 + 0.5 * min(1.0, max(0.0, math.log(speedup) / math.log(8)))


def make_site(models: int = len(MODELS), rollouts: int = 3, archs: tuple[str, ...] = ("amd64", "arm64")) -> None:
    """Invented results of all kernels: both baselines and so many models, every answer on every architecture."""
    site = _Invention({arch: make_machine(arch) for arch in archs})
    kernels = {name: make_kernel(name) for name, *_ in KERNELS}
    naive = make_model("naive", kind="baseline")
    tuned = make_model("tuned", kind="baseline")
    for name, _, _, _, reference_ms, gain in KERNELS:
        over = name in ("count_primes", "count_distinct_u32")
        site.add(build_submission(kernels[name], naive), "memory_limit" if over else "passed", 1.0, reference_ms)
        site.add(build_submission(kernels[name], tuned), "passed", gain, reference_ms)
    for name, provider, weights, passing, skill in _first(models):
        model = make_model(name, provider=provider, weights=weights)
        for kernel, _, _, _, reference_ms, gain in KERNELS:
            for rollout in range(rollouts):
                verdict = "passed" if site.chance.random() < passing else site.chance.choice(FAILURES)
                source = None if verdict == "no_answer" else SOURCE
                found = min(1.2, max(0.0, site.chance.gauss(skill, 0.25)))  # of the gain there is, on a log scale
                speedup = (gain * 1.5) ** found * math.exp(site.chance.gauss(0, 0.05))
                site.add(build_submission(kernels[kernel], model, rollout, source=source), verdict, speedup, reference_ms)
        site.save()
    site.save()


def _first(count: int) -> Iterator[tuple[str, str, str, float, float]]:
    """So many models: the invented ones, then further versions of them."""
    for k in range(count):
        name, provider, weights, passing, skill = MODELS[k % len(MODELS)]
        again = k // len(MODELS)
        yield (f"{name}-v{again + 1}" if again else name), provider, weights, passing * 0.97**again, skill * 0.95**again


class _Invention:
    """Collects answers with a result on every machine, and saves them all at once."""

    def __init__(self, machines: dict[str, Machine]) -> None:
        self.machines = machines
        self.chance = random.Random(20261127)
        self.submissions: list[Submission] = []
        self.results: list[Result] = []

    def add(self, submission: Submission, verdict: str, speedup: float, reference_ms: float) -> None:
        self.submissions.append(submission)
        baseline = submission.model.is_baseline
        for arch, machine in self.machines.items():
            drift = 1.0 if baseline else self.chance.uniform(0.75, 1.15)
            fails_here = arch == "arm64" and verdict == "passed" and not baseline and self.chance.random() < 0.12
            own = "compile_error" if fails_here else verdict
            self.results.append(self._result(submission, machine, own, speedup * drift, reference_ms))

    def save(self) -> None:
        """Everything since the last time; no later answer may be of the same model."""
        Submission.objects.bulk_create(self.submissions)
        Result.objects.bulk_create(self.results)
        cells = sorted({standings.cell_of(result) for result in self.results})
        Standing.objects.bulk_create([Standing(**cell._asdict(), **standings.summary(cell)) for cell in cells])
        self.submissions, self.results = [], []

    def _result(self, submission: Submission, machine: Machine, verdict: str, speedup: float, reference_ms: float) -> Result:
        more: dict[str, Any] = {"machine": machine, "detail": DETAILS.get(verdict, "")}
        if verdict == "passed":
            more |= self._measured(speedup, reference_ms)
        elif verdict == "memory_limit":
            more |= {"extra_mb": submission.kernel.memory_limit_mb * 4}
        elif verdict == "compile_error":
            more |= {"log": {"compile": COMPILE_LOG, "run": ""}}
        return build_result(submission, machine.arch, verdict, **more)

    def _measured(self, speedup: float, reference_ms: float) -> dict[str, Any]:
        rounds = 31 if reference_ms < 60 else 11
        answer_ms = reference_ms / speedup
        return {
            "speedup": speedup,
            "sol_ms": answer_ms,
            "ref_ms": reference_ms,
            "extra_mb": self.chance.choice([1, 1, 2, 3, 5, 5, 8, 16, 70, 260, 512]) / 256,
            "samples": {
                "answer_ns": [self._noisy(answer_ms * 1e6, 0.015) for _ in range(rounds)],
                "reference_ns": [self._noisy(reference_ms * 1e6, 0.01) for _ in range(rounds)],
                "process": [k % 3 for k in range(rounds)],
            },
            "log": {"compile": "", "run": "tests    214 of 214 right\nrounds   31 of 33 counted"},
            "seconds": {"compile": 0.4, "tests": 0.3, "benchmark": 4.1},
        }

    def _noisy(self, middle: float, spread: float) -> float:
        return middle * (1 + abs(self.chance.gauss(0, spread)) - 0.6 * spread)
