"""A sandbox that executes nothing: it answers what a test tells it to."""

import json

from grading.sandbox.base import Completed

FACTS = {
    "arch": "amd64",
    "cpu_model": "Test CPU",
    "vcpus": 2,
    "memory_mb": 4096.0,
    "compiler": "gcc 14",
    "defences": {"landlock": True},
}
PASSED = {
    "verdict": "passed",
    "detail": "",
    "compiled": True,
    "correct": True,
    "extra_mb": 0.5,
    "peak_mb": 130.0,
    "units": 1e6,
    "samples": {"answer_ns": [1e6] * 6, "reference_ns": [2e6] * 6, "process": [0, 0, 0, 1, 1, 1], "empty_ns": 3000.0},
    "rounds": 6,
    "dirty": 1,
    "early": 0,
    "log": {"compile": "a warning", "run": ""},
    "seconds": {"compile": 0.1, "inspect": 0.01, "link": 0.05, "start": 0.1, "tests": 0.2, "benchmark": 1.0, "cpu": 1.3},
    "defences": {"landlock": True, "seccomp": True},
    "compiler_walls": ["landlock", "seccomp"],
}


def printed(record, exit_code=0):
    data = record if isinstance(record, bytes) else json.dumps(record).encode()
    return Completed(exit_code=exit_code, stdout=data, stderr=b"")


class FakeSandbox:
    name = "fake"
    arch = "amd64"
    emulated = False
    on_this_host = False
    is_walled = True

    def __init__(self, graded=None, facts=FACTS):
        self.graded = graded if graded is not None else printed(PASSED)
        self.facts = facts
        self.files = {}
        self.commands = []
        self.closed = False

    def put(self, name, data):
        self.files[name] = data

    def run(self, command, timeout_s):
        self.commands.append((command, timeout_s))
        if command[0].endswith("/describe"):
            return printed(self.facts)
        if isinstance(self.graded, Exception):
            raise self.graded
        return self.graded

    def harness(self, source):
        return "/harness"

    def describe(self):
        return {"backend": self.name}

    def close(self):
        self.closed = True
