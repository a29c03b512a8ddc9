import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Calibration, Kernel, LanguageModel, Machine, Result, Submission, Worker
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db

PAGES = ("/", "/kernels/", "/architectures/", "/compare/", "/changes/", "/queue/", "/machines/", "/methodology/")
MOST_QUERIES = 12
WRONG = ("arch=mips", "kernel=nothing", "model=nobody", "arch=arm64&arch=amd64", "kernel=dot_f32%27--")


def every_page() -> list[str]:
    answer = Submission.objects.filter(results__verdict="passed", model__kind="llm").first()
    failed = Submission.objects.filter(results__verdict="wrong_answer").first()
    assert answer
    assert failed
    silent = factories.make_submission(answer.kernel, answer.model, 9, source=None)
    factories.make_result(silent, verdict="no_answer")
    return [
        *PAGES,
        "/?arch=both&sort=memory&kernel=sort_u32,dot_f32&model=lab-two-large",
        "/?sort=fast&p=2&scale=linear",
        "/?sort=throughput",
        "/architectures/?model=lab-two-large",
        "/compare/?models=lab-two-large,lab-one-wide-405b",
        "/kernels/crc32_ieee/",
        "/models/lab-two-large/",
        "/models/tuned/",
        f"/submissions/{answer.uid}/",
        f"/submissions/{answer.uid}/diff/?with=tuned",
        f"/submissions/{failed.uid}/",
        f"/submissions/{silent.uid}/",
    ]


def test_every_page_answers_within_a_bounded_number_of_queries(
    site: None, reader: Reader, django_assert_max_num_queries: Any
) -> None:
    for address in every_page():
        with django_assert_max_num_queries(MOST_QUERIES):
            reader.page(address)


def test_more_models_take_no_more_queries(db: None, reader: Reader, django_assert_max_num_queries: Any) -> None:
    factories.make_site(models=2, rollouts=1)
    with django_assert_max_num_queries(MOST_QUERIES) as few:
        reader.page("/?arch=both")
    for name in ("lab/extra-1", "lab/extra-2"):
        factories.make_result(factories.make_submission(Kernel.objects.first(), factories.make_model(name)))  # type: ignore[arg-type]
    with django_assert_max_num_queries(len(few)):
        reader.page("/?arch=both")


def test_no_page_has_an_inline_script_or_style(site: None, reader: Reader) -> None:
    for address in [*every_page(), "/?arch=nonsense"]:
        text = reader.client.get(address).content.decode()
        assert not re.search(r"<[^>]+\sstyle\s*=", text), address
        assert not re.search(r"<[^>]+\son\w+\s*=", text), address
        assert "<style" not in text, address
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text)), address


def test_the_policy_allows_nothing_but_our_own_files(site: None, client: Client) -> None:
    policy = client.get("/")["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "unsafe" not in policy


def test_ids_are_unique_on_every_page(site: None, reader: Reader) -> None:
    for address in every_page():
        ids = re.findall(r'\sid="([^"]+)"', reader.page(address))
        assert len(ids) == len(set(ids)), address


def test_every_link_within_the_site_leads_somewhere(site: None, reader: Reader, drawer: list[str]) -> None:
    links = {
        link.replace("&amp;", "&").split("#")[0]
        for address in every_page()
        for link in re.findall(r'(?:href|data-figure)="(/[^"]*)"', reader.page(address))
    }
    for link in sorted(link for link in links if link and not link.startswith("/static/")):
        allowed = {200, 501} if ".parquet" in link else {200}  # 501: pyarrow is not installed
        assert reader.client.get(link, follow=True).status_code in allowed, link
    assert set(drawer) == {"svg", "pdf", "png"}


def test_a_site_without_kernels_or_answers_has_good_pages(reader: Reader) -> None:
    for address in PAGES:
        reader.page(address)
    assert "No graded answer yet" in reader.page("/")
    assert "No kernel yet" in reader.page("/kernels/")
    assert "No machine yet" in reader.page("/machines/")


def test_before_anything_is_graded_the_leaderboard_shows_the_progress(
    kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_queued(submission)
    text = reader.page("/")
    assert "No graded answer yet" in text
    assert "0 of 1 answers graded, 1 to come" in text
    assert "No graded answer yet" in reader.page("/kernels/dot_f32/")
    assert "Nothing graded yet" in reader.page("/models/lab-one/")
    assert "queued on amd64" in reader.page(f"/submissions/{submission.uid}/")


# Selections


def test_the_leaderboard_ranks_the_chosen_architecture(site: None, reader: Reader) -> None:
    text = reader.page("/?arch=arm64&sort=speedup")
    assert 'data-arch="arm64"' in text
    assert re.search(r'<th[^>]*m-speedup sorted"[^>]*aria-sort="descending"', text)
    assert re.search(r'<th[^>]*m-memory sorted"[^>]*aria-sort="ascending"', reader.page("/?sort=memory"))


def test_links_on_the_leaderboard_keep_the_selection(site: None, reader: Reader) -> None:
    text = reader.page("/?arch=both&kernel=sort_u32&kernel=dot_f32&sort=pass")
    assert 'href="?arch=arm64&amp;sort=pass&amp;kernel=dot_f32,sort_u32"' in text
    assert "/export/leaderboard.csv?arch=both&amp;sort=pass&amp;kernel=dot_f32,sort_u32" in text
    assert "/figures/speedup.json?arch=both&amp;sort=pass&amp;kernel=dot_f32,sort_u32" in text


@pytest.mark.parametrize(
    "path", ["/", "/kernels/crc32_ieee/", "/figures/speedup.json", "/export/results.csv", "/export/leaderboard.csv"]
)
@pytest.mark.parametrize("query", ["arch=sparc", "sort=beauty", "kernel=nope", "kernel=dot_f32,nope", "model=nobody"])
def test_a_selection_that_means_nothing_is_answered_with_400_and_the_reason(
    path: str, query: str, kernel: Kernel, reader: Reader
) -> None:
    factories.make_kernel("crc32_ieee")
    text = reader.page(f"{path}?{query}", status=400)
    assert "That address names something that does not exist" in text


def test_empty_parameters_mean_everything(site: None, reader: Reader) -> None:
    assert f"{len(factories.KERNELS)} kernels" in reader.page("/?arch=&kernel=&model=&sort=")


def test_a_model_can_be_chosen_by_its_exact_name_even_with_commas(kernel: Kernel, reader: Reader) -> None:
    factories.make_result(factories.make_submission(kernel, factories.make_model("one, two", slug="one-two")))
    assert "1 model," in reader.page("/?model=one,+two")


@pytest.mark.parametrize(
    "address",
    [
        "/kernels/nope/",
        "/models/nope/",
        "/submissions/nope/",
        "/submissions/nope/answer.c",
        "/submissions/nope/record.json",
        "/submissions/nope/reproduce.zip",
        "/submissions/nope/diff/",
        "/figures/kernels/nope/memory.json",
        "/figures/kernels/dot_f32/answers-sparc.json",
        "/figures/models/nope.json",
        "/figures/submissions/nope/amd64.json",
        "/nothing/",
    ],
)
def test_what_is_not_there_is_a_404(address: str, kernel: Kernel, reader: Reader) -> None:
    assert "There is no such page" in reader.page(address, status=404)


# Text from outside


def test_text_from_outside_is_escaped_everywhere(kernel: Kernel, reader: Reader) -> None:
    evil = "<script>alert(1)</script>"
    model = factories.make_model(
        f"{evil}/m", slug="evil", display_name=evil, provider=evil, notes=evil, link="javascript:alert(1)"
    )
    submission = factories.make_submission(kernel, model, source=f"{evil}\nint x;", reply=f"{evil}\n{evil}")
    machine = factories.make_machine(cpu_model=evil, compiler=evil, flags=evil)
    factories.make_result(
        submission,
        verdict="wrong_answer",
        detail=evil,
        machine=machine,
        log={"compile": evil, "run": evil},
        flagged=True,
        flag_note=evil,
    )
    factories.make_queued(submission, "arm64", failure=evil)
    factories.make_bundle(f"{evil}.zip", submissions=(submission,))
    factories.make_result(factories.make_submission(kernel, model, 1), detail=evil)
    for address in ("/", "/queue/", "/machines/", "/kernels/dot_f32/", "/models/evil/", f"/submissions/{submission.uid}/"):
        text = reader.page(address)
        assert evil not in text, address
        assert "javascript:" not in text, address
        assert "&lt;script&gt;" in text or "&lt;</span>" in text, address


def test_a_source_with_odd_characters_is_shown_and_downloads_as_it_is(
    kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    source = "int a;\r\n/* é \u2028 \x07 \t */\n\n  int b;\n"
    submission = factories.make_submission(kernel, model, source=source)
    factories.make_result(submission)
    assert 'id="L4"' in reader.page(f"/submissions/{submission.uid}/")
    response = reader.client.get(f"/submissions/{submission.uid}/answer.c")
    assert response.content.decode() == source
    assert response["Content-Disposition"] == 'attachment; filename="answer.c"'
    assert response["X-Content-Type-Options"] == "nosniff"


def test_a_very_long_source_is_shown_quickly_and_plain(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    submission = factories.make_submission(kernel, model, source="int x; /* <b> */\n" * 11_000)
    factories.make_result(submission)
    text = reader.page(f"/submissions/{submission.uid}/")
    assert "11000 lines" in text
    assert "&lt;b&gt;" in text


# Answers


def test_a_passed_answer_shows_verdict_code_rounds_machine_and_how_to_reproduce(site: None, reader: Reader) -> None:
    result = Result.objects.filter(verdict="passed", model__kind="llm", arch="amd64").first()
    assert result
    text = reader.page(f"/submissions/{result.submission.uid}/")
    assert "passed on amd64" in text
    assert f"/figures/submissions/{result.submission.uid}/amd64.json" in text
    assert '<span class="kt">float</span>' in text
    assert "AMD EPYC 9R14" in text
    assert "All rounds as a table" in text
    assert f"python -m grading --kernel {result.kernel.name} --json answer.c" in text
    assert "same on both" in text


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("no_answer", "The reply holds no C source"),
        ("compile_error", "gcc refused the source, it does not define the function"),
        ("memory_limit", "it needed more memory than the kernel allows"),
    ],
)
def test_a_failed_answer_says_why_even_without_a_detail(
    verdict: str, said: str, kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    submission = factories.make_submission(kernel, model, source=None if verdict == "no_answer" else "int x;")
    factories.make_result(submission, verdict=verdict)
    text = reader.page(f"/submissions/{submission.uid}/")
    assert f"✕ {verdict} on amd64" in text
    assert said in text


def test_an_answer_that_waits_says_what_for(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_queued(submission, "arm64")
    factories.make_queued(submission, "amd64", state="failed", failure="The disk was full.", attempt=5)
    text = reader.page(f"/submissions/{submission.uid}/")
    assert "◌ parked on arm64" in text
    assert "No arm64 sandbox configured." in text
    assert "failed on our side on amd64" in text
    assert "The disk was full." in text


def test_what_counts_in_no_summary_is_marked_with_its_reason(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    flagged = factories.make_submission(kernel, model, 0)
    outdated = factories.make_submission(kernel, model, 1)
    emulated = factories.make_submission(kernel, model, 2)
    factories.make_result(flagged, flagged=True)
    factories.make_result(outdated, measurement="1.0")
    factories.make_result(emulated, emulated=True)
    listed = " ".join(reader.page("/models/lab-one/").split())
    for submission, mark, reason in (
        (flagged, "flagged", "Too good to be counted"),
        (outdated, "outdated", "(measurement 1.0; the kernel is at"),
        (emulated, "emulated", "not how fast it is"),
    ):
        assert f'<span class="mark">{mark}</span> <' in listed or f'<span class="mark">{mark}</span> ✓' in listed
        assert reason in reader.page(f"/submissions/{submission.uid}/")
    assert "No graded answer" in reader.page("/")


def test_marked_results_can_be_left_out_of_lists_and_exports(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    more: dict[str, dict[str, Any]] = {
        "flagged": {"flagged": True},
        "outdated": {"measurement": "1.0"},
        "emulated": {"emulated": True},
        "noisy": {"speedup_low": 3.7, "speedup_high": 4.2},
        "clean": {},
    }
    uids = {}
    for rollout, (mark, fields) in enumerate(more.items()):
        submission = factories.make_submission(kernel, model, rollout)
        factories.make_result(submission, **fields)
        uids[mark] = submission.uid
    listed = reader.page("/models/lab-one/")
    assert listed.count("✓") == 1 + len(uids)  # the caption has one
    for mark in ("flagged", "outdated", "emulated", "noisy"):
        assert reader.page(f"/models/lab-one/?hide={mark}").count("✓") == len(uids)
        assert uids[mark] not in reader.download(f"/export/results.csv?hide={mark}")
    assert uids["clean"] in reader.download("/export/results.csv?hide=flagged,outdated,emulated,noisy")
    assert "That address names" in reader.page("/models/lab-one/?hide=ugly", status=400)


def test_the_leaderboard_says_how_many_results_wait_for_a_person(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    factories.make_result(factories.make_submission(kernel, model))
    assert "too good to be true" not in reader.page("/")
    factories.make_result(factories.make_submission(kernel, model, 1), flagged=True)
    assert '1 result <span class="mark">flagged</span>' in reader.page("/")


def test_a_model_of_several_bundles_shows_what_each_brought(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    first, second, hidden = (factories.make_submission(kernel, model, rollout) for rollout in range(3))
    old = factories.make_bundle("old.zip", submissions=(first,))
    factories.make_result(first, verdict="wrong_answer")
    assert "By bundle" not in reader.page("/models/lab-one/")
    new = factories.make_bundle("new.zip", submissions=(second,))
    factories.make_result(second, speedup=8.0)
    secret = factories.make_bundle("secret.zip", public=False, submissions=(hidden,))
    factories.make_result(hidden)
    text = reader.page("/models/lab-one/")
    assert text.index(old.uid) < text.index(new.uid)
    assert secret.uid not in text


def test_a_result_of_a_drifting_machine_is_marked(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_result(submission, drifting=True)
    assert '<span class="mark">drifting</span> <' in " ".join(reader.page("/models/lab-one/").split())
    assert "not as fast as earlier ones" in reader.page(f"/submissions/{submission.uid}/")


def test_the_machines_own_limit_is_a_line_and_answers_a_share_of_it(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    machine = factories.make_machine()
    Calibration.objects.create(place="here", machine=machine, limits={"read_bandwidth": 80.0})  # at 8 bytes: 10,000 M/s
    factories.make_result(factories.make_submission(kernel, model), speedup=4.0, throughput_m=5000.0, machine=machine)
    text = reader.page("/kernels/dot_f32/")
    assert "80.0 GB/s (read bandwidth): 10,000 M/s" in text
    assert "50\u202f%</td>" in text
    shapes = reader.json("/figures/kernels/dot_f32/answers-amd64.json")["layout"]["shapes"]
    assert [shape["x0"] for shape in shapes] == [8.0]


def test_a_machine_that_became_slower_meanwhile_is_marked(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    submission = factories.make_submission(kernel, model)
    reference = [100.0 + k for k in range(12)]
    factories.make_result(submission, samples={"answer_ns": [25.0] * 12, "reference_ns": reference})
    steady = factories.make_submission(kernel, model, 1)
    factories.make_result(steady, samples={"answer_ns": [25.0] * 12, "reference_ns": [100.0, 104.0] * 6})
    assert "the machine was not steady" in reader.page(f"/submissions/{submission.uid}/")
    assert "the machine was not steady" not in reader.page(f"/submissions/{steady.uid}/")


def test_history_keeps_an_invalidated_result(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_result(submission, speedup=2.0, is_current=False, invalidated=True, invalid_reason="wrong machine")
    factories.make_result(submission, speedup=4.0)
    text = reader.page(f"/submissions/{submission.uid}/")
    assert '<span class="mark">invalid</span>' in text
    assert text.count('<span class="mark">current</span>') == 1


def test_the_record_is_the_graders(site: None, reader: Reader) -> None:
    result = Result.objects.filter(verdict="passed", arch="amd64").first()
    assert result
    record = reader.json(f"/submissions/{result.submission.uid}/record.json")["results"][0]
    assert record["schema"] == 1
    assert record["kernel"] == result.kernel.name
    assert record["speedup"] == result.speedup
    assert record["samples"]["answer_ns"] == result.samples["answer_ns"]


def test_a_retired_kernel_stays_readable(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    old = factories.make_kernel("old_kernel", retired=True)
    submission = factories.make_submission(old, model)
    factories.make_result(submission)
    assert "Retired." in reader.page("/kernels/old_kernel/")
    assert "old_kernel" not in reader.page("/kernels/")
    assert "old_kernel" in reader.page(f"/submissions/{submission.uid}/")
    assert "No graded answer" in reader.page("/")


def test_a_model_with_many_answers_has_pages(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    for rollout in range(130):
        factories.make_submission(kernel, model, rollout)
    assert "page 1 of 2" in reader.page("/models/lab-one/")
    assert "page 2 of 2" in reader.page("/models/lab-one/?page=2")
    assert "page 2 of 2" in reader.page("/models/lab-one/?page=99")
    assert "page 1 of 2" in reader.page("/models/lab-one/?page=x")


# The queue


def test_the_queue_as_json_has_the_contracts_fields(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_queued(submission, "amd64", created_at=timezone.now() - timedelta(seconds=41))
    factories.make_queued(submission, "arm64")
    Worker.objects.create(name="host/1", cluster="amd64", beat_at=timezone.now())
    amd64, arm64 = reader.json("/api/queue")["archs"]
    oldest = amd64.pop("oldest_s")
    assert 40 <= oldest <= 60
    assert amd64 == amd64 | {"arch": "amd64", "queued": 1, "running": 0, "failed": 0, "parked": 0, "workers": 1, "reason": None}
    assert arm64 == arm64 | {"arch": "arm64", "queued": 0, "parked": 1, "workers": 0, "reason": "no arm64 sandbox configured"}


def test_an_architecture_whose_workers_cannot_grade_is_parked_with_their_reason(
    kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    factories.make_queued(factories.make_submission(kernel, model))
    worker = Worker.objects.create(name="host/1", cluster="amd64", beat_at=timezone.now(), reason="no compiler: install gcc")
    status = reader.json("/api/queue")["archs"][0]
    assert (status["queued"], status["parked"], status["reason"]) == (0, 1, "no compiler: install gcc")
    assert "No compiler: install gcc" in reader.page("/queue/")
    Worker.objects.filter(pk=worker.pk).update(beat_at=timezone.now() - timedelta(hours=1))
    status = reader.json("/api/queue")["archs"][0]
    assert (status["queued"], status["parked"], status["reason"]) == (1, 0, "no amd64 worker is running")


def test_the_queue_page_shows_what_runs_what_failed_and_what_was_done(
    kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    running, failed, retried, done = (factories.make_submission(kernel, model, rollout) for rollout in range(4))
    Worker.objects.create(name="host/1", cluster="amd64", beat_at=timezone.now())
    factories.make_queued(running, state="running", started_at=timezone.now() - timedelta(seconds=14), attempt=1)
    factories.make_queued(failed, state="failed", failure="The disk was full.", attempt=5)
    factories.make_queued(retried, failure="The worker disappeared.", attempt=1)
    factories.make_result(done)
    text = reader.page("/queue/")
    for submission in (running, failed, retried, done):
        assert f"/submissions/{submission.uid}/" in text
    assert "1 of 4 graded" in text
    assert "The disk was full." in text
    assert "Retrying" in text
    assert "1 worker, working" in text


# Health


def test_healthz_asks_the_database_nothing(reader: Reader, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert reader.page("/healthz") == "ok"


def test_readyz_is_ready_when_every_migration_is_applied(reader: Reader) -> None:
    assert reader.page("/readyz").splitlines()[:4] == ["ok", "database: ok", "disk: ok", "data: ok"]


def test_readyz_is_not_ready_with_a_migration_missing(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.web.readiness.MigrationExecutor.migration_plan", lambda *_: [("leaderboard", "0002")])
    said = reader.page("/readyz", status=503).splitlines()
    assert said[:2] == ["1 migrations are not applied", "database: 1 migrations are not applied"]


@pytest.mark.parametrize("page", ["/", "/kernels/", "/architectures/", "/compare/", "/machines/", "/queue/", "/changes/"])
@pytest.mark.parametrize("selected", WRONG)
def test_a_list_says_so_when_what_is_selected_is_not_there(page: str, selected: str, kernel: Kernel, reader: Reader) -> None:
    said = reader.page(f"{page}?{selected}", status=400)
    assert re.search("must be one of|There is no|given more than once", said)


def test_lists_show_what_is_selected_and_say_so(site: None, reader: Reader) -> None:
    for page in ("/kernels/", "/machines/", "/queue/", "/changes/", "/architectures/"):
        assert "Everything</a>" not in reader.page(page)
        assert "Everything</a>" in reader.page(f"{page}?arch=arm64&kernel=sort_u32&model=lab-two-large")
    assert "Neoverse" not in reader.page("/machines/?arch=amd64")
    assert "Neoverse" not in reader.download("/export/machines.csv?arch=amd64")
    assert "levenshtein" not in reader.page("/kernels/?kernel=sort_u32")
    assert "3</td>" not in reader.page("/changes/?kernel=sort_u32&model=tuned&arch=amd64").partition("Table 2")[2]
    assert "lab-one" not in reader.page("/queue/?model=lab-two-large").partition("Last graded")[2]


def test_the_machines_page_says_what_isolated_gradings_there(site: None, reader: Reader) -> None:
    assert "no file isolation" not in reader.page("/machines/")
    Machine.objects.update(facts={"isolation": "no outer sandbox, no file isolation, seccomp, resource limits"})
    assert "no outer sandbox, no file isolation" in reader.page("/machines/")


def test_a_kernels_page_says_what_it_leaves_out_and_can_leave_out_more(
    kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    def graded(rollout: int, speedup: float, **more: Any) -> Result:
        return factories.make_result(factories.make_submission(kernel, model, rollout), speedup=speedup, **more)

    graded(0, 4.0)
    graded(1, 77.0, flagged=True)
    graded(2, 78.0, emulated=True)
    graded(3, 79.0, measurement="0.1")
    graded(4, 76.0, invalidated=True, is_current=False)
    graded(5, 5.0, speedup_low=4.0, speedup_high=6.0)
    page = reader.page("/kernels/dot_f32/")
    for word in ("flagged", "emulated", "outdated", "invalid"):
        assert f'1 <span class="mark">{word}</span>' in page
    assert not re.search("7[6-9].0×", page)
    best = page.partition("Best answers")[2]
    assert best.count('<span class="mark">noisy</span>') == 1
    fewer = reader.page("/kernels/dot_f32/?hide=noisy,drifting")
    assert "5.00×" in page
    assert "5.00×" not in fewer
    assert '1 <span class="mark">noisy</span>' in fewer
    figure = reader.json("/figures/kernels/dot_f32/answers-amd64.json?hide=noisy")
    assert [trace["x"] for trace in figure["data"] if trace.get("name") == "amd64"] == [[4.0]]
