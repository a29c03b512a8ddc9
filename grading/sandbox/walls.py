"""What this machine lets the harness put between its files and an answer, where no sandbox is around it.

The harness decides that itself, at every grading (harness/jail.c); this is asked before, so that a machine that cannot isolate is
told from one that can without an answer at hand. The jail's own program is the judge of it.
"""

from __future__ import annotations

import ctypes
import tempfile
from collections.abc import Mapping
from pathlib import Path

from grading.sandbox.process import run_bounded

JAIL = Path(__file__).resolve().parents[1] / "harness" / "jail.c"
LANDLOCK_CREATE_RULESET, VERSION = 444, 1
TRIAL_S = 60.0
LIMITS = ("20", "5", "1000", "1")  # of the jail: seconds of wall time and of CPU, MB of memory and of one file


def has_landlock() -> bool:
    """Whether the kernel has it; then both the compiler and the answer are behind it."""
    return bool(ctypes.CDLL(None, use_errno=True).syscall(LANDLOCK_CREATE_RULESET, None, 0, VERSION) > 0)


def walls_of_the_jail(temp: str, env: Mapping[str, str], uid: int | None) -> set[str]:
    """Those that jail.c reports around a command that does nothing; none where it cannot be built or does not run it."""
    with tempfile.TemporaryDirectory(dir=temp) as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "work").mkdir()
        (folder / "work").chmod(0o777)
        jail, work = str(folder / "jail"), str(folder / "work")
        built = run_bounded(
            ["gcc", "-std=gnu11", "-O1", "-static", str(JAIL), "-o", jail],
            cwd="/",
            env={**env, "TMPDIR": name},
            timeout_s=TRIAL_S,
        )
        if built.exit_code != 0:
            return set()
        (folder / "jail").chmod(0o755)  # whatever the umask: the uid that commands run as starts it
        seen = [f"ro:{path}" for path in ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache")]
        command = [jail, *LIMITS, work, *seen, "tell:2", "open", "--", "true"]
        done = run_bounded(command, cwd="/", env=env, timeout_s=TRIAL_S, uid=uid)
    return set(done.stderr.decode("ascii", "replace").split()) if done.exit_code == 0 else set()
