import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from grading import exit_status
from grading.architectures import ARCHS
from kernels.catalog import BadSuite, choose, load_catalog
from kernels.spec import DEFAULT_SUITE
from leaderboard.evaluation.folder import Folder, InUse, failed, totals
from leaderboard.evaluation.request import BadEvaluationRequest, EvaluationRequest, Task, tasks
from leaderboard.evaluation.secret import BadKey, key_from
from leaderboard.lib.processes import ended_in_order
from leaderboard.lib.progress_bar import progress_bar
from leaderboard.management.commands.import_bundle import Command as Import
from leaderboard.models import Bundle, Result
from leaderboard.services import queueing

NUMBERS = ("temperature", "top_p")
COUNTS = ("max_tokens", "max_completion_tokens", "seed")


class Command(BaseCommand):
    help = (
        "Ask a model for answers to the kernels through an OpenAI-compatible endpoint, and grade them. After an interruption, "
        "the same command resumes. The key is read from the environment and stored nowhere."
    )
    stealth_options = ("on_progress", "on_bundle", "grace_s")  # of who calls it from a program

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("model", metavar="MODEL", help="as the endpoint knows it")
        parser.add_argument("--base-url", required=True, help="for example https://api.openai.com/v1")
        parser.add_argument(
            "--api-key-var", default="", metavar="VAR", help="the environment variable with the key; none: no key"
        )
        parser.add_argument("--rollouts", type=_positive, default=3, metavar="N", help="answers to each kernel; default 3")
        parser.add_argument("--kernels", nargs="+", action="extend", default=[], metavar="NAME", help="only these")
        parser.add_argument(
            "--suite",
            default="",
            metavar="NAME",
            help=f"all kernels of this suite; default, without --kernels: {DEFAULT_SUITE}",
        )
        parser.add_argument(
            "--arch",
            nargs="+",
            action="extend",
            choices=ARCHS,
            default=[],
            help="grade only on these architectures; a single one is named to the model",
        )
        sampling = parser.add_argument_group("sampling settings")
        for name in NUMBERS:
            sampling.add_argument(_option(name), type=float, metavar="X")
        for name in COUNTS:
            sampling.add_argument(_option(name), type=int, metavar="N")
        sampling.add_argument("--reasoning-effort", metavar="WORD")
        sampling.add_argument("--extra", type=_json_object, default={}, metavar="JSON", help="further fields of the request")
        limits = parser.add_argument_group("limits")
        limits.add_argument("--concurrency", type=_positive, default=8, metavar="N", help="concurrent questions; default 8")
        limits.add_argument("--timeout", type=float, default=900.0, metavar="S", help="limit of one answer; default 900 s")
        limits.add_argument("--retries", type=int, default=5, metavar="N", help="after 429, 5xx or a lost connection; default 5")
        limits.add_argument("--retry-errors", action="store_true", help="repeat the questions that ended in an error")
        limits.add_argument("--again", action="store_true", help="start anew, even if the same questions were asked")
        money = parser.add_argument_group("cost, in US dollars for a million tokens, where the service does not say it")
        money.add_argument("--price-prompt", type=float, metavar="X")
        money.add_argument("--price-completion", type=float, metavar="X")
        parser.add_argument("--private", action="store_true", help="private: only reviewers and operators see the answers")
        parser.add_argument("--wait", action="store_true", help="until everything is graded")
        parser.add_argument("--no-import", action="store_true", help="leave the answers in their folder")

    @ended_in_order()  # while questions are asked, _signals does it
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            key = key_from(options["api_key_var"])
            request = _request(options)
            kernels = _kernels(options["kernels"], options["suite"])
            path = _folder(request, again=options["again"])
            with Folder(path) as folder:
                todo = self.todo(folder, kernels, options)
                folder.describe(request, options["rollouts"])
                whole = not todo or self.ask(request, key, folder, todo, options)
                folder.describe(request, options["rollouts"])
                self.report(folder)
        except (BadKey, BadEvaluationRequest, InUse) as error:
            raise CommandError(str(error)) from error
        if not whole:
            self.stdout.write(f"Interrupted: the answers so far are in {path}; run the same command again to resume.")
            sys.exit(exit_status.INTERRUPTED)
        if not any("answer" in row for row in folder.rows):
            raise CommandError(f"no answer at all; the errors are in {path}")
        if not options["no_import"]:
            self.bring(path, options)

    def todo(self, folder: Folder, kernels: list[str], options: dict[str, Any]) -> list[Task]:
        done = folder.done(again=options["retry_errors"])
        asked = list(tasks(kernels, options["rollouts"]))
        todo = [task for task in asked if task not in done]
        known = len(asked) - len(todo)
        self.stdout.write(f"{len(asked)} questions, {known} of them answered already; {folder.path}")
        self.asked = set(asked)
        self.progress(folder, options)
        return todo

    def progress(self, folder: Folder, options: dict[str, Any]) -> None:
        if on_progress := options.get("on_progress"):
            answered = len(self.asked & folder.done(again=True))
            on_progress(answered, len(self.asked & failed(folder.rows)), len(self.asked))

    def ask(self, request: EvaluationRequest, key: Any, folder: Folder, todo: list[Task], options: dict[str, Any]) -> bool:
        """False when somebody ended it."""
        try:
            from leaderboard.evaluation.endpoint import Endpoint
            from leaderboard.evaluation.patience import Patience
            from leaderboard.evaluation.runner import Hopeless, Prices, Runner
        except ImportError as missing:
            raise CommandError("evaluating needs httpx: pip install 'arch-kernels[evaluate]'") from missing
        prices = Prices(prompt=options["price_prompt"], completion=options["price_completion"])
        with closing(Endpoint(request.url, key, options["timeout"])) as endpoint, progress_bar(len(todo), "answers") as bar:
            runner = Runner(
                request=request,
                endpoint=endpoint,
                patience=Patience(retries=options["retries"]),
                prices=prices,
                concurrency=options["concurrency"],
                grace_s=options.get("grace_s"),
            )

            def keep(row: dict[str, Any]) -> None:
                folder.add(row)
                bar.update(1)
                self.progress(folder, options)
                if error := row.get("error"):
                    status = f"HTTP {error['status_code']}: " if error["status_code"] else ""
                    bar.say(f"{row['kernel']}, rollout {row['rollout']}: no answer: {status}{error['message']}")

            try:
                with _signals(runner.interrupt):
                    return runner.run(todo, keep, bar.say)
            except Hopeless as hopeless:
                raise CommandError(f"{hopeless}. Stopped asking; run the same command again once that is fixed.") from None

    def report(self, folder: Folder) -> None:
        used = totals(folder.rows)
        cost = "" if used["cost_usd"] is None else f", {used['cost_usd']:.4f} US dollars"
        cut = sum(row.get("cut_short") is True for row in folder.rows)
        self.stdout.write(
            f"{used['answers']} answers ({cut} cut short), {len(failed(folder.rows))} questions without one; "
            f"{used['prompt_tokens'] or 0:,} prompt and {used['completion_tokens'] or 0:,} completion tokens{cost}"
        )

    def bring(self, path: Path, options: dict[str, Any]) -> None:
        """The way of any other bundle."""
        command = Import()
        command.stdout, command.stderr = self.stdout, self.stderr
        bundle = command.bring(path, public=not options["private"], model="")
        command.report(bundle)
        if on_bundle := options.get("on_bundle"):
            on_bundle(bundle)
        _leave_out(bundle, set(ARCHS) - set(options["arch"] or ARCHS))
        if options["wait"]:
            command.wait(bundle)


def _request(options: dict[str, Any]) -> EvaluationRequest:
    given = {name: options[name] for name in (*NUMBERS, *COUNTS, "reasoning_effort") if options[name] is not None}
    reserved = {"model", "messages", "stream", "n"} & set(options["extra"])
    if reserved:
        raise BadEvaluationRequest(f"--extra cannot set {', '.join(sorted(reserved))}")
    archs = set(options["arch"])
    told = archs.pop() if len(archs) == 1 else ""
    return EvaluationRequest(model=options["model"], base_url=options["base_url"], sampling=given | options["extra"], told=told)


def _kernels(words: list[str], suite: str) -> list[str]:
    names = [name for word in words for name in word.split(",") if name]
    if unknown := [name for name in names if name not in load_catalog()]:
        raise BadEvaluationRequest(f"no kernel {', '.join(unknown)}; there are: {', '.join(load_catalog())}")
    if names and not suite:  # of any suites: the answers are scored in each suite separately
        return [name for name in load_catalog() if name in names]
    try:
        return list(choose(names, suite))
    except BadSuite as error:
        raise BadEvaluationRequest(str(error)) from error


def _folder(request: EvaluationRequest, *, again: bool) -> Path:
    """The folder of the latest evaluation of the same questions, or a new one beside it."""
    first = Path(settings.DATA_DIR) / "evaluations" / request.folder_name
    paths = (first if number == 1 else first.with_name(f"{first.name}-{number}") for number in count(1))
    latest = first
    for path in paths:
        if not path.exists():
            return path if again else latest
        latest = path
    raise AssertionError("numbers do not end")


def _leave_out(bundle: Bundle, archs: set[str]) -> None:
    """Do not grade on the other architectures: `manage.py regrade` can do it later."""
    if archs:
        brought = Result.objects.filter(submission__entries__bundle=bundle, submission__entries__first=True, arch__in=archs)
        queueing.cancel(Result.objects.filter(pk__in=brought.values("pk")))


@contextmanager
def _signals(interrupt: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C and SIGTERM are noted and not raised: a reply that is just being written is written whole."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda *_: interrupt()) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return value


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError("not a JSON object")
    return value
