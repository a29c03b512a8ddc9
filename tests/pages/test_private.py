"""Whoever has no account sees nothing of private bundles: no name, no count, no rank, no id."""

import pytest
from django.contrib.auth.models import AnonymousUser, Permission, User
from django.test import Client, RequestFactory

from leaderboard.models import BundleEntry, Kernel, LanguageModel, Submission
from leaderboard.views import language_models
from tests.pages import factories
from tests.pages.conftest import Reader

pytestmark = pytest.mark.django_db

PUBLIC = (
    *("/", "/?arch=both", "/kernels/", "/kernels/dot_f32/", "/queue/", "/machines/", "/methodology/"),
    *("/api/queue", "/figures/speedup.json?arch=both", "/figures/memory.json", "/figures/kernels/dot_f32/answers-amd64.json"),
    *("/figures/kernels/dot_f32/memory.json", "/models/lab-one/", "/figures/models/lab-one.json"),
)


@pytest.fixture
def secret(kernel: Kernel, model: LanguageModel) -> Submission:
    """A model of which everything is private, beside one public answer of another."""
    factories.make_result(factories.make_submission(kernel, model), machine=factories.make_machine())
    hidden = factories.make_model("secret/model", slug="secret-model", display_name="Secret Model", provider="Secret Lab")
    submission = factories.make_submission(kernel, hidden, public=False, uid="secretuid0")
    machine = factories.make_machine("arm64", cpu_model="Secret CPU")
    factories.make_bundle("secret-bundle.zip", public=False, submissions=(submission,))
    factories.make_result(submission, arch="arm64", machine=machine, speedup=99.0)
    factories.make_queued(submission, state="running", started_at=factories.WHEN)
    return submission


def test_no_public_page_changes_when_something_private_is_added(kernel: Kernel, model: LanguageModel, reader: Reader) -> None:
    factories.make_result(factories.make_submission(kernel, model), machine=factories.make_machine())
    before = {address: reader.page(address) for address in PUBLIC}
    files = {address: reader.download(address) for address in ("/export/results.csv?history=1", "/export/leaderboard.csv")}
    hidden = factories.make_model("secret/model", slug="secret-model")
    for rollout in range(3):
        submission = factories.make_submission(kernel, hidden, rollout, public=False)
        factories.make_result(submission, speedup=99.0, machine=factories.make_machine(cpu_model=f"Secret {rollout}"))
        factories.make_queued(submission, "arm64", failure="secret failure")
    public_too = factories.make_submission(kernel, model, 7, public=False)
    factories.make_result(public_too, speedup=99.0)
    assert {address: reader.page(address) for address in PUBLIC} == before
    assert {address: reader.download(address) for address in files} == files


def test_private_things_do_not_exist_for_the_public(secret: Submission, reader: Reader) -> None:
    for address in (
        "/models/secret-model/",
        "/figures/models/secret-model.json",
        f"/submissions/{secret.uid}/",
        f"/submissions/{secret.uid}/answer.c",
        f"/submissions/{secret.uid}/record.json",
        f"/figures/submissions/{secret.uid}/arm64.json",
    ):
        reader.page(address, status=404)
    for address in PUBLIC:
        assert "secret" not in reader.page(address).lower(), address


def test_asking_for_a_private_model_is_the_same_as_for_none(secret: Submission, reader: Reader) -> None:
    there = reader.page("/?model=secret-model", status=400)
    assert there == reader.page("/?model=nobody-at-all", status=400)


def test_whoever_may_view_private_answers_sees_them_marked_as_such(secret: Submission, client: Client) -> None:
    user = User.objects.create_user("boss", is_staff=True)
    client.force_login(user)
    assert client.get(f"/submissions/{secret.uid}/").status_code == 404
    user.user_permissions.add(Permission.objects.get(codename="view_submission"))
    response = client.get(f"/submissions/{secret.uid}/")
    assert "may view private answers see this page" in response.content.decode()
    assert "Cookie" in response["Vary"]


def test_an_account_alone_does_not_show_private_answers(secret: Submission, client: Client) -> None:
    client.force_login(User.objects.create_user("guest"))
    assert client.get(f"/submissions/{secret.uid}/").status_code == 404


def test_of_the_bundles_of_a_public_answer_only_the_public_ones_are_named(
    kernel: Kernel, model: LanguageModel, reader: Reader
) -> None:
    submission = factories.make_submission(kernel, model)
    factories.make_result(submission)
    factories.make_bundle("hidden.zip", public=False, submissions=(submission,))
    factories.make_bundle("open.zip", submissions=(submission,))
    text = reader.page(f"/submissions/{submission.uid}/")
    assert "open.zip" in text
    assert "hidden.zip" not in text


def test_what_a_private_bundle_brought_first_is_not_in_a_models_trend(
    kernel: Kernel, model: LanguageModel, client: Client
) -> None:
    """The answer is public, since another bundle has it too: the first one's name stays its owner's."""
    submissions = tuple(factories.make_submission(kernel, model, rollout) for rollout in range(3))
    for submission in submissions:
        factories.make_result(submission)
    private = factories.make_bundle("private.zip", public=False, submissions=submissions[:1])
    shown = factories.make_bundle("one.zip", submissions=submissions[1:2])
    other = factories.make_bundle("two.zip", submissions=submissions[2:])
    BundleEntry.objects.create(bundle=other, submission=submissions[0], member="traces.jsonl", line=9, first=False)
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    trend = language_models._trend(request, model)
    assert [(row["uid"], row["answers"]) for row in trend] == [(shown.uid, 1), (other.uid, 1)]
    assert private.uid not in client.get(f"/models/{model.slug}/").content.decode()
