#!/usr/bin/env python3
"""Prepare the site's data and serve it: `make demo` and `make up` end here. Starting again continues where it stopped.

python scripts/start.py [--demo] [--host 127.0.0.1] [--port 8000] [--prepare-only]
"""

from __future__ import annotations

import argparse
import errno
import os
import secrets
import socket
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ADMIN = "admin"


def main() -> int:
    parser = argparse.ArgumentParser(description="Prepare the site's data and serve it.")
    parser.add_argument("--demo", action="store_true", help="bring the answers shipped in demo/ along")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--prepare-only", action="store_true", help="do not serve afterwards")
    options = parser.parse_args()
    if not options.prepare_only and (problem := why_not_listen(options.host, options.port)):
        print(problem, file=sys.stderr)
        return 1
    prepare(demo=options.demo)
    if options.prepare_only:
        return 0
    shown = "localhost" if options.host in ("127.0.0.1", "0.0.0.0") else options.host
    say(f"serving http://{shown}:{options.port}/ (its queue: /queue/, its admin: /admin/); Ctrl-C ends it")
    supervise = [sys.executable, "manage.py", "supervise", "--host", options.host, "--port", str(options.port)]
    os.execv(sys.executable, supervise)


def say(text: str) -> None:
    print(f"start: {text}", flush=True)


def why_not_listen(host: str, port: int) -> str | None:
    """One line that says why the port cannot be had; None if it can."""
    if not 0 < port < 65536:
        return f"start: {port} is no port: choose one from 1 to 65535"
    with socket.socket() as probe:
        # As gunicorn does: a port that only waits out its last connections counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as refused:
            if refused.errno == errno.EADDRINUSE:
                return f"start: port {port} is in use: stop what listens there, or choose another, for example make demo PORT={port + 1}"
            return f"start: cannot listen on {host} port {port}: {refused.strerror}"
    return None


def prepare(*, demo: bool) -> None:
    """Bring the database, static files, kernels, login and demo answers to where they should be; each only if it is not."""
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", interactive=False, verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    call_command("sync_kernels")
    make_login()
    if demo:
        import_demo()


def make_login() -> None:
    """An admin with a password of chance, once; shown now and never again."""
    from django.contrib.auth import get_user_model

    users = get_user_model().objects
    reset = f"DATA_DIR={os.environ['DATA_DIR']} " if "DATA_DIR" in os.environ else ""
    reset += f"{os.path.relpath(sys.executable, ROOT)} manage.py changepassword {ADMIN}"
    if users.filter(is_superuser=True).exists():
        say(f"admin login: {ADMIN}, with the password of the first start; to set another: {reset}")
        return
    password = secrets.token_urlsafe(12)
    users.create_superuser(ADMIN, email="", password=password)
    say(f"admin login: {ADMIN}, password {password} (shown only now; to set another: {reset})")


def import_demo() -> None:
    """The bundles in demo/, unless they are there already."""
    from django.core.management import call_command

    from leaderboard.models import Bundle

    for path in sorted((ROOT / "demo").glob("*.zip")):
        if not Bundle.objects.filter(name=path.name).exists():
            call_command("import_bundle", str(path))


if __name__ == "__main__":
    raise SystemExit(main())
