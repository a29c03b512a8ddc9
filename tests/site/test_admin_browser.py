"""Uploading in a real browser, under the site's own Content-Security-Policy."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from leaderboard import tasks
from leaderboard.models import BulkAction, Bundle, Submission
from leaderboard.services import bulk_actions, importing
from tests.pages.test_browser import ARGUMENTS, AXE, CHROMIUM, Watched, serious
from tests.site.admin_pages import upload
from tests.site.bundles import lines, row, zip_of

playwright = pytest.importorskip("playwright.sync_api", reason="the playwright package is not installed")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
]
ADD = "/admin/leaderboard/bundle/add/"


@pytest.fixture
def browser(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    # playwright runs an event loop in this thread, where Django would refuse to use the database
    monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, live_server: Any, admin_client: Any, kernels: Any) -> Any:
    """visit(**options): a browser window of somebody who is signed in as admin."""

    def open_one(**options: Any) -> Watched:
        watched = Watched(browser, live_server.url, **options)
        cookie = admin_client.cookies["sessionid"].value
        watched.page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        return watched

    return open_one


def drop(page: Any, name: str, data: bytes) -> None:
    """A file dragged from the desktop onto the page."""
    transfer = page.evaluate_handle(
        """([name, data]) => {
            const transfer = new DataTransfer();
            const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
            transfer.items.add(new File([bytes], name));
            return transfer;
        }""",
        [name, base64.b64encode(data).decode()],
    )
    for event in ("dragover", "drop"):
        page.dispatch_event("#drop", event, {"dataTransfer": transfer, "bubbles": True, "cancelable": True})


def test_a_file_is_dropped_sent_with_a_bar_looked_at_and_confirmed(visit: Any) -> None:
    watched = visit()
    page = watched.page
    page.goto(watched.server + ADD)
    playwright.expect(page.get_by_text("At most 1,024 MB")).to_be_visible()
    drop(page, "run.zip", zip_of({"run/a.jsonl": lines(row(answer="speedup 2", raw=True), row(kernel="nope"))}))
    playwright.expect(page.locator("#chosen")).to_contain_text("run.zip")
    page.route(f"**{ADD}", lambda route: (page.wait_for_timeout(300), route.continue_()))  # so that the bar can be seen
    page.keyboard.press("Enter")  # the button has the focus
    playwright.expect(page.get_by_role("progressbar", name="Upload")).to_be_visible()
    page.wait_for_url("**/change/")
    playwright.expect(page.get_by_role("heading", name="Answers by model and kernel")).to_be_visible()
    playwright.expect(page.get_by_text("unknown kernel 'nope'").first).to_be_visible()
    assert not Submission.objects.exists()
    page.get_by_label("Display name").fill("Stub One")
    page.get_by_role("button", name="Import and grade 1 new answer").click()
    playwright.expect(page.locator("#live")).to_contain_text("Importing")
    importing.import_bundle(Bundle.objects.get())
    playwright.expect(page.locator("#said")).to_contain_text("amd64: 0 of 1 graded", timeout=120_000)  # without a reload
    tasks.tick("amd64")
    tasks.tick("arm64")
    playwright.expect(page.locator("#said")).to_contain_text("amd64: 1 of 1 graded", timeout=120_000)
    playwright.expect(page.get_by_role("link", name="1 passed on amd64")).to_be_visible()
    assert page.locator("#said").get_attribute("role") == "status"
    assert watched.faults == []


def test_what_cannot_be_uploaded_is_said_in_place_before_or_after_it_was_sent(visit: Any, settings: Any) -> None:
    watched = visit()
    page = watched.page
    settings.UPLOAD_MAX_MB = 1
    page.goto(watched.server + ADD)
    errors = page.locator("#upload-errors")
    page.locator("#upload").evaluate("form => form.noValidate = true")
    page.get_by_role("button", name="Upload and preview").click()
    playwright.expect(errors).to_contain_text("Choose a file first.")
    drop(page, "big.jsonl", b"x" * (2 << 20))
    playwright.expect(errors).to_contain_text("big.jsonl is 2.1 MB: more than 1 MB")
    drop(page, "empty.jsonl", b"")
    page.get_by_role("button", name="Upload and preview").click()
    playwright.expect(errors).to_contain_text("The file is empty.")
    assert page.locator("#id_file").get_attribute("aria-invalid") == "true"
    page.route(f"**{ADD}", lambda route: route.abort())
    drop(page, "a.jsonl", lines(row()))
    page.get_by_role("button", name="Upload and preview").click()
    playwright.expect(errors).to_contain_text("The connection broke off")
    assert not Bundle.objects.exists()
    assert [fault for fault in watched.faults if "ERR_FAILED" not in fault] == []


def test_without_a_script_the_form_uploads_and_the_page_renews_itself(visit: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines(row()))
    watched = visit(java_script_enabled=False)
    page = watched.page
    page.goto(watched.server + ADD)
    page.set_input_files("#id_file", tmp_path / "a.jsonl")
    page.get_by_role("button", name="Upload and preview").click()
    page.get_by_role("button", name="Import and grade 1 new answer").click()
    importing.import_bundle(Bundle.objects.get())
    playwright.expect(page.locator("#live")).to_contain_text("Imported", timeout=120_000)


@pytest.fixture
def addresses(admin_client: Any, admin_user: Any, kernels: Any) -> list[str]:
    """An address of every kind of page of the admin, with something on it."""
    upload(admin_client, lines(row(answer="speedup 2", raw=True), row(answer="verdict wrong_answer", raw=True)))
    imported = importing.import_bundle(Bundle.objects.get())
    tasks.tick("amd64")
    upload(admin_client, zip_of({"b/a.jsonl": lines(row(model="lab/two", answer="b"), row(model=None), b"broken")}), "b.zip")
    preview = Bundle.objects.first()
    asked = bulk_actions.plan("invalidate_results", imported.submissions.first().results.all(), admin_user)
    done = bulk_actions.start(bulk_actions.plan("regrade_answers", Submission.objects.all(), admin_user))
    lists = (
        "bundle",
        "submission",
        "result",
        "languagemodel",
        "kernel",
        "machine",
        "worker",
        "calibration",
        "apitoken",
        "bulkaction",
    )
    return [
        "/admin/",
        ADD,
        *(reverse(f"admin:leaderboard_{name}_changelist") for name in lists),
        *(reverse("admin:leaderboard_bundle_change", args=[bundle.pk]) for bundle in (imported, preview)),
        reverse("admin:leaderboard_bundle_models", args=[imported.pk]),
        *(reverse("admin:leaderboard_bulkaction_change", args=[action.pk]) for action in (asked, done)),
        reverse("admin:leaderboard_submission_change", args=[Submission.objects.all()[0].pk]),
    ]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_admin_is_quiet_stays_at_home_and_fits_the_window(width: int, visit: Any, addresses: list[str]) -> None:
    watched = visit(viewport={"width": width, "height": 900})
    for address in addresses:
        watched.page.goto(watched.server + address)
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, f"{address} is wider than the window"
    assert watched.faults == []
    assert BulkAction.objects.count() == 2


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: npm ci")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_admin(scheme: str, visit: Any, addresses: list[str]) -> None:
    watched = visit(color_scheme=scheme)
    found = []
    for address in addresses:
        watched.page.goto(watched.server + address)
        found += serious(watched.page, address)
    assert found == []
