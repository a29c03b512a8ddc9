"""The double on its own: python -m tests.doubles.prime --port 8090

Prints what to put into the environment of those who are to use it, then serves until it is told to stop.
"""

from __future__ import annotations

import argparse
import signal
import threading
from typing import Any

from tests.doubles.prime.canned import CannedDouble
from tests.doubles.prime.service import PrimeDouble


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.doubles.prime", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS", help="of each round trip")
    parser.add_argument("--chaos", type=float, default=0.0, metavar="SHARE", help="of commands and uploads that go wrong")
    parser.add_argument("--seed", type=int, default=0, help="of the chaos")
    parser.add_argument("--minute", type=float, metavar="SECONDS", help="end idle sandboxes; a minute lasts so long here")
    parser.add_argument("--canned", type=float, metavar="SECONDS", help="execute nothing; an answer takes so long")
    asked = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    options: dict[str, Any] = {"port": asked.port, "latency_s": asked.latency, "chaos": asked.chaos, "seed": asked.seed}
    options["minute_s"] = asked.minute
    if asked.canned is None:
        double = PrimeDouble(keys=None, **options)
    else:
        double = CannedDouble(grade_s=asked.canned, keys=None, **options)
    with double:
        for name, value in double.environment.items():
            print(f"{name}={value}", flush=True)
        stop.wait()


if __name__ == "__main__":
    main()
