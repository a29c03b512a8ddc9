"""Faults at random: an answer is right, or it is a fault."""

import pytest

from grading.faults import SandboxGone
from tests.doubles.prime.trouble import Troubles

COMMANDS = 60


@pytest.mark.slow
def test_under_random_faults_a_command_gives_its_own_output_or_a_passing_fault(prime, double):
    double.troubles = Troubles(chaos=0.2, seed=11)
    right = faults = 0
    for number in range(COMMANDS):
        try:
            prime.put("number", str(number).encode())
            if number % 3 == 0:
                prime.put("large", bytes(100_000))
            done = prime.run(["sh", "-c", "mv number taken && cat taken"], 10)
        except SandboxGone as fault:
            faults += not fault.needs_operator
        else:
            right += done.stdout == str(number).encode()
    assert right + faults == COMMANDS
    assert right > COMMANDS / 2
    assert 0 < double.made <= 1 + faults + COMMANDS / 4
    assert len(double.running) <= 1
