"""Which answers of a bundle are those of earlier ones, where no trace id says so.

A file without trace ids is compared with each earlier bundle that its uploader may know of, as multisets of model, kernel,
rollout where the row itself names one, and the text's sha256. If it holds every row of one, it is that run, grown or not: only
the rest is new. If it holds a part of one, nobody but the uploader knows whether it is the same run, or another one that gave
equal texts.
"""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import Count, Q, QuerySet

from leaderboard.bundles.types import Answer, BundleError
from leaderboard.lib.text import clean, shorten
from leaderboard.models import Bundle, BundleEntry, Submission

NAMED = 3  # earlier bundles that a sentence names
ASK = "say whether it is the same run (overlap=same, --same-run) or another run (overlap=another, --another-run)"


class Undecided(BundleError):
    """It shares answers with an earlier bundle, and nobody has said whether it is the same run."""


def text_key(model: str, kernel: str, reply: str) -> str:
    """What equal answers have in common. model: as the run spells it; reply: as it is kept."""
    text = hashlib.sha256(reply.encode()).hexdigest()
    return hashlib.sha256(f"{model}\0{kernel}\0{text}".encode()).hexdigest()[:32]


def key_of(answer: Answer) -> str:
    return text_key(answer.model, answer.kernel, clean(answer.reply))


@dataclass(frozen=True)
class Overlap:
    """An earlier bundle with some of the same answers."""

    bundle: Bundle
    shared: int
    of: int  # its answers
    added: int  # answers of ours that are not in it

    @property
    def is_whole(self) -> bool:
        return self.shared == self.of

    def told(self) -> dict[str, Any]:
        return {"uid": self.bundle.uid, "name": self.bundle.name, "shared": self.shared, "of": self.of, "added": self.added}


def open_overlaps(bundle: Bundle) -> list[dict[str, Any]]:
    """The overlaps that somebody has to decide about, as the last reading found them."""
    return [] if bundle.overlap else [found for found in bundle.overlaps if found["shared"] < found["of"]]


def question(bundle: Bundle, overlaps: Sequence[dict[str, Any]]) -> str:
    """One sentence that names both, for where nobody can be asked."""
    named = ", ".join(
        f"{one['uid']} ({shorten(one['name'], 80)}): {one['shared']} of its {one['of']}" for one in overlaps[:NAMED]
    )
    more = f", and of {len(overlaps) - NAMED} more" if len(overlaps) > NAMED else ""
    return f"{shorten(bundle.name, 80)} contains some of the answers of bundle {named}{more}: {ASK}."


@dataclass
class Matching:
    """First every answer of the bundle is noted, then settled once, then the answers get their identities, in the same order."""

    bundle: Bundle
    rows: array[int] = field(default_factory=lambda: array("Q"))  # digests: hundreds of thousands of rows stay small
    near: set[int] = field(default_factory=set)  # bundles with an equal answer
    whole: list[Overlap] = field(default_factory=list)
    partial: list[Overlap] = field(default_factory=list)
    _used: Counter[int] = field(default_factory=Counter)  # rows by digest that are answers of `_taken`
    _taken: set[int] = field(default_factory=set)  # submissions of bundles that it holds
    _matched: list[int] = field(default_factory=list)  # bundles whose answers are its own
    _apart: set[int] = field(default_factory=set)  # bundles that are other runs
    _seen: Counter[int] = field(default_factory=Counter)  # of digests with several rows: how many have come

    def note(self, answers: Iterable[Answer]) -> None:
        keys = set[str]()
        for answer in answers:
            if not answer.has_trace:
                keys.add(key := key_of(answer))
                self.rows.append(digest(key, answer.named_rollout))
        if keys:
            entries = BundleEntry.objects.filter(submission__text_key__in=keys).order_by()
            self.near.update(entries.values_list("bundle_id", flat=True).distinct())

    def settle(self) -> None:
        """Compare with the bundles that are near: the largest ones first, so that a grown file meets its last state."""
        self.rows = array("Q", sorted(self.rows))
        near = self._known().filter(pk__in=self.near).annotate(size=Count("entries")).order_by("-size", "pk")
        others = [bundle for bundle in near.defer("report", "counts", "config") if not self._holds(bundle)]
        for bundle in others:
            self._compare(bundle)
        for overlap in self.partial:
            if self.bundle.overlap == Bundle.Overlap.SAME:
                self._matched.append(overlap.bundle.pk)
            else:
                self._apart.add(overlap.bundle.pk)

    def check(self) -> None:
        """Raises Undecided."""
        if self.partial and not self.bundle.overlap:
            raise Undecided(question(self.bundle, [overlap.told() for overlap in self.partial]))

    def told(self) -> list[dict[str, Any]]:
        return [overlap.told() for overlap in (*self.partial, *self.whole)][:100]

    def resolved(self, answers: Iterable[Answer]) -> dict[int, Answer]:
        """By id(): the answers without a trace id, with the identity of the earlier one that each is, or with one of its own."""
        rows = [(answer, key := key_of(answer), digest(key, answer.named_rollout)) for answer in answers if not answer.has_trace]
        earlier = self._earlier({key for _, key, _ in rows})
        fresh, given = dict[int, str](), dict[int, Answer]()
        for answer, key, row in rows:
            number = self._number(row)
            if number < len(earlier[row]):
                given[id(answer)] = replace(answer, identity=earlier[row][number])
            else:
                rollout = "" if answer.named_rollout is None else answer.named_rollout
                fresh[id(answer)] = f"row:{key}:{rollout}:{number}"
        others = self._others(fresh.values())
        for answer, _, _ in rows:
            if name := fresh.get(id(answer)):
                given[id(answer)] = replace(answer, identity=f"{name}:{self.bundle.uid}" if name in others else name)
        return given

    def _known(self) -> QuerySet[Bundle]:
        """Others' private bundles count as not here."""
        known = Bundle.objects.known_to(self.bundle.uploader).exclude(pk=self.bundle.pk)
        return known.filter(Q(state__in=[Bundle.State.IMPORTING, Bundle.State.IMPORTED]))

    def _rows_of(self, bundle: Bundle) -> Iterator[tuple[int, int]]:
        """The bundle's submissions, and the digest by which each is looked for in the new file."""
        rows = Submission.objects.filter(entries__bundle=bundle).order_by()
        for pk, key, rollout, named in rows.values_list("pk", "text_key", "rollout", "rollout_named").iterator(chunk_size=2000):
            yield pk, self._digest(key, rollout, named)

    def _digest(self, key: str, rollout: int, named: bool | None) -> int:
        """The digest of an entry; where it was not noted whether its row named the rollout, both forms are tried."""
        unnamed = digest(key, None)
        return digest(key, rollout) if named or (named is None and not self._total(unnamed)) else unnamed

    def _total(self, row: int) -> int:
        return bisect_right(self.rows, row) - bisect_left(self.rows, row)

    def _holds(self, bundle: Bundle) -> bool:
        """Whether every row of the earlier bundle is in this one. Then they are one run, as far as rows are left for it."""
        needs, left, pks = Counter[int](), Counter[int](), list[int]()
        for pk, row in self._rows_of(bundle):
            needs[row] += 1
            if needs[row] > self._total(row):
                return False
            if pk not in self._taken:
                left[row] += 1
                pks.append(pk)
        if any(number > self._total(row) - self._used[row] for row, number in left.items()):
            self._apart.add(bundle.pk)  # equal texts, of which a larger bundle has taken the rows
            return True
        self._used += left
        self._taken.update(pks)
        self._matched.append(bundle.pk)
        size = needs.total()
        self.whole.append(Overlap(bundle, size, size, len(self.rows) - size))
        return True

    def _compare(self, bundle: Bundle) -> None:
        needs, size, known = Counter[int](), 0, 0
        for pk, row in self._rows_of(bundle):
            size += 1
            if pk in self._taken:
                known += 1
            else:
                needs[row] += 1
        shared = sum(min(number, self._total(row) - self._used[row]) for row, number in needs.items())
        if shared:
            self.partial.append(Overlap(bundle, shared + known, size, len(self.rows) - shared - known))
        else:
            self._apart.add(bundle.pk)

    def _number(self, row: int) -> int:
        """How many equal rows came before this one."""
        if self._total(row) < 2:
            return 0
        self._seen[row] += 1
        return self._seen[row] - 1

    def _earlier(self, keys: set[str]) -> dict[int, list[str]]:
        """Identities of the answers that these may be, oldest first."""
        found: dict[int, list[str]] = defaultdict(list)
        if keys and self._matched:
            rows = Submission.objects.filter(text_key__in=keys, entries__bundle__in=self._matched).distinct().order_by("pk")
            for identity, key, rollout, named in rows.values_list("identity", "text_key", "rollout", "rollout_named"):
                found[self._digest(key, rollout, named)].append(identity)
        return found

    def _others(self, identities: Iterable[str]) -> set[str]:
        """Those that are an answer of another run, or of a bundle that is not to be known of. An equal file that is imported in
        this moment is neither: both bring the same answers, once."""
        holders: dict[str, set[int]] = defaultdict(set)
        there = Submission.objects.filter(identity__in=list(identities)).order_by()
        for identity, bundle in there.values_list("identity", "entries__bundle"):
            holders[identity].add(bundle)
        asked = {bundle for bundles in holders.values() for bundle in bundles}
        ours = {self.bundle.pk} | set(self._known().filter(pk__in=asked).exclude(pk__in=self._apart).values_list("pk", flat=True))
        return {identity for identity, bundles in holders.items() if not bundles & ours}


def digest(key: str, rollout: int | None) -> int:
    text = f"{key}\0{'' if rollout is None else rollout}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())
