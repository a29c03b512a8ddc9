import io
import os
import signal
import traceback
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.evaluation.endpoints import Known, known_endpoints
from leaderboard.lib.faults import fault_of, said
from leaderboard.lib.processes import die_with_parent, ended_in_order
from leaderboard.lib.text import shorten
from leaderboard.models import Bundle, Evaluation
from leaderboard.services import evaluations

GRACE_S = 20.0  # for questions that are under way when the site ends
SAID = 4000  # characters of what is kept


class Command(BaseCommand):
    help = "Run an evaluation that was begun in the admin. Started by housekeeping, under the lease that it holds."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pk", type=int)
        parser.add_argument("token", type=UUID)

    @ended_in_order()
    def handle(self, *args: Any, **options: Any) -> None:
        die_with_parent(signal.SIGTERM)  # when the site ends; what is answered stays
        pk, token = options["pk"], options["token"]
        evaluation = Evaluation.objects.filter(pk=pk, lease_token=token).first()
        if evaluation is None:
            raise CommandError("another process holds this evaluation, or it was stopped")
        out = io.StringIO()
        try:
            with evaluations.held(token, on_loss=lambda: os.kill(os.getpid(), signal.SIGTERM)):
                self.run_it(evaluation, token, out)
        except SystemExit:  # interrupted: it resumes with the site, unless somebody has stopped it
            evaluations.put_back(token, said=shorten(out.getvalue(), SAID))
        except Exception as error:
            if fault_of(error):
                said_now = f"{out.getvalue()}{said(error, 'the evaluation will resume automatically')}"
                evaluations.put_off(token, said=shorten(said_now, SAID))
                return
            self.failed(token, error, out)
            if not isinstance(error, CommandError):
                raise
        else:
            evaluations.finish(token, Evaluation.State.DONE, said=shorten(out.getvalue(), SAID))

    def failed(self, token: UUID, error: Exception, out: io.StringIO) -> None:
        if isinstance(error, CommandError):
            evaluations.finish(token, Evaluation.State.FAILED, said=shorten(f"{out.getvalue()}{error}", SAID))
            return
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{out.getvalue()}{type(error).__name__} in {os.path.basename(last.filename)}, line {last.lineno}"
        evaluations.finish(token, Evaluation.State.FAILED, said=shorten(what, SAID))

    def run_it(self, evaluation: Evaluation, token: UUID, out: io.StringIO) -> None:
        endpoint: Known | None = known_endpoints(settings.EVALUATION_ENDPOINTS).get(evaluation.endpoint)
        if endpoint is None:
            raise CommandError(f"EVALUATION_ENDPOINTS has no {evaluation.endpoint} any more")
        if evaluation.model.startswith("-"):
            raise CommandError("a model's name cannot begin like an option")

        def progress(answered: int, errors: int, total: int) -> None:
            evaluations.report(token, answered=answered, errors=errors, total=total)

        def brought(bundle: Bundle) -> None:
            evaluations.report(token, bundle=bundle)

        settings_given = {"temperature": evaluation.temperature, "max_tokens": evaluation.max_tokens}
        call_command(
            "evaluate",
            evaluation.model,
            base_url=endpoint.base_url,
            api_key_var=endpoint.api_key_var,
            rollouts=evaluation.rollouts,
            kernels=evaluation.kernels,
            private=not evaluation.public,
            retry_errors=True,
            grace_s=GRACE_S,
            on_progress=progress,
            on_bundle=brought,
            stdout=out,
            **{name: value for name, value in settings_given.items() if value is not None},
        )
