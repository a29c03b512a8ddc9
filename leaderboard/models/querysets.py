"""What can be asked of the tables. Reads only."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

from django.apps import apps
from django.db import models
from django.db.models import Case, Count, Exists, F, FloatField, OuterRef, Q, Subquery, When
from django.db.models.functions import Coalesce, Now

from grading.architectures import ARCHS
from leaderboard.models import access

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser, AnonymousUser

    from leaderboard.models import Kernel, LanguageModel

# Result.State: models import this module, and a test holds them equal.
QUEUED, RUNNING, DONE, FAILED = "queued", "running", "done", "failed"
EVERYTHING = Q()
# Of a result: what ranks, scores and means are made of (grading.scoring.counted_speedup).
COUNTED_SPEEDUP = Case(
    When(unresolved=True, speedup_low__gt=0, then=F("speedup_low")), default=F("speedup"), output_field=FloatField()
)
IMPORTED = "imported"  # Bundle.State
TRIAL, BASELINE, LLM = "trial", "baseline", "llm"  # LanguageModel.Kind


class KernelQuerySet(models.QuerySet[Any]):
    def active(self) -> Self:
        """Kernels whose folder is there."""
        return self.filter(retired=False)

    def of_suite(self, suite: str) -> Self:
        return self.filter(suite=suite)

    def suites(self) -> list[str]:
        """The names of all suites, in the order of their first kernels."""
        return list(dict.fromkeys(self.order_by("position", "name").values_list("suite", flat=True)))


class LanguageModelQuerySet(models.QuerySet[Any]):
    def public(self) -> Self:
        """Models with at least one public answer: a private bundle's model is not even named."""
        return self.filter(submissions__public=True).distinct()

    def seen_by(self, user: AbstractBaseUser | AnonymousUser | None) -> Self:
        """Public ones, and those of private answers that this person may see."""
        if access.has(user, "view_submission"):
            return self.exclude(kind=TRIAL).filter(submissions__isnull=False).distinct()
        if access.pk_of(user) is None:
            return self.public()
        own = Q(submissions__entries__bundle__uploader=access.pk_of(user))
        return self.exclude(kind=TRIAL).filter(Q(submissions__public=True) | own).distinct()

    def baselines(self) -> Self:
        return self.filter(kind=BASELINE)

    def language_models(self) -> Self:
        return self.filter(kind=LLM)


class BundleQuerySet(models.QuerySet[Any]):
    def public(self) -> Self:
        return self.filter(public=True)

    def known_to(self, user: AbstractBaseUser | AnonymousUser | None) -> Self:
        """Bundles this uploader may know about: all for whoever may view bundles, else their own and those that are shown."""
        if access.has(user, "view_bundle"):
            return self
        return self.filter(own_bundles(user) | Q(public=True, state=IMPORTED))

    def seen_by(self, user: AbstractBaseUser | AnonymousUser | None) -> Self:
        """Bundles whose pages this person may open: all for whoever may view bundles, else their own."""
        return self if access.has(user, "view_bundle") else self.filter(own_bundles(user))


def own_bundles(user: AbstractBaseUser | AnonymousUser | None) -> Q:
    """Nobody's, for whoever is not signed in: bundles of the command line have no uploader either."""
    pk = access.pk_of(user)
    return Q(pk__in=[]) if pk is None else Q(uploader=pk)


def brought_by(user: AbstractBaseUser | AnonymousUser | None, submission: str = "pk") -> Q:
    """What some bundle of this person has in it; `submission` names the answer in the rows that are asked for."""
    pk = access.pk_of(user)
    if pk is None:
        return Q(pk__in=[])
    entries = apps.get_model("leaderboard", "BundleEntry")._default_manager
    return Q(Exists(entries.filter(submission=OuterRef(submission), bundle__uploader=pk)))


class SubmissionQuerySet(models.QuerySet[Any]):
    def public(self) -> Self:
        return self.filter(public=True)

    def seen_by(self, user: AbstractBaseUser | AnonymousUser | None) -> Self:
        """Public answers, those of the person's own bundles, and private ones with the right to view them; trials with theirs."""
        if user is not None and access.pk_of(user) is None:
            return self.public()
        rows = self if access.has(user, "view_trial") else self.exclude(model__kind=TRIAL)
        return rows if access.has(user, "view_submission") else rows.filter(Q(public=True) | brought_by(user))

    def looked_through_by(self, user: AbstractBaseUser | AnonymousUser | None) -> Self:
        """Rows for lists in the admin: all with the permission to view them, else those of one's own bundles."""
        rows = self.seen_by(user)
        return rows if access.has(user, "view_submission") else rows.filter(brought_by(user))

    def on(self, kernel: Kernel) -> Self:
        return self.filter(kernel=kernel)

    def by(self, model: LanguageModel) -> Self:
        return self.filter(model=model)

    def light(self) -> Self:
        """Rows without their long texts, for lists."""
        return self.defer("reply", "source")


class MachineQuerySet(models.QuerySet[Any]):
    def public(self) -> Self:
        """Machines that measured something public."""
        return self.filter(results__public=True, results__state=DONE).distinct()

    def with_public_counts(self, of: Q = EVERYTHING) -> Self:
        """Machines with the number of these results that they measured (result_count), the busiest of each architecture first."""
        results = apps.get_model("leaderboard", "Result")._default_manager
        # a count for each machine, off an index: joined, all results would be read
        counts = (
            results.filter(of, machine=OuterRef("pk"), public=True, state=DONE)
            .order_by()
            .values("machine")
            .annotate(n=Count("pk"))
        )
        counted = self.annotate(result_count=Coalesce(Subquery(counts.values("n")), 0))
        return counted.filter(result_count__gt=0).order_by("arch", "-result_count", "id")


class ResultQuerySet(models.QuerySet[Any]):
    # what happened

    def current(self) -> Self:
        """The newest done, not invalidated result of each submission and architecture."""
        return self.filter(is_current=True)

    def public(self) -> Self:
        return self.filter(public=True)

    def done(self) -> Self:
        return self.filter(state=DONE)

    def failed(self) -> Self:
        """Given up after our own faults: neither a verdict nor a score."""
        return self.filter(state=FAILED)

    def native(self) -> Self:
        return self.filter(emulated=False)

    def seen_by(self, user: AbstractBaseUser | AnonymousUser | None) -> Self:
        """Results of answers that this person may see; those of a test double only with the permission to view results."""
        answers = apps.get_model("leaderboard", "Submission")._default_manager.seen_by(user)
        rows = self if access.has(user, "view_result") else self.real()
        return rows.filter(Exists(answers.filter(pk=OuterRef("submission"))))

    def looked_through_by(self, user: AbstractBaseUser | AnonymousUser | None) -> Self:
        """Rows for lists in the admin."""
        rows = self if access.has(user, "view_trial") else self.exclude(model__kind=TRIAL)
        return rows if access.has(user, "view_result") else rows.real().filter(brought_by(user, "submission"))

    def real(self) -> Self:
        """Results not graded on a double of a service; those are never shown in public."""
        return self.filter(double=False)

    def up_to_date(self) -> Self:
        """Measured as the kernel is measured today: only these compare."""
        return self.filter(measurement=F("kernel__measurement"))

    def trusted(self) -> Self:
        """Neither declared invalid nor waiting for an operator to review a speedup that is too good to be true."""
        return self.filter(invalidated=False, flagged=False)

    def rankable(self) -> Self:
        """What aggregates and ranks may use."""
        # what is current is done (a constraint): said again, it would lead SQLite to the queue's index
        return self.current().public().native().trusted().up_to_date()

    def on(self, kernel: Kernel) -> Self:
        return self.filter(kernel=kernel)

    def by(self, model: LanguageModel) -> Self:
        return self.filter(model=model)

    def for_archs(self, archs: Iterable[str]) -> Self:
        return self.filter(arch__in=list(archs))

    def light(self) -> Self:
        """Rows without samples and logs, for lists."""
        return self.defer("samples", "log", "seconds")

    # the queue

    def open(self) -> Self:
        return self.filter(state__in=[QUEUED, RUNNING])

    def queued(self) -> Self:
        return self.filter(state=QUEUED)

    def running(self) -> Self:
        return self.filter(state=RUNNING)

    def due(self, arch: str) -> Self:
        """Queued and not backing off, by the database's clock, in the order of work."""
        ready = Q(not_before=None) | Q(not_before__lte=Now())
        return self.filter(ready, arch=arch, state=QUEUED).order_by("-priority", "id")

    def held_by(self, token: UUID) -> Self:
        """The running result under this lease; empty once the lease was taken away."""
        return self.running().filter(lease_token=token)

    def counts_by_arch(self) -> dict[tuple[str, str], int]:
        """{("amd64", "queued"): 12, ...} over what is not done."""
        parts = [
            self.filter(arch=arch, state=state).order_by().values_list("arch", "state").annotate(n=Count("pk"))
            for arch in ARCHS
            for state in (QUEUED, RUNNING, FAILED)
        ]
        rows = parts[0].union(*parts[1:], all=True)  # each is counted in an index; grouped together they would be sorted
        rows = rows.order_by()  # Django 6.1 gives a union the model's order, by a column that these rows do not have
        return {(arch, state): n for arch, state, n in rows}


class StandingQuerySet(models.QuerySet[Any]):
    def on(self, kernel: Kernel) -> Self:
        return self.filter(kernel=kernel)

    def by(self, model: LanguageModel) -> Self:
        return self.filter(model=model)

    def for_archs(self, archs: Iterable[str]) -> Self:
        return self.filter(arch__in=list(archs))

    def comparable(self) -> Self:
        """Standings of the kernels' present measurement: what boards show."""
        return self.filter(measurement=F("kernel__measurement"), kernel__retired=False)


class WorkerQuerySet(models.QuerySet[Any]):
    def alive(self, for_s: float) -> Self:
        """Workers that have reported themselves within so many seconds, by the database's clock."""
        return self.filter(beat_at__gte=Now() - timedelta(seconds=for_s))

    def silent(self, for_s: float) -> Self:
        return self.filter(beat_at__lt=Now() - timedelta(seconds=for_s))
