"""A loopback endpoint that speaks OpenAI's chat completions and answers as recorded models did: python -m tests.doubles.openai

A request's model names the recorded run, its last user message the kernel (by its signature); the first request for a kernel gets
that kernel's first rollout, the next one the next, round and round. Streaming or not, as asked. Prints NAME=value lines to use.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.doubles.loopback import JsonHandler, LoopbackServer

KEY = "key-of-the-stub"
RUNS = Path(__file__).resolve().parents[1] / "submissions" / "runs"
PIECE = 400  # characters of a streamed piece
Replies = Mapping[str, Mapping[str, list[str | int]]]  # model -> kernel -> replies in order; a number is an HTTP status


def recorded(runs: Path = RUNS) -> Replies:
    """What the recorded models replied, without the provider's errors."""
    found: dict[str, dict[str, list[str | int]]] = {}
    for folder in sorted(runs.iterdir()):
        model = json.loads((folder / "configs/resolved/eval.json").read_text())["model"]
        by_kernel = found.setdefault(model, {})
        for line in (folder / "traces.jsonl").read_text(encoding="utf-8").splitlines():
            episode = json.loads(line)
            sampled = [node for trace in episode["traces"] for node in trace["nodes"] if node["sampled"]]
            if sampled:
                text = sampled[-1]["message"].get("content", "")
                by_kernel.setdefault(episode["task"]["data"]["kernel"], []).append(text)
    return found


class OpenAIStub:
    """The endpoint. `with OpenAIStub(replies) as stub: ...`, clients pointed at stub.url with the key KEY."""

    def __init__(self, replies: Replies, *, port: int = 0, latency_s: float = 0.0) -> None:
        self.replies = replies
        self.latency_s = latency_s
        self.requests: list[dict[str, Any]] = []
        self._served: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.stub = self
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> OpenAIStub:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def reply_to(self, request: dict[str, Any]) -> str | int:
        """The next reply of the model to the kernel that the prompt is about; a number is an error's HTTP status."""
        model, prompt = str(request.get("model")), prompt_of(request)
        kernels = self.replies.get(model)
        if kernels is None:
            return 404
        kernel = next((name for name in kernels if re.search(rf"\b{name}\s*\(", prompt)), None)
        if kernel is None:
            return 400
        with self._lock:
            number = self._served[model, kernel]
            self._served[model, kernel] += 1
            self.requests.append({"model": model, "kernel": kernel, "number": number, "stream": bool(request.get("stream"))})
        return kernels[kernel][number % len(kernels[kernel])]


class _Server(LoopbackServer):
    request_queue_size = 128
    stub: OpenAIStub


class _Handler(JsonHandler):
    server: _Server

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": model, "object": "model"} for model in self.server.stub.replies]})

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            return self._error(401)
        if not self.path.endswith("/chat/completions"):
            return self._error(404)
        time.sleep(self.server.stub.latency_s)
        reply = self.server.stub.reply_to(request)
        if isinstance(reply, int):
            return self._error(reply)
        if request.get("stream"):
            return self._stream(chunks(request, reply))
        return self._json(completion(request, reply))

    def _error(self, status: int) -> None:
        self._json({"error": {"message": f"the stub answers {status}", "type": "stub", "code": status}}, status)

    def _stream(self, events: Iterator[dict[str, Any]]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for text in (*(json.dumps(event) for event in events), "[DONE]"):
            data = f"data: {text}\n\n".encode()
            self.wfile.write(b"%x\r\n" % len(data) + data + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")


def prompt_of(request: dict[str, Any]) -> str:
    """The last user message's text."""
    asked = [message.get("content") for message in request.get("messages", []) if message.get("role") == "user"]
    content = asked[-1] if asked else ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or [])


def usage(request: dict[str, Any], reply: str) -> dict[str, int]:
    asked, said = len(prompt_of(request)) // 4, len(reply) // 4
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def completion(request: dict[str, Any], reply: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return _head(request, "chat.completion") | {"choices": [choice], "usage": usage(request, reply)}


def chunks(request: dict[str, Any], reply: str) -> Iterator[dict[str, Any]]:
    head = _head(request, "chat.completion.chunk")
    deltas = [{"role": "assistant"}, *({"content": reply[begin : begin + PIECE]} for begin in range(0, len(reply), PIECE))]
    for delta in deltas:
        yield head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield head | {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    if (request.get("stream_options") or {}).get("include_usage"):
        yield head | {"choices": [], "usage": usage(request, reply)}


def _head(request: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": f"stub-{time.monotonic_ns()}", "object": kind, "created": int(time.time()), "model": request.get("model")}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.doubles.openai", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free one")
    parser.add_argument("--latency", type=float, default=0.0, metavar="SECONDS", help="of each reply")
    parser.add_argument("--runs", type=Path, default=RUNS, help="the folder of the recorded runs")
    asked = parser.parse_args()
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with OpenAIStub(recorded(asked.runs), port=asked.port, latency_s=asked.latency) as stub:
        print(f"OPENAI_BASE_URL={stub.url}\nOPENAI_API_KEY={KEY}", flush=True)
        stop.wait()


if __name__ == "__main__":
    main()
