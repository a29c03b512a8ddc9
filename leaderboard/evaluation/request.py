"""What a model is asked: which kernels, how often, with which settings; and the folder's name that follows from it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from kernels.catalog import load_catalog
from kernels.prompts import SYSTEM_PROMPTS
from kernels.spec import KernelSpec


class BadEvaluationRequest(ValueError):
    """Nothing was asked; the message says what to change."""


@dataclass(frozen=True)
class Task:
    kernel: str
    rollout: int


@dataclass(frozen=True, kw_only=True)
class EvaluationRequest:
    """sampling: fields of the request beside the model and its messages. told: the architecture that the model is told to write
    for, "" for none; its system prompt is that of the environment."""

    model: str
    base_url: str
    sampling: dict[str, Any] = field(default_factory=dict)
    told: str = ""

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadEvaluationRequest("--base-url should be like https://api.example.com/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise BadEvaluationRequest(
                "--base-url contains more than an address: put the key into an environment variable (--api-key-var)"
            )
        if not self.model.strip():
            raise BadEvaluationRequest("the model has no name")

    @property
    def url(self) -> str:
        return f"{self.base_url.rstrip('/')}/chat/completions"

    @property
    def system_prompt(self) -> str:
        return SYSTEM_PROMPTS[self.told] if self.told else ""

    def body(self, kernel: KernelSpec) -> dict[str, Any]:
        system = [{"role": "system", "content": self.system_prompt}] if self.told else []
        messages = [*system, {"role": "user", "content": kernel.prompt}]
        return self.sampling | {"model": self.model, "messages": messages, "stream": False}

    @property
    def folder_name(self) -> str:
        """One name for all that continues one evaluation: the same model, asked the same questions in the same way. More
        rollouts or kernels only add to it."""
        prompts = {name: kernel.prompt for name, kernel in load_catalog().items()}
        known = json.dumps([self.model, self.base_url.rstrip("/"), self.sampling, self.system_prompt, prompts], sort_keys=True)
        slug = re.sub(r"[^a-z0-9]+", "-", self.model.lower()).strip("-")[:60] or "model"
        return f"{slug}-{hashlib.sha256(known.encode()).hexdigest()[:10]}"

    def config(self, rollouts: int) -> dict[str, Any]:
        """The configuration in the form that runs have it, for the readers of bundles (leaderboard.bundles.runs)."""
        taskset = {"id": "arch-kernels-v1"} | ({"system_prompt": self.system_prompt} if self.told else {})
        return {
            "writer": "arch-kernels evaluate",
            "model": self.model,
            "base_url": self.base_url.rstrip("/"),
            "num_rollouts": rollouts,
            "sampling": self.sampling,
            "env": {"taskset": taskset},
        }


def tasks(kernels: list[str], rollouts: int) -> Iterator[Task]:
    """Rollout by rollout, so that an evaluation that is broken off has something of every kernel."""
    for rollout in range(rollouts):
        for kernel in kernels:
            yield Task(kernel, rollout)
