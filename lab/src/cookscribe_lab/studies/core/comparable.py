"""PDVC with as many parameters as the recipe model: is it the size that makes the difference?"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cookscribe.evaluation.events import Events
from cookscribe.files import read_json, write_json
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.proposals.out_of_fold import ProposeOptions, propose_folder
from cookscribe.learning.proposals.run import ProposalRun, train_proposals
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.pdvc import PDVC
from cookscribe.proposals.pdvc.ranking import rerank
from cookscribe_lab.studies.core.plain_rows import PlainOutcome, as_results
from cookscribe_lab.studies.core.settings import Setting
from cookscribe_lab.studies.core.variants import PREDICTIONS, SECONDS, Workshop, short_hash

SMOKE_MODEL: dict[str, Any] = {"frames": 16, "levels": 2, "groups": 1, "points": 2, "caption_length": 4}
WIDEST = 4096


@dataclass(frozen=True)
class ComparableOutcome(PlainOutcome):
    """Scores of the larger PDVC, and its folder and training time."""

    folder: Path
    training_seconds: float


def widths(setting: Setting, preset: str, parameters: int, changes: dict[str, Any]) -> dict[str, int]:
    """The smallest width at which PDVC has at least so many parameters."""
    size = setting.store.read(next(iter(setting.videos))).width
    base = ProposalConfig.preset(preset)
    words = 4 + len({word for video in setting.material.videos.values() for s in video.sentences for word in s.split()})
    step = 4 * base.heads
    for width in range(step, WIDEST, step):
        found = {"width": width, "feedforward": width, "caption_width": width}
        with torch.device("meta"):
            model = PDVC(ProposalConfig.preset(preset, **(changes | found | {"feature_size": size, "words": words})))
        if sum(value.numel() for value in model.parameters()) >= parameters:
            return found
    return found


def comparable_outcome(
    workshop: Workshop, setting: Setting, parameters: int, *, train: bool
) -> ComparableOutcome | None:
    """Train the larger PDVC on the same videos and take its own answer for the validation videos.

    Args:
        parameters: it gets at least so many.
        train: False only looks whether it is finished.
    """
    options = workshop.options
    assert options.data is not None
    changes: dict[str, Any] = {"queries": setting.choice.events} | (SMOKE_MODEL if options.smoke else {})
    changes |= widths(setting, options.preset, parameters, changes)
    epochs = 1 if options.smoke else options.proposal_epochs
    run = ProposalRun(
        data=str(YouCook2(options.data).root.resolve()),
        features=str(setting.store.folder.resolve()),
        preset=options.preset,
        model=changes,
        training={"epochs": epochs} if epochs else {},
        caption_training={"epochs": 1} if options.smoke else {},
        min_count=1 if options.smoke else 3,
        videos=options.videos,
    )
    settings = (
        run.training_config().model_dump(mode="json"),
        ProposalConfig.preset(run.preset, **changes).model_dump(),
    )
    folder = options.parts / "proposals" / f"comparable-{short_hash(*settings, run.videos, setting.mark)}"
    told = folder / "told" / PREDICTIONS
    if not told.is_file():
        if not train:
            return None
        began = time.process_time()
        train_proposals(run, Path(), folder)
        write_json(folder / SECONDS, {"training": time.process_time() - began})
        ids = list(setting.videos)
        found, _ = propose_folder(folder, setting.store, ids, ProposeOptions(features=False), folder / "candidates")
        events = {key: rerank(candidates) for key, candidates in found.items()}
        predictions = {
            key: Events(np.asarray(chosen.spans, dtype=np.float64), chosen.captions or ())
            for key, chosen in events.items()
        }
        write_json(told, as_results(predictions), indent=None)
    seconds = read_json(folder / SECONDS)["training"]
    return ComparableOutcome(workshop.report(setting, told), told, folder, seconds)
