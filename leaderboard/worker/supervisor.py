"""Starts the web side and the clusters, restarts what dies or hangs, and leaves no process behind.

django-q2 does not survive everything by itself: a cluster whose idle worker is killed hangs for good, and one whose parent is
killed leaves its children running. So every cluster is a process group that is watched from outside: it is woken every few
seconds, each wake-up makes its worker report to the Worker table, and a cluster that stops reporting is ended as a whole and
started anew.
"""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone
from gunicorn.config import KNOWN_SETTINGS  # type: ignore[import-untyped]

from grading.sandbox.registry import backend
from leaderboard.lib import faults
from leaderboard.lib.processes import adopt_orphans, children_of, die_with_parent, group_of, pid_of, process_name
from leaderboard.models import Worker
from leaderboard.services import queueing
from leaderboard.storage import private

log = logging.getLogger(__name__)

STEP_S = 0.5
GRACE_S = 8.0  # between SIGTERM and SIGKILL
LONGEST_PAUSE_S = 30.0  # before a child that keeps dying is started again
EMULATION_WAITS_S = 15.0  # until those that measure have said that they are at work: it grades when they have nothing to do
SETTLED_S = 60.0  # a child that has lived so long may die once without a pause
ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class AlreadyRunning(Exception):
    """Another supervisor has this data folder."""


@dataclass
class Child:
    """One process group: a cluster, or the web side."""

    name: str
    command: list[str]
    log_file: Path | None = None  # None: our own output
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    deaths: int = 0  # in a row
    start_at: float = 0.0

    def start(self) -> None:
        output = self.log_file.open("ab") if self.log_file else None
        try:
            self.process = subprocess.Popen(
                self.command,
                env=os.environ | self.environment | {"ARCH_KERNELS_SUPERVISED": "1"},
                stdin=subprocess.DEVNULL,
                cwd=settings.BASE_DIR,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )
        finally:
            if output:
                output.close()
        self.started = time.monotonic()

    @property
    def lives(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def works(self) -> bool:
        """Whether its group has more than a first process left.

        Workers give their rows back when they are told to end. A cluster's first process has nothing to do with that, and may
        hang for good: it waits for its sentinel, which the same signal ended.
        """
        return self.process is not None and any(pid != self.process.pid for pid in group_of(self.process.pid))

    def signal(self, number: int) -> None:
        """To the whole group, also when its first process is gone already."""
        if self.process:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def has(self, pid: int) -> bool:
        """Whether a process belongs to this child's group."""
        with suppress(ProcessLookupError):
            return self.process is not None and os.getpgid(pid) == self.process.pid
        return False


class Supervisor:
    def __init__(self, children: Iterable[Child], on_step: Callable[[], None] = lambda: None) -> None:
        self.children = list(children)
        self.on_step = on_step
        self.ending = False
        self.last_pulse = 0.0
        self.silent_since: dict[str, float] = {}

    def run(self) -> None:
        """Until a signal ends it."""
        for number in ENDING:
            signal.signal(number, self.end)
        adopt_orphans()
        try:
            while not self.ending:
                self.step()
                time.sleep(STEP_S)
        finally:
            self.stop()

    def end(self, *_: object) -> None:
        self.ending = True

    def step(self) -> None:
        for child in self.children:
            self.keep_alive(child)
        self.bury_orphans()
        if time.monotonic() - self.last_pulse >= settings.SWEEP_S:
            self.last_pulse = time.monotonic()
            try:
                self.pulse()
                self.on_step()
            except (DatabaseError, InterfaceError) as error:  # it restarts: nobody hangs because of that
                log.warning("clusters are not woken: %s", error, exc_info=error)
                connection.close()
                self.silent_since.clear()

    def keep_alive(self, child: Child) -> None:
        if child.lives or time.monotonic() < child.start_at:
            return
        if child.process is not None and child.start_at < child.started:  # its death has just been noticed
            self.plan_restart(child)
            return
        try:
            child.start()
        except OSError as error:  # no memory, no files, no room for a log: the others are still looked after
            log.warning("%s cannot be started: %s", child.name, error, exc_info=error)
            child.start_at = time.monotonic() + LONGEST_PAUSE_S
        self.silent_since.pop(child.name, None)

    def plan_restart(self, child: Child) -> None:
        assert child.process is not None
        log.warning("%s ended with status %s: starting it again", child.name, child.process.returncode)
        child.signal(signal.SIGKILL)  # what it left of its group
        settled = time.monotonic() - child.started > SETTLED_S
        child.deaths = 0 if settled else child.deaths + 1
        child.start_at = time.monotonic() + min(LONGEST_PAUSE_S, 0.5 * 2**child.deaths)

    # Hung clusters

    def pulse(self) -> None:
        """Wake every cluster, and restart one that has been woken in vain."""
        clusters = [child for child in self.children if child.name in settings.CLUSTERS]
        for child in clusters:
            queueing.wake(child.name)
        beats = list(
            Worker.objects.filter(cluster__in={queueing.work_of(child.name) for child in clusters}).values_list(
                "cluster", "name", "beat_at"
            )
        )
        now, clock = timezone.now(), time.monotonic()
        if faults.is_full(settings.DATA_DIR):  # they cannot report themselves: to restart them would help nobody
            self.silent_since.clear()
            return
        for child in clusters:
            reported = [beat for work, name, beat in beats if work == queueing.work_of(child.name) and self.is_ours(child, name)]
            fresh = any((now - beat).total_seconds() < settings.HUNG_S for beat in reported)
            since = self.silent_since.setdefault(child.name, clock)
            if fresh or not child.lives:
                self.silent_since[child.name] = clock
            elif clock - since > settings.HUNG_S:
                self.restart(child)

    def is_ours(self, child: Child, worker: str) -> bool:
        pid = pid_of(worker)
        return pid is not None and child.has(pid)

    def restart(self, child: Child) -> None:
        log.warning("%s has not answered for %.0f s: restarting it", child.name, settings.HUNG_S)
        self.stop_children([child])
        self.silent_since.pop(child.name, None)
        child.start()

    # The end

    def stop(self) -> None:
        at_work = {process_name(pid) for child in self.children if child.process for pid in group_of(child.process.pid)}
        self.stop_children(self.children)
        deadline = time.monotonic() + 2
        while (left := children_of(os.getpid())) and time.monotonic() < deadline:
            for pid in left:  # orphans that had left their group
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self.bury_orphans()
            time.sleep(0.02)
        with faults.tolerated("what the workers held is given back a little later"):
            queueing.give_back(*at_work)  # one that was killed, or was told to end while it claimed a row, could not

    def stop_children(self, children: list[Child]) -> None:
        for child in children:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE_S
        while any(child.works for child in children) and time.monotonic() < deadline:
            self.bury_orphans()
            time.sleep(0.05)
        for child in children:
            child.signal(signal.SIGKILL)
            if child.process:
                child.process.wait()

    def bury_orphans(self) -> None:
        """Collect adopted processes that have ended; our own children are collected by their Popen."""
        own = {child.process.pid for child in self.children if child.process}
        for pid in children_of(os.getpid(), zombies=True):
            if pid not in own:
                with suppress(ChildProcessError):
                    os.waitpid(pid, os.WNOHANG)


def cluster(name: str, log_file: Path | None) -> Child:
    manage = str(settings.BASE_DIR / "manage.py")
    child = Child(name, [sys.executable, manage, "qcluster"], log_file, {"Q_CLUSTER_NAME": name})
    if backend(settings.SANDBOXES.get(queueing.work_of(name), "")).emulates:
        child.start_at = time.monotonic() + EMULATION_WAITS_S
    return child


def web(host: str, port: int, log_file: Path | None) -> Child:
    command = [sys.executable, "-m", "gunicorn", "leaderboard.wsgi", "--bind", f"{host}:{port}"]
    command += ["--worker-class", "leaderboard.web.gunicorn_worker.BufferingWorker"]
    command += ["--workers", str(settings.WEB_WORKERS), "--threads", str(settings.WEB_THREADS)]
    command += ["--timeout", "120", "--graceful-timeout", "4", "--log-level", "warning"]
    if any(setting.name == "control_socket_disable" for setting in KNOWN_SETTINGS):
        command.append("--no-control-socket")  # since 25 it would leave a socket in the working directory
    if Path("/dev/shm").is_dir():
        command += ["--worker-tmp-dir", "/dev/shm"]  # a busy disk must not look like a hung worker
    return Child("web", command, log_file, {"PAGES_KEPT_S": os.environ.get("PAGES_KEPT_S", "2")})


def hold_data_folder() -> IO[str]:
    """One supervisor a data folder. Keep what is returned; raises AlreadyRunning."""
    file = (settings.DATA_DIR / "supervise.lock").open("a+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        raise AlreadyRunning(f"{settings.DATA_DIR} is in use by another site (process {file.read().strip() or '?'})") from None
    file.seek(0)
    file.truncate()
    os.fchmod(file.fileno(), private.FILE)
    with faults.tolerated("the data folder does not say who uses it"):
        os.write(file.fileno(), f"{os.getpid()}\n".encode())  # not through the file's buffer, which would fail again when closed
    return file
