"""The pages keep up with the code: links lead somewhere, commands and files exist, Python examples run."""

from __future__ import annotations

import pkgutil
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from cookscribe.cli import build_app
from cookscribe.video import write_video

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "lab/*.md", "src/cookscribe/shipped/*/*.md", "lab/src/*/shipped/*/*.md")
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


@page_by_page
def test_files_and_folders_exist(page: Path) -> None:
    """`name.py` or `room/` in a page may leave out the folders before it."""
    ours = [
        path for room in ("src", "lab", "tests", "benchmarks", "docs", "examples") for path in (ROOT / room).rglob("*")
    ]
    known = "".join(f"/{path.relative_to(ROOT)}{'/' if path.is_dir() else ''}\n" for path in ours)
    for name in re.findall(r"`([\w./-]+(?:\.py|/))`", page.read_text(encoding="utf-8")):
        top = (ROOT / name).exists()
        assert top or name in NOT_OURS or f"/{name}\n" in known, name


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


@page_by_page
def test_commands_exist_and_take_these_options(page: Path) -> None:
    for words in command_lines(page):
        command: Any = typer.main.get_command(build_app())
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


SUBTITLES = """WEBVTT

00:02.000 --> 00:06.000
hi everyone today I'm making my grandmother's tomato soup

00:10.000 --> 00:16.000
first melt some butter in a large pot over medium heat

00:18.000 --> 00:26.000
add one chopped onion and two cloves of garlic and cook until they are soft

00:32.000 --> 00:40.000
now pour in the canned tomatoes and the chicken stock and stir it all together

00:54.000 --> 01:02.000
bring it to a boil, then blend the soup until it is smooth and stir in the cream
"""


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with films as the examples name them."""
    folder = tmp_path_factory.mktemp("films")
    grey = np.full((36, 64, 3), 90, np.uint8)
    for name in ("soup", "soup-again", "silent"):
        write_video(folder / f"{name}.mp4", ((float(second), grey) for second in range(93)), rate=1)
        if name != "silent":
            (folder / f"{name}.vtt").write_text(SUBTITLES)
    (folder / "no-film.mp4").write_text("these are words")
    for name in ("truth.json", "predictions.json"):
        (folder / name).write_bytes((ROOT / "examples" / name).read_bytes())
    return folder


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda path: path.name)
def test_python_examples_run(page: Path, films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(films)
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks
    names: dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
