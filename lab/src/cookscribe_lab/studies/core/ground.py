"""The ground of a study: candidates of all videos by a proposal model, which is trained here if nobody has done it.

Finished parts lie in one folder that studies share, named by everything that made them, so that a second study finds
what the first one trained. Candidates that lie ready (`--candidates`) are only read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from cookscribe.candidates import Candidates
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError, InputError, MissingFileError
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.datasets.splits import subset
from cookscribe.learning.proposals.out_of_fold import ProposeOptions, forget_parts, propose_folder
from cookscribe.learning.proposals.run import ProposalRun, train_proposals
from cookscribe.learning.story_run import read_candidate_file
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.store import read_candidate_store, write_candidate_store
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.settings import USUAL_ENCODER, feature_folder

FOLDS = 3
# The smallest model with all its parts.
SMOKE_MODEL: dict[str, Any] = {
    "frames": 16,
    "levels": 2,
    "points": 2,
    "width": 16,
    "feedforward": 16,
    "groups": 1,
    "caption_width": 16,
    "caption_length": 4,
}


@dataclass(frozen=True, eq=False)
class Ground:
    """Candidates of all videos.

    Attributes:
        features: folder of the feature tracks.
        simulated: whether these are.
        encoder: name of the feature encoder.
        training: candidates of the training videos by id, out of fold unless asked otherwise, with pooled features.
        validation: the same for the validation videos.
        proposals: folder of the proposal model, or None for ready-made candidates.
    """

    features: Path
    simulated: bool
    encoder: str
    training: Mapping[str, Candidates]
    validation: Mapping[str, Candidates]
    proposals: Path | None


def prepare_ground(
    options: StudyOptions,
    *,
    encoder: str = USUAL_ENCODER,
    events: int = 25,
    captions: bool | Literal["validation"] = True,
    seed: int = 0,
    epochs: int | None = None,
    folds: int = FOLDS,
    videos: int | None = None,
    parts: Path | None = None,
    model: Mapping[str, Any] | None = None,
) -> Ground:
    """Make the candidates, or find them.

    Args:
        options: data, features, ready-made candidates, preset and smoke.
        encoder: whose features the candidates are made from.
        events: N, candidates per video.
        captions: True writes captions for all candidates, which costs one more training per fold; "validation" for
            those of the validation videos only.
        seed: of the trainings.
        epochs: of the events' training; the preset's if None.
        folds: models for the training videos; 0 takes the whole model for them too, as the released program does.
        videos: learn from this many; all if None.
        parts: folder of finished parts; the options' own if None.
        model: changes to the model's preset, see `ProposalConfig`.
    """
    if options.data is None:
        raise InputError("--data", "the study needs the YouCook2 files", "give --data or set COOKSCRIBE_DATA")
    root = YouCook2(options.data)
    training, validation = root.videos("training"), root.videos("validation")
    if videos:
        training = {key: training[key] for key in subset(training, min(videos, len(training)))}
    features = feature_folder(options, encoder, 1.0, [*training.values(), *validation.values()])
    store = FeatureStore(features)
    stored = set(store.ids())
    ids = {"training": sorted(stored & set(training)), "validation": sorted(stored & set(validation))}
    if not ids["training"] or not ids["validation"]:
        raise BadValueError(features, "holds features of too few of the annotated videos", "check both folders")
    example = store.read(ids["validation"][0])
    if options.candidates is not None:
        found = {split: _ready(options.candidates, f"{split}_n{events}", ids[split]) for split in ids}
        return Ground(features, example.simulated, example.encoder, found["training"], found["validation"], None)
    run = ProposalRun(
        data=str(root.root.resolve()),
        features=str(features.resolve()),
        preset=options.preset,
        model={"queries": events} | (SMOKE_MODEL if options.smoke else {}) | dict(model or {}),
        training={"seed": seed} | ({"epochs": 1} if options.smoke else {"epochs": epochs} if epochs else {}),
        captions=bool(captions),
        caption_training={"epochs": 1} if options.smoke else {},
        fold_captions=captions is True,
        folds=folds,
        min_count=1 if options.smoke else 3,
        videos=videos or 0,
    )
    folder = (parts or options.parts) / "proposals" / f"n{events}-seed{seed}-{_mark(run, store, ids.values())}"
    train_proposals(run, Path(), folder)
    found = {}
    for split in ids:
        in_fold = split == "training" and not folds
        speaking = bool(captions) if split == "validation" else captions is True
        name = f"{split}-in-fold" if in_fold else split
        found[split] = _propose(folder, store, ids[split], name, in_fold, speaking)
    return Ground(features, example.simulated, example.encoder, found["training"], found["validation"], folder)


def _ready(folder: Path, stem: str, ids: Sequence[str]) -> dict[str, Candidates]:
    for suffix in (".safetensors", ".json"):
        path = folder / f"{stem}{suffix}"
        if path.is_file():
            read = read_candidate_file(path)
            return {key: read[key] for key in ids if key in read}
    raise MissingFileError(folder / f"{stem}.safetensors", "no such candidates", "make them with `cookscribe propose`")


def _propose(
    model: Path, store: FeatureStore, ids: Sequence[str], name: str, in_fold: bool, captions: bool
) -> dict[str, Candidates]:
    """Candidates from the finished file, or made and written there."""
    path = model / "candidates" / f"{name}{'' if captions else '-without-captions'}.safetensors"
    if path.is_file():
        found, _ = read_candidate_store(path)
        if found.keys() == set(ids):
            return found
    chosen = ProposeOptions(in_fold=in_fold, captions=captions)
    pieces = path.with_suffix(".parts")
    found, about = propose_folder(model, store, ids, chosen, pieces)
    write_candidate_store(path, found, about)
    forget_parts(pieces)
    return found


def _mark(run: ProposalRun, store: FeatureStore, ids: Iterable[Sequence[str]]) -> str:
    """A short name of everything that decides what the models become: choices with presets filled in, and features."""
    choices = {
        "model": ProposalConfig.preset(run.preset, **run.model).model_dump(mode="json"),
        "training": run.training_config().model_dump(mode="json"),
        "captions": run.caption_config().model_dump(mode="json") if run.captions else None,
        "two stages": run.two_stages,
        "development": run.development,
        # A model without folds is one that may get them later.
        "folds": run.folds or FOLDS,
        "silent folds": bool(run.folds and run.captions and not run.fold_captions),
        "min_count": run.min_count,
        "ids": [list(some) for some in ids],
    }
    digest = hashlib.sha256(json.dumps(choices, sort_keys=True).encode())
    for some in ids:
        # The same ids may have other features: another simulation, another encoder.
        digest.update(store.read(some[0]).values.tobytes())
    return digest.hexdigest()[:12]
