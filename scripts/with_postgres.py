#!/usr/bin/env python3
"""Run a command with DATABASE_URL set to a PostgreSQL that is made for it and removed afterwards: `make test-postgres`.

python scripts/with_postgres.py COMMAND [ARGUMENT ...]
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.site.postgres import Postgres, programs


def stop(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def main() -> int:
    if programs() is None:
        print("PostgreSQL is not installed (apt-get install postgresql)", file=sys.stderr)
        return 1
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    postgres = Postgres()
    try:
        with subprocess.Popen(sys.argv[1:], env=os.environ | {"DATABASE_URL": postgres.url}) as command:
            try:
                return command.wait()
            except BaseException:
                command.terminate()
                raise
    finally:
        postgres.remove()


if __name__ == "__main__":
    raise SystemExit(main())
