from __future__ import annotations

import csv
import io
import json

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from leaderboard import tasks
from leaderboard.models import Bundle, BundleModel, LanguageModel, ModelAlias, Submission
from leaderboard.services import importing, language_models, visibility
from tests.conftest import ROOT
from tests.site.admin_pages import text_of, upload
from tests.site.bundles import folder_files, lines, row, zip_of

pytestmark = pytest.mark.usefixtures("kernels")
EVAL = {
    "model": "stub/one",
    "sampling": {"temperature": 0.2, "max_tokens": 4096},
    "env": {"taskset": {"system_prompt": "Be fast."}},
}


def page_url(name: str = "change") -> str:
    return reverse(f"admin:leaderboard_bundle_{name}", args=[Bundle.objects.get().pk])


def two_runs() -> bytes:
    other = {"model": "stub/two", "sampling_args": {"temperature": 1.0, "n": 1}}
    return zip_of(
        {
            "a/traces.jsonl": lines(row(model=None), row(model=None, kernel="sort_u32")),
            "a/configs/resolved/eval.json": json.dumps(EVAL).encode(),
            "b/traces.jsonl": lines(row(model=None, answer="other")),
            "b/metadata.json": json.dumps(other).encode(),
        }
    )


def test_an_upload_is_previewed_confirmed_and_imported(admin_client, admin_user):
    page = upload(admin_client, zip_of({"run/a.jsonl": lines(row(), row(kernel="nope"), b"broken")}), "run.zip")
    text = text_of(page)
    bundle = Bundle.objects.get()
    assert (bundle.state, bundle.name, bundle.uploader) == ("preview", "run.zip", admin_user)
    for expected in ("stub/one", "dot_f32", "unknown kernel &#x27;nope&#x27;", "broken JSON", "run/a.jsonl"):
        assert expected in text
    assert "Import and grade 1 new answer" in page.content.decode()
    assert not Submission.objects.exists()
    page = admin_client.post(page_url("confirm"), {"public": ""}, follow=True)
    assert 'http-equiv="refresh"' in page.content.decode()
    tasks.sweep()
    bundle.refresh_from_db()
    assert (bundle.state, bundle.public, bundle.added) == ("imported", False, 1)
    assert not Submission.objects.public().exists()
    assert LogEntry.objects.count() == 2


def test_the_preview_counts_by_model_and_kernel_and_is_filled_in_from_each_run_s_configuration(admin_client):
    text = text_of(upload(admin_client, two_runs(), "runs.zip"))
    assert "Answers by model and kernel" in text
    one, two = Bundle.objects.get().models.order_by("name")
    assert (one.kernels, two.kernels) == ({"dot_f32": 1, "sort_u32": 1}, {"dot_f32": 1})
    assert (one.sampling, one.prompt) == ({"temperature": "0.2", "max_tokens": "4096"}, "Be fast.")
    assert (two.sampling, two.prompt) == ({"temperature": "1.0", "n": "1"}, "")
    for expected in ("temperature = 0.2", "max_tokens = 4096", "temperature = 1.0", "Be fast."):
        assert expected in text


@pytest.mark.parametrize("run", ["v1-0.2.0", "v0-0.1.14"])
def test_what_each_writer_s_configuration_says_is_in_the_preview(admin_client, run):
    upload(admin_client, zip_of(folder_files(ROOT / "data" / "runs" / run)), "run.zip")
    rows = Bundle.objects.get().models.all()
    assert rows
    expected = {"n": "1"} if run == "v0-0.1.14" else None
    for asked_of in rows:
        assert asked_of.answers == sum(asked_of.kernels.values()) > 0
        if expected:
            assert asked_of.sampling == expected


def test_two_runs_of_a_model_that_were_asked_differently_show_both_values(admin_client):
    run = lines(row(model=None)), lines(row(model=None, answer="b"))
    configs = [EVAL, EVAL | {"sampling": {"temperature": 0.8}}]
    files = {f"{n}/traces.jsonl": run[n] for n in (0, 1)}
    upload(admin_client, zip_of(files | {f"{n}/configs/eval.json": json.dumps(configs[n]).encode() for n in (0, 1)}), "a.zip")
    assert BundleModel.objects.get().sampling == {"temperature": "0.2, 0.8", "max_tokens": "4096"}


def fields_of(bundle_model: BundleModel, **changes: str) -> dict[str, str]:
    values = {"display_name": "", "provider": "", "kind": "llm", "weights": "", "prompt": "", "sampling": ""} | changes
    return {f"m{bundle_model.pk}-{name}": value for name, value in values.items()}


def test_what_is_written_into_the_preview_is_on_the_pages_of_bundle_and_model(admin_client, client):
    upload(admin_client, two_runs(), "runs.zip")
    one, two = Bundle.objects.get().models.order_by("name")
    values = fields_of(
        one,
        display_name="Stub One",
        provider="Stub Lab",
        weights="open",
        prompt="Be quick.",
        sampling="top_p = 0.9\ntemperature = 0",
    )
    admin_client.post(page_url("confirm"), {"public": "1", **values, **fields_of(two, weights="closed")}, follow=True)
    tasks.sweep()
    model = LanguageModel.objects.get(name="stub/one")
    assert (model.display_name, model.provider, model.weights) == ("Stub One", "Stub Lab", "open")
    assert LanguageModel.objects.get(name="stub/two").weights == "closed"
    text = text_of(admin_client.get(page_url()))
    for expected in ("Stub One", "open weights", "Be quick.", "top_p"):
        assert expected in text
    text = text_of(client.get(reverse("model", args=[model.slug])))
    for expected in ("Stub One", "Stub Lab", "Be quick.", "top_p"):
        assert expected in text
    tasks.tick("amd64")
    exported = b"".join(client.get("/export/results.csv?arch=amd64").streaming_content).decode()
    said = {(line["weights"], line["temperature"], line["max_tokens"]) for line in csv.DictReader(io.StringIO(exported))}
    assert said == {("open", "0", ""), ("closed", "", "")}


def test_a_setting_that_is_no_setting_is_told_and_nothing_is_imported(admin_client):
    upload(admin_client, lines(row()))
    page = admin_client.post(page_url("confirm"), {"public": "1", **fields_of(BundleModel.objects.get(), sampling="hot")})
    assert "Not of the form name = value: hot" in text_of(page)
    assert Bundle.objects.get().state == "preview"


def test_a_model_may_be_a_baseline_of_its_own_but_not_one_of_ours(admin_client):
    upload(admin_client, lines(row(model="tuned"), row(model="experts", answer="b")))
    experts, tuned = BundleModel.objects.order_by("name")
    both = {"public": "1", **fields_of(experts, kind="baseline")}
    page = admin_client.post(page_url("confirm"), both | fields_of(tuned, kind="baseline"))
    assert "one of our own baselines" in text_of(page)
    admin_client.post(page_url("confirm"), both | fields_of(tuned))
    tasks.sweep()
    assert LanguageModel.objects.get(name="experts").kind == "baseline"
    assert set(LanguageModel.objects.filter(name="tuned").values_list("kind", flat=True)) == {"llm"}
    assert visibility.set_public(Bundle.objects.get(), False) == 2


def test_a_known_model_is_prefilled_also_under_its_other_name_and_kept_where_the_person_may_not_change_it(client, staff_with):
    known = language_models.find_model("Stub One")
    LanguageModel.objects.filter(pk=known.pk).update(display_name="Stub, the first", weights="open")
    ModelAlias.objects.create(name="stub/one", model=known)
    client.force_login(staff_with("add_bundle", "view_bundle", "change_bundle"))
    text = upload(client, lines(row())).content.decode()
    assert 'value="Stub, the first"' in text
    client.post(
        page_url("confirm"), {"public": "1", **fields_of(BundleModel.objects.get(), display_name="Mine", weights="closed")}
    )
    tasks.sweep()
    known.refresh_from_db()
    assert (known.display_name, known.weights) == ("Stub, the first", "open")
    assert BundleModel.objects.get().model == known


@pytest.fixture
def staff_with(django_user_model):
    def make(*names: str):
        user = django_user_model.objects.create_user("uploader", is_staff=True)
        user.user_permissions.set(Permission.objects.filter(codename__in=names))
        return user

    return make


def test_details_are_mended_after_the_import(admin_client):
    upload(admin_client, lines(row()))
    admin_client.post(page_url("confirm"), {"public": "1"})
    tasks.sweep()
    assert "display_name" in admin_client.get(page_url("models")).content.decode()
    admin_client.post(page_url("models"), fields_of(BundleModel.objects.get(), display_name="One", sampling="seed = 1"))
    assert LanguageModel.objects.get(name="stub/one").display_name == "One"
    assert BundleModel.objects.get().sampling == {"seed": "1"}


def test_rows_without_a_model_can_be_named_in_the_preview(admin_client):
    page = upload(admin_client, lines(row(model=None), row(model=None, answer="b")))
    assert "2 rows name no model" in text_of(page)
    page = admin_client.post(page_url("again"), {"model": "lab/named"}, follow=True)
    assert "Import and grade 2 new answers" in page.content.decode()
    assert Bundle.objects.get().models.get().name == "lab/named"


def test_the_same_file_again_leads_to_the_first(admin_client):
    upload(admin_client, lines(row()))
    page = upload(admin_client, lines(row()), "again.jsonl")
    assert "is here already" in page.content.decode()
    assert page.redirect_chain[-1][0] == page_url()


def test_a_bundle_that_cannot_be_read_says_why(admin_client):
    page = upload(admin_client, b"PK\x03\x04 and nothing else")
    assert "damaged" in page.content.decode()


def test_a_large_bundle_is_read_in_the_background(admin_client, settings):
    settings.BUNDLE_READ_NOW_MB = 0
    page = upload(admin_client, lines(row()))
    assert Bundle.objects.get().state == "reading"
    assert 'http-equiv="refresh"' in page.content.decode()
    assert admin_client.get(page_url("state")).json() == {"stamp": "reading ", "busy": True, "said": "being read"}
    tasks.sweep()
    assert Bundle.objects.get().state == "preview"


def test_an_upload_over_the_limit_is_refused_on_the_form_naming_the_limit(admin_client, settings):
    settings.UPLOAD_MAX_MB = 1
    page = upload(admin_client, b"x" * (2 << 20))
    assert page.status_code == 413
    assert "larger than UPLOAD_MAX_MB = 1" in text_of(page)
    assert 'type="file"' in page.content.decode()
    assert not Bundle.objects.exists()


def test_nothing_is_refused_for_its_size_before_one_is_signed_in(client, settings):
    settings.UPLOAD_MAX_MB = 0
    page = client.post(reverse("admin:leaderboard_bundle_add"), {"public": "1"})
    assert page.status_code == 302
    assert "/admin/login/" in page.url


def test_the_form_names_the_limit_before_anything_is_sent(admin_client, settings):
    settings.UPLOAD_MAX_MB = 1500
    page = admin_client.get(reverse("admin:leaderboard_bundle_add"))
    assert "At most 1,500 MB" in text_of(page)
    assert f'data-limit="{1500 << 20}"' in page.content.decode()


def test_the_script_that_sends_a_file_gets_addresses_and_errors_as_json(admin_client):
    url = reverse("admin:leaderboard_bundle_add")

    def send(**fields: object):
        return admin_client.post(url, {"public": "1"} | fields, headers={"accept": "application/json"})

    missing = send()
    assert (missing.status_code, missing.json()) == (422, {"errors": {"file": ["Choose a file first."]}})
    empty = send(file=SimpleUploadedFile("a.jsonl", b""))
    assert empty.json() == {"errors": {"file": ["The file is empty."]}}
    sent = send(file=SimpleUploadedFile("a.jsonl", lines(row())))
    assert sent.json() == {"location": page_url()}
    assert send(file=SimpleUploadedFile("b.jsonl", lines(row()))).json() == {"location": page_url()}


def test_without_the_script_the_form_shows_its_errors_beside_the_fields(admin_client):
    page = admin_client.post(reverse("admin:leaderboard_bundle_add"), {"public": "1"})
    assert page.status_code == 422
    assert "Choose a file first." in text_of(page)


def test_an_upload_without_the_forms_token_is_refused(admin_client, admin_user, client):
    client = type(client)(enforce_csrf_checks=True)
    client.force_login(admin_user)
    assert upload(client, lines(row())).status_code == 403
    assert not Bundle.objects.exists()


def test_the_file_can_be_downloaded_as_it_came(admin_client):
    upload(admin_client, lines(row()))
    answer = admin_client.get(page_url("file"))
    assert b"".join(answer.streaming_content) == lines(row())
    assert answer["Content-Disposition"] == 'attachment; filename="answers.jsonl"'


def test_nobody_else_gets_near_a_bundle(client, admin_client, django_user_model):
    upload(admin_client, lines(row()))
    names = ("change", "file", "confirm", "again", "models", "state", "delete")
    urls = [reverse("admin:leaderboard_bundle_add"), *(page_url(name) for name in names)]
    assert {client.get(url).status_code for url in urls} == {302}
    client.force_login(django_user_model.objects.create_user("staff", is_staff=True))
    assert {client.get(url).status_code for url in urls} == {403}


def test_names_with_markup_are_shown_as_text(admin_client):
    page = upload(admin_client, lines(row(model="<script>alert(1)</script>"), row(kernel="<b>x</b>")))
    assert "<script>alert" not in page.content.decode()
    assert "<b>x" not in page.content.decode()


def test_an_import_that_begins_again_keeps_what_the_preview_was_told(admin_client, monkeypatch):
    upload(admin_client, lines(row()))
    bundle = Bundle.objects.get()
    bundle.models.update(display_name="One", sampling={"seed": "7"})
    with monkeypatch.context() as patched:
        patched.setattr(importing, "_bring", raise_interrupt)
        with pytest.raises(KeyboardInterrupt):
            importing.import_bundle(bundle)
    tasks.sweep()
    told = BundleModel.objects.get()
    assert (told.sampling, told.model.display_name) == ({"seed": "7"}, "One")


def raise_interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_merged_models_take_what_bundles_say_of_them_along(grade, admin_client):
    upload(admin_client, lines(row(model="Stub One")))
    importing.import_bundle(Bundle.objects.get())
    source, target = LanguageModel.objects.get(name="Stub One"), grade(model="stub/one").model
    language_models.merge([source], target)
    assert BundleModel.objects.get().model == target
