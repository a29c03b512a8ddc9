"""The order of work: higher priority first, then the order in which rows came.

What a board is made of comes first, kernel by kernel in the order of their positions: a kernel's tuned baseline, which its
answers are compared with, then one answer of each model to it. So a new model is listed after minutes, with a few kernels at
first, however many rollouts it has and whoever else's wait. Trials precede all of these; all other answers follow, and last the
naive baseline, which is the reference itself: nothing waits for its result. What the staff puts first or last is first or last.
"""

from __future__ import annotations

from leaderboard.models import Kernel

STAFF_FIRST = 10_000
HIGHEST = 5_000
TRIAL = HIGHEST + 10  # someone waits for it in front of a screen
TRIAL_BASELINE = HIGHEST + 20  # a trial's kernel has not been calibrated yet
ANSWER = 0
NAIVE = -100
STAFF_LAST = -10_000

MOST_POSITIONS = 2_000  # kernels behind these share a priority; they stay before ANSWER


def tuned(kernel: Kernel) -> int:
    """The priority of a kernel's tuned baseline: right before the models' first answers to that kernel."""
    return HIGHEST - 2 * min(kernel.position, MOST_POSITIONS)


def first_answer(kernel: Kernel) -> int:
    """The priority of a model's first answer to a kernel."""
    return tuned(kernel) - 1


def baseline(name: str, kernel: Kernel) -> int:
    """The priority of a baseline, by its name ("naive", "tuned")."""
    return tuned(kernel) if name == "tuned" else NAIVE
