"""`cookscribe train`: train the proposal model or the recipe model; `cookscribe bundle`: make both ready to write."""

from pathlib import Path

import typer

train = typer.Typer(help="Train a model; an interrupted training goes on with the same command.", no_args_is_help=True)


@train.command()
def proposals(
    config: Path = typer.Option(..., "--config", help="JSON file: data, features, preset and changes to it."),
    out: Path = typer.Option(..., "--out", help="Folder of the model; the same folder goes on after an interrupt."),
    folds: int | None = typer.Option(None, "--folds", help="Also train this many models for out-of-fold candidates."),
    seed: int | None = typer.Option(None, "--seed", help="Seed of the training, instead of the file's."),
    queries: int | None = typer.Option(None, "--queries", help="Number of candidates N, instead of the file's."),
) -> None:
    """Train the proposal model (PDVC). Start it with torchrun to use several processes."""
    from cookscribe.learning.distributed import is_first, leave
    from cookscribe.learning.proposals.run import ProposalRun, train_proposals

    run = ProposalRun.load(config)
    changes: dict[str, object] = {} if folds is None else {"folds": folds}
    if seed is not None:
        changes["training"] = run.training | {"seed": seed}
    if queries is not None:
        changes["model"] = run.model | {"queries": queries}
    run = ProposalRun.parse(run.model_dump() | changes, config)
    try:
        histories = train_proposals(run, config.parent, out)
    finally:
        leave()
    for name, history in histories.items() if is_first() else ():
        scores = history.epochs[history.best_epoch - 1].scores
        shown = ", ".join(f"{key} {value:.4f}" for key, value in scores.items())
        print(f"{name}: epoch {history.best_epoch} of {len(history.epochs)}, development: {shown}")


@train.command()
def story(
    config: Path = typer.Option(..., "--config", help="JSON file: data, candidates, features, preset and changes."),
    out: Path = typer.Option(..., "--out", help="Folder of the model; the same folder goes on after an interrupt."),
    preset: str | None = typer.Option(
        None, "--preset", help="paper-b, -bi, -biv, -bivt; faithful-b, ...; small-b, ..."
    ),
    seed: int | None = typer.Option(None, "--seed", help="Seed of the training, instead of the file's."),
) -> None:
    """Train the recipe model (B, BI, BIV or BIVT). Start it with torchrun to use several processes."""
    from cookscribe.learning.distributed import leave
    from cookscribe.learning.story_run import StoryRun, train_story

    run = StoryRun.load(config)
    changes: dict[str, object] = {} if preset is None else {"preset": preset}
    if seed is not None:
        changes["training"] = run.training | {"seed": seed}
    run = StoryRun.parse(run.model_dump() | changes, config)
    try:
        history = train_story(run, config.parent, out)
    finally:
        leave()
    scores = history.epochs[history.best_epoch - 1].scores
    shown = ", ".join(f"{key} {value:.2f}" for key, value in scores.items())
    print(f"{out}: epoch {history.best_epoch} of {len(history.epochs)}, development: {shown}")


@train.command()
def speech(
    data: Path = typer.Option(
        ..., "--data", envvar="COOKSCRIBE_DATA", help="Folder of the YouCook2 files with transcripts (docs/data.md)."
    ),
    out: Path = typer.Option(..., "--out", help="Folder of all parts; the same folder goes on after an interrupt."),
    seed: int = typer.Option(0, "--seed", help="Seed of the first writer that goes into the bundle."),
    members: int = typer.Option(2, "--members", min=0, help="Further writers, of the next seeds, that write along."),
    epochs: int = typer.Option(0, "--epochs", help="Epochs of the writers; 0 takes the preset's."),
    name: str = typer.Option("youcook2-speech", "--name", help="Name of the bundle."),
) -> None:
    """Train the models of narrated videos and pack them into OUT/bundle, for `cookscribe write --model OUT/bundle`."""
    from cookscribe.learning.datasets.root import YouCook2
    from cookscribe.learning.narrated.build_bundle import FILMS, WEAK, SpeechFolder
    from cookscribe.learning.narrated.run import SpeechRun

    run = SpeechRun(training={"epochs": epochs} if epochs else {})
    bundle = SpeechFolder(YouCook2(data), out, run, members=members).pack(seed, name, FILMS, WEAK)
    size = sum(path.stat().st_size for path in bundle.folder.rglob("*") if path.is_file())
    print(f"{bundle.folder}: {bundle.config.name}, {size / 2**20:.1f} MiB")


@train.command()
def writer(
    data: Path = typer.Option(
        ..., "--data", envvar="COOKSCRIBE_DATA", help="Folder of the YouCook2 files with transcripts (docs/data.md)."
    ),
    out: Path = typer.Option(
        ..., "--out", help="Folder of all parts, shared with `train speech`; goes on where it was."
    ),
    base: str = typer.Option("smollm2", "--base", help="Language model: a name of `cookscribe weights`, or a path."),
    sight: Path | None = typer.Option(None, "--sight", help="Out-of-fold predictions that `train sight` wrote."),
    seed: int = typer.Option(0, "--seed", help="Seed of the writer that goes into the bundle."),
    epochs: int = typer.Option(0, "--epochs", help="Epochs; 0 takes the preset's."),
    reward: int = typer.Option(0, "--reward", help="Epochs of a second stage, which learns from sentences' scores."),
    name: str = typer.Option("youcook2-speech", "--name", help="Name of the bundle."),
) -> None:
    """Train the language-model writer, and pack it into OUT/bundle with the other parts. Start it with torchrun to use
    several processes."""
    from cookscribe.learning.datasets.root import YouCook2
    from cookscribe.learning.distributed import is_first, leave
    from cookscribe.learning.narrated.build_bundle import FILMS, WEAK, SpeechFolder
    from cookscribe.learning.writer.build_writer import WriterFolder
    from cookscribe.learning.writer.run import WriterRun

    run = WriterRun(training={"epochs": epochs} if epochs else {}, rewarded={"epochs": max(reward, 1)})
    run = run.model_copy(update={"reward": run.reward.model_copy(update={"epochs": reward})})
    speech = SpeechFolder(YouCook2(data), out)
    folder = WriterFolder(speech, run, base, sight)
    try:
        folder.writer(seed)
    finally:
        leave()
    if not is_first():
        return
    made = folder.pack(speech.pack(seed, name, FILMS, WEAK), seed)
    size = sum(path.stat().st_size for path in made.folder.rglob("*") if path.is_file())
    print(f"{made.folder}: {made.config.name}, {size / 2**20:.1f} MiB")


@train.command()
def sight(
    data: Path = typer.Option(
        ..., "--data", envvar="COOKSCRIBE_DATA", help="Folder of the YouCook2 files with stills (docs/data.md)."
    ),
    out: Path = typer.Option(..., "--out", help="Folder of all parts; the same folder goes on after an interrupt."),
    encoder: str = typer.Option("tinyvit+dinov2", "--encoder", help="Encoders of stills, joined by +."),
) -> None:
    """Train the heads that name foods, actions and tools in pictures: OUT/sight, and their predictions out of fold."""
    from cookscribe.learning.datasets.root import YouCook2
    from cookscribe.learning.sight.run import train_sight

    figures = train_sight(YouCook2(data), out, encoder)
    for name, value in figures.items():
        print(f"{name}: {value}")


@train.command()
def calibration(
    model: Path = typer.Option(..., "--model", help="Folder of a speech bundle; its description is written anew."),
    data: Path = typer.Option(
        ..., "--data", envvar="COOKSCRIBE_DATA", help="Folder of the YouCook2 files it was trained on (docs/data.md)."
    ),
    language_model: bool = typer.Option(
        False, "--language-model", help="Measure the language-model writer that it names, and store it in its folder."
    ),
) -> None:
    """Measure how sure a speech bundle may be, on the training videos kept apart, and store it in the bundle."""
    from cookscribe.bundle import Bundle
    from cookscribe.errors import BadValueError
    from cookscribe.learning.datasets.root import YouCook2
    from cookscribe.learning.narrated.build_bundle import calibrated
    from cookscribe.learning.narrated.run import Narrated, SpeechRun
    from cookscribe.learning.writer.build_writer import calibrate_writer

    bundle = Bundle.open(model)
    if bundle.config.kind != "speech":
        raise BadValueError(model, f"is a {bundle.config.kind} bundle", "name a speech bundle")
    narrated, development = Narrated.read(YouCook2(data), "training"), SpeechRun().development
    if language_model:
        calibrate_writer(bundle, narrated, development)
    else:
        calibrated(bundle, narrated, development)


def bundle(
    proposals: Path = typer.Option(..., help="Folder of a trained proposal model."),
    story: list[Path] = typer.Option(
        ..., help="Folder of a trained recipe model; given again, of one that writes along with it."
    ),
    name: str = typer.Option(..., help="Name of the bundle."),
    out: Path = typer.Option(..., help="Folder of the bundle."),
    films: str = typer.Option("", help="For which films it is, in a few words."),
) -> None:
    """Make a bundle of a proposal model and a recipe model, or several that write together, for `cookscribe write`."""
    from cookscribe.learning.packing import bundle_models

    made = bundle_models(name, films, proposals, story[0], out, story[1:])
    size = sum(path.stat().st_size for path in made.folder.rglob("*") if path.is_file())
    typer.echo(f"{made.folder}: {made.config.name}, reads {made.config.encoder} features, {size / 2**20:.1f} MiB")
