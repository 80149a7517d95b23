"""`cookscribe predict`: recipes for candidates and features, as dense-captioning evaluators read them."""

from pathlib import Path

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(predict)


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
) -> None:
    """Write the recipes of all videos of a candidate file."""
    import torch

    from cookscribe.encoders.store import FeatureStore
    from cookscribe.evaluation.inputs import read_ingredients
    from cookscribe.export.researcher import as_predictions
    from cookscribe.files import write_json
    from cookscribe.learning.story_run import candidate_texts, read_candidate_file
    from cookscribe.model.decoding import DecodingConfig
    from cookscribe.pipelines.story_writer import StoryWriter
    from cookscribe.progress import track
    from cookscribe.senses.transcripts import read_timed_transcripts

    torch.set_num_threads(max(threads, 1))
    writer = StoryWriter.load(model[0], members=model[1:])
    given = {"beam": beam, "order": order, "selection": selection}
    changes = {name: value for name, value in given.items() if value}
    decoding = DecodingConfig.parse(writer.config.decoding.model_dump() | changes, "decoding")
    found = read_candidate_file(candidates)
    store = FeatureStore(features)
    names = read_ingredients(ingredients) if ingredients is not None else {}
    speech = read_timed_transcripts(transcripts) if transcripts is not None else {}
    inputs = {}
    for key in track(sorted(found), "reading features"):
        texts = None
        if "speech" in writer.config.texts:
            texts = candidate_texts(("speech",), found[key], speech.get(key), key)[0]
        rows = None if writer.config.own_features else store.read(key)
        inputs[key] = writer.prepare(found[key], names.get(key, ()), rows, texts, key)
    stories = dict(zip(inputs, writer.write(list(inputs.values()), decoding), strict=True))
    written = {key: [(step.span.tolist(), step.sentence) for step in story.steps] for key, story in stories.items()}
    write_json(out, as_predictions(written))
    steps = sum(len(story.steps) for story in stories.values())
    along = f" and {len(writer.members)} more" if writer.members else ""
    print(f"{out}: {steps} steps for {len(stories)} videos, model {writer.config.model.letters}{along}")
    empty = [key for key, story in stories.items() if not story.steps]
    if empty:
        print(f"no step for {len(empty)} videos, e.g. {empty[0]}: {stories[empty[0]].reason}")
    if writer.config.model.ingredients and not all(key in names for key in inputs):
        missing = sum(key not in names for key in inputs)
        print(f"no ingredients for {missing} videos; the model was trained to read them (--ingredients)")
