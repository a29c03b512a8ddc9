from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from leaderboard.lib.processes import children_of, group_of, process_name
from leaderboard.worker.supervisor import Child, Supervisor, cluster
from tests.site.bundles import lines, row
from tests.site.conftest import claim
from tests.site.running import Site, alive, free_port, wait_until


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    site = Site(tmp_path, "--no-web")
    yield site
    if site.process and site.process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            site.end()
        site.kill()


def graded(site: Site) -> int:
    return int(site.query("select count(*) from leaderboard_result where state = 'done'")[0][0])


def left(site: Site) -> int:
    return int(site.query("select count(*) from leaderboard_result where state != 'done'")[0][0])


def started(site: Site) -> bool:
    return (
        site.log.exists()
        and "Admin login" in site.output
        and all(site.workers(name) for name in ("amd64", "arm64", "housekeeping"))
    )


@pytest.mark.slow
def test_a_whole_site_starts_serves_and_ends_without_a_process_left(tmp_path):
    port = free_port()
    site = Site(tmp_path, "--port", str(port), "--demo")
    site.start()
    try:

        def serves() -> bool:
            with suppress(OSError):
                return urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2).status == 200
            return False

        wait_until(serves, 300, "the first page")
        assert f"Serving http://localhost:{port}/" in site.output
        assert "Admin login: user admin, password" in site.output
        wait_until(lambda: graded(site) > 60, 300, "the demo's answers are imported and graded")
        family = site.descendants()
        assert len(family) > 12
        assert site.end() == 0
        assert alive(family) == []
        assert "Everything has ended." in site.output
        assert not site.query("select 1 from leaderboard_result where state = 'running'")
        before = graded(site)
        site.start()
        wait_until(lambda: site.output.count("Serving") == 2, 300, "a second start")
        assert graded(site) >= before
        assert "as printed at the first start" in site.output
        assert site.end(signal.SIGINT) == 0
    finally:
        site.kill()


def test_a_used_port_is_one_clear_line(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        site = Site(tmp_path, "--port", str(port))
        site.start()
        assert site.process is not None
        assert site.process.wait(60) == 1
    assert f"port {port} is in use: stop what listens there, or choose another" in site.output
    assert "Traceback" not in site.output


@pytest.mark.slow
def test_a_data_folder_has_one_supervisor(site):
    site.start()
    wait_until(lambda: "Admin login" in (site.output if site.log.exists() else ""), 60, "the first one")
    other = Site(site.data, "--no-web")
    other.log = site.data / "other.log"
    other.start()
    assert other.process is not None
    assert other.process.wait(60) == 1
    assert "in use by another site" in other.output


@pytest.mark.slow
@pytest.mark.chaos
def test_grading_resumes_whatever_is_killed_while_idle(site, tmp_path, capsys):
    site.start()
    wait_until(lambda: started(site) and not left(site), 90, "the baselines are graded")
    for number, (victim, strike) in enumerate(VICTIMS.items()):
        wait_until(lambda: started(site), 60, "all clusters are there")
        strike(site)
        answers = tmp_path / f"{number}.jsonl"
        answers.write_bytes(lines(row(rollout=2 * number), row(rollout=2 * number + 1)))  # no two files share an answer
        before = graded(site)
        site.manage("import_bundle", str(answers))
        took = wait_until(lambda before=before: graded(site) == before + 4, 60, f"grading resumes after {victim}")
        with capsys.disabled():
            print(f"\n{victim}: grading resumed after {took:.1f} s", end="")


def kill_supervisor(site: Site) -> None:
    family = site.descendants()
    os.kill(site.pid, signal.SIGKILL)
    assert site.process is not None
    site.process.wait()
    wait_until(lambda: not alive(family), 120, "the children die with their supervisor")
    site.start()


def kill_everything_below(site: Site) -> None:
    for pid in site.descendants():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


VICTIMS = {
    # an idle worker waits for work with its queue's lock in its hands: its cluster hangs for good
    "kill -9 of an idle worker": lambda site: os.kill(site.workers("amd64")[0], signal.SIGKILL),
    "kill -9 of an idle monitor": lambda site: os.kill(monitor_of(site), signal.SIGKILL),
    "a worker that hangs": lambda site: os.kill(site.workers("arm64")[0], signal.SIGSTOP),
    "kill -9 of a cluster": lambda site: os.kill(os.getpgid(site.workers("amd64")[0]), signal.SIGKILL),
    "kill -9 of everything below": kill_everything_below,
    "kill -9 of the supervisor": kill_supervisor,
}


def monitor_of(site: Site) -> int:
    """The second child of a cluster's sentinel: it spawns worker, monitor and pusher in this order."""
    (worker, *_) = site.workers("amd64")
    (sentinel,) = children_of(os.getpgid(worker))
    return sorted(pid for pid in children_of(sentinel) if pid > worker)[0]


def test_a_child_that_keeps_dying_is_started_again_at_a_growing_distance(monkeypatch, settings, tmp_path):
    supervisor = Supervisor([Child("short-lived", [sys.executable, "-c", ""], tmp_path / "log")])
    (child,) = supervisor.children
    pauses = []
    for _ in range(4):
        supervisor.keep_alive(child)
        assert child.process is not None
        child.process.wait()
        supervisor.keep_alive(child)
        pauses.append(child.start_at - child.started)
        child.start_at = child.started + 1e-9
    assert pauses[0] < pauses[1] < pauses[2] < pauses[3] < 31


def test_what_does_not_heed_sigterm_is_killed_with_all_its_children(tmp_path, monkeypatch):
    monkeypatch.setattr("leaderboard.worker.supervisor.GRACE_S", 0.5)
    deaf = (
        "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "os.fork(); print('deaf', flush=True); time.sleep(60)"
    )
    supervisor = Supervisor([Child("deaf", [sys.executable, "-c", deaf], tmp_path / "log")])
    (child,) = supervisor.children
    child.start()
    wait_until(lambda: (tmp_path / "log").exists() and (tmp_path / "log").read_text().count("deaf") == 2, 120, "it is deaf")
    assert child.process is not None
    family = group_of(child.process.pid)
    assert len(family) == 2
    supervisor.stop_children([child])
    wait_until(lambda: not alive(family), 120, "both are gone")


def test_what_a_killed_worker_held_is_given_back_at_the_end_and_no_attempt_is_counted(tmp_path, monkeypatch, queue):
    monkeypatch.setattr("leaderboard.worker.supervisor.GRACE_S", 0.2)
    monkeypatch.setattr("leaderboard.worker.supervisor.children_of", lambda pid: [])  # pytest's own
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)"
    child = Child("amd64", [sys.executable, "-c", deaf], tmp_path / "log")
    child.start()
    wait_until(lambda: (tmp_path / "log").exists() and "deaf" in (tmp_path / "log").read_text(), 120, "it is deaf")
    assert child.process is not None
    here, there = queue(), queue()
    claim(here, worker=process_name(child.process.pid))
    claim(there, worker="elsewhere:1:1")
    Supervisor([child]).stop()
    here.refresh_from_db()
    there.refresh_from_db()
    assert (here.state, here.attempt, here.worker) == ("queued", 0, "")
    assert (there.state, there.attempt) == ("running", 1)


def test_a_cluster_that_emulates_starts_after_those_that_measure(settings):
    settings.SANDBOXES = {"amd64": "local", "arm64": "emulated"}
    starts = {name: cluster(name, None).start_at for name in ("amd64", "arm64", "housekeeping")}
    assert starts["amd64"] == starts["housekeeping"] == 0.0
    assert starts["arm64"] > time.monotonic() + 5
