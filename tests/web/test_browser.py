"""The pages in a real browser, on the real worker: films dropped in, recipes corrected, cooked from, taken away."""

import io
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import webvtt
from playwright.sync_api import Browser, Page, expect, sync_playwright

from cookscribe.video import VideoFile
from cookscribe.video.writing import write_video
from quick_web.running import PATIENCE, ROOT, Served, film, served
from tests.export.test_page_browser import CHROMIUM

AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 860}
DRAWN = ("cheddar", "ciabatta", "ragu", "fennel", "canola", "black pepper")


@dataclass
class Kitchen:
    """A server, a browser, and the recipes of the films that were dropped in."""

    server: Served
    browser: Browser
    recipes: dict[str, str]
    seen: list[str]

    @contextmanager
    def page(self, path: str = "/", size: dict[str, int] | None = None, **options: Any) -> Iterator[Page]:
        """A page without errors, that loads nothing from elsewhere."""
        context = self.browser.new_context(viewport=size or DESK, base_url=self.server.url, **options)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE * 1000)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if "Content Security" in line.text else None)
        page.on(
            "request", lambda request: None if request.url.startswith(self.server.url) else errors.append(request.url)
        )
        page.goto(path)
        yield page
        assert errors == []
        context.close()

    def recipe(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.server.client.get(f"/api/recipes/{self.recipes[name]}").json()
        return found


def wait_for(found: Any) -> None:
    """Wait until a function gives something true."""
    deadline = time.monotonic() + PATIENCE
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A drawn film, the same pictures with subtitles that speak of a soup, and a silent film."""
    folder = tmp_path_factory.mktemp("films")
    draw = [
        "-m",
        "cookscribe",
        "kitchen",
        "draw",
        "--seed",
        "7",
        "--workers",
        "1",
        "--out",
        str(folder / "sandwich.mp4"),
    ]
    subprocess.run([sys.executable, *draw], check=True, capture_output=True, timeout=600)
    frames = [frame.image for frame in VideoFile(folder / "sandwich.mp4").frames(rate=1)]
    write_video(folder / "soup.mp4", ((float(n), frames[n % len(frames)]) for n in range(93)), rate=1)
    shutil.copy(ROOT / "examples" / "soup.vtt", folder / "soup.en.vtt")
    film(folder / "silent.mp4")
    return folder


@pytest.fixture(scope="module")
def kitchen(films: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kitchen]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine: the pages were not looked at in a browser")
    library = tmp_path_factory.mktemp("library")
    command = (sys.executable, "-m", "cookscribe", "serve", "--library", str(library), "--port", "0")
    with served(library, *command) as server, sync_playwright() as program:
        quiet = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
        browser = program.chromium.launch(executable_path=CHROMIUM, args=quiet, timeout=PATIENCE * 1000)
        kitchen = Kitchen(server, browser, {}, [])
        with kitchen.page() as page:
            expect(page.get_by_role("heading", name="Drop a cooking video here")).to_be_visible()
            send(page, films, "sandwich.mp4", ingredients=", ".join(DRAWN))
            send(page, films, "soup.mp4", "soup.en.vtt", "silent.mp4")
            deadline = time.monotonic() + 2 * PATIENCE
            while True:
                kitchen.seen += page.get_by_role("progressbar").evaluate_all("bars => bars.map(bar => bar.ariaLabel)")
                cards = server.client.get("/api/recipes").json()["recipes"]
                ended = [card for card in cards if card["job"]["state"] in ("done", "failed")]
                if len(ended) == 3:
                    break
                assert time.monotonic() < deadline, cards
                time.sleep(0.1)
            kitchen.recipes |= {card["film"].removesuffix(".mp4"): card["id"] for card in cards}
            expect(page.get_by_text("7 steps")).to_be_visible()
            expect(page.get_by_text("Not written:")).to_be_visible()
        yield kitchen
        browser.close()


def send(page: Page, films: Path, *names: str, ingredients: str = "") -> None:
    page.get_by_role("button", name="Add films").click()
    page.locator("dialog input[type=file]").set_input_files([films / name for name in names])
    page.get_by_label("Ingredients").fill(ingredients)
    page.get_by_role("dialog").get_by_role("button", name="Write").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def saved(page: Page, revision: int) -> None:
    expect(page.locator(".saved-state")).to_have_text(f"Saved · revision {revision}")


def test_films_dropped_in_become_recipes(kitchen: Kitchen) -> None:
    assert any(label.startswith("Writing: ") for label in kitchen.seen), "progress was shown"
    soup, sandwich, silent = (kitchen.recipe(name) for name in ("soup", "sandwich", "silent"))
    assert (soup["recipe"]["made_by"]["model"], soup["words_given"]) == ("youcook2-speech", True)
    assert sandwich["recipe"]["made_by"]["simulated"]
    assert any("fennel" in step["sentence"] for step in sandwich["recipe"]["steps"])
    assert silent["job"]["state"] == "failed"
    assert "silent.mp4" in silent["job"]["error"]["subject"]
    with kitchen.page() as page:
        page.get_by_role("searchbox").fill("fennel")
        expect(page.locator(".card")).to_have_count(1)
        page.get_by_role("link", name="Sandwich").click()
        expect(page.get_by_role("heading", name="Sandwich")).to_be_visible()


def test_a_sentence_is_edited_undone_and_an_earlier_revision_restored(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['soup']}") as page:
        before = kitchen.recipe("soup")
        first, revision = before["recipe"]["steps"][0]["sentence"], before["revision"]
        page.locator(".sentence").first.click()
        page.get_by_label("Sentence of step 1").fill("melt <b>butter</b> in a pot")
        page.keyboard.press("Enter")
        saved(page, revision + 1)
        expect(page.locator(".sentence").first).to_have_text("Melt <b>butter</b> in a pot.")
        assert kitchen.recipe("soup")["recipe"]["steps"][0]["sentence"] == "melt <b>butter</b> in a pot"
        assert kitchen.recipe("soup")["marks"][0]["by"] == "person"
        page.keyboard.press("Control+z")
        saved(page, revision + 2)
        assert kitchen.recipe("soup")["recipe"]["steps"][0]["sentence"] == first
        page.get_by_role("button", name="Revisions", exact=True).click()
        page.get_by_role("button", name=f"Revision {revision + 1}").click()
        page.get_by_role("button", name="Back to this revision").click()
        saved(page, revision + 3)
        expect(page.locator(".sentence").first).to_have_text("Melt <b>butter</b> in a pot.")


def test_a_border_is_dragged_and_the_film_follows(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['soup']}") as page:
        before = kitchen.recipe("soup")
        page.get_by_role("button", name="Step 7,").click()
        handle = page.get_by_role("slider", name="End of step 7")
        box, line = handle.bounding_box(), page.locator(".time-inner").bounding_box()
        assert box is not None
        assert line is not None
        wanted = 90.5
        x = line["x"] + line["width"] * wanted / before["recipe"]["video"]["duration"]
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(x, box["y"] + 5, steps=4)
        page.mouse.up()
        saved(page, before["revision"] + 1)
        after = kitchen.recipe("soup")["recipe"]["steps"]
        assert after[6]["span"]["end"] == pytest.approx(wanted, abs=0.3)
        assert after[:6] == before["recipe"]["steps"][:6]
        assert page.evaluate("document.querySelector('video').currentTime") == pytest.approx(wanted, abs=0.5)


def test_everything_by_keyboard(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['sandwich']}") as page:
        expect(page.locator(".step")).to_have_count(len(kitchen.recipe("sandwich")["recipe"]["steps"]))
        number, revision = page.locator(".step").count(), kitchen.recipe("sandwich")["revision"]
        wait_for(lambda: page.evaluate("document.querySelector('video').readyState >= 1"))
        page.keyboard.press("n")
        expect(page.locator(".step[aria-current]")).to_have_count(1)
        page.keyboard.press("s")
        expect(page.locator(".step")).to_have_count(number + 1)
        page.keyboard.press("m")
        expect(page.locator(".step")).to_have_count(number)
        page.keyboard.press("e")
        page.keyboard.type("slice some cheddar")
        page.keyboard.press("Enter")
        page.keyboard.press("r")
        expect(page.locator(".step").first).to_contain_text("right")
        # To a border of the step: the time line's button of the step, then its two sliders.
        page.locator(".bar-step.chosen .bar-seek").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.ariaLabel") == "End of step 1"
        end = float(page.evaluate("document.activeElement.ariaValueNow"))
        page.keyboard.press("Shift+ArrowRight")
        assert page.evaluate("document.activeElement.ariaLabel") == "End of step 1", "the focus stays"
        wait_for(lambda: kitchen.recipe("sandwich")["marks"][0]["right"])
        wait_for(
            lambda: kitchen.recipe("sandwich")["recipe"]["steps"][0]["span"]["end"] == pytest.approx(end + 1, abs=0.06)
        )
        assert kitchen.recipe("sandwich")["recipe"]["steps"][0]["sentence"] == "slice some cheddar"
        assert kitchen.recipe("sandwich")["revision"] > revision
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_writing_again_shows_what_would_change(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['soup']}") as page:
        before = kitchen.recipe("soup")
        assert before["marks"][0]["by"] == "person"
        page.get_by_role("button", name="Write again").first.click()
        page.get_by_role("textbox", name="Ingredients").fill("2 tbsp butter\nonion\ntomatoes\nchicken stock")
        page.get_by_role("dialog").get_by_role("button", name="Write again").click()
        page.locator(".panel").get_by_role("button", name="See what would change").click()
        dialog = page.get_by_role("dialog", name="What would change")
        expect(dialog.locator("li.kept").first).to_contain_text("Melt <b>butter</b>")
        assert kitchen.recipe("soup")["revision"] == before["revision"], "nothing has changed yet"
        dialog.get_by_role("button", name="Take the changes").click()
        saved(page, before["revision"] + 1)
        expect(page.locator(".ingredients")).to_contain_text("2 tbsp butter")
        assert kitchen.recipe("soup")["recipe"]["steps"][0]["sentence"] == "melt <b>butter</b> in a pot"


def test_an_export_is_downloaded_and_read_by_its_own_reader(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['sandwich']}") as page:
        page.get_by_role("button", name="Export").first.click()
        with page.expect_download() as download:
            page.locator("[data-format=vtt]").click()
        assert download.value.suggested_filename == "Sandwich.recipe.vtt"
        captions = webvtt.from_buffer(io.StringIO(Path(download.value.path()).read_text())).captions
        assert len(captions) == len(kitchen.recipe("sandwich")["recipe"]["steps"])


def test_cook_mode_shows_one_step_and_loops_its_clip(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['sandwich']}#cook", PHONE) as page:
        steps = kitchen.recipe("sandwich")["recipe"]["steps"]
        expect(page.locator(".cook-number")).to_have_text(f"Step 1 of {len(steps)}")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".cook-number")).to_have_text(f"Step 2 of {len(steps)}")
        start, end = steps[1]["span"]["start"], steps[1]["span"]["end"]
        seconds = "document.querySelector('.cook video').currentTime"
        wait_for(lambda: start - 0.5 <= page.evaluate(seconds) <= end + 0.5)
        page.evaluate(f"document.querySelector('.cook video').currentTime = {end - 0.2}")
        wait_for(lambda: page.evaluate(seconds) < end - 0.5)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.get_by_role("button", name="Leave cook mode").click()
        expect(page.locator(".cook")).to_have_count(0)


def test_phone_dark_and_print(kitchen: Kitchen) -> None:
    for path in ("/", f"/r/{kitchen.recipes['soup']}", f"/r/{kitchen.recipes['silent']}"):
        with kitchen.page(path, PHONE, color_scheme="dark") as page:
            expect(page.locator(".card, .heading h1").first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
            dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert sum(map(int, dark.removeprefix("rgb(").rstrip(")").split(","))) < 150
            page.emulate_media(media="print")
            if path != "/":
                assert not page.is_visible("video")
                assert not page.is_visible("header")
                assert page.is_visible(".heading h1")
            if path.endswith(kitchen.recipes["soup"]):
                assert page.is_visible(".step img")
                assert page.is_visible(".ingredients")


def test_why_a_step_is_there_and_what_was_heard(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['sandwich']}") as page:
        page.get_by_role("button", name="Why step 2?").click()
        expect(page.locator(".why:not([hidden])")).to_contain_text("Of 100 steps like this one")
        page.get_by_role("button", name="Candidates").click()
        expect(page.locator(".lane.candidates button").first).to_be_visible()


def test_no_serious_fault_of_accessibility(kitchen: Kitchen) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (make browser, needs npm): accessibility was not looked at")
    axe = AXE.read_text()

    def faults(page: Page, where: str) -> list[str]:
        page.wait_for_timeout(400)  # colours that change slowly
        page.evaluate(axe)
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
        return [
            f"{where}: {fault['id']}: {node['html'][:120]}"
            for fault in found
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"][:3]
        ]

    told = []
    for scheme in ("light", "dark"):
        with kitchen.page("/", color_scheme=scheme) as page:
            expect(page.locator(".card").first).to_be_visible()
            told += faults(page, f"{scheme} shelf")
            page.get_by_role("button", name="Add films").click()
            told += faults(page, f"{scheme} add")
        with kitchen.page(f"/r/{kitchen.recipes['soup']}", color_scheme=scheme) as page:
            expect(page.locator(".step").first).to_be_visible()
            page.get_by_role("button", name="Step 2,").click()
            page.get_by_role("button", name="Why step 2?").click()
            told += faults(page, f"{scheme} recipe")
            if scheme == "light":
                for name in ("Revisions", "Write again", "Export"):
                    page.get_by_role("button", name=name).first.click()
                    told += faults(page, name)
                    page.get_by_role("dialog").get_by_role("button", name="Close").click()
                page.get_by_role("button", name="Cook").click()
                told += faults(page, "cook")
    with kitchen.page(f"/r/{kitchen.recipes['silent']}", PHONE) as page:
        expect(page.locator(".panel.failed")).to_be_visible()
        told += faults(page, "failed")
    assert told == []
