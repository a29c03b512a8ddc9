"""The public addresses. Filters everywhere are the GET parameters suite, arch, kernel and model."""

from django.urls import path, re_path

from leaderboard.views import (
    architectures,
    board,
    changes,
    compare,
    downloads,
    figures,
    kernels,
    language_models,
    machines,
    methodology,
    queue,
    reproduce,
    submissions,
)
from leaderboard.web import health

urlpatterns = [
    path("", board.leaderboard, name="board"),
    path("kernels/", kernels.kernels, name="kernels"),
    path("kernels/<slug:name>/", kernels.kernel, name="kernel"),
    path("models/<slug:slug>/", language_models.language_model, name="model"),
    path("submissions/<slug:uid>/", submissions.submission, name="submission"),
    path("submissions/<slug:uid>/answer.c", submissions.submission_source, name="submission_source"),
    path("submissions/<slug:uid>/record.json", submissions.submission_record, name="submission_record"),
    path("submissions/<slug:uid>/diff/", reproduce.diff, name="diff"),
    path("submissions/<slug:uid>/reproduce.zip", reproduce.folder, name="reproduce"),
    path("architectures/", architectures.architectures, name="architectures"),
    path("compare/", compare.compare, name="compare"),
    path("changes/", changes.changes, name="changes"),
    path("queue/", queue.queue, name="queue"),
    path("machines/", machines.machines, name="machines"),
    path("cite.bib", methodology.cite, name="cite"),
    path("methodology/", methodology.methodology, name="methodology"),
    # figures, as JSON for static/js/charts.js
    path("figures/speedup.json", board.speedup_figure, name="figure_speedup"),
    path("figures/memory.json", board.memory_figure, name="figure_memory"),
    re_path(r"^figures/architectures-(throughput|memory)\.json$", architectures.ratios_figure, name="figure_architectures"),
    path("figures/compare.json", compare.differences_figure, name="figure_compare"),
    path("figures/kernels/<slug:name>/answers-<slug:arch>.json", kernels.answers_figure, name="figure_kernel_answers"),
    path("figures/kernels/<slug:name>/memory.json", kernels.memory_figure, name="figure_kernel_memory"),
    path("figures/models/<slug:slug>/scores.json", language_models.scores_figure, name="figure_model_scores"),
    path("figures/models/<slug:slug>/bundles.json", language_models.bundles_figure, name="figure_model_bundles"),
    path("figures/models/<slug:slug>.json", language_models.model_figure, name="figure_model"),
    path("figures/submissions/<slug:uid>/<slug:arch>.json", submissions.samples_figure, name="figure_samples"),
    re_path(r"^figures/(?P<name>[\w/-]+)\.(?P<form>svg|pdf|png)$", figures.image, name="figure_image"),
    # for other programs
    path("export/<slug:table>.meta.json", downloads.export_meta, name="export_meta"),
    path("export/leaderboard.csv", downloads.export, {"table": "leaderboard", "form": "csv"}, name="export_leaderboard"),
    path("export/results.csv", downloads.export, {"table": "results", "form": "csv"}, name="export_results"),
    path("export/<slug:table>.<slug:form>", downloads.export, name="export"),
    path("api/queue", queue.api_queue, name="api_queue"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
