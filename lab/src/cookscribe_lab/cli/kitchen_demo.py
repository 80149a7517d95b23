"""`cookscribe kitchen demo`: both ways on drawn videos that no model learnt from, beside the truth.

A silent video is watched, with its ingredients; of a narrated one only the narration is read, as subtitles.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cookscribe_lab.cli.kitchen import kitchen

if TYPE_CHECKING:
    from rich.console import Console

    from cookscribe.learning.datasets.records import AnnotatedVideo
    from cookscribe.recipe import Recipe
    from cookscribe.scribe import Scribe
    from cookscribe.video import VideoFile
    from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe

SEED = 3000  # neither that of the training nor that of the evaluation
NARRATED = "youcook2-speech"  # named, because `auto` knows a drawn film and looks at it
# How fast the steps go; a narrated film has about the pace of real ones.
TEMPO, NARRATED_TEMPO = 3.5, 2.0
NEAR = 0.3  # a step stands beside the true step that it overlaps by this much


@kitchen.command()
def demo(
    out: Path = typer.Option(Path("demo"), help="Folder for film, truth, recipe and page."),
    number: int = typer.Option(0, min=0, help="Another number cooks another dish."),
    height: int = typer.Option(360, help="Height of the picture in pixels."),
    model: str = typer.Option("auto", help="As for `cookscribe write`."),
) -> None:
    """Draw a silent and a narrated video, write their recipes as `cookscribe write` does, the truth beside them."""
    from rich.console import Console

    from cookscribe.cli.write import find_scribe
    from cookscribe.files import write_text
    from cookscribe_lab.kitchen_films.recipes import PLAIN, make_recipe
    from cookscribe_lab.kitchen_films.splits import TESTING

    screen, notices = Console(), Console(stderr=True)
    out.mkdir(parents=True, exist_ok=True)
    made_up = make_recipe(SEED, number, TESTING, tempo=TEMPO, wording=PLAIN)
    film = _draw(made_up, out, height, screen, notices, f"1. A recipe nobody has cooked: {made_up.title}")
    listed = ", ".join(made_up.names)
    _explain(
        screen,
        "2. cookscribe watches it, knowing nothing but the ingredients",
        f'cookscribe write {film.path} --ingredients "{listed}" --formats json,html --out {out}',
    )
    _write_and_compare(find_scribe(model), film, list(made_up.names), made_up, screen, notices)

    told = make_recipe(SEED, number + 1, TESTING, tempo=NARRATED_TEMPO, wording=PLAIN)
    film = _draw(
        told, out, height, screen, notices, f"3. Another one, with a cook who talks all the time: {told.title}"
    )
    write_text(film.path.with_suffix(".vtt"), _subtitles(told))
    _explain(
        screen,
        "4. cookscribe listens, knowing nothing but what is said",
        f"cookscribe write {film.path} --model {NARRATED} --formats json,html --out {out}",
    )
    _write_and_compare(find_scribe(NARRATED), film, [], told, screen, notices)


def _draw(made_up: MadeUpRecipe, out: Path, height: int, screen: Console, notices: Console, headline: str) -> VideoFile:
    """The film of a made-up recipe, drawn unless it lies there."""
    from cookscribe.video import VideoFile
    from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_video, is_drawn

    path, picture = out / f"{made_up.title.replace(' ', '-')}.mp4", Picture(height)
    _explain(
        screen,
        headline,
        f"cookscribe kitchen draw --seed {SEED} --number {made_up.number} --split {made_up.split} "
        f"--wording {made_up.wording} --height {height} --out {path}",
    )
    if not is_drawn(made_up, path, picture):
        with notices.status(f"drawing {made_up.duration:.0f} seconds of film"):
            draw_video(made_up, path, picture)
    return VideoFile(path)


def _subtitles(made_up: MadeUpRecipe) -> str:
    """What is said, as WebVTT."""
    from cookscribe.export.timestamps import timestamp
    from cookscribe_lab.kitchen_films.narration import talk

    lines = [f"{timestamp(start, '.')} --> {timestamp(end, '.')}\n{words}\n" for start, end, words in talk(made_up)]
    return "\n".join(["WEBVTT\n", *lines])


def _write_and_compare(
    scribe: Scribe, film: VideoFile, ingredients: list[str], made_up: MadeUpRecipe, screen: Console, notices: Console
) -> None:
    """Write the recipe of a film into files beside it, and show it beside the truth."""
    from cookscribe.cli.write import output_stem, write_one
    from cookscribe.export.writers import export_film

    recipe = write_one(scribe, film, ingredients, made_up.title.capitalize(), notices)
    written = export_film(recipe, film, film.path.parent / output_stem(film.path), ("json", "html"))
    _beside(recipe, made_up.annotated(), screen)
    page = next(file for file in written.files if file.suffix == ".html")
    screen.print(f"   The page, with player, pictures and evidence: [bold]{page.resolve()}[/]", soft_wrap=True)


def _explain(screen: Console, sentence: str, command: str) -> None:
    from rich.markup import escape

    screen.print(f"\n[bold]{escape(sentence)}[/]", highlight=False)
    if command:
        screen.print(f"   [dim]$ {escape(command)}[/]", highlight=False, soft_wrap=True)


def _beside(recipe: Recipe, truth: AnnotatedVideo, screen: Console) -> None:
    """One row per true step and per step that stands alone, in order of time; the scores below."""
    from rich.markup import escape
    from rich.padding import Padding
    from rich.table import Table

    from cookscribe.export.clock import clock
    from cookscribe.learning.calibration import right_steps
    from cookscribe_lab.kitchen_bundle.scores import events_of

    told = events_of(recipe)
    right = right_steps(told, truth)
    partners = _partners(recipe, truth)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("true time", style="cyan", no_wrap=True)
    table.add_column("what happens", style="dim")
    table.add_column("our time", style="cyan", no_wrap=True)
    table.add_column("what cookscribe wrote")
    table.add_column("sure", justify="right", no_wrap=True)
    rows: list[tuple[float, tuple[str, ...]]] = []
    for number, (span, sentence) in enumerate(zip(truth.spans.tolist(), truth.sentences, strict=True)):
        ours = partners.get(number)
        cells = ("", "[dim]-[/]", "") if ours is None else _ours(recipe, ours, right[ours])
        rows.append((span[0], (f"{clock(span[0])}–{clock(span[1])}", escape(sentence), *cells)))
    alone = set(range(len(recipe.steps))) - set(partners.values())
    for number in alone:
        start = recipe.steps[number].span.start
        rows.append((start, ("", "-", *_ours(recipe, number, right[number]))))
    for _, row in sorted(rows, key=lambda row: row[0]):
        table.add_row(*row)
    screen.print(Padding(table, (1, 0, 1, 3)))
    screen.print("   " + _scores(recipe, truth, right), highlight=False)
    for warning in recipe.warnings:
        screen.print(f"   [yellow]note:[/] {escape(warning)}", highlight=False)


def _ours(recipe: Recipe, number: int, right: bool) -> tuple[str, str, str]:
    from rich.markup import escape

    from cookscribe.cli.recipe_table import sureness
    from cookscribe.export.clock import clock

    step = recipe.steps[number]
    mark = "[green]✓[/]" if right else "[yellow]≈[/]"
    times = f"{clock(step.span.start)}–{clock(step.span.end)}"
    return times, f"{mark} {escape(step.sentence)}", sureness(step)


def _partners(recipe: Recipe, truth: AnnotatedVideo) -> dict[int, int]:
    """True step -> the step of ours that overlaps it most; each of ours stands beside one true step."""
    from cookscribe.candidates import tiou_matrix
    from cookscribe_lab.kitchen_bundle.scores import events_of

    overlap = tiou_matrix(truth.spans, events_of(recipe).spans)
    pairs: dict[int, int] = {}
    for index in (-overlap).argsort(axis=None, kind="stable").tolist():
        number, ours = divmod(index, overlap.shape[1])
        if overlap[number, ours] >= NEAR and number not in pairs and ours not in pairs.values():
            pairs[number] = ours
    return pairs


def _scores(recipe: Recipe, truth: AnnotatedVideo, right: list[bool]) -> str:
    from cookscribe.errors import CookscribeError
    from cookscribe.evaluation import Events, evaluate
    from cookscribe_lab.kitchen_bundle.scores import events_of

    true, told = {truth.id: Events(truth.spans, truth.sentences)}, {truth.id: events_of(recipe)}
    lists = {truth.id: truth.ingredients}
    try:
        report = evaluate(true, told, ingredients=lists).as_json()
    except CookscribeError:  # METEOR runs on Java, which is missing here, or too slow on a busy machine
        report = evaluate(true, told, meteor=False, ingredients=lists).as_json()
    soda = report["soda"]["strict"]
    shown = [f"{sum(right)} of {len(right)} steps right [green]✓[/]", f"SODA tIoU {soda['tIoU']:.0f}"]
    if soda["METEOR"] is not None:
        shown.append(f"SODA METEOR {soda['METEOR']:.0f}")
    if report["ingredients"]["f1"] is not None:
        shown.append(f"ingredient F1 {report['ingredients']['f1']:.0f}")
    return ", ".join(shown) + " [dim](of 100; simulated)[/]"
