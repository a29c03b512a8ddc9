"""A container whose work folder is full: never a verdict, and graded as ever with room again."""

from __future__ import annotations

from contextlib import closing

import pytest

from grading.faults import MachineShort
from grading.pipeline import Options, grade_source
from grading.sandbox.docker.sandbox import DockerSandbox
from grading.sandbox.local import host_arch
from kernels.catalog import get_kernel
from tests.engines.docker_daemon import Daemon
from tests.small_disk import sweep

pytestmark = pytest.mark.engine
DOT = get_kernel("dot_f32")
QUICK = Options(size=4096, rounds=3, processes=1, batch=4)
# A tmpfs counts its pages per core and catches up later: it is filled until df agrees.
FILL = """rm -f filler
for _ in 1 2 3 4 5 6 7 8 9 10; do
  set -- $(df -kP . | tail -n 1)
  if [ "$4" -le %(kb)d ]; then break; fi
  head -c $(($4 - %(kb)d))k /dev/zero >>filler
done
df -kP . | tail -n 1"""


@pytest.mark.parametrize("points", [5, pytest.param(100, marks=pytest.mark.slow)])
def test_a_full_work_folder_in_a_container_is_never_a_verdict(docker_daemon: Daemon, points: int) -> None:
    with closing(DockerSandbox(host_arch())) as sandbox:
        assert grade_source(DOT.reference_source, DOT, sandbox, QUICK).passed
        for free_kb in sweep(points):
            free = sandbox.run(["sh", "-c", FILL % {"kb": free_kb}], 60).stdout.split()
            assert int(free[3]) <= free_kb
            with pytest.raises(MachineShort, match=rf"kB are free in {free[5].decode()}"):
                grade_source(DOT.reference_source, DOT, sandbox, QUICK)
        sandbox.run(["rm", "filler"], 60)
        assert grade_source(DOT.reference_source, DOT, sandbox, QUICK).passed
