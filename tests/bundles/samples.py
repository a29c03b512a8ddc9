"""Run folders of every writer, made up after their sources: what the real ones in tests/data/runs do not have."""

from __future__ import annotations

import json
from typing import Any

from tests.site.bundles import lines

MODEL = "stub/sample-7b"
UUID = "1f9f1d8e-6a43-4a53-9d0c-1d6a3f0a2b11"
REPLIES = (("dot_f32", "first"), ("sort_u32", "second"), ("dot_f32", "third"))  # two rollouts of dot_f32, in this order
Files = dict[str, bytes]


def reply(text: str) -> str:
    return f"Here: <answer>int {text};</answer>"


def data(kernel: str) -> dict[str, Any]:
    return {"idx": len(kernel), "name": kernel, "prompt": "Write it.", "kernel": kernel, "arch": "amd64"}


def node(text: str, role: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"message": {"role": role, "content": text}, "sampled": role == "assistant", **more}


def trace(kernel: str, text: str, *, task: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """A trace as in the episodes of 0.3 and 0.4."""
    return {
        "id": f"trace-{text}",
        "task": task or {"type": "KernelTask", "data": data(kernel)},
        "agent": {"config": {"model": MODEL, "sampling": {"temperature": 0.5}}, "name": "agent"},
        "nodes": [node("Write it.", "user"), node(reply(text))],
        "calls": [
            {
                "node": 1,
                "model": MODEL,
                "finish_reason": "stop",
                "usage": {"prompt_tokens": 32, "cached_input_tokens": 10, "completion_tokens": 19},
            }
        ],
        "rewards": {"correct": {"score": None, "weight": 1.0}},
        "metrics": {},
        "ok": True,
        "stop_condition": "agent_completed",
        "errors": [],
    } | changes


def episode(kernel: str, text: str, **changes: Any) -> dict[str, Any]:
    """0.4.0, and 0.3.1 but for the task's key and hash."""
    task = {"type": "KernelTask", "data": data(kernel), "key": f"{kernel}/amd64", "hash": "00"}
    return {
        "id": f"episode-{text}",
        "env": {"id": "arch-kernels-v1"},
        "task": task,
        "run": {"type": "eval", "id": "run", "name": "run"},
        "ok": True,
        "errors": [],
        "traces": [trace(kernel, text, task=task)],
    } | changes


def without(row: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in keys}


def eval_json(**changes: Any) -> bytes:
    config = {
        "env": {"taskset": {"id": "arch-kernels-v1", "arch": "amd64", "system_prompt": "Be fast."}, "agent": {"model": None}},
        "model": MODEL,
        "sampling": {"temperature": 0.5, "top_p": None, "max_tokens": 4096},
        "num_rollouts": 2,
    }
    return json.dumps(config | changes).encode()


CONFIG_TOML = f"""
model = "{MODEL}"
num_rollouts = 2
[taskset]
id = "arch-kernels-v1"
system_prompt = "Be fast."
[sampling]
temperature = 0.5
max_tokens = 4096
""".encode()


def run_0_4_0() -> Files:
    folder = "outputs/arch-kernels-v1--stub--sample-7b--null--8cb61393"
    return {
        f"{folder}/traces.jsonl": lines(*(episode(*pair) for pair in REPLIES)),
        f"{folder}/configs/resolved/eval.json": eval_json(),
        f"{folder}/logs/attempt_1/eval.log": b"{}",
    }


def run_0_3_1(place: str = "configs/eval.json") -> Files:
    folder = "outputs/arch-kernels-v1--stub--sample-7b--null--8cb61393"
    return {
        f"{folder}/traces.jsonl": lines(*(episode(*pair) for pair in REPLIES)),
        f"{folder}/{place}": eval_json(),
    }


def run_0_3_0() -> Files:
    """No task with the episode, only with its traces; the configuration is TOML."""
    folder = f"outputs/arch-kernels-v1--stub--sample-7b--null/{UUID}"
    rows = [without(episode(*pair, traces=[trace(*pair)]), "task", "run") for pair in REPLIES]
    return {f"{folder}/traces.jsonl": lines(*rows), f"{folder}/config.toml": CONFIG_TOML}


def run_0_2() -> Files:
    """One bare trace per line; usage and finish reason stand with the node, the model only in the configuration."""
    folder = f"outputs/arch-kernels-v1--stub--sample-7b--null/{UUID}"
    usage = {"prompt_tokens": 32, "cached_input_tokens": 10, "completion_tokens": 19}
    rows = []
    for kernel, text in REPLIES:
        sampled = node(reply(text), finish_reason="stop", usage=usage)
        row = without(trace(kernel, text, nodes=[node("Write it.", "user"), sampled]), "agent", "calls", "ok")
        rows.append(row | {"rewards": {"correct": 1.0}})
    return {f"{folder}/traces.jsonl": lines(*rows), f"{folder}/config.toml": CONFIG_TOML}


def result(kernel: str, text: str, **changes: Any) -> dict[str, Any]:
    return {
        "example_id": len(kernel),
        "prompt": [{"role": "system", "content": "Be fast."}, {"role": "user", "content": "Write it."}],
        "completion": [{"role": "assistant", "content": reply(text)}],
        "info": {"kernel": kernel, "arch": "amd64"},
        "reward": 0.0,
        "error": None,
        "is_truncated": False,
        "metrics": {"correct": 1.0},
        "correct": 1.0,
        "token_usage": {"input_tokens": 42.0, "output_tokens": 19.0},
    } | changes


def run_v0() -> Files:
    folder = "environments/arch_kernels/outputs/evals/arch-kernels--stub--sample-7b/5e104a39"
    sampling = {"n": 1, "extra_body": {}, "temperature": 0.5, "max_tokens": 4096}
    metadata = {"env_id": "arch-kernels-v1", "model": MODEL, "rollouts_per_example": 2, "sampling_args": sampling}
    return {
        f"{folder}/results.jsonl": lines(*(result(*pair) for pair in REPLIES)),
        f"{folder}/metadata.json": json.dumps(metadata).encode(),
    }


def run_replay(place: str = "configs/resolved/replay.json") -> Files:
    """vf-replay's own configuration names no model: the traces do. An episode is of one trace, and of no run."""
    folder = f"outputs/arch-kernels-v1--replay/{UUID}"
    rows = [without(episode(*pair), "run") for pair in REPLIES]
    config = {"taskset": {"id": "arch-kernels-v1", "system_prompt": "Be fast."}, "num_traces": None, "num_rescores": 1}
    return {f"{folder}/traces.jsonl": lines(*rows), f"{folder}/{place}": json.dumps(config).encode()}


def plain_lines() -> Files:
    rows = [{"model": MODEL, "kernel": kernel, "answer": reply(text)} for kernel, text in REPLIES]
    return {"answers.jsonl": lines(*(row | {"prompt_tokens": 42, "completion_tokens": 19} for row in rows))}


def c_files() -> Files:
    return {
        f"{MODEL}/dot_f32/0.c": b"int first;",
        f"{MODEL}/sort_u32.c": b"int second;",
        f"{MODEL}/dot_f32/1.c": b"int third;",
    }


# By writer: the same REPLIES of MODEL everywhere, each of 42 and 19 tokens, asked with the same settings.
RUNS = {
    "0.4.0": run_0_4_0(),
    "0.3.1": run_0_3_1(),
    "0.3.1, resolved": run_0_3_1("configs/resolved/eval.json"),
    "0.3.0": run_0_3_0(),
    "0.2": run_0_2(),
    "v0": run_v0(),
    "replay": run_replay(),
    "replay of 0.3.1": run_replay("configs/replay.json"),
    "lines": plain_lines(),
}
NO_TOKENS: set[str] = set()  # writers that do not say how long a prompt and a reply were
NO_SETTINGS = {"lines"}  # that do not say how the model was asked

WHOLE_FILES = {"C files": c_files()}  # of formats that are no lines of JSON
ALL = RUNS | WHOLE_FILES
