"""Candidates for a whole folder of features, each training video by a model that did not see it."""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cookscribe import __version__
from cookscribe.candidates import Candidates
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import InputError
from cookscribe.learning.folds import answers_out_of_fold, read_folds
from cookscribe.model_folder import WEIGHTS
from cookscribe.progress import track
from cookscribe.proposals.pdvc.propose import Proposer
from cookscribe.proposals.store import read_candidate_store, write_candidate_store

# Videos between two saved parts: about a minute of work on one core.
PART = 128


@dataclass(frozen=True)
class ProposeOptions:
    """How to propose.

    Attributes:
        in_fold: take the whole model for its own training videos too, as the released program does.
        captions: write a caption for every candidate.
        features: add the mean feature row inside each candidate.
    """

    in_fold: bool = False
    captions: bool = True
    features: bool = True


def propose_folder(
    model: Path, store: FeatureStore, ids: Sequence[str], options: ProposeOptions, parts: Path
) -> tuple[dict[str, Candidates], dict[str, Any]]:
    """Candidates by id, in the order of `ids`, and how they were made.

    Args:
        model: folder of the proposal model.
        parts: folder for finished parts; after an interrupt the same call goes on from them. `forget_parts` removes it.
    """

    def propose(folder: Path, some: list[str]) -> dict[str, Candidates]:
        work = _chunks(Proposer.load(folder), folder, store, some, options, parts)
        found: dict[str, Candidates] = {}
        for chunk in track(work, f"proposing with {folder.name}", total=-(-len(some) // PART)):
            found |= chunk
        return found

    found = answers_out_of_fold(model, ids, propose, in_fold=options.in_fold)
    config = Proposer.load(model).config
    of_video = {} if options.in_fold else read_folds(model)
    about = {
        "cookscribe": __version__,
        "encoder": config.encoder,
        "queries": config.queries,
        "videos": len(found),
        "out_of_fold": sum(video_id in of_video for video_id in ids),
        "simulated": any(store.read(video_id).simulated for video_id in ids[:1]),
    }
    return found, about


def forget_parts(parts: Path) -> None:
    """Remove the parts once the whole is written."""
    shutil.rmtree(parts, ignore_errors=True)


def propose_to_file(
    model: Path, store: FeatureStore, ids: Sequence[str], options: ProposeOptions, path: Path
) -> dict[str, Candidates]:
    """Candidates from a finished file for the same videos, or made and written there."""
    if path.is_file():
        found, _ = read_candidate_store(path)
        if found.keys() == set(ids):
            return found
    parts = path.with_suffix(".parts")
    found, about = propose_folder(model, store, ids, options, parts)
    write_candidate_store(path, found, about)
    forget_parts(parts)
    return found


def _chunks(
    proposer: Proposer, folder: Path, store: FeatureStore, ids: Sequence[str], options: ProposeOptions, parts: Path
) -> Iterator[dict[str, Candidates]]:
    # A part counts only for the very same weights and wishes.
    weights = hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()
    for first in range(0, len(ids), PART):
        some = list(ids[first : first + PART])
        key = hashlib.sha256(repr((weights, options, str(store.folder), some)).encode()).hexdigest()[:16]
        path = parts / f"{key}.safetensors"
        try:
            chunk, _ = read_candidate_store(path)
        except InputError:
            tracks = ((video_id, store.read(video_id)) for video_id in some)
            chunk = dict(proposer.propose_many(tracks, captions=options.captions, features=options.features))
            write_candidate_store(path, chunk, {})
        yield chunk
