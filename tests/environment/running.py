"""vf-eval as people run it: the command of verifiers, in its own virtual environment, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.doubles.openai import KEY

ROOT = Path(__file__).resolve().parents[2]
KEY_VARIABLE = "STUB_API_KEY"
LEFT_OUT = ("PRIME_", "SANDBOX_", "ARCH_KERNELS_", "DJANGO_", "DATA_DIR", "PYTHONPATH", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Verifiers:
    """The virtual environment that verifiers and our environment are installed in."""

    folder: Path

    def command(self, url: str, model: str, *options: str) -> list[str]:
        """The README's command."""
        command = [str(self.folder / "bin" / "vf-eval"), "arch-kernels-v1", "-m", model, *options]
        command += ["--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess", "--no-push", "--no-rich"]
        return [*command, "--client.base-url", url, "--client.api-key-var", KEY_VARIABLE]

    def surroundings(self, more: Mapping[str, str]) -> dict[str, str]:
        """What it finds in its environment: uv on the PATH, a home of its own, no setting of who runs the tests."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(LEFT_OUT)}
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        cache = os.environ.get("UV_CACHE_DIR") or str(Path.home() / ".cache" / "uv")
        path = f"{self.folder}/bin:{ROOT}/.venv/bin:{os.environ['PATH']}"
        return kept | {"PATH": path, "HOME": str(home), "UV_CACHE_DIR": cache, KEY_VARIABLE: KEY} | more

    def start(self, command: list[str], folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """The command in `folder`, where it writes outputs/ and log.txt."""
        with (folder / "log.txt").open("ab") as log:
            return subprocess.Popen(
                command, cwd=folder, env=self.surroundings(environment), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def run(self, command: list[str], folder: Path, environment: Mapping[str, str], timeout_s: float = 600) -> str:
        """The command to its end; what it said."""
        process = self.start(command, folder, environment)
        try:
            status = process.wait(timeout_s)
        finally:
            end(process)
        said = (folder / "log.txt").read_text(encoding="utf-8", errors="replace")
        assert status == 0, said[-4000:]
        return said


def end(process: subprocess.Popen[bytes]) -> None:
    """It is asked to end, which lets it close its sandbox, and killed if it does not."""
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def run_folder(folder: Path) -> Path:
    """The one run below outputs/ that is no replay."""
    (found,) = [path for path in (folder / "outputs").iterdir() if not path.name.endswith("--replay")]
    return found


def traces(run: Path) -> Iterator[dict[str, Any]]:
    """The traces of a run folder, in the order in which they were written."""
    for line in (run / "traces.jsonl").read_text(encoding="utf-8").splitlines():
        yield from json.loads(line)["traces"]


def reply_text(trace: Mapping[str, Any]) -> str:
    sampled = [node for node in trace["nodes"] if node["sampled"]]
    return str(sampled[-1]["message"].get("content", ""))


def scores(trace: Mapping[str, Any]) -> dict[str, float | None]:
    """Rewards and metrics as the file has them."""
    rewards = {name: None if reward is None else reward["score"] for name, reward in trace["rewards"].items()}
    return rewards | trace["metrics"]
