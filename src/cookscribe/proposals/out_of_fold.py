"""Candidates for a whole folder of features, each training video by a model that did not see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cookscribe import __version__
from cookscribe.candidates import Candidates
from cookscribe.datasets.store import FeatureStore
from cookscribe.progress import track
from cookscribe.proposals.propose import Proposer
from cookscribe.proposals.run import read_folds
from cookscribe.track import FeatureTrack


def propose_folder(
    model: Path,
    store: FeatureStore,
    ids: Sequence[str],
    *,
    in_fold: bool = False,
    captions: bool = True,
    features: bool = True,
    batch_size: int = 16,
) -> tuple[dict[str, Candidates], dict[str, Any]]:
    """Candidates by id, in the order of `ids`, and how they were made.

    Args:
        model: folder of the proposal model.
        in_fold: take the whole model for its own training videos too, as the released program does.
    """
    of_video = {} if in_fold else read_folds(model)
    groups: dict[Path, list[str]] = {}
    for video_id in ids:
        groups.setdefault(of_video.get(video_id, model), []).append(video_id)
    found: dict[str, Candidates] = {}
    simulated: list[bool] = []
    for folder in sorted(groups):
        proposer = Proposer.load(folder)
        tracks = _tracks(store, groups[folder], simulated)
        made = proposer.propose_many(tracks, batch_size=batch_size, captions=captions, features=features)
        found |= dict(track(made, f"proposing with {folder.name}", total=len(groups[folder])))
    about = {
        "cookscribe": __version__,
        "queries": Proposer.load(model).config.queries,
        "videos": len(found),
        "out_of_fold": sum(video_id in of_video for video_id in ids),
        "simulated": any(simulated),
    }
    return {video_id: found[video_id] for video_id in ids}, about


def _tracks(store: FeatureStore, ids: Sequence[str], simulated: list[bool]) -> Iterator[tuple[str, FeatureTrack]]:
    for video_id in ids:
        found = store.read(video_id)
        simulated.append(found.simulated)
        yield video_id, found
