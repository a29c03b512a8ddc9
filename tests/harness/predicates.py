"""Ways in which an answer may be wrong for a share of its arguments: each is met by every grading.

A family belongs to what a kernel's arguments are. A kernel lists its families in KERNELS; a new kernel, or a new pair of
arguments that matters, is a line there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.harness.listing import Calls

DENSE = 130
HIGH = 4096
LARGEST_MODULUS = 64
HALF_OCTAVE = 2**0.5
STEP = 1.01  # from one threshold, or the begin of one range, to the next

Predicate = tuple[str, bool]  # its name, and whether a call meets it
Family = Callable[[Calls], Iterator[Predicate]]


@dataclass(frozen=True)
class Size:
    """An argument that is a size: of the benchmark it is `most`."""

    name: str
    most: int
    run: int = LARGEST_MODULUS  # residues modulo all numbers up to it, and it, above DENSE and HIGH
    floor: int = 0  # the least that makes sense
    beyond: int = 1  # how far above `most` answers are tested

    def __call__(self, calls: Calls) -> Iterator[Predicate]:
        name, values = self.name, np.unique(calls[self.name])
        for low in self._lows():
            above = values[values > low]
            for modulus in [*range(2, LARGEST_MODULUS + 1), self.run]:
                met = set((above % modulus).tolist())
                for residue in range(modulus):
                    yield f"{name} % {modulus} == {residue} and {name} > {low}", residue in met
        for value in self.exact():
            yield f"{name} == {value}", any_between(values, value, value)
        for threshold in grid(1, 0.9 * self.most):
            yield f"{name} > {threshold}", bool(values[-1] > threshold)
            yield f"{name} < {threshold}", bool(values[0] < max(threshold, self.floor + 1))
        for begin in grid(max(1, self.floor), self.most / HALF_OCTAVE):
            end = int(HALF_OCTAVE * begin)
            yield f"{begin} <= {name} <= {end}", any_between(values, begin, end)

    def _lows(self) -> list[int]:
        return [low for low in (-1, DENSE, HIGH) if low < self.most - self.run]

    def exact(self) -> list[int]:
        powers = [2**k + change for k in range(1, 64) for change in (-1, 0, 1) if 2**k <= self.most]
        values = {*range(DENSE + 1), *powers, *(self.most + change for change in (-1, 0, 1))}
        return sorted(value for value in values if self.floor <= value <= self.most + self.beyond)


def any_between(values: NDArray[np.int64], begin: int, end: int) -> bool:
    """Is one of the ascending values in [begin, end]?"""
    return bool(np.searchsorted(values, begin, "left") < np.searchsorted(values, end, "right"))


def grid(low: int, high: float) -> Iterator[int]:
    while low <= high:
        yield low
        low = max(low + 1, int(low * STEP))


@dataclass(frozen=True)
class Contents:
    """Each class of contents, among small sizes and among others."""

    classes: tuple[str, ...]

    def __call__(self, calls: Calls) -> Iterator[Predicate]:
        met = set(calls.content.tolist())
        for content in self.classes:
            yield f"the contents are: {content}", content in met


@dataclass(frozen=True)
class Placed:
    """Every size modulo 16 lies at all alignments that its elements have; the small ones also flush against both guards."""

    size: str
    buffer: int  # 0 and 1 are the inputs, 2 is the output
    element: int

    def __call__(self, calls: Calls) -> Iterator[Predicate]:
        small = calls.phase == "small test"
        n, at, placement = calls[self.size][small], calls.offsets[small, self.buffer], calls.placement[small]
        aligned, placed = (
            set(zip((n % 16).tolist(), (at % 16).tolist(), strict=True)),
            set(zip(n.tolist(), placement.tolist(), strict=True)),
        )
        for residue in range(16):
            for offset in range(0, 16, self.element):
                yield f"{self.size} % 16 == {residue} at an address of {offset} modulo 16", (residue, offset) in aligned
        for value in range(DENSE + 1):
            for name in ("unaligned", "flush start", "flush end"):
                yield f"{self.size} == {value}, {name}", (value, name) in placed


@dataclass(frozen=True)
class Pair:
    """Two sizes that are equal, nearly equal, or far from it."""

    first: str
    second: str
    extreme: int = 1000  # of which the one is so many times the other

    def __call__(self, calls: Calls) -> Iterator[Predicate]:
        n, m = calls[self.first], calls[self.second]
        both = set(zip(n.tolist(), m.tolist(), strict=True))
        residues = set(zip((n % 8).tolist(), (m % 8).tolist(), strict=True))
        for difference in range(-3, 4):
            yield f"{self.first} == {self.second} + {difference}", bool((n == m + difference).any())
            yield f"{self.first} == {self.second} + {difference} > {DENSE}", bool(((n == m + difference) & (m > DENSE)).any())
        for value in range(1, DENSE + 1):
            yield f"{self.first} == {self.second} == {value}", (value, value) in both
        for factor in (2, 3, 10, 100, self.extreme):
            yield f"{self.first} >= {factor} {self.second} > 0", bool(((m > 0) & (n >= factor * m)).any())
            yield f"{self.second} >= {factor} {self.first} > 0", bool(((n > 0) & (m >= factor * n)).any())
        yield from multiples(self.first, self.second, calls)
        for residue in range(8):
            for other in range(8):
                yield f"{self.first} % 8 == {residue} and {self.second} % 8 == {other}", (residue, other) in residues


def multiples(first: str, second: str, calls: Calls) -> Iterator[Predicate]:
    n, m = calls[first].astype(np.int64), calls[second].astype(np.int64)
    for times in (2, 3, 4, 8):
        yield f"{first} == {times} {second} > {times}", bool(((m > 1) & (n == times * m)).any())
        yield f"{second} == {times} {first} > {times}", bool(((n > 1) & (m == times * n)).any())


@dataclass(frozen=True)
class Both:
    """Two arguments that are large in one call."""

    first: str
    above: int
    second: str
    above_too: int
    below: int  # the first: what is larger is the benchmark's

    def __call__(self, calls: Calls) -> Iterator[Predicate]:
        n, m = calls[self.first], calls[self.second]
        name = f"{self.above} < {self.first} < {self.below} and {self.second} > {self.above_too}"
        yield name, bool(((n > self.above) & (n < self.below) & (m > self.above_too)).any())


@dataclass(frozen=True)
class Multiples:
    """Two arguments of which one is a multiple of the other."""

    first: str
    second: str

    def __call__(self, calls: Calls) -> Iterator[Predicate]:
        yield from multiples(self.first, self.second, calls)


@dataclass(frozen=True)
class Equal:
    """Two arguments that are equal, or one off."""

    first: str
    second: str

    def __call__(self, calls: Calls) -> Iterator[Predicate]:
        n, m = calls[self.first].astype(np.int64), calls[self.second].astype(np.int64)
        for difference in (-1, 0, 1):
            yield f"{self.first} == {self.second} + {difference}", bool((n == m + difference).any())


@dataclass(frozen=True)
class Residues:
    """All residues of one modulus above DENSE."""

    name: str
    modulus: int

    def __call__(self, calls: Calls) -> Iterator[Predicate]:
        values = calls[self.name]
        met = set((values[values > DENSE] % self.modulus).tolist())
        for residue in range(self.modulus):
            yield f"{self.name} % {self.modulus} == {residue} and {self.name} > {DENSE}", residue in met


BITS = Contents(("random words", "all bits set", "one bit set in a word", "no bit set"))
SUMS = Contents(("64 random bits", "all ones", "all INT64_MAX", "values around 2^32"))
PRODUCTS = Contents(
    ("values in [-1, 1)", "integers of up to 12 bits", "values -1, 0 and 1", "values -1 and 1, products in blocks of one sign")
)
RUNS = Contents(
    (
        "runs of 1 to 64 equal bytes",
        "random bytes",
        "all bytes equal",
        "two values taking turns",
        "runs of up to 100,000 equal bytes",
    )
)
BYTES = Contents(("random bytes", "all bytes 0", "all bytes 255", "all bytes 0 but the last", '"123456789"'))
MATRICES = Contents(("values in [-1, 1)", "integers of -64 to 64", "a shifts the rows of b"))
ORDERS = Contents(
    (
        "random",
        "sorted",
        "reversed",
        "all equal",
        "two values",
        "0 and the largest values",
        "few values",
        "only the lowest byte differs",
        "only the highest byte differs",
        "around 2^31",
        "rising, then falling",
        "sorted but for the last",
        "sorted but for the first",
        "sorted but for two neighbours",
        "only the lowest three bytes differ",
    )
)
VALUES = Contents(
    (
        "random",
        "all equal",
        "all different",
        "around 0 and 2^26 - 1",
        "few values",
        "values below n",
        "only the highest bits differ",
        "0 does not occur",
        "0 occurs once",
        "the last value is the only new one",
        "each value twice, far apart",
    )
)
TEXTS = Contents(
    (
        "random letters",
        "only 'a'",
        "four letters",
        "periodic",
        "patterns with one byte changed",
        "matches at both ends",
        "matches cut off by the ends",
        "all byte values",
        "the pattern is the text",
        "the pattern is the text but for one byte",
        "the pattern is longer",
        "empty pattern",
        "the pattern differs late",
        "planted in random letters",
        *(f"an alphabet of {letters}" for letters in range(1, 257)),
    )
)

STRINGS = Contents(
    (
        "unrelated letters",
        "two letters",
        "all byte values",
        "one letter",
        "no byte in common",
        "edited, moved and unrelated pieces",
        "near copies",
        "same beginning and end",
        "b is much shorter",
        "b is much longer",
        "b is empty",
        "b is a moved by one",
        "equal",
        "neighbours swapped",
        "only substitutions",
        "the first two fifths moved to the end",
        *(f"an alphabet of {letters}" for letters in range(1, 257)),
    )
)
VIEWS = Contents(
    (
        "exact orbits",
        "the whole set",
        "from the disc to the cardioid",
        "steps below 1e-9",
        "many pixels leave in the last tenth",
        "a pixel leaves at the last iteration",
        "at the border of the set",
        "the whole set, large",
    )
)
KERNELS: dict[str, list[Family]] = {
    "dot_f32": [Size("n", 1 << 24), Placed("n", 0, 4), PRODUCTS],
    "prefix_sum_i64": [Size("n", 1 << 24), Placed("n", 0, 8), Placed("n", 2, 8), SUMS],
    "byte_histogram": [Size("n", 1 << 26, run=1024), Placed("n", 0, 1), RUNS],
    "matmul_f32": [Size("n", 384), Placed("n", 0, 4), Placed("n", 2, 4), MATRICES],
    "sort_u32": [Size("n", 1 << 22, beyond=0), Placed("n", 2, 4), ORDERS],
    "count_substr": [
        Size("n", 1 << 25, run=1024),
        Size("m", 1 << 14),
        Pair("n", "m"),
        *(Both("m", length, "n", HIGH, below=length + 2) for length in range(DENSE)),
        Both("m", DENSE, "n", 1 << 16, below=HIGH),
        Placed("n", 0, 1),
        TEXTS,
    ],
    "popcount_u64": [Size("n", 1 << 25), Placed("n", 0, 8), BITS],
    "count_distinct_u32": [Size("n", 1 << 22), Placed("n", 0, 4), VALUES],
    "transpose_f32": [
        Size("rows", 4096),
        Size("cols", 4096),
        Pair("rows", "cols", extreme=100_000),
        Placed("rows", 0, 4),
        Placed("cols", 2, 4),
    ],
    "crc32_ieee": [Size("n", 1 << 24, run=1024), Placed("n", 0, 1), BYTES],
    "levenshtein": [
        Size("n", 6000),
        Size("m", 6000),
        Residues("n", 1024),
        Residues("m", 1024),
        Pair("n", "m"),
        Placed("n", 0, 1),
        STRINGS,
    ],
    "mandel_count": [
        Size("width", 1024),
        Size("height", 1024),
        Size("max_iter", 5000),
        Equal("width", "height"),
        Equal("width", "max_iter"),
        Equal("height", "max_iter"),
        Multiples("width", "height"),
        Both("width", DENSE, "height", DENSE, below=512),
        *(Both("width", 16, "max_iter", limit, below=512) for limit in (500, 1000, 2000, 4000)),
        VIEWS,
    ],
    "count_primes": [Size("n", 50_000_000, run=1024)],
}


def missed(kernel: str, calls: Calls) -> list[str]:
    """The predicates of the kernel's families that no call meets."""
    return [name for family in KERNELS[kernel] for name, met in family(calls) if not met]
