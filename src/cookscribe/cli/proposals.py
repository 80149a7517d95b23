"""`cookscribe propose`: candidate events from features. `cookscribe event-features`: other features of these."""

from pathlib import Path

import typer

from cookscribe.cli.batch import research_crew
from cookscribe.cli.write import ADDRESS, ENGINE, RESEARCH_WORKERS


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


def event_features(
    candidates: Path = typer.Option(..., "--candidates", help="Candidate events, .json or .safetensors."),
    out: Path = typer.Option(..., "--out", help="The same candidates with their new features, .safetensors."),
    films: Path | None = typer.Option(
        None, "--films", help="Folder of films called by their ids; without it the features in the file stay."
    ),
    captions: bool = typer.Option(
        False, "--captions", help="Put the MIL-NCE text tower's vector of each caption beside the features."
    ),
    weights: Path | None = typer.Option(None, "--weights", help="The MIL-NCE weights, if they lie elsewhere."),
) -> None:
    """Encode every candidate by its own clip, and its caption by the text tower, as the paper does (MIL-NCE).

    A recipe model takes these features with "own_features": true in its run.json.
    """
    from dataclasses import replace

    import numpy as np

    from cookscribe.encoders.event_clips import encode_events
    from cookscribe.encoders.milnce import MilNceEncoder
    from cookscribe.errors import BadValueError, MissingFileError
    from cookscribe.learning.story_run import read_candidate_file
    from cookscribe.progress import track
    from cookscribe.proposals.store import write_candidate_store
    from cookscribe.video import VideoFile

    if films is None and not captions:
        raise BadValueError("event-features", "has nothing to do", "give --films, --captions or both")
    found = read_candidate_file(candidates)
    encoder = MilNceEncoder(weights)
    made = {}
    for key in track(sorted(found), "encoding events"):
        events = found[key]
        if films is not None:
            path = next((path for path in sorted(films.glob(f"{key}.*")) if path.is_file()), None)
            if path is None:
                raise MissingFileError(films / key, "no film of this id", "name the films by their video ids")
            events = replace(events, features=encode_events(encoder, VideoFile(path), events.spans))
        if events.features is None:
            raise BadValueError(key, "its candidates have no features", "give --films, or candidates with features")
        if captions:
            if events.captions is None:
                raise BadValueError(key, "its candidates have no captions", "propose with captions")
            vectors = encoder.text(events.captions) if len(events) else np.zeros((0, encoder.width), np.float32)
            events = replace(events, features=np.concatenate([events.features, vectors], axis=1))
        made[key] = events
    about = {"event features": "own clips" if films else "as they were", "caption vectors": captions}
    write_candidate_store(out, made, about)
    print(f"{out}: features of the candidates of {len(made)} videos")
