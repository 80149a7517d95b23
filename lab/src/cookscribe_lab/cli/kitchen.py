"""`cookscribe kitchen`: the simulated kitchen. Everything these commands write says that it is simulated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from cookscribe.learning.datasets.records import AnnotatedVideo

kitchen = typer.Typer(
    name="kitchen",
    help="The simulated kitchen: made-up recipes, drawn videos and feature streams with full truth.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


_ANNOTATIONS = typer.Option(..., help="Annotated videos: YouCook2's file, ActivityNet-style truth, or made-up recipes.")
_INGREDIENTS = typer.Option(None, help="Ingredient lists, if the annotations have none.")
_ENCODER = typer.Option("milnce-like", help="The encoder to imitate: milnce-like or tsn-like.")
_SEED = typer.Option(0, help="Another seed films the same recipes anew.")
_DIFFICULTY = typer.Option(1.0, help="Scales everything that hides the meaning: 0 is a textbook, 1 like real videos.")
_VEIL = typer.Option(
    0.0, help="How much of a food's look is hidden in all steps but the first: at 1 only what came before tells it."
)
_EVERY = typer.Option(None, help="Seconds between two rows; by default 1 for milnce-like and 0.5 for tsn-like.")


@kitchen.command()
def features(
    annotations: Path = _ANNOTATIONS,
    ingredients: Path = _INGREDIENTS,
    encoder: str = _ENCODER,
    out: Path = typer.Option(..., help="Folder for the features; a folder begun earlier is gone on with."),
    seed: int = _SEED,
    difficulty: float = _DIFFICULTY,
    every: float = _EVERY,
    veil: float = _VEIL,
    limit: int = typer.Option(None, min=1, help="Only the first videos of the file."),
) -> None:
    """Make simulated features for annotated videos."""
    from cookscribe_lab.kitchen_features.stream_folder import expected_size, settings_for, write_streams

    settings = settings_for(encoder, seed, difficulty, every, veil)
    videos = _read_videos(annotations, ingredients)[:limit]
    size = expected_size(videos, settings)
    hint = "; a larger --every takes less" if size > 2e9 else ""
    typer.echo(f"{len(videos)} videos, about {size / 1e9:.2f} GB{hint}", err=True)
    tally = write_streams(videos, out, settings)
    typer.echo(
        f"{out}: simulated {encoder} features, seed {seed}, difficulty {difficulty:g}: "
        f"{tally.written} videos written, {tally.skipped} were there, {tally.size / 1e9:.2f} GB"
    )


@kitchen.command(name="annotations")
def made_up_annotations(
    out: Path = typer.Option(..., help="Folder for the annotations, in the layout of YouCook2."),
    count: int = typer.Option(1000, min=10, help="Recipes to make up."),
    seed: int = _SEED,
) -> None:
    """Make up recipes and write them as YouCook2's annotations: studies with --data run on them."""
    from cookscribe_lab.kitchen_films.recipes import make_recipes
    from cookscribe_lab.kitchen_films.youcook2_folder import write_youcook2_folder

    written = write_youcook2_folder(make_recipes(seed, count), out)
    typer.echo(f"{out}: annotations of {written} made-up recipes, simulated")


@kitchen.command()
def probe(
    annotations: Path = _ANNOTATIONS,
    ingredients: Path = _INGREDIENTS,
    encoder: str = _ENCODER,
    seed: int = _SEED,
    difficulty: float = _DIFFICULTY,
    every: float = _EVERY,
    candidates: Path = typer.Option(None, help="Proposed events of the validation videos, from the same features."),
) -> None:
    """Measure what simulated features show: linear probes, look-alikes, and the nearest-neighbour captioner."""
    from cookscribe.proposals.candidate_files import read_candidates
    from cookscribe_lab.kitchen_features.seeing import what_is_seen

    proposed = read_candidates(candidates) if candidates else None
    seen = what_is_seen(_read_videos(annotations, ingredients), encoder, seed, difficulty, every, proposed)
    typer.echo(
        f"simulated {encoder}, seed {seed}, difficulty {difficulty:g}: {seen.events} steps of {seen.videos} videos"
    )
    for label, reading in seen.readings.items():
        typer.echo(f"  {label:28s} {100 * reading.right:5.1f} % right, by chance {100 * reading.chance:5.1f} %")
    for label, report in seen.captioners.items():
        figures = report.as_json()
        typer.echo(
            f"  {label:28s} CIDEr: paragraph {figures['paragraph']['CIDEr']:.1f}, "
            f"dvc_eval {figures['dvc_eval']['2021']['CIDEr']:.1f}, SODA {figures['soda']['released']['CIDEr']:.1f} "
            f"(strict {figures['soda']['strict']['CIDEr']:.1f}), SODA tIoU {figures['soda']['released']['tIoU']:.1f}"
        )


def _read_videos(annotations: Path, ingredients: Path | None) -> list[AnnotatedVideo]:
    """The videos of a file in its order, with the lists of the second file where it has one."""
    from dataclasses import replace

    from cookscribe.evaluation import read_ingredients

    lists = read_ingredients(ingredients) if ingredients else {}
    return [
        replace(video, ingredients=lists.get(key, video.ingredients)) for key, video in read_any(annotations).items()
    ]


def read_any(path: Path) -> dict[str, AnnotatedVideo]:
    """Annotated videos by id from YouCook2's file, ActivityNet-style truth or made-up recipes."""
    from cookscribe.errors import BadFileError
    from cookscribe.files import read_json
    from cookscribe.learning.datasets.youcook2 import read_annotations, read_truth
    from cookscribe_lab.kitchen_films.recipes import read_recipes

    content = read_json(path)
    if not isinstance(content, dict) or not content:
        raise BadFileError(path, "holds no annotations", "see docs/kitchen.md for the formats")
    if "database" in content:
        return read_annotations(path)
    if all(isinstance(entry, dict) and entry.get("simulated") is True for entry in content.values()):
        return read_recipes(path)
    return read_truth(path)
