"""A deeper PDVC, with about as many parameters as the recipe model: is it the size that makes the difference?"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cookscribe.evaluation.events import Events
from cookscribe.files import read_json, write_json
from cookscribe.learning.proposals.out_of_fold import ProposeOptions, propose_folder
from cookscribe.learning.proposals.run import ProposalRun, train_proposals
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.plain import rerank
from cookscribe_lab.studies.core.candidate_sets import SMOKE_MODEL, open_youcook2
from cookscribe_lab.studies.core.report import short_hash
from cookscribe_lab.studies.core.study_data import StudyData
from cookscribe_lab.studies.core.variants import PREDICTIONS, SECONDS, Scored, VariantRunner, write_recipes

# As the paper deepened it, from two.
LAYERS = 10
SMOKE_LAYERS = 3


@dataclass(frozen=True, eq=False)
class ComparableOutcome(Scored):
    """Scores of the larger PDVC, and its folder and training time."""

    folder: Path
    training_seconds: float


def comparable_outcome(runner: VariantRunner, data: StudyData, *, train: bool) -> ComparableOutcome | None:
    """Train the deeper PDVC on the same videos and take its own answer for the validation videos.

    Args:
        train: False only looks whether it is finished.
    """
    options = runner.options
    changes: dict[str, Any] = {"queries": data.choice.events} | (SMOKE_MODEL if options.smoke else {})
    changes |= dict.fromkeys(("encoder_layers", "decoder_layers"), SMOKE_LAYERS if options.smoke else LAYERS)
    epochs = {"epochs": options.proposal_epochs} if options.proposal_epochs else {}
    run = ProposalRun(
        data=str(open_youcook2(options).root.resolve()),
        features=str(data.store.folder.resolve()),
        preset=options.proposal_preset,
        model=changes,
        training=epochs | ({"epochs": 1} if options.smoke else {}),
        caption_training={"epochs": 1} if options.smoke else {},
        min_count=1 if options.smoke else 3,
        videos=options.videos,
    )
    settings = (
        run.training_config().model_dump(mode="json"),
        ProposalConfig.preset(run.preset, **changes).model_dump(),
    )
    folder = options.parts / "proposals" / f"comparable-{short_hash(*settings, run.videos, data.mark)}"
    told = folder / "told" / PREDICTIONS
    if not told.is_file():
        if not train:
            return None
        began = time.process_time()
        train_proposals(run, Path(), folder)
        write_json(folder / SECONDS, {"training": time.process_time() - began})
        ids = list(data.videos)
        found, _ = propose_folder(folder, data.store, ids, ProposeOptions(features=False), folder / "candidates")
        chosen = {key: rerank(candidates) for key, candidates in found.items()}
        write_recipes(
            told, {key: Events(some.spans.astype(float), some.captions or ()) for key, some in chosen.items()}
        )
    seconds = read_json(folder / SECONDS)["training"]
    return ComparableOutcome(runner.report(data, told), told, folder, seconds)
