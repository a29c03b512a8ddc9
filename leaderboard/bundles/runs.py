"""What a run's own configuration says: the model, and how it was asked."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from leaderboard.bundles.found import Member
from leaderboard.text import clean, shorten

PLACES = (  # relative to the folder of the traces, newest writer first
    "configs/resolved/eval.json",
    "configs/eval.json",
    "configs/resolved/replay.json",
    "config.toml",
    "metadata.json",
)
CONFIG_LIMIT = 4 << 20
SAMPLING = (
    *("temperature", "top_p", "top_k", "min_p", "reasoning_effort", "max_tokens", "max_completion_tokens", "seed", "n"),
    *("frequency_penalty", "presence_penalty", "repetition_penalty"),
)


@dataclass(frozen=True)
class Run:
    """A folder that one evaluation wrote."""

    model: str | None = None
    config: dict[str, Any] = field(default_factory=dict)  # small: sampling, system prompt, environment


def run_of(member: Member, members: Iterable[Member]) -> Run:
    """The run a file of rows belongs to, by the configuration that lies beside it."""
    beside = {other.name: other for other in members}
    for place in PLACES:
        name = f"{member.folder}/{place}" if member.folder else place
        if name in beside and beside[name].size <= CONFIG_LIMIT:
            return read_config(beside[name])
    return Run()


def read_config(member: Member) -> Run:
    try:
        text = member.path.read_text(encoding="utf-8-sig")
        raw = tomllib.loads(text) if member.name.endswith(".toml") else json.loads(text)
    except (ValueError, RecursionError):
        return Run()
    if not isinstance(raw, dict):
        return Run()
    return Run(model=first_text(raw.get("model"), in_agent(raw, "model")), config=config_of(raw))


def config_of(raw: dict[str, Any]) -> dict[str, Any]:
    """What a reader of results wants to know of how the model was asked."""
    sampling: dict[str, Any] = {}
    for part in (raw.get("sampling_args"), raw.get("sampling"), in_agent(raw, "sampling")):  # an agent's own comes last, and wins
        if isinstance(part, dict):
            sampling |= {key: value for key, value in (part | table(part.get("extra_body"))).items() if value is not None}
    taskset: dict[str, Any] = next((part for part in (in_env(raw, "taskset"), raw.get("taskset")) if isinstance(part, dict)), {})
    found = {
        "environment": first_text(taskset.get("id"), raw.get("env_id")),
        "system_prompt": first_text(taskset.get("system_prompt")),
        "rollouts": raw.get("num_rollouts") or raw.get("rollouts_per_example"),
        **{key: sampling.get(key) for key in SAMPLING},
    }
    return {key: shorten(clean(str(value)), 2000) for key, value in found.items() if value is not None}


def table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def in_env(raw: dict[str, Any], key: str) -> Any:
    env = raw.get("env")
    return env.get(key) if isinstance(env, dict) else None


def in_agent(raw: dict[str, Any], key: str) -> Any:
    agent = in_env(raw, "agent")
    return agent.get(key) if isinstance(agent, dict) else None


def first_text(*candidates: Any) -> str | None:
    """The first that is a text with something in it."""
    return next((text for text in candidates if isinstance(text, str) and text.strip()), None)
