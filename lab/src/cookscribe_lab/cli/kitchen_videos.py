"""`cookscribe kitchen recipes` and `cookscribe kitchen draw`: made-up recipes, and videos drawn from them."""

import os
from pathlib import Path

import typer

from cookscribe_lab.cli.kitchen import kitchen

_SEED = typer.Option(0, help="Another seed, other recipes; the same seed, the same bytes.")
_WORDING = typer.Option("varied", help="varied: phrased by chance, as by many people; plain: in one house style.")
_SPLIT = typer.Option("", help="training, validation or testing; by default eight, one and one of ten.")


@kitchen.command()
def recipes(
    count: int = typer.Option(..., min=1, help="How many recipes."),
    out: Path = typer.Option(..., help="JSON file: ActivityNet-style truth with ingredients, acts and states."),
    seed: int = _SEED,
    split: str = _SPLIT,
    tempo: float = typer.Option(1.0, help="1: minutes, like cooking videos on the web; 3.5: as `kitchen draw` films."),
    wording: str = _WORDING,
) -> None:
    """Make up recipes by grammar, with the state of every ingredient after every step."""
    from cookscribe.files import write_json
    from cookscribe.progress import track
    from cookscribe_lab.kitchen_films.recipes import make_recipes, truth
    from cookscribe_lab.kitchen_films.splits import SPLITS

    made = list(track(make_recipes(seed, count, split=split, tempo=tempo, wording=wording), "recipes", total=count))
    write_json(out, truth(made))
    steps = [step for recipe in made for step in recipe.steps]
    seconds = sum(recipe.duration for recipe in made)
    shown = ", ".join(f"{sum(recipe.split == name for recipe in made)} {name}" for name in SPLITS)
    typer.echo(
        f"{out}: {count} simulated recipes ({shown}) of {len({recipe.dish for recipe in made})} dishes; in the mean "
        f"{len(steps) / count:.1f} steps, {sum(len(recipe.ingredients) for recipe in made) / count:.1f} ingredients, "
        f"{seconds / count:.0f} s, {100 * sum(step.span.length for step in steps) / seconds:.0f} % of it cooking; "
        f"{len({step.sentence for step in steps})} different sentences"
    )


@kitchen.command()
def draw(
    out: Path = typer.Option(..., help="An mp4 for one video, a folder for several; the truth is written beside it."),
    seed: int = _SEED,
    count: int | None = typer.Option(None, min=1, help="How many videos; a folder begun earlier is gone on with."),
    number: int = typer.Option(0, min=0, help="Which video of the seed, when only one is drawn."),
    split: str = _SPLIT,
    tempo: float = typer.Option(3.5, help="How brisk: 3.5 gives videos of one to two minutes."),
    wording: str = _WORDING,
    height: int = typer.Option(180, help="Height of the picture in pixels, 16 to 9; 360 for people to look at."),
    narration: bool = typer.Option(False, help="Speak the steps (with espeak-ng, if it is there) or write them below."),
    workers: int | None = typer.Option(None, min=1, help="Processes that draw; by default one per core."),
) -> None:
    """Draw made-up recipes as videos."""
    from cookscribe.errors import BadValueError
    from cookscribe_lab.kitchen_films.drawing.film import draw_video, draw_videos, picture_for
    from cookscribe_lab.kitchen_films.narration import Narration
    from cookscribe_lab.kitchen_films.recipes import make_recipes

    single = out.suffix.lower() == ".mp4"
    if single and count is not None:
        raise BadValueError(out, "is one file, but --count asks for several videos", "name a folder, or drop --count")
    if not single and count is None:
        raise BadValueError(out, "is not an mp4 file", "end the name in .mp4, or say with --count how many videos")
    picture = picture_for(height, narration)
    if picture.narration is Narration.SUBTITLES:
        typer.echo("no speech synthesiser is installed: the sentences are written into the picture", err=True)
    if count is None:
        recipe = list(make_recipes(seed, number + 1, split=split, tempo=tempo, wording=wording))[-1]
        draw_video(recipe, out, picture)
        typer.echo(
            f"{out}: simulated, {recipe.title}, {len(recipe.steps)} steps in {recipe.duration:.1f} s ({recipe.split}); "
            f"truth in {out.with_suffix('.json')}"
        )
        return
    chosen = list(make_recipes(seed, count, split=split, tempo=tempo, wording=wording))
    draw_videos(chosen, out, picture, workers=workers or len(os.sched_getaffinity(0)))
    seconds = sum(recipe.duration for recipe in chosen)
    typer.echo(f"{out}: {count} simulated videos, {seconds / 60:.1f} minutes; truth in {out / 'truth.json'}")
