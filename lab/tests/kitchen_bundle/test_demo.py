"""What people see: the recipe beside the truth, unsure steps, weak evidence."""

from pathlib import Path
from typing import Any

import pytest
import webvtt
from rich.console import Console

from cookscribe.cli.recipe_table import print_recipe
from cookscribe.errors import CookscribeError, MissingDependencyError
from cookscribe.recipe import MadeBy, Recipe, Span, Step, Video
from cookscribe.video import VideoFile
from cookscribe_lab.cli.kitchen_demo import NARRATED_TEMPO, SEED
from cookscribe_lab.kitchen_films.recipes import PLAIN, MadeUpRecipe, make_recipe
from tests.broken_films import brightening
from tests.command import run_command


@pytest.fixture
def made_up() -> MadeUpRecipe:
    return make_recipe(SEED, 0, "testing", tempo=3.5, wording=PLAIN)


def told(recipe: MadeUpRecipe, name: str) -> Recipe:
    """The truth, but for a first step nobody knows anything of and a second one that was missed."""
    steps = [
        Step(span=step.span, sentence="sing a song" if n == 0 else step.sentence, confidence=0.1 if n == 0 else 0.9)
        for n, step in enumerate(recipe.steps)
        if n != 1
    ]
    return Recipe(
        title=recipe.title,
        ingredients=recipe.names,
        steps=tuple(steps),
        video=Video(name=name, duration=recipe.duration),
        made_by=MadeBy(model="kitchen", simulated=True),
        warnings=("the evidence is weak (mean confidence 20%): take this as a draft",),
    )


@pytest.mark.parametrize(
    "trouble",
    [
        MissingDependencyError("METEOR", "no Java", "install one"),
        CookscribeError("METEOR", "the Java program does not answer and was stopped"),
    ],
)
def test_the_recipe_stands_beside_the_truth(
    trouble: CookscribeError, made_up: MadeUpRecipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_java(*_: Any) -> None:
        raise trouble

    heard: list[tuple[str, list[str]]] = []

    class Scribe:
        def write(self, film: VideoFile, ingredients: list[str], *_: Any, **more: Any) -> Recipe:
            del more
            if film.path.with_suffix(".vtt").is_file():
                heard.append((film.path.with_suffix(".vtt").read_text(), ingredients))
                return told(make_recipe(SEED, 1, "testing", tempo=NARRATED_TEMPO, wording=PLAIN), film.path.name)
            assert ingredients == list(made_up.names)
            return told(made_up, film.path.name)

    def draw(recipe: MadeUpRecipe, path: Path, _: Any) -> None:
        brightening(path, int(recipe.duration), 1.0)

    monkeypatch.setattr("cookscribe.cli.write.find_scribe", lambda _: Scribe())
    monkeypatch.setattr("cookscribe_lab.kitchen_films.drawing.film.draw_video", draw)
    monkeypatch.setattr("cookscribe.evaluation.meteor.MeteorTable.ask", no_java)
    monkeypatch.setenv("COLUMNS", "400")
    printed = run_command("kitchen", "demo", "--out", tmp_path)
    lines = printed.splitlines()
    first = next(line for line in lines if made_up.steps[0].sentence in line)
    assert "≈ sing a song" in first
    assert "10% ?" in first
    last = next(line for line in lines if f"✓ {made_up.steps[-1].sentence}" in line)
    assert last.count(made_up.steps[-1].sentence) == 2
    count = len(made_up.steps)
    assert f"{count - 2} of {count - 1} steps right" in printed
    assert "SODA tIoU" in printed
    assert "METEOR" not in printed  # it is left out, and the demo goes on
    assert "evidence is weak" in printed
    assert len(list(tmp_path.glob("*.html"))) == 2
    ((subtitles, ingredients),) = heard
    assert not ingredients, "the narrated film is written from what is said alone"
    assert parsed(subtitles, make_recipe(SEED, 1, "testing", tempo=NARRATED_TEMPO, wording=PLAIN))


def parsed(subtitles: str, recipe: MadeUpRecipe) -> bool:
    """Whether every step is told while it is shown, by somebody else's reader of WebVTT."""
    cues = list(webvtt.from_string(subtitles))
    return all(
        any(
            step.sentence in cue.text
            and step.span.start - 0.01 <= cue.start_in_seconds + 1
            and cue.end_in_seconds <= step.span.end + 1
            for cue in cues
        )
        for step in recipe.steps
    )


def test_unsure_steps_and_weak_evidence_are_seen_in_the_terminal(made_up: MadeUpRecipe) -> None:
    screen = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    step = Step(span=Span(start=0, end=2), sentence="fry it all", confidence=0.2, ingredients=("onion",))
    print_recipe(told(made_up, "x.mp4").model_copy(update={"steps": (step,)}), screen)
    text = screen.export_text()
    assert "Fry it all.  (onion)" in text
    assert "20% ?" in text
    assert "note: the evidence is weak" in text
    assert ", ".join(made_up.names) in text
