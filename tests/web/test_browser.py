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

import numpy as np
import pytest
import webvtt
from playwright.sync_api import Browser, Page, expect

from cookscribe.video.writing import write_video
from quick_web.running import PATIENCE, ROOT, Served, served
from tests.export.test_page_browser import browser as browser

AXE = Path(sys.prefix) / "axe" / "node_modules" / "axe-core" / "axe.min.js"
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 860}
DRAWN = ("cheddar", "ciabatta", "ragu", "fennel", "canola", "black pepper")

expect.set_options(timeout=PATIENCE * 1000)


@dataclass
class Kitchen:
    """A server, a browser, and the recipes of the films that were dropped in."""

    server: Served
    browser: Browser
    recipes: dict[str, str]

    @contextmanager
    def page(self, path: str = "/", size: dict[str, int] | None = None, **options: Any) -> Iterator[Page]:
        """A page without errors, that loads nothing from elsewhere."""
        context = self.browser.new_context(
            viewport=size or DESK, base_url=self.server.url, reduced_motion="reduce", **options
        )  # type: ignore[arg-type]
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
def kitchen(browser: Browser, server: Served, small_film: Path) -> Kitchen:
    """Recipes that were made up at once, and one that could not be written."""
    recipes = {
        "soup": server.upload(small_film, title="Soup"),
        "stew": server.upload(small_film, title="Stew"),
        "failed": server.upload(small_film, "refuse", title="Silent"),
    }
    for recipe in recipes.values():
        server.wait(recipe)
    return Kitchen(server, browser, recipes)


def send(page: Page, *files: Path, ingredients: str = "") -> None:
    """Add films by the dialog."""
    page.get_by_role("button", name="Add films").click()
    page.locator("dialog input[type=file]").set_input_files(files)
    page.get_by_label("Ingredients").fill(ingredients)
    page.get_by_role("dialog").get_by_role("button", name="Write").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def saved(page: Page, revision: int) -> None:
    expect(page.locator(".saved-state")).to_have_text(f"Saved · revision {revision}")


def test_films_dropped_in_become_recipes(browser: Browser, tmp_path: Path) -> None:
    """With the worker and the models that are shipped: a drawn film, and a narrated one with its subtitles."""
    draw = ("kitchen", "draw", "--seed", "7", "--height", "96", "--tempo", "6", "--workers", "1")
    drawn, soup = tmp_path / "sandwich.mp4", tmp_path / "soup.mp4"
    subprocess.run([sys.executable, "-m", "cookscribe", *draw, "--out", str(drawn)], check=True, capture_output=True)
    write_video(soup, ((float(n), np.full((36, 64, 3), 2 * n, np.uint8)) for n in range(93)), rate=1)
    shutil.copy(ROOT / "examples" / "soup.vtt", tmp_path / "soup.en.vtt")
    library = tmp_path / "library"
    command = (sys.executable, "-m", "cookscribe", "serve", "--library", str(library), "--port", "0")
    with served(library, *command) as server:
        kitchen = Kitchen(server, browser, {})
        with kitchen.page() as page:
            expect(page.get_by_role("heading", name="Drop a cooking video here")).to_be_visible()
            send(page, drawn, ingredients=", ".join(DRAWN))
            send(page, soup, tmp_path / "soup.en.vtt")
            expect(page.locator(".card")).to_have_count(2)
            expect(page.get_by_role("progressbar", name="Writing: ").first).to_be_visible()
            for card in server.client.get("/api/recipes").json()["recipes"]:
                kitchen.recipes[card["film"].removesuffix(".mp4")] = card["id"]
                server.wait(card["id"])
            expect(page.get_by_text("7 steps")).to_be_visible()
            page.get_by_role("link", name="Soup").click()
            expect(page.locator(".step")).to_have_count(7)
            page.get_by_role("button", name="Heard", exact=True).click()
            expect(page.locator(".lane.heard")).to_contain_text("melt some butter")
        told = kitchen.recipe("soup")
        assert (told["recipe"]["made_by"]["model"], told["words_given"]) == ("youcook2-speech", True)
        seen = kitchen.recipe("sandwich")
        assert seen["recipe"]["made_by"]["simulated"]
        assert seen["recipe"]["ingredients"] == list(DRAWN)
        assert seen["recipe"]["steps"]


def test_the_shelf_shows_searches_and_deletes(kitchen: Kitchen) -> None:
    with kitchen.page() as page:
        expect(page.get_by_text("Not written: is not narrated")).to_be_visible()
        page.get_by_role("searchbox").fill("stew oni")
        expect(page.locator(".card")).to_have_count(1)
        page.get_by_role("button", name="Actions for Stew").click()
        page.get_by_role("menuitem", name="Delete").click()
        expect(page.get_by_text("Nothing found")).to_be_visible()
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(".card")).to_have_count(1)
        page.get_by_role("link", name="Stew").click()
        expect(page.get_by_role("heading", name="Stew")).to_be_visible()


def test_a_sentence_is_edited_undone_and_an_earlier_revision_restored(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['soup']}") as page:
        before = kitchen.recipe("soup")
        first, revision = before["recipe"]["steps"][0]["sentence"], before["revision"]
        page.locator(".sentence").first.click()
        page.get_by_label("Sentence of step 1").fill("peel <b>the</b> onion")
        page.keyboard.press("Enter")
        saved(page, revision + 1)
        expect(page.locator(".sentence").first).to_have_text("Peel <b>the</b> onion.")
        assert kitchen.recipe("soup")["recipe"]["steps"][0]["sentence"] == "peel <b>the</b> onion"
        assert kitchen.recipe("soup")["marks"][0]["by"] == "person"
        page.keyboard.press("Control+z")
        saved(page, revision + 2)
        assert kitchen.recipe("soup")["recipe"]["steps"][0]["sentence"] == first
        page.get_by_role("button", name="Revisions", exact=True).click()
        page.get_by_role("button", name=f"Revision {revision + 1}").click()
        page.get_by_role("button", name="Back to this revision").click()
        saved(page, revision + 3)
        expect(page.locator(".sentence").first).to_have_text("Peel <b>the</b> onion.")


def test_a_border_is_dragged_and_the_film_follows(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['stew']}") as page:
        before = kitchen.recipe("stew")
        page.get_by_role("button", name="Step 4,").click()
        handle = page.get_by_role("slider", name="End of step 4")
        box, line = handle.bounding_box(), page.locator(".time-inner").bounding_box()
        wanted = 9.4
        x = line["x"] + line["width"] * wanted / before["recipe"]["video"]["duration"]
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(x, box["y"] + 5, steps=4)
        page.mouse.up()
        saved(page, before["revision"] + 1)
        after = kitchen.recipe("stew")["recipe"]["steps"]
        assert after[3]["span"]["end"] == pytest.approx(wanted, abs=0.1)
        assert after[:3] == before["recipe"]["steps"][:3]
        wait_for(lambda: abs(page.evaluate("document.querySelector('video').currentTime") - wanted) < 0.2)


def test_everything_by_keyboard(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['stew']}") as page:
        expect(page.locator(".step")).to_have_count(4)
        wait_for(lambda: page.evaluate("document.querySelector('video').readyState >= 1"))
        page.keyboard.press("n")
        expect(page.locator(".step[aria-current]")).to_have_count(1)
        page.keyboard.press("s")
        expect(page.locator(".step")).to_have_count(5)
        page.keyboard.press("m")
        expect(page.locator(".step")).to_have_count(4)
        page.keyboard.press("e")
        page.keyboard.type("slice an onion")
        page.keyboard.press("Enter")
        page.keyboard.press("r")
        expect(page.locator(".step").first).to_contain_text("right")
        # To a border of the step: its button on the time line, then its two sliders.
        page.locator(".bar-step.chosen .bar-seek").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.ariaLabel") == "End of step 1"
        page.keyboard.press("Shift+ArrowLeft")
        assert page.evaluate("document.activeElement.ariaLabel") == "End of step 1", "the focus stays"
        wait_for(lambda: abs(kitchen.recipe("stew")["recipe"]["steps"][0]["span"]["end"] - 1.5) < 0.01)
        whole = kitchen.recipe("stew")
        assert whole["recipe"]["steps"][0]["sentence"] == "slice an onion"
        assert whole["marks"][0]["right"]
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)


def test_writing_again_shows_what_would_change(kitchen: Kitchen) -> None:
    whole = kitchen.recipe("soup")
    steps = [
        {"id": mark["id"], "start": step["span"]["start"], "end": step["span"]["end"], "sentence": step["sentence"]}
        for step, mark in zip(whole["recipe"]["steps"], whole["marks"], strict=True)
    ]
    steps[0]["sentence"] = "peel <b>the</b> onion"
    edit = {"revision": whole["revision"], "title": "Soup", "ingredients": ["onion"], "steps": steps}
    before = kitchen.server.client.put(f"/api/recipes/{whole['id']}", json=edit).raise_for_status().json()
    with kitchen.page(f"/r/{kitchen.recipes['soup']}") as page:
        expect(page.locator(".sentence").first).to_have_text("Peel <b>the</b> onion.")
        page.get_by_role("button", name="Write again").first.click()
        page.get_by_role("textbox", name="Ingredients").fill("2 tbsp ghee\nonion")
        page.get_by_role("dialog").get_by_role("button", name="Write again").click()
        page.locator(".panel").get_by_role("button", name="See what would change").click()
        dialog = page.get_by_role("dialog", name="What would change")
        expect(dialog.locator("li.kept")).to_contain_text("Peel <b>the</b> onion.")
        expect(dialog.locator("li.changed")).to_have_count(3)
        assert kitchen.recipe("soup")["revision"] == before["revision"], "nothing has changed yet"
        dialog.get_by_role("button", name="Take the changes").click()
        saved(page, before["revision"] + 1)
        expect(page.locator(".ingredients")).to_contain_text("2 tbsp ghee")
        assert kitchen.recipe("soup")["recipe"]["steps"][0]["sentence"] == "peel <b>the</b> onion"
        assert kitchen.recipe("soup")["recipe"]["steps"][1]["sentence"] == "melt the butter in a pan with ghee"


def test_an_export_is_downloaded_and_read_by_its_own_reader(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['soup']}") as page:
        page.get_by_role("button", name="Export").first.click()
        with page.expect_download() as download:
            page.locator("[data-format=vtt]").click()
        assert download.value.suggested_filename == "Soup.recipe.vtt"
        captions = webvtt.from_buffer(io.StringIO(Path(download.value.path()).read_text())).captions
        assert len(captions) == 4


def test_cook_mode_shows_one_step_and_loops_its_clip(kitchen: Kitchen) -> None:
    with kitchen.page(f"/r/{kitchen.recipes['soup']}#cook", PHONE) as page:
        expect(page.locator(".cook-number")).to_have_text("Step 1 of 4")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".cook-number")).to_have_text("Step 3 of 4")
        expect(page.get_by_role("button", name="Start 5 min")).to_be_visible()
        seconds = "document.querySelector('.cook video').currentTime"
        wait_for(lambda: 4.5 <= page.evaluate(seconds) <= 7)
        page.evaluate("document.querySelector('.cook video').currentTime = 6.4")
        wait_for(lambda: page.evaluate(seconds) < 6)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.get_by_role("button", name="Leave cook mode").click()
        expect(page.locator(".cook")).to_have_count(0)


def test_phone_dark_and_print(kitchen: Kitchen) -> None:
    for path in ("/", f"/r/{kitchen.recipes['soup']}", f"/r/{kitchen.recipes['failed']}"):
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


def test_no_serious_fault_of_accessibility(kitchen: Kitchen) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (make browser, needs npm): accessibility was not looked at")
    axe = AXE.read_text()

    def faults(page: Page, where: str) -> list[str]:
        page.evaluate(axe)
        looked = page.evaluate("axe.run(document, { resultTypes: ['violations', 'passes'] })")
        assert len(looked["passes"]) > 10, "it did look"
        return [
            f"{where}: {fault['id']}: {node['html'][:120]}"
            for fault in looked["violations"]
            if fault["impact"] in ("serious", "critical")
            for node in fault["nodes"][:3]
        ]

    told = []
    with kitchen.page("/") as page:
        expect(page.locator(".card").first).to_be_visible()
        told += faults(page, "shelf")
        page.get_by_role("button", name="Add films").click()
        told += faults(page, "add")
    for scheme in ("light", "dark"):
        with kitchen.page(f"/r/{kitchen.recipes['stew']}", color_scheme=scheme) as page:
            page.get_by_role("button", name="Step 2,").click()
            page.get_by_role("button", name="Why step 2?").click()
            expect(page.locator(".why:not([hidden])")).to_contain_text("Of 100 steps like this one")
            page.get_by_role("button", name="Candidates").click()
            page.get_by_role("button", name="Heard", exact=True).click()
            expect(page.locator(".lane.heard")).to_contain_text("five minutes")
            told += faults(page, f"{scheme} recipe")
            if scheme == "light":
                for name in ("Revisions", "Write again", "Export"):
                    page.get_by_role("button", name=name).first.click()
                    told += faults(page, name)
                    page.get_by_role("dialog").get_by_role("button", name="Close").click()
                page.get_by_role("button", name="Cook").click()
                told += faults(page, "cook")
    with kitchen.page(f"/r/{kitchen.recipes['failed']}", PHONE, color_scheme="dark") as page:
        expect(page.locator(".panel.failed")).to_contain_text("onion_soup.mp4: Is not narrated.")
        assert "false" not in page.locator("main").inner_text()
        told += faults(page, "failed")
    assert told == []
