from __future__ import annotations

import re

import pytest
from django.contrib.admin.models import DELETION, LogEntry
from django.urls import reverse

from leaderboard import tasks
from leaderboard.models import Bundle, Kernel, LanguageModel, Result, Submission
from leaderboard.services import bulk_actions, importing, taking_back
from tests.conftest import ROOT
from tests.site.admin_pages import act, answer, text_of, upload
from tests.site.bundles import lines, row

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.fixture
def bundle(admin_client) -> Bundle:
    """Imported, its two answers waiting to be graded."""
    upload(
        admin_client, lines(row(answer="speedup 2", raw=True), row(answer="verdict wrong_answer", raw=True, kernel="sort_u32"))
    )
    return importing.import_bundle(Bundle.objects.get())


def url(bundle: Bundle, name: str = "change") -> str:
    return reverse(f"admin:leaderboard_bundle_{name}", args=[bundle.pk])


def test_the_page_follows_the_grading_and_its_state_is_short(admin_client, bundle):
    state = admin_client.get(url(bundle, "state")).json()
    assert state["said"] == "amd64: 0 of 2 graded; arm64: 0 of 2 graded"
    assert state["busy"]
    assert 'data-busy="1"' in admin_client.get(url(bundle)).content.decode()
    tasks.tick("amd64")
    tasks.tick("arm64")
    after = admin_client.get(url(bundle, "state")).json()
    assert after["said"] == "amd64: 2 of 2 graded; arm64: 2 of 2 graded"
    assert not after["busy"]
    assert after["stamp"] != state["stamp"]
    assert 'data-busy=""' in admin_client.get(url(bundle)).content.decode()


def test_verdicts_are_counted_by_architecture_and_lead_to_their_results(admin_client, bundle):
    tasks.tick("amd64")
    page = admin_client.get(url(bundle)).content.decode()
    assert 'aria-label="1 passed on amd64"' in page
    assert 'aria-label="1 wrong_answer on amd64"' in page
    assert "on arm64" in page
    assert 'aria-label="1 passed on arm64"' not in page
    address = reverse("admin:leaderboard_result_changelist")
    query = {"bundle": bundle.uid, "arch__exact": "amd64", "verdict": "wrong_answer", "is_current__exact": "1"}
    found = text_of(admin_client.get(address, query))
    assert "1 result" in found
    assert "sort_u32" in found


def test_every_link_on_the_page_leads_somewhere(admin_client, bundle):
    tasks.tick("amd64")
    page = admin_client.get(url(bundle)).content.decode()
    links = set(re.findall(r'href="(/admin/leaderboard/[^"]+|/submissions/[^"]+)"', page))
    assert len(links) > 8
    for link in links:
        assert admin_client.get(link.replace("&amp;", "&"), follow=True).status_code == 200, link


def test_the_page_says_where_the_bundle_is_from(admin_client, admin_user, bundle):
    text = text_of(admin_client.get(url(bundle)))
    for expected in (bundle.sha256, bundle.uid, f"by {admin_user}", "answers.jsonl", "UTC", "plain lines"):
        assert expected.lower() in text.lower()


def test_what_waits_for_an_operator_says_why(admin_client, bundle, fake):
    fake.unavailable["arm64"] = "no arm64 sandbox configured"
    tasks.tick("arm64")
    assert "Waiting: no arm64 sandbox configured" in text_of(admin_client.get(url(bundle)))


def test_an_import_under_way_shows_how_far_it_is(admin_client, bundle):
    Bundle.objects.update(state="importing", answers=10)
    assert "2 of 10 answers" in text_of(admin_client.get(url(bundle)))
    assert admin_client.get(url(bundle, "state")).json()["said"] == "2 of 10 answers imported"


def test_a_bundle_page_takes_as_many_queries_for_two_answers_as_for_many(admin_client, bundle, django_assert_max_num_queries):
    with django_assert_max_num_queries(25) as few:
        admin_client.get(url(bundle))
    taken = len(few)
    rows = [row(answer=f"speedup {n}", raw=True, model=f"stub/{n % 5}", rollout=n) for n in range(60)]
    upload(admin_client, lines(*rows, *[b"broken"] * 60), "more.jsonl")
    more = importing.import_bundle(Bundle.objects.get(name="more.jsonl"))
    with django_assert_max_num_queries(taken):
        text = text_of(admin_client.get(url(more)))
    assert "All 60 answers" in text
    assert "10 more" in text


# Buttons, faults, who may see it


def test_the_buttons_are_on_the_page_whatever_the_bundle_is(admin_client, bundle):
    upload(admin_client, b"PK\x03\x04 and nothing else", "photo.zip")
    upload(admin_client, lines(row(answer="x")), "preview.jsonl")
    assert set(Bundle.objects.values_list("state", flat=True)) == {"imported", "failed", "preview"}
    for there in Bundle.objects.all():
        page = admin_client.get(url(there)).content.decode()
        assert f'href="{url(there, "file")}"' in page
        assert f'href="{url(there, "delete")}"' in page


def test_a_link_stands_in_no_block_that_a_release_of_django_may_drop():
    """Up to Django 6.0 the block object-tools stands within content: a template that fills both loses the first."""
    for template in (ROOT.parent / "templates" / "admin").rglob("*.html"):
        blocks = set(re.findall(r"{% block (\S+) %}", template.read_text()))
        assert not {"content", "object-tools"} <= blocks, template


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b"PK\x03\x04 and nothing else", "photo.zip", "The archive is damaged"),
        (b'{"hello": 1}\n', "notes.jsonl", "its only row is not one"),
        (b'{"hello": 1}\n{"hello": 2}\n', "more.jsonl", "none of its 2 rows is one"),
    ],
)
def test_what_is_no_bundle_is_called_so_first_and_has_no_preview(admin_client, data, name, reason):
    text = text_of(upload(admin_client, data, name))
    start = text[text.index(f"{name} Not a bundle.") :]
    assert reason in start[:200]
    for word in ("Waiting to be confirmed", "Import", "Public", "Private", "Answers by model"):
        assert word not in start
    assert "The file as it came" in start
    assert "waiting to be confirmed" not in listed_states(admin_client)


def listed_states(client) -> list[str]:
    page = client.get(reverse("admin:leaderboard_bundle_changelist")).content.decode()
    return re.findall(r'<td class="field-what_it_is">([^<]*)</td>', page)


def test_the_list_says_what_waits_to_be_confirmed(admin_client):
    upload(admin_client, b'{"hello": 1}\n', "notes.jsonl")
    upload(admin_client, lines(row(answer="x")), "preview.jsonl")
    assert sorted(listed_states(admin_client)) == ["not a bundle", "waiting to be confirmed"]


def test_a_fault_of_ours_is_not_the_files(admin_client, bundle):
    Bundle.objects.update(state="failed", answers=0, error="OSError: [Errno 28] No space left on device")
    text = text_of(admin_client.get(url(bundle)))
    assert "It could not be read. The fault is ours: OSError" in text
    assert "Not a bundle" not in text


def test_the_form_begins_with_private_and_says_what_that_means(admin_client):
    page = admin_client.get(reverse("admin:leaderboard_bundle_add"))
    assert re.search(r'<input type="radio" name="public" value=""[^>]* checked', page.content.decode())
    assert "only you and the site&#x27;s reviewers see it" in text_of(page)
    upload(admin_client, lines(row()), public="")
    assert not Bundle.objects.get().public


# Deletion


def test_deleting_a_bundle_says_what_goes_and_what_stays_and_asks(admin_client, bundle):
    page = admin_client.get(url(bundle, "delete"), follow=True)
    text = text_of(page)
    for expected in (
        "Answers that only they brought 2",
        "Gradings of these answers 4",
        "Models without any other answer 1",
        "they stay 0",
        "Answers that other bundles contain too stay",
    ):
        assert expected in text
    assert Bundle.objects.exists()
    answer(admin_client, page)
    assert not Bundle.objects.exists()
    assert not Submission.objects.exists()
    assert not LanguageModel.objects.exists()
    assert LogEntry.objects.filter(action_flag=DELETION, object_repr="answers.jsonl").count() == 1


def test_answers_of_another_bundle_stay_with_their_results(admin_client, bundle):
    tasks.tick("amd64")
    shared = row(answer="speedup 2", raw=True, trace_id="t1")
    for name, rows in (("one.jsonl", [shared]), ("two.jsonl", [shared, row(answer="b")])):
        upload(admin_client, lines(*rows), name)
    one, two = (importing.import_bundle(Bundle.objects.get(name=name)) for name in ("one.jsonl", "two.jsonl"))
    page = act(admin_client, "bundle", "delete_selected", [bundle, two])
    answer(admin_client, page)
    assert list(Bundle.objects.all()) == [one]
    assert Submission.objects.count() == one.entries.count() == 1


def test_a_deletion_that_was_killed_is_carried_through(admin_client, bundle, monkeypatch):
    monkeypatch.setattr(taking_back, "CHUNK", 1)
    action = bulk_actions.plan("delete_bundles", Bundle.objects.all(), admin_client.get(url(bundle)).wsgi_request.user)
    steps = iter(range(2))

    def killed(*_: object) -> int:
        if next(steps) == 1:
            raise SystemExit
        return real(*_)

    real = taking_back.delete_answers
    with monkeypatch.context() as patched:
        patched.setattr(taking_back, "delete_answers", killed)
        with pytest.raises(SystemExit):
            bulk_actions.start(action)
    assert Bundle.objects.get().state == "deleting"
    assert Submission.objects.count() == 1
    tasks.sweep()
    assert not Bundle.objects.exists()
    assert not Submission.objects.exists()
    action.refresh_from_db()
    assert action.state == "done"


def test_a_large_bundle_is_deleted_in_the_background(admin_client, bundle, monkeypatch):
    monkeypatch.setattr(bulk_actions, "ENTRIES_NOW", 1)
    page = answer(admin_client, act(admin_client, "bundle", "delete_selected", [bundle]))
    assert "0 of 1 bundles" in text_of(page)
    assert Submission.objects.exists()
    tasks.sweep()
    assert not Submission.objects.exists()


def test_a_deletion_that_nobody_remembers_is_carried_through(bundle):
    Bundle.objects.update(state="deleting")
    tasks.carry_on_bundles()
    assert not Bundle.objects.exists()
    assert not Result.objects.exists()
    assert Kernel.objects.exists()
