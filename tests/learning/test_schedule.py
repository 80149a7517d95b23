"""Schedule, average and optimiser groups."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.ema import Average
from cookscribe.learning.schedule import ScheduleConfig, factor
from cookscribe.learning.state import fingerprint, make_optimizer


def test_warmup_linear_rises_to_one_and_falls_to_zero() -> None:
    schedule = ScheduleConfig(kind="warmup-linear", warmup=5)
    course = [factor(schedule, step / 10, 50, 10) for step in range(500)]
    assert course[0] == pytest.approx(1 / 50)
    assert course[49] == course[50] == 1.0
    assert course[275] == pytest.approx(0.5)
    assert course[499] == pytest.approx(0.1 / 45)
    assert max(range(500), key=course.__getitem__) == 49


def test_step_halving_is_pdvcs() -> None:
    schedule = ScheduleConfig(kind="step-halving", warmup=0, halve_from=8, halve_every=3)
    assert [factor(schedule, epoch, 30, 10) for epoch in (0, 7.9, 8, 10.9, 11, 14)] == [1, 1, 0.5, 0.5, 0.25, 0.125]


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(["constant", "warmup-linear", "step-halving"]),
    epoch=st.floats(0, 40),
    epochs=st.integers(1, 40),
    warmup=st.floats(0, 50),
    steps=st.integers(1, 100),
)
def test_the_factor_stays_between_0_and_1(kind: str, epoch: float, epochs: int, warmup: float, steps: int) -> None:
    schedule = ScheduleConfig.parse({"kind": kind, "warmup": warmup})
    assert 0 <= factor(schedule, epoch, epochs, steps) <= 1


def test_average_follows_the_formula_and_gives_the_model_back() -> None:
    model = nn.Linear(2, 1)
    average = Average(model, 0.9)
    expected = model.weight.detach().clone()
    for step in range(1, 120):
        with torch.no_grad():
            model.weight.add_(0.1)
        average.update(step)
        decay = min(0.9, (1 + step) / (10 + step))
        expected = decay * expected + (1 - decay) * model.weight.detach()
    torch.testing.assert_close(average.weights["weight"], expected)
    own = fingerprint(model.state_dict())
    with average.applied():
        torch.testing.assert_close(model.weight.detach(), expected)
    assert fingerprint(model.state_dict()) == own


def test_weight_decay_spares_biases_and_normalisation() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.LayerNorm(3), nn.Embedding(4, 3))
    optimizer = make_optimizer(model, TrainingConfig(weight_decay=0.3))
    decayed = {id(p) for group in optimizer.param_groups if group["weight_decay"] for p in group["params"]}
    assert decayed == {id(model[0].weight), id(model[2].weight)}
