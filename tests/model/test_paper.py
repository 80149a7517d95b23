"""The preset `paper-bivt` as a whole, tiny: two steps, all six losses, against the paper in plain Python."""

import math

import pytest
import torch

from cookscribe.learning.story_run import LOSS_PRESETS
from cookscribe.model import recipe_model
from cookscribe.model.batch import Inputs, Targets
from cookscribe.model.config import BOS, EOS, LossConfig
from cookscribe.model.losses import StoryLosses
from cookscribe.model.presets import preset
from tests.model.examples import build
from tests.model.paper_by_loops import Film, bivt

NAMES = {
    "event": "L_e",
    "sentence": "L_s",
    "ingredient_selection": "L_is",
    "action_selection": "L_as",
    "ingredient_attention": "L_ia",
    "action_attention": "L_aa",
}
FILM = Film(
    features=[[0.3, -1.0, 0.5], [1.2, 0.1, -0.4], [-0.7, 0.9, 0.2]],
    times=[(0.05, 0.2), (0.1, 0.45), (0.5, 0.9)],
    ingredients=[[1, 3], [2]],
    oracle=[2, 3],
    chosen=[1, 3],  # the first sample is not the oracle's event
    sentences=[[BOS, 4, 6, EOS], [BOS, 5, EOS]],
    ingredients_named=[[0, 1], [1]],
    actions_named=[[2], [0, 1]],
    ingredient_words=[[(1, 0)], [(0, 1)]],
    action_words=[[(0, 2)], [(0, 1)]],
)


def batch() -> tuple[Inputs, Targets]:
    count, names, steps, length, actions = 3, 2, 2, 4, 3
    inputs = Inputs(
        features=torch.tensor([FILM.features], dtype=torch.float64),
        times=torch.tensor([FILM.times], dtype=torch.float64),
        scores=torch.full((1, count), 0.5, dtype=torch.float64),
        event_mask=torch.ones(1, count, dtype=torch.bool),
        texts=torch.zeros(1, count, 0, 0, dtype=torch.long),
        ingredients=torch.tensor([[[1, 3], [2, 0]]]),
        ingredient_mask=torch.ones(1, names, dtype=torch.bool),
    )
    used = torch.zeros(1, steps, names, dtype=torch.bool)
    done = torch.zeros(1, steps, actions, dtype=torch.bool)
    word_ingredient = torch.zeros(1, steps, length - 1, names, dtype=torch.bool)
    word_action = torch.full((1, steps, length - 1), -1)
    words = torch.zeros(1, steps, length, dtype=torch.long)
    for t in range(steps):
        words[0, t, : len(FILM.sentences[t])] = torch.tensor(FILM.sentences[t])
        used[0, t, FILM.ingredients_named[t]] = True
        done[0, t, FILM.actions_named[t]] = True
        for k, m in FILM.ingredient_words[t]:
            word_ingredient[0, t, k, m] = True
        for k, r in FILM.action_words[t]:
            word_action[0, t, k] = r
    targets = Targets(
        events=torch.tensor([FILM.oracle]),
        words=words,
        ingredient_used=used,
        action_used=done,
        word_ingredient=word_ingredient,
        word_action=word_action,
        true_times=torch.zeros(1, steps, 2),
        true_mask=torch.ones(1, steps, dtype=torch.bool),
    )
    return inputs, targets


@pytest.mark.parametrize("size", ["paper", "faithful"])
def test_bivt_is_the_paper(size: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"feature_size": 3, "vocabulary_size": 8, "word_vector_size": 5, "input_words": 4, "actions": 3}
    config = preset(f"{size}-bivt", width=4, heads=2, max_events=5, **sizes)
    assert (config.layers, config.memory_cells, config.teacher) == (2, 1, "gumbel")
    model = build(config, seed=4)
    sampled = iter(FILM.chosen)

    def sample(logits: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.one_hot(torch.tensor([next(sampled)]), logits.shape[1]).to(logits.dtype)

    monkeypatch.setattr(recipe_model, "gumbel_choice", sample)
    outputs = model(*batch())
    numbers = {name: value.tolist() for name, value in model.state_dict().items()}
    told = bivt(numbers, FILM, heads=2, layers=2, room=5)

    for t, expected in enumerate(told.events):
        assert outputs.event_logits[t].softmax(-1).tolist() == pytest.approx(expected, abs=1e-5)
    terms = StoryLosses(LossConfig.parse(LOSS_PRESETS[size]))(outputs)
    assert set(terms) == set(NAMES)
    for name, short in NAMES.items():
        total, videos = terms[name]
        assert videos == 1
        assert told.losses[short] > 0.1
        assert math.isclose(total.item(), told.losses[short], rel_tol=1e-5), name
    assert {StoryLosses(LossConfig.parse(LOSS_PRESETS[size])).weights[name] for name in NAMES} == {1.0}
