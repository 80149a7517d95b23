"""`cookscribe write`: the main job as a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from cookscribe.recipe import Recipe
    from cookscribe.scribe import Scribe
    from cookscribe.video import Limits, VideoFile

# Of all commands that share work out among processes or machines.
WORKERS = typer.Option(0, min=0, help="Processes; 0 takes one per processor, at most one per film.")
ENGINE = typer.Option("local", help="local: processes on this machine; ray: a Ray cluster.")
ADDRESS = typer.Option("", help="Of the Ray cluster; by default RAY_ADDRESS, else a Ray on this machine.")
FILM_TIMEOUT = typer.Option(3600.0, min=0, help="Seconds that one film may take; 0 sets no limit.")
RESEARCH_WORKERS = typer.Option(1, min=0, help="Processes that share the videos; 0 takes one per processor.")
RECOGNISER = "tiny"  # where nobody chooses another
MAX_PIXELS = typer.Option(None, help="Largest frame, in pixels (width x height).")
SCREEN_TEXT = typer.Option(
    None, "--screen-text/--no-screen-text", help="Read the text that films show; by default if rapidocr is installed."
)
MAX_SECONDS = typer.Option(None, help="Longest film, in seconds.")


def write(
    videos: list[Path] = typer.Argument(None, help="Cooking videos."),
    many: str = typer.Option(
        "", "--from", help="Many films: a folder, a quoted pattern, or a list (.txt, .jsonl). See docs/scale.md."
    ),
    ingredients: str = typer.Option("", help='What is used, if you know it: "eggs, butter, salt".'),
    ingredients_file: Path = typer.Option(None, help="The same from a text file, one name a line or with commas."),
    title: str = typer.Option(
        "", help="Title of the recipe; by default what the film says it makes, else the file's name."
    ),
    model: str = typer.Option(
        "auto", help="Name of a shipped bundle, or a bundle's folder (see `cookscribe bundle`); auto looks and listens."
    ),
    transcript: Path = typer.Option(
        None, help="What is said: .vtt, .srt, .json or .txt of one video, or .jsonl of many by file name."
    ),
    recogniser: str = typer.Option(
        RECOGNISER,
        help="What hears speech: tiny, base, small (`cookscribe weights get whisper-small`) or a Whisper folder.",
    ),
    screen_text: bool | None = SCREEN_TEXT,
    formats: str = typer.Option(
        "", help="Files to write, comma-separated: json, md, html, vtt, srt, ... None if empty."
    ),
    out: Path = typer.Option(Path(), help="Folder for the files."),
    embed_video: bool = typer.Option(False, "--embed-video", help="Put the video into the page."),
    threads: int = typer.Option(0, help="CPU threads; 0 takes all."),
    device: str = typer.Option("", help="Where the networks run, e.g. cpu or cuda; a GPU if there is one."),
    profile: bool = typer.Option(False, "--profile", help="Print the seconds of each stage and the machine's limits."),
    max_pixels: int | None = MAX_PIXELS,
    max_seconds: float | None = MAX_SECONDS,
    engine: str = ENGINE,
    workers: int = WORKERS,
    address: str = ADDRESS,
    film_timeout: float = FILM_TIMEOUT,
    gpu_workers: int | None = typer.Option(None, min=0, help="--from: how many of the workers get a GPU."),
    gpu_share: float = typer.Option(1.0, help="--from: what each of these takes of a GPU."),
    again: bool = typer.Option(False, "--again", help="--from: try also the films that failed in earlier runs."),
    parquet: bool = typer.Option(False, "--parquet", help="--from: write the table of recipes as Parquet too."),
) -> None:
    """Watch cooking videos and write their recipes."""
    if many:
        from cookscribe.batch.engine import Crew
        from cookscribe.cli.batch import only_for_a_few, write_many

        only_for_a_few(videos, ingredients, ingredients_file, title, transcript, embed_video)
        limits = read_limits(max_pixels, max_seconds)
        gpus = {"gpu_workers": gpu_workers, "gpu_share": gpu_share}
        crew = Crew(engine, workers, threads, timeout=film_timeout, address=address, **gpus)  # type: ignore[arg-type]
        write_many(many, out, model, device, formats, limits, crew, again=again, parquet=parquet)
        return
    if not videos:
        raise typer.BadParameter("name films, or where many are with --from", param_hint="VIDEOS")
    import torch
    from rich.console import Console

    from cookscribe.cli.recipe_table import print_recipe
    from cookscribe.errors import BadValueError, CookscribeError
    from cookscribe.text.printable import printable
    from cookscribe.video import VideoFile

    names: tuple[str, ...] = ()
    if formats:
        from cookscribe.export.writers import export_film, parse_formats

        names = parse_formats(formats)
    videos = check_names(videos, names, out)
    limits = read_limits(max_pixels, max_seconds)
    if ingredients and ingredients_file:
        raise BadValueError("--ingredients-file", "ingredients are given twice", "use one of the two options")
    listed = _read_ingredients(ingredients, ingredients_file)
    if title and len(videos) > 1:
        raise BadValueError("--title", "one title cannot name several videos", "leave it out")
    if threads:
        torch.set_num_threads(threads)
    screen, notices = Console(), Console(stderr=True)
    if transcript is not None and transcript.suffix != ".jsonl" and len(videos) > 1:
        raise BadValueError("--transcript", "one transcript cannot be that of several videos", "give a .jsonl of all")
    scribe = find_scribe(model, transcript, device, recogniser, screen_text)
    failures: list[CookscribeError] = []
    for video in videos:
        try:
            film = VideoFile(video, limits)
            if profile:
                from cookscribe.cli.profile import write_profiled

                recipe, measured = write_profiled(scribe, film, VideoFile(video, limits), listed, title or None)
            else:
                recipe = write_one(scribe, film, listed, title, notices)
            print_recipe(recipe, screen)
            if profile:
                measured.print(film)
            written = export_film(recipe, film, out / output_stem(video), names, embed_video) if names else None
        except CookscribeError as error:
            if len(videos) == 1:
                raise
            # One bad film does not stop the others; the end of the run says what failed.
            failures.append(error)
            line = f"cookscribe: {error.subject}: {error.cause}"
            notices.print(line, style="red", highlight=False, markup=False, soft_wrap=True)
            continue
        for note in written.notes if written else ():
            notices.print(note, highlight=False, markup=False)
        for path in written.files if written else ():
            screen.print(f"wrote {printable(str(path))}", highlight=False, markup=False, soft_wrap=True)
    if failures:
        notices.print(f"{len(failures)} of {len(videos)} videos failed", highlight=False)
        for advice in dict.fromkeys(error.advice for error in failures if error.advice):
            notices.print(f"what can be done: {advice}", highlight=False, markup=False, soft_wrap=True)
        raise typer.Exit(max(error.exit_code for error in failures))


def check_names(videos: Sequence[Path], formats: Sequence[str], out: Path) -> list[Path]:
    """The videos, each once, if all files that are to be written of them can have their names.

    Raises:
        BadFileError: a name that is no text.
        BadValueError: two films would write the same file, or one a file whose name is too long or that is a film.
    """
    from unicodedata import normalize

    from cookscribe.video.container import check_name, distinct

    for video in videos:
        check_name(video)
    # Many file systems hold "Soup" and "soup", or two spellings of "é", for the same name.
    films = distinct(
        videos, lambda film: normalize("NFC", output_stem(film)).casefold(), "name", "files are named after their film"
    )
    if formats:
        from cookscribe.export.writers import check_file_names

        check_file_names({film: output_stem(film) for film in films}, formats, out)
    return films


def output_stem(film: Path) -> str:
    """The name of the files made of a film, without endings: the film's own, as far as it can be shown."""
    from cookscribe.text.printable import printable

    return printable(film.stem).strip() or "recipe"


def find_scribe(
    model: str,
    transcript: Path | None = None,
    device: str = "",
    recogniser: str = RECOGNISER,
    screen_text: bool | None = None,
) -> Scribe:
    """The scribe that was asked for."""
    from cookscribe.errors import BadValueError
    from cookscribe.scribe import load

    if transcript is None:
        if recogniser != RECOGNISER:
            from cookscribe.senses.recogniser import check_recogniser

            check_recogniser(recogniser)
        return load(model, device or None, recogniser, screen_text)
    from cookscribe.senses.listening import recogniser_from_file

    scribe = load(model, device or None, recogniser_from_file(transcript), screen_text)
    if scribe.bundle.config.kind == "visual":
        raise BadValueError("--transcript", f"{model} watches films and does not listen", "leave one out")
    return scribe


def read_limits(max_pixels: int | None, max_seconds: float | None) -> Limits:
    """The limits for films, those given and otherwise the usual ones."""
    from cookscribe.video import Limits

    given = {"max_pixels": max_pixels, "max_seconds": max_seconds}
    return Limits.parse({name: value for name, value in given.items() if value is not None}, "limits")


def _read_ingredients(text: str, file: Path | None) -> list[str]:
    from cookscribe.files import read_text

    if file is not None:
        text = read_text(file)
    return [name.strip().lstrip("-*• ").strip() for line in text.splitlines() for name in line.split(",")]


def write_one(scribe: Scribe, film: VideoFile, ingredients: list[str], title: str, notices: Console) -> Recipe:
    """Write one recipe while a bar shows the stages."""
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from cookscribe.text.printable import one_line

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=notices, transient=True, disable=not notices.is_terminal) as bar:
        tasks = {}

        def stage(name: str, share: float) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(escape(f"{name} {one_line(film.path.name)}"), total=1.0)
            bar.update(tasks[name], completed=share)

        return scribe.write(film, ingredients, title or None, stage=stage)
