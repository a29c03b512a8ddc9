"""The local sandbox: what can be reached from inside, and what is left afterwards."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from grading.faults import HarnessBroken, SandboxUnavailable
from grading.isolation import ALLOW
from grading.sandbox import local
from grading.sandbox.local import LocalSandbox, host_arch
from grading.sandbox.registry import open_sandbox, why_unavailable
from grading.sandbox.walls import walls_of_the_jail
from tests.grading.processes import alive, wait_until

ROOT = Path(__file__).resolve().parents[2]
OTHER_ARCH = {"amd64": "arm64", "arm64": "amd64"}[host_arch()]
BUBBLEWRAP = pytest.mark.skipif(local.bubblewrap_missing() is not None, reason=f"{local.bubblewrap_missing()}")


@pytest.fixture
def sandbox():
    opened = LocalSandbox(host_arch())
    yield opened
    opened.close()


@pytest.fixture
def bare(monkeypatch):
    """A sandbox as on a machine without bubblewrap."""
    monkeypatch.setattr(local, "bubblewrap_missing", lambda: "bubblewrap is not installed")
    opened = LocalSandbox(host_arch())
    yield opened
    opened.close()


def shell(sandbox, script, timeout_s=20.0):
    return sandbox.run(["sh", "-c", script], timeout_s)


def test_files_that_were_put_are_there(sandbox):
    sandbox.put("a.txt", b"hello\xff")
    sandbox.put("a.txt", b"again\xff")
    assert shell(sandbox, "cat a.txt").stdout == b"again\xff"


def test_commands_may_write_into_their_folder(sandbox):
    assert shell(sandbox, "mkdir work && echo 1 > work/file").exit_code == 0
    assert shell(sandbox, "cat work/file").stdout == b"1\n"


@BUBBLEWRAP
def test_there_is_no_network_inside(sandbox):
    interfaces = shell(sandbox, "cat /proc/net/dev").stdout.decode().splitlines()[2:]
    assert [line.split(":")[0].strip() for line in interfaces] in ([], ["lo"])


@BUBBLEWRAP
def test_nothing_of_ours_is_seen_inside(sandbox):
    (sandbox.folder.parent / "arch-kernels-probe.txt").write_text("ours")
    try:
        seen = shell(
            sandbox, f"ls / /tmp /etc; cat /etc/passwd {ROOT}/pyproject.toml; ls -d {ROOT} $HOME; env; ps ax; cat /proc/1/environ"
        )
    finally:
        (sandbox.folder.parent / "arch-kernels-probe.txt").unlink()
    text = (seen.stdout + seen.stderr).decode("utf-8", "replace")
    for name in ("root:x", "probe.txt", "[project]", "pytest", "home\n", "root\n"):
        assert name not in text


@BUBBLEWRAP
def test_nobody_is_root_inside(sandbox):
    assert shell(sandbox, "id -u").stdout == b"1000\n"
    assert shell(sandbox, "touch /usr/x /bin/x /x").exit_code != 0
    assert shell(sandbox, "unshare -U true").exit_code != 0


@BUBBLEWRAP
def test_nothing_that_a_command_started_is_alive_afterwards(sandbox):
    shell(sandbox, "setsid sleep 7203 >/dev/null 2>&1 & echo started")
    assert not alive(b"7203")


@BUBBLEWRAP
def test_a_killed_grader_leaves_no_process_and_its_folder_is_swept(monkeypatch):
    script = (
        "from grading.sandbox.local import *\n"
        "box = LocalSandbox(host_arch()); print(box.folder, flush=True); box.run(['sh', '-c', 'sleep 7204 & sleep 7204'], 60)"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        folder = Path(process.stdout.readline().strip())
        wait_until(lambda: len(alive(b"7204")) == 2)
        process.kill()
    wait_until(lambda: not alive(b"7204"))
    assert folder.exists()
    monkeypatch.setattr(local, "STALE_AFTER_S", 0.0)
    local.sweep_stale_folders()
    assert not folder.exists()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_command_line_that_is_ended_leaves_nothing(tmp_path, ending):
    script = "import os; os.environ['TMPDIR'] = '/tmp'\nfrom tests.grading.endless import main; main()"
    with subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background jobs ignore it
    ) as process:
        folder = Path(process.stdout.readline().strip())
        wait_until(lambda: len(alive(b"7205")) == 2)
        process.send_signal(ending)
        process.wait(120)
    assert process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130}[ending]
    wait_until(lambda: not alive(b"7205"))
    assert not folder.exists()


def test_a_sandbox_in_use_is_not_swept(sandbox, monkeypatch):
    monkeypatch.setattr(local, "STALE_AFTER_S", -1.0)
    local.sweep_stale_folders()
    assert sandbox.folder.exists()


def test_a_link_left_inside_is_not_followed(sandbox, tmp_path):
    target = tmp_path / "target"
    target.write_text("ours")
    (sandbox.folder / "answer.c").symlink_to(target)
    sandbox.put("answer.c", b"theirs")
    assert target.read_text() == "ours"


@pytest.mark.parametrize("name", ["../x", "/tmp/x", "a/b", ""])
def test_only_plain_file_names_are_put(sandbox, name):
    with pytest.raises(ValueError):
        sandbox.put(name, b"")


def test_closing_leaves_nothing_even_of_folders_made_unreadable(sandbox):
    shell(sandbox, "mkdir -p a/b && touch a/b/c && chmod 0 a/b a")
    sandbox.close()
    sandbox.close()
    assert not sandbox.folder.exists()


def test_removing_what_another_has_removed_leaves_the_folder_above_as_it_is(tmp_path):
    tmp_path.chmod(0o777)
    local.remove_tree(tmp_path / "gone")
    assert tmp_path.stat().st_mode & 0o777 == 0o777


def test_another_architecture_is_unavailable_with_the_reason():
    assert why_unavailable("local", OTHER_ARCH) == f"this machine is {host_arch()}"
    assert why_unavailable("", "arm64") == "no arm64 sandbox configured"
    assert "unknown sandbox" in why_unavailable("nowhere", "amd64")
    assert "unknown architecture" in why_unavailable("local", "mips")
    assert why_unavailable("local", host_arch()) is None
    with pytest.raises(SandboxUnavailable) as raised:
        open_sandbox("local", OTHER_ARCH)
    assert raised.value.needs_operator


def test_a_machine_without_a_compiler_is_unavailable_with_the_reason(monkeypatch):
    monkeypatch.setattr(local.shutil, "which", lambda tool, path=None: None if tool == "gcc" else f"/usr/bin/{tool}")
    assert why_unavailable("local", host_arch()) == "gcc not found: install gcc and binutils"


@pytest.fixture
def open_machine(monkeypatch):
    """A machine with neither bubblewrap nor Landlock nor mount namespaces."""
    monkeypatch.delenv(ALLOW, raising=False)
    monkeypatch.setattr(local, "bubblewrap_missing", lambda: "bubblewrap is not installed")
    monkeypatch.setattr(local, "has_landlock", lambda: False)
    monkeypatch.setattr(local, "_walls_of_the_jail", lambda: {"seccomp"})


def test_a_machine_that_isolates_no_files_is_unavailable_with_the_reason(open_machine):
    reason = why_unavailable("local", host_arch())
    assert reason.startswith(
        "nothing keeps files of this machine from an answer (bubblewrap is not installed; no Landlock; no mount"
    )
    assert "ARCH_KERNELS_ALLOW_UNISOLATED=1" in reason
    assert "\n" not in reason
    with pytest.raises(SandboxUnavailable) as raised:
        LocalSandbox(host_arch())
    assert raised.value.needs_operator


def test_its_operator_may_allow_it(open_machine, monkeypatch):
    monkeypatch.setenv(ALLOW, "1")
    assert why_unavailable("local", host_arch()) is None
    monkeypatch.setenv(ALLOW, "0")
    assert why_unavailable("local", host_arch()) is not None


@pytest.mark.parametrize(
    ("walls", "is_enough"), [({"mount_namespace", "seccomp"}, True), ({"mount_namespace"}, False), (set(), False)]
)
def test_a_mount_namespace_for_the_compiler_and_a_filter_for_the_answer_are_enough(open_machine, monkeypatch, walls, is_enough):
    monkeypatch.setattr(local, "_walls_of_the_jail", lambda: walls)
    assert (why_unavailable("local", host_arch()) is None) is is_enough


def test_the_jail_is_asked_what_it_can_do():
    walls = walls_of_the_jail(local.reachable_temp(), local.ENVIRONMENT, local.plain_uid())
    assert "seccomp" in walls
    assert walls & {"landlock", "mount_namespace"}


def test_without_bubblewrap_the_record_is_warned(bare):
    assert "bubblewrap is not installed" in bare.describe()["warning"]


@BUBBLEWRAP
def test_with_bubblewrap_there_is_nothing_to_warn_of(sandbox):
    assert "warning" not in sandbox.describe()


def test_without_bubblewrap_commands_run_all_the_same(bare):
    bare.put("a.txt", b"x")
    done = shell(bare, "cat a.txt; id -u")
    assert done.stdout.decode().split() == [f"x{local.plain_uid() or os.getuid()}"]


def test_a_harness_that_does_not_build_is_our_fault_with_its_log(sandbox, monkeypatch, tmp_path):
    class Broken:
        kernel = type("Kernel", (), {"name": "dot_f32"})
        script = b"echo compiling; echo 'bench.c:1: error: no such thing' >&2; exit 1"

        def key(self, *built_by):
            return "broken-0"

    monkeypatch.setenv("ARCH_KERNELS_CACHE", str(tmp_path / "cache"))
    with pytest.raises(HarnessBroken, match="no such thing") as raised:
        sandbox.harness(Broken())
    assert "compiling" in raised.value.log
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [".lock"]
