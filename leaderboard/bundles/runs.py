"""What a run's own configuration says: the model, and how it was asked."""

from __future__ import annotations

import json
import tomllib
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from leaderboard.bundles.types import Member
from leaderboard.lib.text import clean, shorten

# Real ones have a few kB. Python's TOML reader is slow, and an archive can hold a hundred thousand configurations.
JSON_BYTES, TOML_BYTES = 1 << 20, 128 << 10
ALL_BYTES = 64 << 20  # of all configurations that are read for a bundle
KEPT = 1000
VALUE_LENGTH, PROMPT_LENGTH = 100, 2000
SAMPLING = (
    *("temperature", "top_p", "top_k", "min_p", "reasoning_effort", "max_tokens", "max_completion_tokens", "seed", "n"),
    *("frequency_penalty", "presence_penalty", "repetition_penalty"),
)
SERVED = "served_model"  # the provider's name for what has answered, where it is another than the one asked for


@dataclass(frozen=True)
class Run:
    """A folder that one evaluation wrote."""

    model: str | None = None
    config: dict[str, Any] = field(default_factory=dict)  # small: sampling, system prompt, environment


class Runs:
    """The runs of a bundle, by the configurations that lie beside their rows.

    places: where one may lie, from the folder of the rows; the first that is there counts.
    """

    def __init__(self, members: Iterable[Member], places: Sequence[str]) -> None:
        self.places = places
        names = {place.rpartition("/")[2] for place in places}
        self.configs = {member.name: member for member in members if member.file_name in names}
        self.known: OrderedDict[str, Run] = OrderedDict()
        self.bytes_read = 0

    def of(self, member: Member) -> Run:
        for place in self.places:
            name = f"{member.folder}/{place}" if member.folder else place
            if name in self.configs:
                return self._read(self.configs[name])
        return Run()

    def _read(self, config: Member) -> Run:
        if config.name not in self.known:
            self.bytes_read += config.size
            self.known[config.name] = read_config(config) if self.bytes_read <= ALL_BYTES else Run()
            if len(self.known) > KEPT:
                self.known.popitem(last=False)
        return self.known[config.name]


def read_config(member: Member) -> Run:
    is_toml = member.name.endswith(".toml")
    if member.size > (TOML_BYTES if is_toml else JSON_BYTES):
        return Run()
    try:
        text = member.read_bytes().decode("utf-8-sig")
        raw = tomllib.loads(text) if is_toml else json.loads(text)
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
        "rollouts": scalar_text(raw.get("num_rollouts")) or raw.get("rollouts_per_example"),
        **{key: sampling.get(key) for key in SAMPLING},
    }
    texts = {key: scalar_text(value) for key, value in found.items()}
    lengths = {"system_prompt": PROMPT_LENGTH}
    return {key: shorten(clean(text), lengths.get(key, VALUE_LENGTH)) for key, text in texts.items() if text}


def scalar_text(value: Any) -> str:
    """A text or a number as text, else nothing: lists may be nested too deeply even to be printed."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | float):
        return str(value)
    return str(value) if isinstance(value, int) and value.bit_length() < 200 else ""


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
