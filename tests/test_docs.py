"""The pages keep up with the code: links lead somewhere, commands and files exist, Python examples run."""

import pkgutil
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import cookscribe
from cookscribe.cli import build_app
from cookscribe.export.clock import clock
from cookscribe.text.printable import full_sentence
from cookscribe.video.writing import write_video

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "lab/*.md", "src/cookscribe/shipped/*/*.md", "lab/src/*/shipped/*/*.md")
    for path in ROOT.glob(pattern)
)
EXAMPLES = [ROOT / "README.md", ROOT / "docs" / "python.md", ROOT / "docs" / "evaluation.md"]
# Of a user's data, or made by a command.
NOT_OURS = {"annotations/", "youcook2/annotations/", "events/"}

page_by_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@page_by_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith(("http:", "https:")):
            continue
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), target


@cache
def known_paths() -> str:
    """All files and folders of the project, one a line, folders with a slash at the end."""
    ours = [path for room in ("src", "lab", "tests", "benchmarks", "docs") for path in (ROOT / room).rglob("*")]
    return "".join(f"/{path.relative_to(ROOT)}{'/' if path.is_dir() else ''}\n" for path in ours)


@page_by_page
def test_files_and_folders_exist(page: Path) -> None:
    """`name.py` or `room/` in a page may leave out the folders before it."""
    for name in re.findall(r"`([\w./-]+(?:\.py|/))`", page.read_text(encoding="utf-8")):
        assert name in NOT_OURS or (ROOT / name).exists() or f"/{name}\n" in known_paths(), name


@page_by_page
def test_modules_and_names_exist(page: Path) -> None:
    for name in re.findall(r"(?<![\w/.])(cookscribe(?:_lab)?(?:\.\w+)+)(?!\w|-)", page.read_text(encoding="utf-8")):
        assert pkgutil.resolve_name(name), name


def command_lines(page: Path) -> Iterator[list[str]]:
    """What a page tells people to type after `cookscribe`: lines of blocks, and whole spans of code."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(r"^(?:    |\$ )+(?:torchrun .* -m )?cookscribe (.*)$", text, re.MULTILINE)
    spans = re.findall(r"(?<!`)`cookscribe ([^`]+)`(?!`)", text)
    for line in (*lines, *spans):
        words = shlex.split(line.replace("...", " "), comments=True)
        yield [word.strip("[]") for word in words]


@cache
def application() -> Any:
    return typer.main.get_command(build_app())


@page_by_page
def test_commands_exist_and_take_these_options(page: Path) -> None:
    for words in command_lines(page):
        command = application()
        left = list(words)
        while left and hasattr(command, "commands") and not left[0].startswith("-"):
            if left[0] == left[0].upper():  # `cookscribe study NAME`
                break
            assert left[0] in command.commands, f"cookscribe {' '.join(words)}"
            command = command.commands[left.pop(0)]
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        for word in left:
            if word.startswith("--"):
                assert word.partition("=")[0] in known | {"--help"}, f"cookscribe {' '.join(words)}"


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with films as the examples name them."""
    folder = tmp_path_factory.mktemp("films")
    grey = np.full((36, 64, 3), 90, np.uint8)
    for name in ("soup", "soup-again", "silent"):
        write_video(folder / f"{name}.mp4", ((float(second), grey) for second in range(93)), rate=1)
        if name != "silent":
            (folder / f"{name}.vtt").write_bytes((ROOT / "examples" / "soup.vtt").read_bytes())
    (folder / "no-film.mp4").write_text("these are words")
    for name in ("truth.json", "predictions.json"):
        (folder / name).write_bytes((ROOT / "examples" / name).read_bytes())
    return folder


def test_the_sample_in_the_readme_is_what_comes_out(films: Path) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    printed = re.findall(r"^     *\d  (\S+)  (.*?)  +\d+%", page, re.MULTILINE)
    recipe = cookscribe.write(films / "soup.mp4")
    # What is told beside a step stands behind its sentence, in brackets.
    shown = [(times, re.sub(r"  \(.*\)$", "", text)) for times, text in printed]
    written = [
        (f"{clock(step.span.start)}–{clock(step.span.end)}", full_sentence(step.sentence)) for step in recipe.steps
    ]
    assert [times for times, _ in shown] == [times for times, _ in written]
    # On processors that round otherwise the language model may find another sentence better.
    assert sum(one != other for one, other in zip(shown, written, strict=True)) <= 1
    assert recipe.title in page
    lines = {amount.ingredient: amount.line for amount in recipe.amounts}
    assert f"    with {', '.join(lines.get(name, name) for name in recipe.ingredients)}\n" in page


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda path: path.name)
def test_python_examples_run(page: Path, films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(films)
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
