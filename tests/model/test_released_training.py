"""The plain way that the benchmark trains in, against ours: without dropout they have the same losses and gradients."""

import torch

from cookscribe.model.config import LossConfig
from cookscribe.model.losses import StoryLosses
from cookscribe.model.presets import preset
from cookscribe.model.recipe_model import RecipeModel
from released_training import plain_layers, plain_pass
from story import like_youcook2, make_inputs, make_targets


def test_the_plain_way_of_training_is_the_same_training() -> None:
    config = preset("paper-b", width=24, heads=3, dropout=0.0, attention_dropout=0.0, teacher="oracle")
    torch.manual_seed(0)
    model, losses = RecipeModel(config), StoryLosses(LossConfig())
    inputs = make_inputs(config, 3, 6)
    targets = like_youcook2(make_targets(config, 3, 6, 6, 12))
    assert len(set(targets.steps.tolist())) > 1  # a recipe ends before the others
    ours = losses.total(model(inputs, targets))
    gradient = torch.autograd.grad(ours, model.selector.embedding.feature[2].weight)[0]
    with plain_layers():
        plain = losses.total(plain_pass(model, inputs, targets))
    expected = torch.autograd.grad(plain, model.selector.embedding.feature[2].weight)[0]
    torch.testing.assert_close(ours, plain, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(gradient, expected, rtol=1e-3, atol=1e-6)
