"""Real gradings by the real client, in sandboxes of the double."""

import pytest

from grading.faults import SandboxGone
from grading.pipeline import Options, grade_source
from kernels.catalog import get_kernel

SMALL = Options(size=20_000, batch=4, rounds=5, processes=1)
KERNELS = ("crc32_ieee", "dot_f32")


def graded(name, sandbox, source=None):
    kernel = get_kernel(name)
    return grade_source(source or kernel.reference_source, kernel, sandbox, SMALL)


@pytest.mark.parametrize("arch", ["amd64", "arm64"])
def test_answers_to_two_kernels_are_graded(open_prime, double, arch):
    sandbox = open_prime(arch)
    for name in KERNELS:
        before = double.round_trips
        result = graded(name, sandbox)
        assert (result.verdict, result.arch, result.sandbox, result.emulated) == ("passed", arch, "prime", False)
        assert result.speedup is not None
        assert result.speedup > 0
        # looking, building (with an upload), describing, grading; for the next kernel building and grading
        assert double.round_trips - before <= (6 if name == KERNELS[0] else 3)

    before = double.round_trips
    assert graded("crc32_ieee", sandbox).verdict == "passed"
    assert double.round_trips - before == 1
    assert double.made == 1
    assert double.count("upload") == 1  # all sources at once

    facts = result.machine
    assert (facts["backend"], facts["arch"], facts["image"]) == ("prime", arch, sandbox._places.settings.image)
    assert facts["double"] is True  # its results are never public
    assert "double" in result.log["run"]


def test_an_answer_costs_at_most_three_round_trips(prime, double):
    graded("crc32_ieee", prime)
    long = get_kernel("crc32_ieee").reference_source + "\n/*" + "long " * 30_000 + "*/\n"
    wrong = "uint32_t crc32_ieee(const uint8_t *data, size_t n) { return n; }"
    seen = []
    for source in (None, long, wrong, "nonsense"):
        before = double.count()
        seen.append((graded("crc32_ieee", prime, source).verdict, double.count() - before))
    assert [verdict for verdict, _ in seen] == ["passed", "passed", "wrong_answer", "compile_error"]
    assert [trips for _, trips in seen] == [1, 2, 1, 1]  # the long one is uploaded first


@pytest.mark.slow
def test_a_new_machine_behind_a_sandbox_is_described_anew(prime, double, monkeypatch):
    graded("crc32_ieee", prime)
    first = prime.place
    double.vanish(first.id)
    monkeypatch.setattr("grading.sandbox.prime.sandbox.QUIET_S", 0.0)  # as after a long silence
    assert graded("crc32_ieee", prime).verdict == "passed"  # no fault: idle sandboxes end, that is expected
    assert prime.place is not first
    assert double.made == 2


@pytest.mark.slow
@pytest.mark.parametrize(("name", "after"), [("upload", 0), ("execute", 2), ("execute", 3), ("execute", 4)])
def test_a_sandbox_that_vanishes_in_any_phase_of_a_grading_is_no_verdict(prime, double, name, after):
    """Uploading the sources, building, describing, grading."""
    double.troubles.plan(name, "vanish", after=after)
    with pytest.raises(SandboxGone):
        graded("crc32_ieee", prime)
    assert double.running == []
    assert prime.run(["true"], 10).exit_code == 0  # on a fresh one
    assert double.made == 2


def test_a_grading_whose_answer_is_lost_is_not_done_twice(prime, double):
    graded("crc32_ieee", prime)
    double.troubles.plan("execute", "lost")
    before = double.round_trips
    assert graded("crc32_ieee", prime).verdict == "passed"
    assert double.round_trips - before == 2  # done, answer lost; then only read
    assert double.made == 1
