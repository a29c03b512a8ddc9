"""What the way to the service costs an answer."""

import pytest

from grading.pipeline import Options, grade_source
from kernels.catalog import get_kernel

MOST_CALLS = 4  # at 200 ms per round trip, less than a second beside the benchmark


@pytest.mark.slow
def test_an_answer_after_the_first_makes_few_round_trips(prime, double):
    kernel = get_kernel("crc32_ieee")
    options = Options(size=20_000, batch=4, rounds=5, processes=1)
    grade_source(kernel.reference_source, kernel, prime, options)
    before = len(double.calls)
    assert grade_source(kernel.reference_source, kernel, prime, options).verdict == "passed"
    made = [call.name for call in double.calls[before:]]
    assert 0 < len(made) <= MOST_CALLS, made
