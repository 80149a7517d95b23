"""`cookscribe predict`: recipes for candidates and features, as dense-captioning evaluators read them."""

from pathlib import Path

import typer

from cookscribe.cli.batch import research_crew
from cookscribe.cli.write import ADDRESS, ENGINE, RESEARCH_WORKERS


def predict(
    model: list[Path] = typer.Option(
        ..., "--model", help="Folder of a trained recipe model; given again, of one that writes along with it."
    ),
    candidates: Path = typer.Option(..., "--candidates", help="Candidate events, .json or .safetensors."),
    features: Path = typer.Option(..., "--features", help="Folder of feature tracks."),
    out: Path = typer.Option(..., "--out", help="Where to write the predictions (JSON)."),
    ingredients: Path | None = typer.Option(None, "--ingredients", help="Ingredient names by video (JSON)."),
    transcripts: Path | None = typer.Option(
        None, "--transcripts", help="Timed transcripts (JSON lines), for models that read speech."
    ),
    beam: int = typer.Option(0, "--beam", help="Sentences kept at once; 0 keeps the model's own setting."),
    order: str | None = typer.Option(None, "--order", help="free or start: must events follow each other in time?"),
    selection: str | None = typer.Option(
        None,
        "--selection",
        help="stepwise: one event after another, as in the paper; chain: the best story the planner knows.",
    ),
    threads: int = typer.Option(1, "--threads", help="CPU threads."),
    workers: int = RESEARCH_WORKERS,
    engine: str = ENGINE,
    address: str = ADDRESS,
) -> None:
    """Write the recipes of all videos of a candidate file."""
    import torch

    from cookscribe.evaluation.inputs import read_ingredients
    from cookscribe.export.researcher import as_predictions
    from cookscribe.files import write_json
    from cookscribe.learning.predicting import PredictJob, predict_all
    from cookscribe.learning.story_run import read_candidate_file
    from cookscribe.senses.transcripts import read_timed_transcripts

    torch.set_num_threads(max(threads, 1))
    crew = research_crew(engine, workers, threads, address)
    given = {"beam": beam, "order": order, "selection": selection}
    job = PredictJob(tuple(model), features, {name: value for name, value in given.items() if value})
    writer, _ = job.load()
    found = read_candidate_file(candidates)
    names = read_ingredients(ingredients) if ingredients is not None else {}
    speech = read_timed_transcripts(transcripts) if transcripts is not None else {}
    written = predict_all(job, found, names, speech, "speech" in writer.config.texts, crew)
    write_json(out, as_predictions({key: one.steps for key, one in written.items()}))
    steps = sum(len(one.steps) for one in written.values())
    along = f" and {len(writer.members)} more" if writer.members else ""
    print(f"{out}: {steps} steps for {len(written)} videos, model {writer.config.model.letters}{along}")
    empty = [key for key, one in written.items() if not one.steps]
    if empty:
        print(f"no step for {len(empty)} videos, e.g. {empty[0]}: {written[empty[0]].reason}")
    if writer.config.model.ingredients and not all(key in names for key in written):
        missing = sum(key not in names for key in written)
        print(f"no ingredients for {missing} videos; the model was trained to read them (--ingredients)")
