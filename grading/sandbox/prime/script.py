"""What we say to the shell inside a Prime sandbox, and how its answer is read.

Theory of operation. One command does everything for one `run`: end what an earlier command has left, write the small files that
were put meanwhile, run under a time limit with the output in files, and print the heads of these in base64 (the service hands
text on, and would bring 40 MB back whole). A run has a token; when the answer was lost on its way and the same run is sent again,
a finished one is only read.
"""

from __future__ import annotations

import base64
import binascii
import shlex
from collections.abc import Mapping, Sequence

from grading.faults import SandboxGone
from grading.sandbox.base import NO_FOLDER, OUTPUT_LIMIT_BYTES, Completed
from grading.sandbox.prime.errors import Hiccup

BASE = "/srv/arch-kernels"  # all that is ours inside
WORK = f"{BASE}/work"  # the folder that commands run in
HARNESSES = f"{BASE}/harness"  # built ones, by key
SOURCES = f"{BASE}/sources"  # uploaded ones, by hash
FILE_LIMIT_KB = 2 << 20  # no command fills the disk; it holds for the memory files of the judge too
FREE_KB = 128 << 10  # less than that, and compilers fail for a reason that is not the answer's
OWNER = "ARCH_KERNELS_SANDBOX"  # marks what we started, in its environment
FULL = "full"
TOOLS = ("gcc", "ld", "objcopy", "readelf", "sh", "timeout", "base64")

# Ends all that an earlier command has left: what carries our mark, or works below our folder; again, for what it was starting.
REAP = f"""# a command of Arch Kernels
reap() {{
  cd /
  for again in 1 2 3 4 5; do
    left=$(grep -lszF {OWNER}=%(owner)s /proc/[0-9]*/environ; find /proc/[0-9]*/cwd -maxdepth 0 -lname '{BASE}/*')
    [ -n "$left" ] || break
    for entry in $left; do entry=${{entry#/proc/}}; kill -9 ${{entry%%%%/*}}; done
    sleep 0.01
  done 2>/dev/null
}}
"""

RUN = f"""
umask 022
run={BASE}/runs/%(token)s
if [ ! -f $run/status ]; then
  reap
  rm -rf {BASE}/runs; mkdir -p $run {WORK} && cd {WORK} || exit {NO_FOLDER}
  set -- $(df -kP . | tail -n 1)
  if [ "${{4:-0}}" -lt {FREE_KB} ]; then echo {FULL} >$run/status; else
%(writes)s
    (ulimit -f {FILE_LIMIT_KB}; exec env -i PATH="$PATH" LC_ALL=C HOME=/nonexistent TMPDIR=/tmp {OWNER}=%(owner)s \\
      timeout -s KILL %(timeout)s %(command)s) >$run/stdout 2>$run/stderr </dev/null
    status=$?
    reap
    echo $status >$run/status || echo {FULL} >$run/status
  fi
fi
for stream in stdout stderr; do head -c {OUTPUT_LIMIT_BYTES} $run/$stream 2>/dev/null | base64 -w 0; echo; done
echo rc=$(cat $run/status)
"""

LOOK = f"""# a look at what is inside
umask 022
mkdir -p {WORK} {HARNESSES} {SOURCES} || exit {NO_FOLDER}
echo machine=$(uname -m)
echo compiler=$(gcc --version 2>/dev/null | head -n 1)
echo version=$(gcc -dumpversion 2>/dev/null)
for tool in {" ".join(TOOLS)}; do command -v $tool >/dev/null || echo missing=$tool; done
for folder in {HARNESSES}/*/; do [ -x "$folder/grade" ] && echo built=$(basename "$folder"); done
for folder in {SOURCES}/*/; do [ -f "$folder/complete" ] && echo sources=$(basename "$folder"); done
echo rc=0
"""


def run_script(
    command: Sequence[str], *, token: str, owner: str, timeout_s: float, files: Mapping[str, bytes] | None = None
) -> str:
    """The shell's words for one run; `files` are written into the work folder first."""
    writes = [_write(name, data) for name, data in (files or {}).items()]
    fields = {
        "token": token,
        "owner": owner,
        "timeout": f"{timeout_s:g}",
        "command": shlex.join(command),
        "writes": "\n".join(writes) or ":",
    }
    return (REAP + RUN) % fields


def parse_run(stdout: str) -> Completed:
    """Parse what a run printed: two lines of base64, and its status."""
    lines = stdout.splitlines()
    if len(lines) != 3 or not lines[2].startswith("rc="):
        raise Hiccup("the answer of the Prime sandbox was cut short")
    status = lines[2].removeprefix("rc=")
    if status == FULL or not status:
        raise SandboxGone("the disk of the Prime sandbox is full")
    try:
        out, err = (base64.b64decode(line, validate=True) for line in lines[:2])
        return Completed(exit_code=int(status), stdout=out, stderr=err)
    except (binascii.Error, ValueError) as error:
        raise Hiccup("the answer of the Prime sandbox was damaged") from error


def parse_look(stdout: str) -> dict[str, list[str]]:
    """What a sandbox said of itself: name -> values. Raises Hiccup when it did not get to the end."""
    lines = stdout.splitlines()
    if not lines or lines[-1] != "rc=0":
        raise Hiccup("the Prime sandbox did not say what is in it")
    said: dict[str, list[str]] = {}
    for line in lines[:-1]:
        name, _, value = line.partition("=")
        said.setdefault(name, []).append(value.strip())
    return said


def unpack_script(files: Mapping[str, bytes]) -> bytes:
    """sh SCRIPT FOLDER: writes a tree below FOLDER with no more than printf (a builtin) and mkdir."""
    lines = ["set -eu", 'rm -rf "$1"; mkdir -p "$1"; cd "$1"']
    lines += [f"mkdir -p {shlex.quote(name)}" for name in sorted({path.rpartition("/")[0] for path in files} - {""})]
    lines += [f"printf %s {shlex.quote(data.decode())} >{shlex.quote(path)}" for path, data in files.items()]
    return ("\n".join([*lines, ": >complete"]) + "\n").encode()


def _write(name: str, data: bytes) -> str:
    file = shlex.quote(f"./{name}")  # removed first: never through a link that something inside has left there
    return f"rm -rf {file}; printf %s {base64.b64encode(data).decode()} | base64 -d >{file}"
