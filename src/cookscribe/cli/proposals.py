"""`cookscribe propose`: candidate events for a folder of features."""

from pathlib import Path

import typer

from cookscribe.cli.batch import ADDRESS, ENGINE, RESEARCH_WORKERS, research_crew


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(propose)


def propose(
    model: Path = typer.Option(..., "--model", help="Folder of a trained proposal model."),
    features: Path = typer.Option(..., "--features", help="Folder of feature tracks."),
    out: Path = typer.Option(..., "--out", help="candidates.json (released format) or .safetensors (with features)."),
    data: Path | None = typer.Option(None, "--data", help="YouCook2 folder, to choose videos by --split."),
    split: str | None = typer.Option(None, "--split", help="training or validation; all stored videos if left out."),
    in_fold: bool = typer.Option(
        False, "--in-fold", help="Use the whole model for its own training videos too, as the released program does."
    ),
    captions: bool = typer.Option(True, help="Write a caption for every candidate."),
    score: bool = typer.Option(False, "--score", help="Print how good the candidates are; needs --data."),
    threads: int = typer.Option(1, "--threads", help="CPU threads."),
    workers: int = RESEARCH_WORKERS,
    engine: str = ENGINE,
    address: str = ADDRESS,
) -> None:
    """Propose candidate events; training videos get theirs from a fold model that did not see them, if there is one."""
    import torch

    from cookscribe.encoders.store import FeatureStore
    from cookscribe.errors import BadValueError
    from cookscribe.learning.datasets.root import YouCook2
    from cookscribe.learning.proposals.out_of_fold import ProposeOptions, forget_parts, propose_folder
    from cookscribe.proposals.candidate_files import write_candidates
    from cookscribe.proposals.store import write_candidate_store

    if out.suffix not in (".json", ".safetensors"):
        raise BadValueError(out, "has an unknown ending", "choose .json or .safetensors")
    if (split is None) != (data is None):
        raise BadValueError("--split", "needs --data, and --data needs --split", "give both or neither")
    if score and data is None:
        raise BadValueError("--score", "needs the true events", "give --data and --split")
    torch.set_num_threads(max(threads, 1))
    store = FeatureStore(features)
    ids = store.ids()
    wanted = {}
    if split is not None and data is not None:
        wanted = YouCook2(data).videos(split, ingredients=False)
        ids = [video_id for video_id in ids if video_id in wanted]
    if not ids:
        raise BadValueError(features, "holds no video to propose for", "check the folder and the split")
    keep_features = out.suffix == ".safetensors"
    parts = out.with_name(f".{out.name}.parts")
    options = ProposeOptions(in_fold=in_fold, captions=captions, features=keep_features)
    found, about = propose_folder(model, store, ids, options, parts, research_crew(engine, workers, threads, address))
    if keep_features:
        write_candidate_store(out, found, about)
    else:
        write_candidates(out, found)
    forget_parts(parts)
    made = f"{about['out_of_fold']} out of fold" + (", simulated features" if about["simulated"] else "")
    print(f"{out}: {about['queries']} candidates for each of {len(found)} videos ({made})")
    if score:
        from cookscribe.learning.proposals.scoring import localisation
        from cookscribe.proposals.pdvc.propose import Proposer

        truth = {video_id: wanted[video_id].spans for video_id in ids}
        for name, value in localisation(found, truth, Proposer.load(model).config).items():
            print(f"{name:18} {value:8.4f}")
