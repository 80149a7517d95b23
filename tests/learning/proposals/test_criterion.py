"""Matching and losses against independent plain implementations."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import poisson

from cookscribe.learning.proposals.criterion import Criterion, Truth, focal_loss, gaussian_count_loss
from cookscribe.learning.proposals.matcher import match
from cookscribe.proposals.pdvc.boxes import generalized_iou, inverse_sigmoid, to_borders, to_boxes
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.deformable import Pyramid
from cookscribe.proposals.pdvc.pdvc import Layer
from cookscribe.proposals.pdvc.transformer import Encoded

CONFIG = ProposalConfig.preset("small")


def plain_giou(a: tuple[float, float], b: tuple[float, float]) -> float:
    overlap = max(0.0, min(a[1], b[1]) - max(a[0], b[0]))
    union = (a[1] - a[0]) + (b[1] - b[0]) - overlap
    hull = max(a[1], b[1]) - min(a[0], b[0])
    return (overlap / union if union else 0.0) - ((hull - union) / hull if hull else 0.0)


def plain_focal(logit: float, target: int) -> float:
    chance = 1 / (1 + math.exp(-logit))
    if target:
        return -0.25 * (1 - chance) ** 2 * math.log(chance)
    return -0.75 * chance**2 * math.log(1 - chance)


# Lengths below the smallest normal number count as 0 in the loss.
unit = st.floats(0, 1, allow_subnormal=False)
span = st.tuples(unit, unit).map(lambda pair: (min(pair), max(pair)))


@settings(max_examples=80, deadline=None)
@given(a=span, b=span)
def test_generalised_iou(a: tuple[float, float], b: tuple[float, float]) -> None:
    value = generalized_iou(torch.tensor(a, dtype=torch.float64), torch.tensor(b, dtype=torch.float64)).item()
    assert value == pytest.approx(plain_giou(a, b), abs=1e-9)
    assert -1 <= value <= 1


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [((0, 1), (0, 1), 1.0), ((0, 0.5), (0.5, 1), 0.0), ((0, 0.1), (0.9, 1), -0.8), ((0.3, 0.3), (0.3, 0.3), 0.0)],
)
def test_generalised_iou_at_the_corners(a: tuple[float, float], b: tuple[float, float], value: float) -> None:
    assert generalized_iou(torch.tensor(a) * 1.0, torch.tensor(b) * 1.0).item() == pytest.approx(value, abs=1e-6)


@given(logit=st.floats(-12, 12), target=st.integers(0, 1))
def test_focal_loss(logit: float, target: int) -> None:
    value = focal_loss(torch.tensor(logit, dtype=torch.float64), torch.tensor(float(target)).double())
    assert value.item() == pytest.approx(plain_focal(logit, target), rel=1e-6, abs=1e-12)


def test_boxes_and_borders_round_trip_and_logits_stay_finite() -> None:
    borders = torch.tensor([[0.0, 1.0], [0.2, 0.5]])
    torch.testing.assert_close(to_borders(to_boxes(borders)), borders)
    assert torch.isfinite(inverse_sigmoid(torch.tensor([0.0, 1.0]))).all()


def cheapest(logits: torch.Tensor, boxes: torch.Tensor, truth: torch.Tensor) -> float:
    """Smallest matching cost over all assignments, by trying every one."""
    costs = np.zeros((len(logits), len(truth)))
    for q, t in itertools.product(range(len(logits)), range(len(truth))):
        logit = float(logits[q])
        gain = plain_giou(tuple(to_borders(boxes[q]).tolist()), tuple(to_borders(truth[t]).tolist()))
        costs[q, t] = 2 * (plain_focal(logit, 1) - plain_focal(logit, 0)) - 4 * gain
    few, many = (costs.T, costs) if len(truth) <= len(logits) else (costs, costs.T)
    ways = itertools.permutations(range(len(many)), len(few))
    return min(sum(few[row, column] for row, column in enumerate(way)) for way in ways)


def total(
    logits: torch.Tensor, boxes: torch.Tensor, truth: torch.Tensor, queries: list[int], events: list[int]
) -> float:
    return sum(
        2 * (plain_focal(float(logits[q]), 1) - plain_focal(float(logits[q]), 0))
        - 4 * plain_giou(tuple(to_borders(boxes[q]).tolist()), tuple(to_borders(truth[t]).tolist()))
        for q, t in zip(queries, events, strict=True)
    )


@pytest.mark.parametrize(("queries", "events"), [(5, 3), (4, 4), (3, 5), (6, 1)])
def test_the_match_is_the_cheapest_of_all(queries: int, events: int) -> None:
    draw = torch.Generator().manual_seed(queries * 10 + events)
    logits, boxes = torch.randn(1, queries, generator=draw) * 3, torch.rand(1, queries, 2, generator=draw)
    truth = torch.rand(events, 2, generator=draw)
    pairs = match(logits, boxes, [truth])
    assert len(pairs.queries) == min(queries, events)
    assert len(set(pairs.queries.tolist())) == len(set(pairs.events.tolist())) == min(queries, events)
    found = total(logits[0], boxes[0], truth, pairs.queries.tolist(), pairs.events.tolist())
    assert found == pytest.approx(cheapest(logits[0], boxes[0], truth), abs=1e-4)


def layer(batch: int, queries: int, seed: int = 0) -> Layer:
    draw = torch.Generator().manual_seed(seed)
    return Layer(
        hidden=torch.randn(batch, queries, 4, generator=draw),
        logits=torch.randn(batch, queries, generator=draw),
        boxes=torch.rand(batch, queries, 2, generator=draw),
        counter=torch.randn(batch, 1, generator=draw),
        references=torch.rand(batch, queries, 2, generator=draw),
    )


def test_class_and_giou_losses_of_a_batch_with_an_empty_video() -> None:
    found = layer(2, 4)
    truth = Truth([torch.rand(3, 2), torch.zeros(0, 2)])
    pairs = match(found.logits, found.boxes, truth.boxes)
    assert pairs.videos.tolist() == [0, 0, 0]
    criterion = Criterion(CONFIG)
    is_event = set(pairs.queries.tolist())
    expected = sum(
        plain_focal(float(found.logits[v, q]), int(v == 0 and q in is_event)) for v in range(2) for q in range(4)
    )
    term = criterion.loss_class(found, pairs, truth)
    assert (term.total.item(), term.divisor) == (pytest.approx(expected, rel=1e-5), 3)
    overlaps = [
        plain_giou(tuple(to_borders(found.boxes[0, q]).tolist()), tuple(to_borders(truth.boxes[0][t]).tolist()))
        for q, t in zip(pairs.queries.tolist(), pairs.events.tolist(), strict=True)
    ]
    term = criterion.loss_giou(found, pairs, truth)
    assert (term.total.item(), term.divisor) == (pytest.approx(sum(1 - o for o in overlaps), rel=1e-4), 3)


def test_a_batch_without_any_event_has_finite_losses() -> None:
    found = layer(2, 3)
    truth = Truth([torch.zeros(0, 2)] * 2)
    pairs = match(found.logits, found.boxes, truth.boxes)
    criterion = Criterion(CONFIG)
    assert criterion.loss_class(found, pairs, truth).divisor == 1
    giou = criterion.loss_giou(found, pairs, truth)
    assert (giou.total.item(), giou.divisor) == (0.0, 0)
    assert math.isfinite(criterion.loss_count(found, truth).total.item())


def test_the_count_loss_is_a_poisson_likelihood_without_a_ceiling() -> None:
    found = layer(3, 2)
    truth = Truth([torch.zeros(count, 2) for count in (0, 7, 41)])
    expected = -sum(
        poisson.logpmf(count, math.exp(rate))
        for count, rate in zip((0, 7, 41), found.counter[:, 0].tolist(), strict=True)
    )
    term = Criterion(CONFIG).loss_count(found, truth)
    assert (term.total.item(), term.divisor) == (pytest.approx(expected, rel=1e-5), 3)


def test_the_published_count_head_is_a_classification_with_a_ceiling() -> None:
    config = ProposalConfig.preset("small", count_head="classes", count_classes=11)
    logits = torch.randn(2, 11, generator=torch.Generator().manual_seed(0))
    found = layer(2, 2)._replace(counter=logits)
    term = Criterion(config).loss_count(found, Truth([torch.zeros(4, 2), torch.zeros(16, 2)]))
    chances = logits.double().softmax(dim=1)
    assert term.total.item() == pytest.approx(-math.log(chances[0, 4] * chances[1, 10]), rel=1e-5)


def test_more_events_than_queries_are_all_counted_by_the_class_loss() -> None:
    found = layer(1, 2)
    truth = Truth([torch.rand(5, 2)])
    pairs = match(found.logits, found.boxes, truth.boxes)
    assert len(pairs.queries) == 2
    assert Criterion(CONFIG).loss_class(found, pairs, truth).divisor == 5
    assert Criterion(CONFIG).loss_giou(found, pairs, truth).divisor == 2


def test_the_inside_loss_reads_real_frames_only() -> None:
    pyramid = Pyramid((4, 2), torch.tensor([[4.0, 2.0], [2.0, 1.0]]))
    tokens = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(0))
    head = torch.nn.Linear(3, 1)
    # Frame centres are 1/8, 3/8, 5/8, 7/8 in the first video and 1/4, 3/4 in the second.
    truth = Truth([torch.tensor([[0.375, 0.1], [0.8, 0.4]]), torch.zeros(0, 2)])
    inside = [[0, 1, 1, 1], [0, 0]]
    expected = 0.0
    for video, labels in enumerate(inside):
        for frame, label in enumerate(labels):
            chance = torch.sigmoid(head(tokens[video, frame])).item()
            expected -= math.log(chance if label else 1 - chance)
    term = Criterion(CONFIG).loss_inside(head, Encoded(tokens, pyramid, tokens), truth)
    assert (term.total.item(), term.divisor) == (pytest.approx(expected, rel=1e-5), 6)


def test_the_published_counter_forgives_near_counts_and_weighs_rare_ones_more() -> None:
    logits = torch.randn(2, 4, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    rates = torch.tensor([0.0, 0.5, 0.3, 0.2], dtype=torch.float64)
    found = gaussian_count_loss(logits, torch.tensor([1, 3]), rates)
    for row, count in enumerate((1, 3)):
        total = 0.0
        for number in range(4):
            chance = 1 / (1 + math.exp(-float(logits[row, number])))
            if number == count:
                loss, forgiven = -math.log(chance), 0.0
            else:
                loss, forgiven = -math.log(1 - chance), math.exp(-((number - count) ** 2) / 8)
            total += loss * (1 - float(rates[number])) * (1 - forgiven)
        assert found[row].item() == pytest.approx(total / 4)
    # In a batch, counts beyond the last class are that class.
    criterion = Criterion(ProposalConfig.preset("paper", count_classes=4), rates.float())
    many = layer(1, 9)._replace(counter=logits[:1].float())
    term = criterion.loss_count(many, Truth([torch.rand(7, 2)]))
    assert term.total.item() == pytest.approx(
        gaussian_count_loss(logits[:1], torch.tensor([3]), rates).item(), rel=1e-5
    )
