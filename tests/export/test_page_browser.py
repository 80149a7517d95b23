"""The page in a real browser: seek, follow, keyboard, escape, print, no network."""

import io
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import sync_playwright

from cookscribe.export.page import to_page
from cookscribe.recipe import Recipe, Span, Step, Video
from tests.broken_films import brightening

from .documents import soup

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: the page was not looked at in a browser")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    with sync_playwright() as program:
        more = ["--disable-component-update", "--disable-sync"]
        chromium = program.chromium.launch(executable_path=CHROMIUM, args=[*quiet, *more], timeout=300_000)
        yield chromium
        chromium.close()


def jpeg() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (32, 18), "tomato").save(buffer, "JPEG")
    return buffer.getvalue()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Any]:
    brightening(tmp_path / "soup.mp4", 120)
    (tmp_path / "soup.html").write_text(to_page(soup(), (jpeg(),) * 4))
    page = browser.new_page(viewport={"width": 1100, "height": 800})
    page.errors = []
    page.requests = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("request", lambda request: page.requests.append(request.url))
    page.goto((tmp_path / "soup.html").as_uri())
    wait_until(page, "document.querySelector('video').readyState >= 1")
    yield page
    assert page.errors == []
    assert all(url.startswith(("file:", "data:")) for url in page.requests)
    page.close()


def wait_until(page: Any, expression: str) -> None:
    """Poll from here: playwright's own waiting evaluates text inside the page, which the page's policy forbids."""
    deadline = time.monotonic() + 20
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, f"never became true: {expression}"
        time.sleep(0.05)


def current(page: Any) -> list[str]:
    return page.eval_on_selector_all(".step[aria-current]", "found => found.map(step => step.id)")


def test_click_seeks_and_the_step_follows(opened: Any) -> None:
    assert current(opened) == []
    opened.click(".timeline button >> nth=1")
    assert opened.evaluate("document.querySelector('video').currentTime") == pytest.approx(34, abs=0.1)
    assert current(opened) == ["step-2"]
    opened.click("#step-4 .when")
    assert current(opened) == ["step-4"]
    # Where steps overlap, the one that started last is current; between steps none is.
    opened.evaluate("document.querySelector('video').currentTime = 59")
    wait_until(opened, "document.querySelector('#step-3').hasAttribute('aria-current')")
    opened.evaluate("document.querySelector('video').currentTime = 70")
    wait_until(opened, "!document.querySelector('.step[aria-current]')")


def test_keyboard(opened: Any) -> None:
    for key, step in (("n", "step-1"), ("n", "step-2"), ("p", "step-1")):
        opened.keyboard.press(key)
        assert current(opened) == [step]
    before = opened.evaluate("document.querySelector('video').currentTime")
    opened.keyboard.press("ArrowRight")
    assert opened.evaluate("document.querySelector('video').currentTime") == pytest.approx(before + 5, abs=0.1)
    opened.keyboard.press("Tab")
    assert opened.evaluate("document.activeElement.tagName") in ("VIDEO", "BUTTON", "A")


def test_phone_has_no_sideways_scrolling_and_print_hides_the_player(opened: Any) -> None:
    opened.set_viewport_size({"width": 360, "height": 740})
    assert opened.evaluate("document.documentElement.scrollWidth") <= 360
    opened.emulate_media(media="print")
    assert not opened.is_visible("video")
    assert opened.is_visible("#step-1 img")
    assert opened.is_visible(".ingredients")


def test_evidence_is_folded_and_opens(opened: Any) -> None:
    assert not opened.is_visible(".lanes")
    opened.click("summary")
    assert opened.is_visible(".lanes")
    assert opened.locator(".lanes rect").count() == 5


def test_hostile_text_runs_nothing(browser: Any, tmp_path: Path) -> None:
    attack = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    recipe = Recipe(
        title=attack,
        ingredients=(attack,),
        steps=(Step(span=Span(start=0, end=1), sentence=attack, ingredients=(attack,)),),
        video=Video(name=f'"><script>{attack}'.replace("/", ""), duration=2),
        warnings=(attack,),
    )
    (tmp_path / "page.html").write_text(to_page(recipe))
    page = browser.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector(".pick.shown")
    assert page.title().startswith("</script>")
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    page.close()
