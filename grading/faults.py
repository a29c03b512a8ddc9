"""What goes wrong on our side: exceptions, never verdicts. A fault's reason is one line for the operator."""

from __future__ import annotations


class Fault(Exception):
    """Something of ours failed while grading; the answer is graded again."""

    needs_operator = False  # True: trying again is no use before somebody has changed something

    def __init__(self, reason: str, *, log: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.log = log  # what the failing part printed, for the operator


class SandboxUnavailable(Fault):
    """There is no usable sandbox for the architecture: the reason names what is missing."""

    needs_operator = True


class MachineShort(Fault):
    """The machine is short of room, memory, processes or files: the reason says of what, where, and how much is needed."""

    needs_operator = True


class CalibrationFailed(Fault):
    """A tuned baseline does not pass where it is to be measured: nothing that is graded there would count."""

    needs_operator = True


class SandboxGone(Fault):
    """The sandbox vanished or refused to work: a fresh one may do."""


class SandboxTimeout(SandboxGone):
    """A command ran past the wall-clock fuse, which lies beyond every limit that the harness itself keeps."""


class HarnessBroken(Fault):
    """The harness did not build, or gave no usable record."""
