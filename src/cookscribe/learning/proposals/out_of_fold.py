"""Candidates for a whole folder of features, each training video by a model that did not see it."""

import hashlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from cookscribe import __version__
from cookscribe.batch.engine import Crew, results
from cookscribe.candidates import Candidates
from cookscribe.encoders.base import Progress
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import InputError
from cookscribe.learning.folds import answers_out_of_fold, read_folds
from cookscribe.model_folder import WEIGHTS
from cookscribe.progress import track
from cookscribe.proposals.pdvc.propose import Proposer
from cookscribe.proposals.store import read_candidate_store, write_candidate_store
from cookscribe.track import FeatureTrack

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
    model: Path, store: FeatureStore, ids: Sequence[str], options: ProposeOptions, parts: Path, crew: Crew | None = None
) -> tuple[dict[str, Candidates], dict[str, Any]]:
    """Candidates by id, in the order of `ids`, and how they were made.

    Args:
        model: folder of the proposal model.
        parts: folder for finished parts; after an interrupt the same call goes on from them. `forget_parts` removes it.
        crew: who does the work; None does it in this process.
    """

    def propose(folder: Path, some: list[str]) -> dict[str, Candidates]:
        Proposer.load(folder)  # what is no model is told here, and not by every process
        job = _ProposeJob(folder, store.folder, options)
        wanted = job.parts(some, parts)
        found: dict[str, Candidates] = {}
        for part in track(results(job, wanted, crew), f"proposing with {folder.name}", total=len(wanted)):
            found |= read_candidate_store(part.path)[0]
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


@dataclass(frozen=True)
class _Part:
    """Some videos, and the file for their candidates."""

    path: Path
    ids: tuple[str, ...]

    def __str__(self) -> str:
        return f"{len(self.ids)} videos from {self.ids[0]} on"


@dataclass(frozen=True)
class _ProposeJob:
    """Proposing with one model: what a process needs for it."""

    model: Path
    features: Path
    options: ProposeOptions

    def __call__(self) -> Callable[[_Part, Progress], _Part]:
        return partial(self._propose, Proposer.load(self.model), FeatureStore(self.features))

    def parts(self, ids: Sequence[str], folder: Path) -> list[_Part]:
        """The videos in parts. A file counts only for the very same weights and wishes."""
        weights = hashlib.sha256((self.model / WEIGHTS).read_bytes()).hexdigest()
        found = []
        for first in range(0, len(ids), PART):
            some = list(ids[first : first + PART])
            key = hashlib.sha256(repr((weights, self.options, str(self.features), some)).encode()).hexdigest()[:16]
            found.append(_Part(folder / f"{key}.safetensors", tuple(some)))
        return found

    def _propose(self, proposer: Proposer, store: FeatureStore, part: _Part, progress: Progress) -> _Part:
        def tracks() -> Iterator[tuple[str, FeatureTrack]]:
            for number, video_id in enumerate(part.ids):
                progress(float(number))
                yield video_id, store.read(video_id)

        if not _finished(part):
            options = self.options
            made = dict(proposer.propose_many(tracks(), captions=options.captions, features=options.features))
            write_candidate_store(part.path, made, {})
        return part


def _finished(part: _Part) -> bool:
    try:
        read_candidate_store(part.path)
    except InputError:
        return False
    return True
