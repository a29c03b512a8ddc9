"""Read a bundle from front to back: every row is an answer or is skipped with its reason. One line is in memory at a time."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from leaderboard.bundles.formats.base import FileFormat, NoReply, Reply, RowFormat
from leaderboard.bundles.line_reader import UTF_16, Line, lines_of
from leaderboard.bundles.registry import FORMATS
from leaderboard.bundles.runs import SERVED, VALUE_LENGTH, Run, Runs
from leaderboard.bundles.types import Answer, ArchiveLimits, BundleError, Member, Skipped, Unpacked
from leaderboard.lib.text import clean, shorten

MAX_ROLLOUT = 2**31 - 1
NAME_LENGTH = 300
REASON_LENGTH = 400
BLANK_PER_ROW = 4
RUNS_TOLD = 5  # different values of one setting, of a model that was asked in many ways
ONE_A_LINE = "each row is one object in one line (JSON Lines)"
CUT_OFF = "broken JSON: the line is cut off, the file ends here"
REPEATED = "duplicate: an earlier row of the bundle is the same"


@dataclass(kw_only=True)
class BundleParser:
    """One pass over an unpacked bundle. Iterate it once; formats and configurations are known as far as it has come."""

    unpacked: Unpacked
    kernels: Collection[str]
    limits: ArchiveLimits
    model: str = ""  # for rows that do not name theirs
    formats: Counter[str] = field(default_factory=Counter)
    config: dict[str, Any] = field(default_factory=dict)
    # by model: {"temperature": ["0.2", "0.8"]} for two runs
    run_settings: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    _models: set[str] = field(default_factory=set)
    _found_runs: Runs | None = None
    _noted: set[int] = field(default_factory=set)  # the models and runs that `run_settings` has
    rows: int = 0
    blank: int = 0

    def __post_init__(self) -> None:
        self._sha256 = lru_cache(maxsize=1)(Member.sha256)  # of a file, worked out once for all its rows

    def __iter__(self) -> Iterator[Answer | Skipped]:
        for file in self.unpacked.skipped:
            yield Skipped(member=clean(file.member), line=0, reason=file.reason, counts=False)
        seen: set[bytes] = set()  # digests: hundreds of thousands of identities stay small
        for member in self.unpacked.members:
            for item in self._read(member):
                if isinstance(item, Answer):
                    digest = short_digest(item.identity)
                    if digest in seen:
                        yield Skipped(member=item.member, line=item.line, reason=REPEATED)
                        continue
                    seen.add(digest)
                yield item

    def _read(self, member: Member) -> Iterator[Answer | Skipped]:
        if not FORMATS.wants(member.name):  # a run's configuration
            return
        whole = FORMATS.of_file(member.name)
        yield from self._read_whole(whole, member) if whole else self._read_lines(member)

    def _read_whole(self, whole: FileFormat, member: Member) -> Iterator[Answer | Skipped]:
        run = self._runs().of(member) if whole.configs else Run()
        self.config |= run.config
        place = _Place(member, 0, whole.path_in_run(member, self.kernels), run, self._sha256)
        rollouts: Counter[bytes] = Counter()
        for part, reply in enumerate(whole.replies(member, self.kernels, self.limits.reply_mb << 20)):
            self._count_row()
            self.formats[whole.name] += 1
            key = b"" if isinstance(reply, NoReply) else short_digest(f"{reply.kernel} {reply.model}")
            yield self._answer(reply, place, rollouts[key], part)
            rollouts[key] += 1

    def _read_lines(self, member: Member) -> Iterator[Answer | Skipped]:
        run = self._runs().of(member)
        self.config |= run.config
        rollouts: Counter[bytes] = Counter()
        for line in lines_of(member, self.limits.line_mb << 20):
            place = _Place(member, line.number, member.file_name, run, self._sha256)
            if line.is_blank:
                self._count_blank()
                continue
            self._count_row()
            row = parse(line, self.limits)
            if isinstance(row, str):
                yield place.skip(row)
            elif (row_format := FORMATS.of_row(row)) is None:
                yield place.skip("a line of no format known here")
            else:
                self.formats[row_format.name] += 1
                yield from self._read_row(row_format, row, place, rollouts)

    def _runs(self) -> Runs:
        if self._found_runs is None:
            self._found_runs = Runs(self.unpacked.members, FORMATS.configs)
        return self._found_runs

    def _read_row(
        self, row_format: RowFormat, row: dict[str, Any], place: _Place, rollouts: Counter[bytes]
    ) -> Iterator[Answer | Skipped]:
        key = short_digest(row_format.task_key(row))
        for part, reply in enumerate(row_format.replies(row)):
            if part:  # an episode of several agents: each reply is accounted for
                self._count_row()
            yield self._answer(reply, place, rollouts[key], part)
        rollouts[key] += 1

    def _answer(self, reply: Reply | NoReply, place: _Place, rollout: int, part: int = 0) -> Answer | Skipped:
        if isinstance(reply, NoReply):
            return place.skip(reply.reason)
        if reply.kernel is None or reply.kernel not in self.kernels:
            return place.skip(f"unknown kernel {clean(reply.kernel)[:60]!r}" if reply.kernel else "the row names no kernel")
        model = clean(reply.model or place.run.model or self.model).strip()
        if not model:
            return place.skip("no model name: give one with the upload (--model on the command line)")
        if len(model) > NAME_LENGTH:
            return place.skip(f"a model name of over {NAME_LENGTH} characters")
        if len(reply.text) > self.limits.reply_mb << 20:
            return place.skip(f"a reply of over {self.limits.reply_mb} million characters (BUNDLE_MAX_REPLY_MB)")
        self._models.add(model)
        if len(self._models) > self.limits.models:
            raise BundleError(f"More than {self.limits.models} models (BUNDLE_MAX_MODELS).")
        self._note_run(model, place)
        if reply.served_model and reply.served_model != model:
            self._note(model, SERVED, shorten(clean(reply.served_model), VALUE_LENGTH))
        return Answer(
            member=clean(place.member.name)[-400:],
            line=place.line,
            model=model,
            kernel=reply.kernel,
            rollout=min(rollout if reply.rollout is None else reply.rollout, MAX_ROLLOUT),
            identity=place.identity(reply.trace_id, part),
            has_trace=bool(reply.trace_id),
            named_rollout=None if reply.rollout is None else min(reply.rollout, MAX_ROLLOUT),
            reply=reply.text,
            raw=reply.raw,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cut_short=reply.cut_short,
            scores=reply.scores,
        )

    def _note_run(self, model: str, place: _Place) -> None:
        key = hash((model, place.member.folder))
        if not place.run.config or key in self._noted:
            return
        self._noted.add(key)
        for name, value in place.run.config.items():
            self._note(model, name, value)

    def _note(self, model: str, name: str, value: Any) -> None:
        values = self.run_settings.setdefault(model, {}).setdefault(name, [])
        if value not in values and len(values) < RUNS_TOLD:
            values.append(value)

    def _count_row(self) -> None:
        self.rows += 1
        if self.rows > self.limits.rows:
            raise BundleError(f"More than {self.limits.rows} rows (BUNDLE_MAX_ROWS).")

    def _count_blank(self) -> None:
        self.blank += 1
        if self.blank > BLANK_PER_ROW * self.limits.rows:
            raise BundleError(f"More than {BLANK_PER_ROW} empty lines for each of {self.limits.rows} rows (BUNDLE_MAX_ROWS).")


@dataclass(frozen=True)
class _Place:
    """Where in the bundle we are."""

    member: Member
    line: int
    path: str  # inside the run folder
    run: Run
    sha256: Callable[[Member], str]

    def skip(self, reason: str) -> Skipped:
        return Skipped(member=clean(self.member.name)[-400:], line=self.line, reason=shorten(clean(reason), REASON_LENGTH))

    def identity(self, trace_id: str | None, part: int) -> str:
        """The trace's id; else the file by its content, its path inside the run folder and the row: repacking changes nothing."""
        if trace_id:
            trace_id = clean(trace_id)
            return f"trace:{trace_id if len(trace_id) <= 200 else hashlib.sha256(trace_id.encode()).hexdigest()}"
        key = f"{self.sha256(self.member)}\0{self.path}\0{self.line}\0{part}"
        return f"row:{hashlib.sha256(clean(key).encode()).hexdigest()}"


def short_digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def parse(line: Line, limits: ArchiveLimits) -> dict[str, Any] | str:
    """The object in a line, or what is wrong with it."""
    data = line.data
    if data is None:
        return f"a line of over {limits.line_mb} MB (BUNDLE_MAX_LINE_MB)"
    if sum(data.count(sign) for sign in (b",", b"[", b"{")) > limits.values:
        return f"a row of over {limits.values} values (BUNDLE_MAX_VALUES)"
    may_be_cut = line.is_unended and data.startswith(b"{")
    try:
        row = json.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        if may_be_cut and error.reason == "unexpected end of data":
            return CUT_OFF
        return "not UTF-8 but UTF-16: save the file as UTF-8" if line.number == 1 and data.startswith(UTF_16) else "not UTF-8"
    except RecursionError:
        return "broken JSON: nested too deeply"
    except json.JSONDecodeError as error:
        if may_be_cut and error.msg != "Extra data":
            return CUT_OFF
        return f"broken JSON: {ONE_A_LINE if line.number == 1 and data.strip() in (b'{', b'[') else error}"
    except ValueError:  # Python's own limit, of which it says how to lift it
        return f"broken JSON: a number of over {sys.get_int_max_str_digits()} digits"
    if isinstance(row, list):
        return f"not a JSON object but a list: {ONE_A_LINE}"
    return row if isinstance(row, dict) else "not a JSON object"
