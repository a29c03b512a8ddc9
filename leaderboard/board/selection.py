"""What a reader asked to see: the short GET parameters suite, arch, kernel, model and sort, which every page and export
understands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from grading.architectures import ARCHS
from grading.statistics import FAST_P_THRESHOLDS
from kernels.spec import DEFAULT_SUITE
from leaderboard.board.aggregates import BEST_OF
from leaderboard.board.marks import CONDITIONS, without
from leaderboard.models import Kernel, LanguageModel

BOTH = "both"
SORTS = ("score", "pass", "speedup", "memory", "throughput", "fast", "best")
SCALES = ("log", "linear")


class BadSelection(ValueError):
    """A parameter names something that is not there; the message says what there is."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Architectures, kernels and models to show; no kernels means all of the suite, no models all of them."""

    arch: str = BOTH
    sort: str = "score"
    p: float = 1.0  # of fast_p
    k: int = BEST_OF[0]  # of best of k
    scale: str = "log"  # of speedups in charts
    hide: tuple[str, ...] = ()  # results with these marks are left out where single results are listed
    kernels: tuple[Kernel, ...] = ()
    models: tuple[LanguageModel, ...] = ()
    suite: str = DEFAULT_SUITE  # no mean is taken over two suites

    @property
    def archs(self) -> tuple[str, ...]:
        return ARCHS if self.arch == BOTH else (self.arch,)

    @property
    def chosen(self) -> bool:
        """Whether anything is left out."""
        return self.arch != BOTH or bool(self.kernels or self.models) or self.in_other_suite

    @property
    def in_other_suite(self) -> bool:
        """Whether the suite is not the default one, which addresses leave out."""
        return self.suite != DEFAULT_SUITE

    @property
    def suite_query(self) -> str:
        """The query string that keeps the suite in links to other pages; empty for the default suite."""
        return f"?{urlencode({'suite': self.suite})}" if self.in_other_suite else ""

    @property
    def filters(self) -> Q:
        """The selection as a condition on Result or Standing."""
        return Q(arch__in=self.archs) & self.narrowed

    @property
    def narrowed(self) -> Q:
        """The condition with the chosen parts only, so that a page of everything is found by its own index."""
        return self.in_all_suites & self.in_suite

    @property
    def in_all_suites(self) -> Q:
        """The same condition without the suite."""
        condition = Q(arch=self.arch) if self.arch != BOTH else Q()
        if self.kernels:
            condition &= Q(kernel__in=self.kernels)
        if self.models:
            condition &= Q(model__in=self.models)
        return condition

    @property
    def in_suite(self) -> Q:
        """The suite alone, as a condition on rows that have a kernel; empty while there is only one suite."""
        return ~Q(kernel__in=self._elsewhere) if self._elsewhere and not self.kernels else Q()

    @cached_property
    def _elsewhere(self) -> list[int]:
        """Ids of the kernels of other suites: excluding them leaves any index usable, naming the suite's own would not."""
        return list(Kernel.objects.exclude(suite=self.suite).order_by("pk").values_list("pk", flat=True))

    @property
    def unhidden(self) -> Q:
        """The marks that are hidden, as a condition on Result."""
        return without(self.hide)

    def query(self, **changes: Any) -> str:
        """The query string of this selection, with some of it changed: always the short form, so that links stay short."""
        chosen = replace(self, **changes)
        parts = {"arch": chosen.arch, "sort": chosen.sort}
        if chosen.sort == "fast":
            parts["p"] = f"{chosen.p:g}"
        if chosen.sort == "best":
            parts["k"] = str(chosen.k)
        if chosen.scale != SCALES[0]:
            parts["scale"] = chosen.scale
        if chosen.hide:
            parts["hide"] = ",".join(chosen.hide)
        if chosen.kernels:
            parts["kernel"] = ",".join(kernel.name for kernel in chosen.kernels)
        if chosen.models:
            parts["model"] = ",".join(model.slug for model in chosen.models)
        if chosen.in_other_suite:
            parts["suite"] = chosen.suite
        return urlencode(parts, safe=",")


def read_selection(params: QueryDict, *, arch: str = BOTH) -> Selection:
    """The selection that GET parameters ask for; `arch` is what no parameter means. Raises BadSelection."""
    suite = _find_suite(_one(params, "suite"))
    return Selection(
        suite=suite,
        arch=_choice("arch", _one(params, "arch") or arch, (*ARCHS, BOTH)),
        sort=_choice("sort", _one(params, "sort") or SORTS[0], SORTS),
        p=float(_choice("p", _one(params, "p") or "1", [f"{p:g}" for p in FAST_P_THRESHOLDS])),
        k=int(_choice("k", _one(params, "k") or str(BEST_OF[0]), [str(k) for k in BEST_OF])),
        scale=_choice("scale", _one(params, "scale") or SCALES[0], SCALES),
        hide=tuple(_choice("hide", word, list(CONDITIONS)) for word in _words(params.getlist("hide"))),
        kernels=_find_kernels(params.getlist("kernel"), suite),
        models=_find_models([*params.getlist("model"), *params.getlist("models")]),
    )


def with_selection(*, arch: str = BOTH) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Give a view its selection as the second argument; a parameter that means nothing is answered with 400 and the reason."""

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                selection = read_selection(request.GET, arch=arch)
            except BadSelection as bad:
                return render(request, "leaderboard/bad_selection.html", {"reason": str(bad)}, status=400)
            return view(request, selection, *args, **kwargs)

        return wrapped

    return decorate


def _one(params: QueryDict, name: str) -> str:
    """The value of a parameter; if it is given twice with different values, neither silently wins."""
    values = set(filter(None, params.getlist(name)))
    if len(values) > 1:
        raise BadSelection(f"{name} is given more than once, with different values.")
    return values.pop() if values else ""


def _choice(name: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise BadSelection(f"{name} must be one of {', '.join(known)}.")
    return value


def _words(values: Iterable[str]) -> list[str]:
    """Parameters may be repeated (a form does that) or joined by commas (our own links do)."""
    return list(dict.fromkeys(word for value in values for word in value.split(",") if word))


def _find_suite(name: str) -> str:
    if name in ("", DEFAULT_SUITE):
        return DEFAULT_SUITE
    known = Kernel.objects.suites()
    if name not in known:
        raise BadSelection(f"There is no suite of that name. There are: {', '.join(known)}.")
    return name


def _find_kernels(values: Iterable[str], suite: str) -> tuple[Kernel, ...]:
    names = _words(values)
    if not names:
        return ()
    found = {kernel.name: kernel for kernel in Kernel.objects.filter(name__in=names)}
    for name in names:
        if name not in found:
            known = ", ".join(Kernel.objects.active().of_suite(suite).values_list("name", flat=True))
            raise BadSelection(f"There is no kernel of that name. There are: {known}.")
        if (other := found[name].suite) != suite:
            raise BadSelection(
                f"{name} is not in the suite {suite} but in {other}: add suite={other} for the kernels of that one."
            )
    return tuple(sorted(found.values(), key=lambda kernel: (kernel.position, kernel.name)))


def _find_models(values: Sequence[str]) -> tuple[LanguageModel, ...]:
    """Find models by slug or exact name, which may contain commas. A private model is as unknown as one that never was."""
    if not any(values):
        return ()
    words = _words(values)
    asked = {*words, *values}
    public = LanguageModel.objects.public()
    found = list(public.filter(Q(slug__in=asked) | Q(name__in=asked)))
    names = {model.slug for model in found} | {model.name for model in found}
    missing = [value for value in values if value not in names and not names.issuperset(_words([value]))]
    if missing:
        raise BadSelection(
            "There is no model of that name among the public ones; a model's slug is the last part of its page's address."
        )
    order = {word: i for i, word in reversed(list(enumerate([*words, *values])))}
    return tuple(sorted(found, key=lambda model: min(order.get(model.slug, len(order)), order.get(model.name, len(order)))))
