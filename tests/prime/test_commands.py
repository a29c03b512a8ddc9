"""Commands and files in a Prime sandbox."""

import time
from pathlib import Path

import pytest

from grading.faults import SandboxTimeout
from grading.sandbox.base import OUTPUT_LIMIT_BYTES
from grading.sandbox.prime.sandbox import INLINE_BYTES
from tests.doubles.prime.boxes import processes_below


def test_a_command_gives_its_output_and_status(prime):
    done = prime.run(["sh", "-c", "echo out; echo err >&2; exit 7"], 10)
    assert (done.exit_code, done.stdout, done.stderr) == (7, b"out\n", b"err\n")


def test_arguments_arrive_as_they_are(prime):
    words = ["a b", "$HOME", "`id`", "'", '"', "%s", "\\n", "", "ä"]
    assert prime.run(["printf", r"%s\n", *words], 10).stdout.decode() == "".join(f"{word}\n" for word in words)


@pytest.mark.parametrize("size", [0, 5, INLINE_BYTES, INLINE_BYTES + 1, 1_000_000])
def test_files_arrive_byte_for_byte(prime, size):
    data = (bytes(range(256)) * (size // 256 + 1))[:size]
    prime.put("data.bin", data)
    assert prime.run(["cat", "data.bin"], 10).stdout == data


def test_a_file_replaces_what_the_sandbox_put_in_its_place(prime):
    prime.run(["ln", "-s", "/etc/passwd", "answer.c"], 10)
    prime.put("answer.c", b"int x;")
    assert prime.run(["cat", "answer.c"], 10).stdout == b"int x;"
    assert "root:" in Path("/etc/passwd").read_text()


def test_files_stay_for_later_commands(prime):
    prime.put("kept", b"1")
    prime.run(["true"], 10)
    assert prime.run(["cat", "kept"], 10).stdout == b"1"


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc/passwd"])
def test_only_plain_file_names_are_taken(prime, name):
    with pytest.raises(ValueError):
        prime.put(name, b"")


def test_forty_megabytes_of_output_come_back_bounded(prime, double):
    done = prime.run(["head", "-c", "40000000", "/dev/zero"], 60)
    assert (done.exit_code, len(done.stdout)) == (0, OUTPUT_LIMIT_BYTES)


def test_a_command_cannot_fill_the_disk(prime):
    done = prime.run(["sh", "-c", "ulimit -f"], 10)
    assert int(done.stdout) <= 1 << 22  # blocks of 512 bytes: 2 GB


def test_a_command_past_its_time_is_killed_and_is_a_fault(prime):
    began = time.monotonic()
    with pytest.raises(SandboxTimeout, match="did not end within 1 s"):
        prime.run(["sh", "-c", "sleep 600; true"], 1)
    assert time.monotonic() - began < 300


def test_a_command_that_kills_itself_is_no_timeout(prime):
    assert prime.run(["sh", "-c", "kill -9 $$"], 60).exit_code == 137


def test_nothing_is_alive_after_a_command(prime, double):
    """Neither in a session of its own, nor in another folder, nor with another environment."""
    leaving = "setsid sleep 4711 & (cd /; setsid sleep 4711 &); env -i setsid sleep 4711 & sleep 0.2"
    assert prime.run(["sh", "-c", leaving], 10).exit_code == 0
    (box,) = double.running
    assert processes_below(box.root) == []
    assert [path for path in Path("/proc").glob("[0-9]*/cmdline") if read(path) == b"sleep\x004711\x00"] == []


def test_commands_of_the_double_are_not_roots(prime):
    """They run on the host."""
    assert prime.run(["id", "-u"], 10).stdout != b"0\n"


def test_a_command_sees_nothing_of_ours_in_its_environment(prime):
    names = {line.partition("=")[0] for line in prime.run(["env"], 10).stdout.decode().splitlines()}
    assert names == {"PATH", "LC_ALL", "HOME", "TMPDIR", "ARCH_KERNELS_SANDBOX"}


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
