"""`cookscribe kitchen bundle` and `evaluate`: build the bundle of drawn videos, and judge it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cookscribe_lab.cli.kitchen import kitchen

if TYPE_CHECKING:
    from cookscribe.pipelines.visual import VisualPipeline


@kitchen.command()
def bundle(
    out: Path = typer.Option(..., help="Folder of everything; a folder begun earlier is gone on with."),
    videos: int | None = typer.Option(None, min=10, help="How many drawn videos to learn from."),
    seed: int = typer.Option(0, min=0, help="Seed of the trainings; the videos stay the same."),
    config: Path = typer.Option(None, help="JSON file with changes to the choices of the building (see KitchenRun)."),
) -> None:
    """Build the bundle `kitchen`: watch drawn videos, train its models, pack them."""
    import torch

    from cookscribe.files import read_json
    from cookscribe_lab.kitchen_bundle.build import KitchenRun, build_kitchen_bundle

    torch.set_num_threads(1)  # results repeat at equal threads only
    changes = read_json(config) if config else {}
    changes |= {"seed": seed} | ({} if videos is None else {"videos": videos})
    made = build_kitchen_bundle(KitchenRun.parse(changes, config or "kitchen bundle"), out)
    size = sum(path.stat().st_size for path in made.folder.rglob("*") if path.is_file())
    typer.echo(f"{made.folder}: {made.config.name}, simulated, {size / 2**20:.1f} MiB")


@kitchen.command()
def evaluate(
    out: Path = typer.Option(..., help="Folder for the held-out films; a folder begun earlier is gone on with."),
    model: list[str] = typer.Option(["kitchen"], help="Name or folder of a bundle; several give means as well."),
    videos: int = typer.Option(50, min=1, help="How many held-out videos."),
    work: Path = typer.Option(None, help="Folder of `kitchen bundle`, for the nearest-neighbour captioner beside it."),
    workers: int = typer.Option(1, min=1, help="Processes that draw."),
    seed: int = typer.Option(None, min=0, help="Another seed than the usual one, other held-out videos."),
) -> None:
    """Score bundles on drawn videos that were held out: mp4 files, the path of `cookscribe write`."""
    import torch

    from cookscribe.encoders.store import FeatureStore
    from cookscribe.learning.calibration import expected_calibration_error, right_steps
    from cookscribe_lab.kitchen_bundle import scores
    from cookscribe_lab.kitchen_films.recipes import VARIED, read_recipes

    torch.set_num_threads(1)
    seed = scores.SEED if seed is None else seed
    training = None
    if work is not None:
        training = (list(read_recipes(work / "truth.json").values()), FeatureStore(work / "features"))
    tables = []
    # All are opened first, so that a wrong name costs no time.
    for name, pipeline in [(name, _visual_pipeline(name)) for name in model]:
        wording = pipeline.bundle.config.wording or VARIED
        held_out = scores.HeldOut.draw(out, videos, wording, workers, seed)
        rows, recipes = scores.score_bundle(pipeline, held_out, training)
        tables.append(rows)
        typer.echo(f"{name}: {videos} held-out drawn videos (seed {seed}), simulated, {wording} wording")
        typer.echo(scores.table_of([rows]))
        sure = [step.confidence or 0.0 for recipe in recipes.values() for step in recipe.steps]
        right = [
            answer
            for key, recipe in recipes.items()
            for answer in right_steps(scores.events_of(recipe), held_out.videos[key])
        ]
        count = max(1, len(right))
        typer.echo(
            f"steps that are right {sum(right) / count:.1%}, mean confidence {sum(sure) / count:.1%}, "
            f"calibration error {expected_calibration_error(sure, right):.3f}"
        )
    if len(tables) > 1:
        typer.echo(scores.table_of(tables, f"mean ± standard deviation, {len(tables)} bundles"))
    times = scores.times_the_neighbour(tables)
    if times is not None:
        typer.echo(f"SODA METEOR {scores.OURS}: {times:.2f} times that of the {scores.NEAREST}")


def _visual_pipeline(model: str) -> VisualPipeline:
    from cookscribe.bundle import find_bundle
    from cookscribe.errors import BadValueError
    from cookscribe.pipelines.visual import VisualPipeline

    bundle = find_bundle(model)
    if bundle.config.kind != "visual":
        raise BadValueError(model, "does not watch films", "name a bundle of drawn films")
    return VisualPipeline.load(bundle)
