"""Candidates of all videos by a proposal model, which is trained here if nobody has done it.

Finished parts lie in one folder that studies share, named by everything that made them, so that a second study finds
what the first one trained. Candidates that lie ready (`--candidates`) are only read.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cookscribe.candidates import Candidates
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError, InputError, MissingFileError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.datasets.splits import subset
from cookscribe.learning.proposals.out_of_fold import ProposeOptions, propose_to_file
from cookscribe.learning.proposals.run import ProposalRun, train_proposals
from cookscribe.learning.story_run import read_candidate_file
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.store import read_candidate_store
from cookscribe.track import FeatureTrack
from cookscribe_lab.kitchen_features.stream_folder import settings_for, write_streams
from cookscribe_lab.kitchen_features.streams import ENCODERS
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.report import short_hash

USUAL_ENCODER = "milnce-like"
SEED = 0  # of the films and of the proposal model: all rows of a study use the same candidates
FOLDS = 3
SPLITS = ("training", "validation")
# The smallest model with all its parts.
SMOKE_MODEL: dict[str, Any] = {
    **{"frames": 16, "levels": 2, "points": 2, "groups": 1, "caption_length": 4},
    **{"width": 16, "feedforward": 16, "caption_width": 16},
}


@dataclass(frozen=True, eq=False)
class CandidateSet:
    """Candidates of all videos.

    Attributes:
        store: feature tracks of the encoder that the candidates were made from.
        example: one of these tracks; it knows the encoder's name, its width and whether it is simulated.
        videos: annotated videos by split and id.
        training: candidates of the training videos by id, out of fold unless asked otherwise, with pooled features.
        validation: the same for the validation videos.
        proposals: folder of the proposal model, or None if it is not at hand.
        development: ids of training videos that a published split keeps to choose the weights.
        fold: "out of fold" or "in fold", for the candidates of the training videos; "unknown fold" if no file says it.
    """

    store: FeatureStore
    example: FeatureTrack
    videos: Mapping[str, Mapping[str, AnnotatedVideo]]
    training: Mapping[str, Candidates]
    validation: Mapping[str, Candidates]
    proposals: Path | None
    fold: str
    development: tuple[str, ...] = ()


def open_youcook2(options: StudyOptions) -> YouCook2:
    """The YouCook2 folder."""
    if options.data is None:
        raise InputError("--data", "the study needs the YouCook2 files", "give --data or set COOKSCRIBE_DATA")
    return YouCook2(options.data)


def prepare_candidates(
    options: StudyOptions,
    *,
    encoder: str = USUAL_ENCODER,
    events: int = 25,
    difficulty: float = 1.0,
    veil: float = 0.0,
    captions: bool | Literal["validation"] = True,
    seed: int = SEED,
    folds: int = FOLDS,
    ready: str = "training",
) -> CandidateSet:
    """Make the candidates, or find them.

    Args:
        encoder: whose features the candidates are made from.
        events: N, candidates per video.
        difficulty, veil: of simulated features.
        captions: True writes captions for all candidates, which costs one more training per fold; "validation" for
            those of the validation videos only.
        seed: of the trainings.
        folds: models for the training videos; 0 takes the whole model for them too, as the released program does.
        ready: beginning of the file name of ready-made candidates for the training videos.
    """
    root = open_youcook2(options)
    videos = {split: root.videos(split) for split in SPLITS}
    if options.videos:
        kept = subset(videos["training"], min(options.videos, len(videos["training"])))
        videos["training"] = {key: videos["training"][key] for key in kept}
    everyone = [video for of_split in videos.values() for video in of_split.values()]
    store = FeatureStore(feature_folder(options, encoder, difficulty, everyone, veil))
    stored = set(store.ids())
    ids = {split: sorted(stored & set(of_split)) for split, of_split in videos.items()}
    if not all(ids.values()):
        raise BadValueError(store.folder, "holds features of too few of the annotated videos", "check both folders")
    example = store.read(ids["validation"][0])
    training = {"seed": seed} | ({"epochs": options.proposal_epochs} if options.proposal_epochs else {})
    if options.candidates is not None:
        paths = [_ready_file(options.candidates, f"{stem}_n{events}") for stem in (ready, "validation")]
        read = [read_candidate_file(path) for path in paths]
        found = {
            split: {key: some[key] for key in ids[split] if key in some}
            for split, some in zip(SPLITS, read, strict=True)
        }
        model = options.candidates / f"model_n{events}"
        made = (model if model.is_dir() else None, _fold_of(paths[0]))
        return CandidateSet(store, example, videos, found["training"], found["validation"], *made)
    run = ProposalRun(
        data=str(root.root.resolve()),
        features=str(store.folder.resolve()),
        preset=options.proposal_preset,
        model={"queries": events} | (SMOKE_MODEL if options.smoke else {}),
        training=training | ({"epochs": 1} if options.smoke else {}),
        captions=bool(captions),
        caption_training={"epochs": 1} if options.smoke else {},
        fold_captions=captions is True,
        folds=folds,
        min_count=1 if options.smoke else 3,
        videos=options.videos,
    )
    folder = options.parts / "proposals" / f"n{events}-seed{seed}-{_mark(run, store, ids)}"
    train_proposals(run, Path(), folder)
    found = {}
    for split in SPLITS:
        in_fold = split == "training" and not folds
        speaking = bool(captions) if split == "validation" else captions is True
        name = f"{split}{'-in-fold' * in_fold}{'' if speaking else '-without-captions'}.safetensors"
        wishes = ProposeOptions(in_fold=in_fold, captions=speaking)
        found[split] = propose_to_file(folder, store, ids[split], wishes, folder / "candidates" / name)
    fold = "out of fold" if folds else "in fold"
    return CandidateSet(store, example, videos, found["training"], found["validation"], folder, fold)


def true_events(options: StudyOptions, difficulty: float, veil: float) -> CandidateSet:
    """The true events as candidates: on the published SVPC split (1,233 / 100 / 329 videos) if its files are there."""
    root = open_youcook2(options)
    if root.present()["aligned train"]:
        cuts = {cut: {key: one.video for key, one in root.aligned(cut).items()} for cut in ("train", "val", "test")}
        videos = {"training": {**cuts["train"], **cuts["val"]}, "validation": cuts["test"]}
        kept = set(cuts["val"])
    else:
        videos, kept = {split: root.videos(split) for split in SPLITS}, set()
    if options.videos:
        chosen = set(subset(videos["training"], min(options.videos, len(videos["training"])))) | kept
        videos["training"] = {key: video for key, video in videos["training"].items() if key in chosen}
    everyone = [video for of_split in videos.values() for video in of_split.values()]
    store = FeatureStore(feature_folder(options, USUAL_ENCODER, difficulty, everyone, veil))
    stored = set(store.ids())
    offered = {
        split: {
            key: Candidates(np.minimum(video.spans, video.duration), np.ones(len(video.spans)), video.duration)
            for key, video in of_split.items()
            if key in stored
        }
        for split, of_split in videos.items()
    }
    if not all(offered.values()):
        raise BadValueError(store.folder, "holds features of too few of the annotated videos", "check both folders")
    example = store.read(next(iter(offered["validation"])))
    ids = tuple(sorted(kept & set(offered["training"])))
    return CandidateSet(
        store, example, videos, offered["training"], offered["validation"], None, "true events", development=ids
    )


def feature_folder(
    options: StudyOptions, encoder: str, difficulty: float, videos: Sequence[AnnotatedVideo], veil: float = 0.0
) -> Path:
    """The folder with the tracks of an encoder; simulated ones are made if they are missing.

    Args:
        options: `features` may be a folder of tracks, or hold one such folder per encoder.
        encoder: of the kitchen, or the name of a subfolder of the user's features.
        difficulty: of the simulation; features that are there already have the difficulty they have.
        videos: those that will be read.
        veil: of the simulation; without it a user's features are taken, with it they are always simulated.
    """
    if options.features is not None and not veil:
        own = options.features / encoder
        if own.is_dir():
            return own
        if encoder == USUAL_ENCODER:
            return options.features
        raise MissingFileError(own, f"no features of {encoder!r}", "give a folder with one subfolder per encoder")
    # A row every two seconds is all that a proposal model of 128 to 200 rows reads of the wide features.
    every = 2.0 if ENCODERS[encoder].width > 1000 else None
    folder = options.parts / "features" / f"{encoder}-difficulty-{difficulty:g}{f'-veil-{veil:g}' if veil else ''}"
    write_streams(videos, folder, settings_for(encoder, SEED, difficulty, every, veil))
    return folder


def _ready_file(folder: Path, stem: str) -> Path:
    for suffix in (".safetensors", ".json"):
        if (folder / f"{stem}{suffix}").is_file():
            return folder / f"{stem}{suffix}"
    raise MissingFileError(folder / f"{stem}.safetensors", "no such candidates", "make them with `cookscribe propose`")


def _fold_of(path: Path) -> str:
    """What a candidate file says of itself; only our own format says anything."""
    about = read_candidate_store(path)[1] if path.suffix == ".safetensors" else {}
    if "out_of_fold" not in about:
        return "unknown fold"
    return "out of fold" if about["out_of_fold"] else "in fold"


def _mark(run: ProposalRun, store: FeatureStore, ids: Mapping[str, Sequence[str]]) -> str:
    """A short name of everything that decides what the models become: choices with presets filled in, and features."""
    choices = {
        "model": ProposalConfig.preset(run.preset, **run.model).model_dump(mode="json"),
        "training": run.training_config().model_dump(mode="json"),
        "captions": run.caption_config().model_dump(mode="json") if run.captions else None,
        # A model without folds is one that may get them later.
        "folds": run.folds or FOLDS,
        "silent folds": bool(run.folds and run.captions and not run.fold_captions),
        "min_count": run.min_count,
        "ids": ids,
    }
    # The same ids may have other features: another simulation, another encoder.
    first = [hashlib.sha256(store.read(some[0]).values.tobytes()).hexdigest() for some in ids.values()]
    return short_hash(choices, first)
