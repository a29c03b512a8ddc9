"""The pages in a real browser, under the site's own Content-Security-Policy."""

import os
import shutil
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.core.management import call_command

from leaderboard.models import Kernel, LanguageModel, Submission
from tests.pages import factories

playwright = pytest.importorskip("playwright.sync_api", reason="the playwright package is not installed")

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
AXE = Path(__file__).resolve().parents[2] / "node_modules" / "axe-core" / "axe.min.js"
BUNDLE = Path(__file__).resolve().parents[2] / "static" / "vendor" / "plotly" / "plotly.min.js"
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"),
    *("--no-first-run", "--disable-component-update", "--disable-sync"),
]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt-get install chromium"),
    pytest.mark.skipif(not BUNDLE.is_file(), reason="no chart library: python scripts/fetch_plotly.py"),
]


@pytest.fixture
def addresses(transactional_db: None) -> list[str]:
    """An address of every kind of page, on a site with results."""
    factories.make_site(models=3)
    passed = Submission.objects.filter(results__verdict="passed", model__kind="llm", results__arch="arm64").first()
    failed = Submission.objects.filter(results__verdict="wrong_answer").first()
    assert passed
    assert failed
    return [
        *("/", "/?arch=both&sort=speedup", "/?sort=memory&kernel=sort_u32,dot_f32", "/kernels/", "/kernels/crc32_ieee/"),
        *("/architectures/", "/compare/?models=lab-one-wide-405b,lab-two-large", "/changes/", "/?sort=fast&p=2&scale=linear"),
        *("/models/lab-two-large/", "/queue/", "/machines/", "/methodology/", "/nothing-here/", "/?arch=sparc"),
        *(f"/submissions/{passed.uid}/", f"/submissions/{passed.uid}/diff/", f"/submissions/{failed.uid}/"),
    ]


@pytest.fixture
def browser(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    # playwright runs an event loop in this thread, where Django would refuse to use the database
    monkeypatch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


def serious(page: Any, address: str) -> list[tuple[Any, ...]]:
    """What axe-core finds on the page that is open: (address, rule, element, what to do)."""
    page.evaluate(AXE.read_text())
    violations = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(result => result.violations)")
    return [
        (address, violation["id"], node["target"], node["failureSummary"])
        for violation in violations
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None: ...


class Watched:
    """A page that remembers what it should not have done."""

    def __init__(self, browser: Any, server: str, **options: Any) -> None:
        self.server = server
        self.page = browser.new_context(**options).new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda message: self._console(message))
        self.page.on("pageerror", lambda error: self.faults.append(f"error on {self.page.url}: {error}"))
        self.page.on("request", lambda request: self._request(request.url))

    def _console(self, message: Any) -> None:
        if "the server responded with a status of" not in message.text:  # the page itself may be a 404
            self.faults.append(f"{message.type} on {self.page.url}: {message.text}")

    def _request(self, url: str) -> None:
        if not url.startswith((self.server, "data:", "blob:")):
            self.faults.append(f"request to {url}")

    def open(self, address: str) -> None:
        """The page with every chart on it drawn."""
        self.page.goto(f"{self.server}{address}")
        plots = self.page.locator(".plot")
        for i in range(plots.count()):
            plots.nth(i).locator(".main-svg").first.wait_for()
        playwright.expect(self.page.locator(".plot[data-drawn]")).to_have_count(plots.count())


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_is_quiet_stays_at_home_and_draws_its_charts(
    width: int, addresses: list[str], live_server: Any, browser: Any
) -> None:
    watched = Watched(browser, live_server.url, viewport={"width": width, "height": 900})
    drawn = 0
    for address in addresses:
        watched.open(address)
        drawn += watched.page.locator(".plot").count()
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= width, f"{address} is wider than the window"
    assert watched.faults == []
    assert drawn >= 12


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core: npm ci")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_any_page(scheme: str, addresses: list[str], live_server: Any, browser: Any) -> None:
    watched = Watched(browser, live_server.url, color_scheme=scheme)
    found = []
    for address in addresses:
        watched.open(address)
        found += serious(watched.page, address)
    assert found == []


def test_while_only_baselines_are_graded_the_charts_say_so(transactional_db: None, live_server: Any, browser: Any) -> None:
    factories.make_site(models=0)
    watched = Watched(browser, live_server.url)
    for address in ("/", "/?arch=both", "/kernels/dot_f32/", "/models/naive/"):
        watched.page.goto(f"{live_server.url}{address}")
        for i in range(watched.page.locator(".plot").count()):
            watched.page.locator(".plot[data-drawn], .plot[data-said]").nth(i).wait_for()
    watched.page.goto(f"{live_server.url}/")
    playwright.expect(watched.page.locator(".plot").first).to_contain_text("no answer of a model has passed")
    assert watched.faults == []


def test_a_chart_has_one_mark_an_answer_and_the_tokens_colour(addresses: list[str], live_server: Any, browser: Any) -> None:
    watched = Watched(browser, live_server.url, color_scheme="light")
    watched.open("/")
    points = watched.page.locator(".plot").first.locator(".trace .point")
    assert points.count() == 3
    assert "rgb(10, 100, 173)" in points.first.get_attribute("style").replace("rgba", "rgb")


def test_the_theme_button_recolours_the_charts_and_is_remembered(addresses: list[str], live_server: Any, browser: Any) -> None:
    watched = Watched(browser, live_server.url, color_scheme="light")
    watched.open("/")
    button = watched.page.get_by_role("button", name="Theme")
    background = watched.page.locator(".plot .main-svg").first
    light = background.get_attribute("style")
    button.click()
    assert button.text_content() == "Theme: light"
    button.click()
    assert button.text_content() == "Theme: dark"
    assert background.get_attribute("style") != light
    watched.open("/kernels/crc32_ieee/")
    assert watched.page.locator("html").get_attribute("data-theme") == "dark"
    assert watched.faults == []


def test_a_figure_is_saved_as_svg_in_the_light_colours(
    addresses: list[str], live_server: Any, browser: Any, tmp_path: Path
) -> None:
    watched = Watched(browser, live_server.url, color_scheme="dark", accept_downloads=True)
    watched.open("/")
    with watched.page.expect_download() as download:
        watched.page.get_by_role("button", name="SVG").first.click()
    assert download.value.suggested_filename == "speedup.svg"
    download.value.save_as(tmp_path / "speedup.svg")
    text = (tmp_path / "speedup.svg").read_text()
    assert text.startswith("<svg")
    assert "rgb(10, 100, 173)" in text
    assert watched.faults == []


def test_a_permalink_opened_again_shows_the_same_selection(addresses: list[str], live_server: Any, browser: Any) -> None:
    watched = Watched(browser, live_server.url)
    watched.open("/")
    page = watched.page
    for name in ("side by side", "speedup", "linear"):
        page.get_by_role("link", name=name, exact=True).first.click()
        page.wait_for_load_state()
    address = page.url
    watched.open(address.removeprefix(live_server.url))
    assert page.locator("table.board").get_attribute("data-arch") == "both"
    assert page.locator("th[aria-sort]").inner_text().startswith("Speedup")
    assert "linear scale" in page.locator(".plot .xtitle").first.text_content()
    assert watched.faults == []


def test_the_snapshot_opens_from_a_plain_file_server_with_its_charts(
    transactional_db: None, browser: Any, tmp_path: Path
) -> None:
    factories.make_site(models=1, rollouts=1)
    call_command("snapshot", str(tmp_path / "out"), "--no-images", verbosity=0)
    (tmp_path / "root" / "paper").mkdir(parents=True)
    (tmp_path / "out").rename(tmp_path / "root" / "paper" / "artifact")  # wherever the files are put
    handler = partial(QuietHandler, directory=str(tmp_path / "root"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        watched = Watched(browser, f"http://127.0.0.1:{server.server_port}/paper/artifact")
        for address in ("/", "/kernels/sort_u32/", "/architectures/", "/models/lab-one-wide-405b/"):
            watched.open(address)
        watched.page.get_by_role("link", name="Leaderboard").first.click()
        watched.page.get_by_role("link", name="side by side").click()
        playwright.expect(watched.page.locator(".plot[data-drawn]")).to_have_count(2)
        server.shutdown()
    assert watched.faults == []


def test_without_a_script_every_table_and_selector_works(addresses: list[str], live_server: Any, browser: Any) -> None:
    watched = Watched(browser, live_server.url, java_script_enabled=False)
    page = watched.page
    for address in addresses:
        page.goto(f"{live_server.url}{address}")
        assert page.locator("h1").count() == 1
    page.goto(f"{live_server.url}/")
    page.get_by_role("link", name="side by side").click()
    page.get_by_text(f"All {len(factories.KERNELS)} kernels").click()
    page.get_by_label("sort_u32").check()
    page.get_by_role("button", name="Show these").click()
    assert "kernel=sort_u32" in page.url
    assert page.locator("table.board tbody tr").count() == 5
    assert page.locator(".plot noscript p").first.is_visible()


def test_the_keyboard_reaches_the_content_and_closes_the_kernel_list(
    addresses: list[str], live_server: Any, browser: Any
) -> None:
    watched = Watched(browser, live_server.url)
    watched.open("/")
    page = watched.page
    page.keyboard.press("Tab")
    assert page.locator(":focus").text_content() == "Skip to content"
    page.keyboard.press("Enter")
    assert page.url.endswith("#main")
    page.locator("details.drop summary").focus()
    page.keyboard.press("Enter")
    assert page.locator("details.drop form").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("details.drop form").is_visible()


def test_the_queue_page_follows_the_queue(transactional_db: None, live_server: Any, browser: Any) -> None:
    kernel: Kernel = factories.make_kernel("dot_f32")
    model: LanguageModel = factories.make_model("lab/one")
    watched = Watched(browser, live_server.url)
    watched.open("/queue/")
    playwright.expect(watched.page.locator("#live")).to_contain_text("Nothing yet.")
    factories.make_result(factories.make_submission(kernel, model))
    factories.make_queued(factories.make_submission(kernel, model, 1))
    playwright.expect(watched.page.locator("#live")).to_contain_text("1 of 2 graded", timeout=120_000)
    assert watched.faults == []


def test_on_a_phone_no_open_table_is_wider_than_the_page(addresses: list[str], live_server: Any, browser: Any) -> None:
    watched = Watched(browser, live_server.url, viewport={"width": 390, "height": 900})
    for address in addresses:
        watched.page.goto(f"{live_server.url}{address}")
        wide = watched.page.evaluate(
            "[...document.querySelectorAll('.tbl')].filter(t => t.checkVisibility() && !t.closest('details:not([open])')"
            " && t.scrollWidth > t.clientWidth + 1).map(t => t.getAttribute('aria-label'))"
        )
        assert wide == [], address


def test_print_keeps_the_marks_and_leaves_no_selector(addresses: list[str], live_server: Any, browser: Any) -> None:
    watched = Watched(browser, live_server.url)
    watched.page.emulate_media(media="print")
    watched.page.goto(f"{live_server.url}/?arch=both")
    adjusts = "[...document.querySelectorAll('tbody td, .glyph')].map(cell => getComputedStyle(cell).printColorAdjust)"
    assert set(watched.page.evaluate(adjusts)) == {"exact"}
    assert not watched.page.locator(".controls").first.is_visible()
    watched.page.goto(f"{live_server.url}/kernels/")
    assert not watched.page.locator("th.slim").first.is_visible()
