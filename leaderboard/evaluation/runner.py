"""Several questions at a time, each reply kept at once; ended in order by the first signal, at once by the second."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from kernels.catalog import get_kernel
from leaderboard.evaluation.endpoint import Endpoint, Failed, Reply
from leaderboard.evaluation.patience import Patience, Stopped
from leaderboard.evaluation.request import EvaluationRequest, Task

Row = dict[str, Any]
LOOK_S = 0.2


@dataclass(frozen=True, kw_only=True)
class Prices:
    """US dollars for a million tokens; None where nobody has said."""

    prompt: float | None = None
    completion: float | None = None

    def of(self, reply: Reply) -> float | None:
        """The cost that the service states, else one computed from the prices."""
        if reply.cost_usd is not None:
            return reply.cost_usd
        parts = [(self.prompt, reply.prompt_tokens), (self.completion, reply.completion_tokens)]
        if all(price is None for price, _ in parts) or any(tokens is None for price, tokens in parts if price is not None):
            return None
        return sum((price or 0) * (tokens or 0) for price, tokens in parts) / 1e6


class Hopeless(Exception):
    """The endpoint refuses for a reason that every further question would meet, too."""


@dataclass(kw_only=True)
class Runner:
    request: EvaluationRequest
    endpoint: Endpoint
    patience: Patience
    prices: Prices
    concurrency: int
    grace_s: float | None = None  # how long what is under way is waited for after an interrupt; None: as long as it takes
    interrupts: int = 0
    _interrupted_at: float = 0.0

    def interrupt(self) -> None:
        """Called from a signal handler. The first signal waits for open questions, which are paid for; the second does not."""
        self.interrupts += 1
        self._interrupted_at = self._interrupted_at or time.monotonic()
        self.patience.stop.set()

    def run(self, todo: Sequence[Task], on_row: Callable[[Row], None], say: Callable[[str], None]) -> bool:
        """Ask everything; False when somebody ended it. on_row is called in this thread. Raises Hopeless."""
        waiting: queue.SimpleQueue[Task] = queue.SimpleQueue()
        for task in todo:
            waiting.put(task)
        home: queue.SimpleQueue[Row | Hopeless | BaseException | None] = queue.SimpleQueue()
        workers = [
            threading.Thread(target=self._work, args=(waiting, home), daemon=True)
            for _ in range(min(self.concurrency, len(todo)))
        ]
        for worker in workers:
            worker.start()
        at_work, hopeless, told = len(workers), None, False
        while at_work and not self._is_over():
            if self.interrupts and not told:
                say("Waiting for the open questions; interrupt again to stop at once.")
                told = True
            try:
                came = home.get(timeout=LOOK_S)
            except queue.Empty:
                continue
            if came is None:
                at_work -= 1
            elif isinstance(came, Hopeless):
                hopeless = hopeless or came
            elif isinstance(came, BaseException):
                raise came
            else:
                on_row(came)
        if hopeless:
            raise hopeless
        return not self.interrupts

    def _is_over(self) -> bool:
        waited_s = time.monotonic() - self._interrupted_at if self.interrupts else 0.0
        return self.interrupts > 1 or (self.grace_s is not None and waited_s > self.grace_s)

    def _work(self, waiting: queue.SimpleQueue[Task], home: queue.SimpleQueue[Any]) -> None:
        try:
            while not self.patience.stop.is_set():
                home.put(self._row(waiting.get_nowait()))
        except (queue.Empty, Stopped):
            pass
        except Hopeless as hopeless:
            self.patience.stop.set()
            home.put(hopeless)
        except BaseException as error:  # a bug of ours: raised where it is seen
            self.patience.stop.set()
            home.put(error)
        finally:
            home.put(None)

    def _row(self, task: Task) -> Row:
        """A plain line (docs/bundles.md): an answer, or an error, which is no answer."""
        began, asked_at = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
        head: Row = {"model": self.request.model, "kernel": task.kernel, "rollout": task.rollout}
        try:
            reply, attempts = self.patience.ask(self.endpoint.ask, self.request.body(get_kernel(task.kernel)))
        except Failed as failed:
            if failed.stopping:
                raise Hopeless(f"HTTP {failed.status}: {failed.message}") from None
            error = {"status_code": failed.status, "message": failed.message}
            return head | {"error": error, "attempts": failed.attempts, "asked_at": asked_at}
        return (
            head
            | self._answer(reply)
            | {"attempts": attempts, "seconds": round(time.monotonic() - began, 3), "asked_at": asked_at}
        )

    def _answer(self, reply: Reply) -> Row:
        return {
            "trace_id": f"evaluate-{uuid4()}",
            "answer": reply.text,
            "finish_reason": reply.finish_reason,
            "cut_short": reply.finish_reason == "length",
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "reasoning_tokens": reply.reasoning_tokens,
            "cached_tokens": reply.cached_tokens,
            "cost_usd": self.prices.of(reply),
            "served_model": reply.served_model,
            "response_id": reply.response_id,
        }
