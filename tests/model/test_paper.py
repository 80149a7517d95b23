"""The preset `paper-bivt` as a whole, tiny: two steps, all six losses, against the paper step by step."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from cookscribe.learning.story_run import LOSS_PRESETS
from cookscribe.model import recipe_model
from cookscribe.model.config import LossConfig
from cookscribe.model.losses import LOSSES, StoryLosses
from cookscribe.model.presets import preset
from tests.model.examples import SIZES, build, inputs_of, numpy_weights, random_video, targets_of
from tests.model.reference_story import tell

# Two steps; the first sample is not the oracle's event.
VIDEO = replace(random_video(np.random.default_rng(1), events=3, ingredients=2, steps=2), events=[2, 3], chosen=[1, 3])


@pytest.mark.parametrize("size", ["paper", "faithful"])
def test_bivt_is_the_paper(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = preset(f"{size}-bivt", width=4, heads=2, max_events=5, word_vector_size=5, **SIZES)
    assert (config.layers, config.memory_cells, config.teacher) == (2, 1, "gumbel")
    model = build(config, seed=4)
    sampled = iter(VIDEO.chosen)

    def sample(logits: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.one_hot(torch.tensor([next(sampled)]), logits.shape[1]).to(logits.dtype)

    monkeypatch.setattr(recipe_model, "gumbel_choice", sample)
    outputs = model(inputs_of([VIDEO]), targets_of([VIDEO]))
    told = tell(numpy_weights(model), config, VIDEO, smoothing=0.0)

    for t, expected in enumerate(told.event_probabilities):
        assert outputs.event_logits[t].softmax(-1).tolist() == pytest.approx(expected, abs=1e-5)
    losses = StoryLosses(LossConfig.parse(LOSS_PRESETS[size]))
    terms = losses(outputs)
    assert set(terms) == set(LOSSES)
    for name, (total, videos) in terms.items():
        assert videos == 1
        assert told.losses[name] > 0.1
        assert math.isclose(total.item(), told.losses[name], rel_tol=1e-5), name
    assert {losses.weights[name] for name in LOSSES} == {1.0}
