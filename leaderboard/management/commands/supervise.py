import hashlib
import os
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from grading import isolation
from grading.files import write_whole
from grading.sandbox.registry import backend, why_unavailable
from leaderboard.bundles.types import BundleError
from leaderboard.lib import faults
from leaderboard.queue.status_line import StatusLine
from leaderboard.services import bundle_decisions, bundle_files
from leaderboard.storage import private
from leaderboard.worker.grader import EMULATED_UNTIL
from leaderboard.worker.supervisor import AlreadyRunning, Supervisor, cluster, hold_data_folder, web

EMULATED_MINUTES = 12  # everything is to be at rest after 15


class Command(BaseCommand):
    help = "Run the whole site on this host: pages and clusters. Ctrl-C or SIGTERM ends every process of it."
    requires_system_checks: list[str] = []  # the database may not be up yet

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="where to listen; 0.0.0.0 for all addresses")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--demo", action="store_true", help="import the demo answers of the repository")
        parser.add_argument("--clusters", default=",".join(settings.CLUSTERS), help="which clusters to run, joined by commas")
        parser.add_argument("--no-web", action="store_true", help="clusters only")
        parser.add_argument("--log-files", action="store_true", help="write the children's output to DATA_DIR/logs")

    def handle(self, *args: Any, **options: Any) -> None:
        os.umask(private.UMASK)  # of the site's own processes; a command like export writes for others
        # Until the supervisor takes over, the signals that end it end the preparations.
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, stop_preparing)
        if not options["no_web"]:
            check_port(options["host"], options["port"])
        try:
            lock = hold_data_folder()
        except AlreadyRunning as error:
            raise CommandError(str(error)) from error
        if options["demo"]:
            self.stdout.writelines(f"{said}\n" for said in (allow_unisolated(), emulate_arm64()) if said)
        with lock:
            self.prepare()
            self.supervise(options)

    def prepare(self) -> None:
        private.mend(settings.DATA_DIR)
        for what, step in {
            "the database": lambda: call_command("prepare_database", stdout=self.stdout),
            "static files": collect_static_files,
        }.items():
            self.go_on_without(what, step)

    def go_on_without(self, what: str, step: Callable[[], object]) -> None:
        """On a full or read-only disk a site that was prepared before still shows its pages; /readyz says what is missing."""
        try:
            step()
        except Exception as error:
            if not faults.fault_of(error):
                raise
            self.stderr.write(faults.said(error, f"the site starts without {what}"))

    def supervise(self, options: dict[str, Any]) -> None:
        names = [name for name in options["clusters"].split(",") if name]
        if unknown := set(names) - set(settings.CLUSTERS):
            raise CommandError(f"no cluster {', '.join(sorted(unknown))}; there are: {', '.join(settings.CLUSTERS)}")
        logs = log_folder() if options["log_files"] else None
        children = [cluster(name, logs and logs / f"{name}.log") for name in names]
        if not options["no_web"]:
            children.insert(0, web(options["host"], options["port"], logs and logs / "web.log"))
        status = StatusLine(self.stdout)
        supervisor = Supervisor(children, status.show)
        if options["demo"]:
            self.keep_demo()
        if not options["no_web"]:
            self.stdout.write(
                self.style.SUCCESS(f"Serving http://{shown_host(options['host'])}:{options['port']}/ (Ctrl-C ends it)")
            )
        self.stdout.flush()
        supervisor.run()
        self.stdout.write("Everything has ended.")

    def keep_demo(self) -> None:
        """The shipped bundles go the way of any other: kept here, read and imported by the housekeeping cluster."""
        for path in sorted((settings.BASE_DIR / "demo").glob("*.zip")):
            try:
                bundle = bundle_files.keep_path(path)
            except bundle_files.AlreadyThere:
                continue
            except BundleError as error:
                raise CommandError(f"{path}: {error}") from error
            except Exception as error:
                if not faults.fault_of(error):
                    raise
                self.stderr.write(f"{path}: {faults.said(error, 'it will be imported at the next start')}")
                continue
            bundle_decisions.confirm_when_read(bundle)


def allow_unisolated() -> str:
    """A demo's answers are our own: they are graded where nothing keeps files of this machine from an answer, too.

    Returns what to say of it.
    """
    if isolation.is_allowed_open():
        return ""
    reasons = [backend(name).file_isolation_missing(arch) for arch, name in settings.SANDBOXES.items()]
    reason = next((reason for reason in reasons if reason), None)
    if reason is None:
        return ""
    os.environ[isolation.ALLOW] = "1"
    return f"The demo sets {isolation.ALLOW}=1, and every record says so: {reason.removesuffix(f': {isolation.HOW_TO_ISOLATE}')}"


def emulate_arm64() -> str:
    """A demo shows arm64 too, by emulation, where nobody has chosen otherwise, but stops after EMULATED_MINUTES.

    Returns what to say of it.
    """
    if "SANDBOX_ARM64" in os.environ or not backend(settings.SANDBOXES["amd64"]).on_this_host():
        return ""
    if reason := why_unavailable("emulated", "arm64"):
        return f"arm64 is not graded: {reason}"
    settings.SANDBOXES["arm64"] = os.environ["SANDBOX_ARM64"] = "emulated"
    os.environ[EMULATED_UNTIL] = str(time.time() + 60 * EMULATED_MINUTES)
    return f"arm64 is graded by emulation, after amd64, for {EMULATED_MINUTES} minutes: right or wrong, no times"


def stop_preparing(*_: object) -> None:
    raise SystemExit(0)


def check_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except PermissionError as error:
            raise CommandError(f"port {port} needs root privileges: choose one above 1023, for example PORT=8000") from error
        except OSError as error:
            raise CommandError(
                f"port {port} is in use: stop what listens there, or choose another, for example PORT={port + 1}"
            ) from error


def collect_static_files() -> None:
    """Compressing them takes seconds: only when one has changed since the last time."""
    stamp, now = settings.STATIC_ROOT / ".collected", static_fingerprint()
    if stamp.exists() and stamp.read_text() == now:
        return
    call_command("collectstatic", verbosity=0, interactive=False, clear=True)
    private.open_up(settings.STATIC_ROOT)  # the compressed files, too, which have the umask's mode
    write_whole(stamp, now, private.OPEN_FILE)


def static_fingerprint() -> str:
    """A fingerprint of all static files: their names, sizes and times."""
    digest = hashlib.sha256(django.__version__.encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            known = os.stat(storage.path(name))
            digest.update(f"{name} {known.st_size} {known.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def log_folder() -> Path:
    folder: Path = settings.DATA_DIR / "logs"
    folder.mkdir(exist_ok=True, mode=private.FOLDER)
    return folder


def shown_host(host: str) -> str:
    return "localhost" if host in ("127.0.0.1", "0.0.0.0", "::") else host
