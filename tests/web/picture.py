"""The picture of the web application in the README: `python -m tests.web.picture [OUT.png]`, from the project's folder.

A drawn film is sent to a server of its own, its recipe is opened in chromium, and the page is photographed.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.export.test_page_browser import CHROMIUM

ROOT = Path(__file__).parents[2]
SIZE = {"width": 1280, "height": 900}
INGREDIENTS = "4 slices ciabatta\n120 g cheddar\n2 tbsp ragu\n1 fennel\n1 tbsp canola\nblack pepper"


def main(target: Path) -> None:
    """Write the picture."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    from quick_web.running import served

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw = ("kitchen", "draw", "--seed", "7", "--height", "360", "--out", str(folder / "sandwich.mp4"))
        subprocess.run([sys.executable, "-m", "cookscribe", *draw], check=True)
        command = (sys.executable, "-m", "cookscribe", "serve", "--library", str(folder / "library"), "--port", "0")
        with served(folder / "library", *command) as server, sync_playwright() as program:
            recipe = server.upload(folder / "sandwich.mp4", INGREDIENTS, "Grilled cheddar sandwich")
            server.wait(recipe)
            browser = program.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
            page.goto(f"{server.url}/r/{recipe}")
            page.get_by_role("button", name="Step 3,").click()
            page.get_by_role("button", name="Candidates").click()
            page.evaluate("document.querySelector('video').removeAttribute('controls')")
            page.evaluate("document.querySelector('video').currentTime = 29")
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(1500)
            page.screenshot(path=target)
            browser.close()
    print(target)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures/web.png"))
