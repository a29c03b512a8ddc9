"""The Docker backend alone: what its containers may do, who finds them again, what goes wrong with them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from grading.faults import MachineShort, SandboxGone, SandboxUnavailable
from grading.harness_source import HarnessSource
from grading.pipeline import Options, grade_source
from grading.result import Verdict
from grading.sandbox.base import Completed
from grading.sandbox.docker.sandbox import DockerSandbox, check, why_unavailable
from grading.sandbox.docker.settings import DockerSettings, read_settings
from grading.sandbox.local import host_arch
from kernels.catalog import get_kernel
from tests.engines import answers
from tests.engines.docker_daemon import IMAGE, Daemon, load_empty_image

pytestmark = pytest.mark.engine
ARCH = host_arch()
OTHER = {"amd64": "arm64", "arm64": "amd64"}[ARCH]
DOT = get_kernel("dot_f32")
QUICK = Options(size=100_000, rounds=5, processes=1)
# A worker that opens a sandbox, builds a harness, names its container and waits for its end.
WORKER = textwrap.dedent("""
    import sys, time
    from grading.harness_source import HarnessSource
    from grading.sandbox.docker.sandbox import DockerSandbox
    from kernels.catalog import get_kernel
    sandbox = DockerSandbox(sys.argv[1])
    sandbox.harness(HarnessSource(get_kernel("dot_f32")))
    print(sandbox._container.id, flush=True)
    time.sleep(600)
""")


@pytest.fixture
def daemon(docker_daemon: Daemon):
    """No container of another test is left when one begins."""
    if ids := docker_daemon.client("ps", "-aq").stdout.split():
        docker_daemon.client("rm", "-f", *ids)
    return docker_daemon


@pytest.fixture
def box(daemon: Daemon):
    with closing(DockerSandbox(ARCH)) as sandbox:
        yield sandbox


def containers(daemon: Daemon) -> list[str]:
    return daemon.client("ps", "-aq", "--no-trunc").stdout.split()


def killed_worker() -> str:
    """The container that a worker had when it was killed."""
    with subprocess.Popen([sys.executable, "-c", WORKER, ARCH], stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        container = worker.stdout.readline().strip()
        worker.kill()
    assert container
    return container


def test_a_container_has_no_rights_and_bounded_means(daemon, monkeypatch):
    monkeypatch.setenv("DOCKER_CPUSET", "0")
    monkeypatch.setenv("DOCKER_PIDS", "99")
    monkeypatch.setenv("DOCKER_MEMORY_MB", "2048")
    with closing(DockerSandbox(ARCH)) as sandbox:
        sandbox._container.reload()
        host, config = sandbox._container.attrs["HostConfig"], sandbox._container.attrs["Config"]
    assert host["NetworkMode"] == "none"
    assert host["ReadonlyRootfs"] is True
    assert host["CapDrop"] == ["ALL"]
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert host["Privileged"] is False
    assert not host["Binds"]
    assert (host["CpusetCpus"], host["PidsLimit"], host["Memory"], host["MemorySwap"]) == ("0", 99, 2 << 30, 2 << 30)
    assert config["User"].split(":")[0] not in ("", "0", "root")


def test_everything_holds_in_a_container_that_holds_on_the_host(box):
    result = grade_source(answers.RIGHT, DOT, box, QUICK)
    assert result.verdict is Verdict.PASSED
    assert "graded without" not in result.log["run"]
    absent = {name for name, active in result.machine["defences"].items() if not active}
    assert absent <= {"user_namespace"}
    assert result.machine["image"] == IMAGE
    assert result.machine["image_digest"].startswith("sha256:")
    assert result.machine["compiler"].endswith("14.2.0")


def test_a_worker_that_starts_anew_takes_over_the_container_of_the_killed_one(daemon):
    left = killed_worker()
    with closing(DockerSandbox(ARCH)) as sandbox:
        assert sandbox._container.id == left
        folder = f"/harness/{HarnessSource(DOT).key()}"
        assert sandbox.run(["test", "-x", f"{folder}/grade"], 60).exit_code == 0  # no need to build it again
        assert sandbox.harness(HarnessSource(DOT)) == folder
        assert containers(daemon) == [left]
    assert containers(daemon) == []


def test_two_workers_never_share_a_container(daemon):
    with closing(DockerSandbox(ARCH)) as first, closing(DockerSandbox(ARCH)) as second:
        assert first._container.id != second._container.id
        first.put("mine", b"1")
        assert second.run(["cat", "mine"], 60).exit_code != 0


def test_a_container_of_other_settings_is_replaced(daemon, monkeypatch):
    left = killed_worker()
    monkeypatch.setenv("DOCKER_PIDS", "300")
    with closing(DockerSandbox(ARCH)) as sandbox:
        assert sandbox._container.id != left
        assert containers(daemon) == [sandbox._container.id]


def test_what_killed_workers_left_is_swept_and_nothing_else(daemon):
    daemon.client("run", "-d", "--name", "somebody-elses", "--network", "none", IMAGE, "sleep", "1000")
    with closing(DockerSandbox(ARCH)) as held:
        leaked = killed_worker()  # in the second slot
        with closing(DockerSandbox(ARCH)) as again:
            assert again._container.id == leaked
            left = killed_worker()  # in the third
        held.close()
        with closing(DockerSandbox(ARCH)) as first:
            assert left not in containers(daemon)
            assert first._container.id in containers(daemon)
            assert "somebody-elses" in daemon.client("ps", "--format", "{{.Names}}").stdout


def test_a_container_removed_between_two_answers_is_replaced_without_a_fault(box, daemon):
    box.harness(HarnessSource(DOT))
    daemon.client("rm", "-f", box._container.id)
    assert grade_source(answers.WRONG, DOT, box, QUICK).verdict is Verdict.WRONG_ANSWER


def test_a_stopped_container_is_replaced_without_a_fault(box, daemon):
    daemon.client("stop", "-t", "1", box._container.id)
    assert grade_source(answers.WRONG, DOT, box, QUICK).verdict is Verdict.WRONG_ANSWER


def test_a_container_killed_under_a_command_is_a_fault(box, daemon):
    threading.Timer(1, daemon.client, ["kill", box._container.id]).start()
    with pytest.raises(SandboxGone, match="killed while a command ran"):
        box.run(["sleep", "30"], 60)


def test_it_is_a_fault_also_where_the_daemon_hears_of_it_late(box, monkeypatch):
    """It may still call a container running whose processes are dead, and answer the next command with a number and no output."""
    execute, answers_of = box._engine.execute, iter([137, 128])

    def killed(*arguments, **more):
        code = next(answers_of, None)
        return execute(*arguments, **more) if code is None else Completed(exit_code=code, stdout=b"", stderr=b"")

    monkeypatch.setattr(box._engine, "execute", killed)
    with pytest.raises(SandboxGone, match="killed while a command ran"):
        box.run(["sleep", "30"], 60)


def test_a_command_that_kills_itself_is_no_fault(box):
    assert box.run(["sh", "-c", "kill -9 $$"], 60).exit_code == 137


def test_a_container_out_of_memory_is_a_fault(daemon, monkeypatch):
    monkeypatch.setenv("DOCKER_MEMORY_MB", "2048")
    with closing(DockerSandbox(ARCH)) as sandbox, pytest.raises(SandboxGone, match="DOCKER_MEMORY_MB"):
        sandbox.run(["tail", "/dev/zero"], 60)


def test_a_full_disk_is_a_fault(box):
    box.run(["sh", "-c", "head -c 600m /dev/zero >full"], 60)
    with pytest.raises(MachineShort, match="kB are free in /sandbox of the container"):
        box.put("answer.c", b"x" * 100_000)


def test_a_command_that_kills_all_it_can_does_not_end_the_container(box):
    box.run(["sh", "-c", "kill -9 -1"], 60)
    assert box.run(["echo", "alive"], 60).stdout == b"alive\n"


def test_who_grades_cannot_reach_who_built(box):
    folder = box.harness(HarnessSource(DOT))
    for attempt in (f"rm -rf {folder}", f": >{folder}/grade", f"mv {folder} /harness/x", "rm /harness/.used", "kill -9 1"):
        box.run(["sh", "-c", attempt], 60)
    assert box.run(["sh", "-c", f"[ -s {folder}/grade ] && [ -e /harness/.used ]"], 60).exit_code == 0


def test_a_daemon_that_dies_is_a_fault_and_grading_goes_on_when_it_is_back(daemon):
    sandbox = DockerSandbox(ARCH)
    try:
        daemon.crash()
        with pytest.raises(SandboxGone, match="daemon"):
            sandbox.run(["true"], 60)
        assert "no Docker daemon answers" in (why_unavailable(ARCH) or "")
        sandbox.close()
    finally:
        daemon.start()
    with closing(DockerSandbox(ARCH)) as again:
        assert grade_source(answers.WRONG, DOT, again, QUICK).verdict is Verdict.WRONG_ANSWER
        assert containers(daemon) == [again._container.id]


def test_a_daemon_that_dies_under_a_command_is_a_fault(daemon):
    sandbox = DockerSandbox(ARCH)
    threading.Timer(1, daemon.crash).start()
    try:
        with pytest.raises(SandboxGone):
            sandbox.run(["sleep", "3600"], 3600)  # the test's own limit is shorter
        sandbox.close()
    finally:
        while daemon.process is not None:
            time.sleep(0.1)
        daemon.start()


def test_no_daemon_is_said_with_its_address(daemon, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    reason = check(ARCH)
    assert reason is not None
    assert reason.startswith("no Docker daemon answers at unix:///nowhere/docker.sock")
    with pytest.raises(SandboxUnavailable):
        DockerSandbox(ARCH)


def test_a_missing_image_is_named_with_the_way_to_get_it(daemon, monkeypatch):
    monkeypatch.setenv("DOCKER_IMAGE", "gcc:none")
    assert check(ARCH) == f"the image gcc:none is not there: docker pull --platform linux/{ARCH} gcc:none"


def test_another_architecture_than_the_daemons_is_refused(daemon):
    assert f"{OTHER} would be emulated" in (why_unavailable(OTHER) or "")
    with pytest.raises(SandboxUnavailable, match="would be emulated"):
        DockerSandbox(OTHER)


def test_an_image_of_another_architecture_is_refused(daemon, monkeypatch):
    load_empty_image(daemon, "arch-kernels-test:foreign", OTHER)
    monkeypatch.setenv("DOCKER_IMAGE", "arch-kernels-test:foreign")
    assert why_unavailable(ARCH) == f"the image arch-kernels-test:foreign is for {OTHER}: on {ARCH} it would be emulated"


def test_an_image_without_a_compiler_is_refused_by_name(daemon, monkeypatch, tmp_path):
    (tmp_path / "Dockerfile").write_text(f"FROM {IMAGE}\nUSER 0\nRUN rm /usr/bin/gcc* /usr/bin/objcopy\n")
    daemon.client("build", "--network", "none", "-t", "arch-kernels-test:bare", str(tmp_path))
    monkeypatch.setenv("DOCKER_IMAGE", "arch-kernels-test:bare")
    assert check(ARCH) == "the image arch-kernels-test:bare has no gcc, objcopy"
    assert containers(daemon) == []


@pytest.mark.parametrize(("name", "value"), [("DOCKER_PIDS", "few"), ("DOCKER_MEMORY_MB", "-1"), ("DOCKER_MEMORY_MB", "16")])
def test_a_setting_that_cannot_be_is_named(monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    with pytest.raises(SandboxUnavailable, match=name):
        read_settings()


def test_settings_make_the_generation():
    assert DockerSettings().generation == DockerSettings().generation
    assert DockerSettings().generation != DockerSettings(image="gcc:15").generation


def test_an_answer_after_the_first_opens_no_container_and_builds_no_harness(box, daemon):
    grade_source(answers.BROKEN, DOT, box, QUICK)
    kept, folder = containers(daemon), box.harness(HarnessSource(DOT))
    built = box.run(["stat", "-c", "%i %Y", f"{folder}/grade"], 60).stdout
    grade_source(answers.BROKEN, DOT, box, QUICK)
    assert containers(daemon) == kept
    assert box.run(["stat", "-c", "%i %Y", f"{folder}/grade"], 60).stdout == built


def test_without_the_client_the_others_work_and_this_one_says_what_to_install():
    script = """
import sys
sys.modules["docker"] = None
from grading.sandbox.registry import why_unavailable
assert "docker" not in (why_unavailable("local", "amd64") or ""), "local"
"""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
