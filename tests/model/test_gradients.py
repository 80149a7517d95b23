"""Who learns from what: the Gumbel choice, and losses that are switched off."""

from typing import Any

import pytest
import torch

from cookscribe.model.config import LossConfig
from cookscribe.model.losses import LOSSES, StoryLosses
from cookscribe.model.recipe_model import RecipeModel, Selection
from cookscribe.model.selector import gumbel_choice
from tests.model.examples import build, inputs_of, some_videos, targets_of, tiny


class Watched(RecipeModel):
    """Keeps the logits of every step that chooses an event, so that their gradients can be looked at."""

    def choose(self, selection: Selection, labels: torch.Tensor) -> torch.Tensor:
        if selection.logits.requires_grad:
            selection.logits.retain_grad()
        self.seen.append(selection.logits)
        return super().choose(selection, labels)


def watched(config: Any) -> Watched:
    torch.manual_seed(0)
    model = Watched(config).double()
    model.seen = []
    return model


@pytest.mark.parametrize(("teacher", "reached"), [("gumbel", True), ("oracle", False)])
def test_sentence_loss_reaches_the_logits_only_through_the_gumbel_choice(teacher: str, reached: bool) -> None:
    model = watched(tiny("b", teacher=teacher))
    videos = some_videos()
    outputs = model(inputs_of(videos), targets_of(videos))
    StoryLosses(LossConfig(event=0.0)).sentence(outputs).sum().backward()
    gradients = [logits.grad for logits in model.seen]
    assert len(gradients) == 3
    if reached:
        assert all(g is not None and g.abs().sum() > 0 for g in gradients)
    else:
        assert all(g is None or g.abs().sum() == 0 for g in gradients)


def test_gumbel_choice_is_hard_and_follows_the_probabilities() -> None:
    torch.manual_seed(0)
    logits = torch.tensor([[0.0, 1.0, 2.0, float("-inf")]]).repeat(20_000, 1)
    choice = gumbel_choice(logits)
    assert torch.allclose(choice.sum(dim=1), torch.ones(len(choice)))
    hard = choice.round()
    assert torch.allclose(choice, hard, atol=1e-6)
    assert torch.allclose(hard.mean(dim=0), logits[0].softmax(-1), atol=0.015)


def test_gumbel_gradient_is_that_of_the_soft_choice() -> None:
    logits = torch.randn(4, 5, dtype=torch.float64, requires_grad=True)
    values = torch.randn(4, 5, dtype=torch.float64)
    torch.manual_seed(3)
    (gumbel_choice(logits) * values).sum().backward()
    found = logits.grad
    torch.manual_seed(3)
    noise = -torch.empty_like(logits).exponential_().log()
    again = logits.detach().clone().requires_grad_()
    (((again.log_softmax(-1) + noise) / 0.5).softmax(-1) * values).sum().backward()
    assert torch.allclose(found, again.grad)


@pytest.mark.parametrize("name", LOSSES)
def test_each_loss_can_be_switched_off_alone(name: str) -> None:
    model = build(tiny("bivt"))
    videos = some_videos()
    outputs = model(inputs_of(videos), targets_of(videos))
    whole = StoryLosses(LossConfig())
    without = StoryLosses(LossConfig.parse({name: 0.0}))
    assert set(without(outputs)) == set(LOSSES) - {name}
    value, divisor = whole(outputs)[name]
    assert torch.isclose(whole.total(outputs) - without.total(outputs), value / divisor)


def test_mean_reduction_divides_each_loss_by_its_own_items() -> None:
    model = build(tiny("bivt"))
    videos = some_videos()
    outputs = model(inputs_of(videos), targets_of(videos))
    terms = StoryLosses(LossConfig(reduction="mean"))(outputs)
    assert terms["event"][1] == sum(len(v.events) + 1 for v in videos)
    assert terms["sentence"][1] == sum(len(w) - 1 for v in videos for w in v.words)
    assert terms["action_selection"][1] == sum(len(a) for v in videos for a in v.action_used)


def test_every_parameter_of_every_model_learns() -> None:
    videos = some_videos()
    parts = {"absolute": True, "scores": True, "stop": "learned", "output": "transform", "feedback": "choice"}
    for letters in ("b", "bi", "biv", "bivt"):
        model = build(tiny(letters, teacher="gumbel", **parts))
        StoryLosses(LossConfig()).total(model(inputs_of(videos), targets_of(videos))).backward()
        still = [n for n, p in model.named_parameters() if p.grad is None or p.grad.abs().sum() == 0]
        assert still == [], letters
