"""Deformable sampling against a plain loop, its gradients against finite differences."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from cookscribe.proposals.pdvc.deformable import DeformableAttention, Pyramid, attend, spread_locations


def plain(values: Tensor, sizes: tuple[int, ...], real: Tensor, locations: Tensor, weights: Tensor) -> Tensor:
    """The definition, one number at a time."""
    batch, heads, queries, levels, points = locations.shape
    out = torch.zeros(batch, heads, queries, values.shape[3], dtype=values.dtype)
    for b in range(batch):
        for h in range(heads):
            for q in range(queries):
                for level in range(levels):
                    first, length = sum(sizes[:level]), int(real[b, level])
                    for p in range(points):
                        place = float(locations[b, h, q, level, p]) * length - 0.5
                        left = math.floor(place)
                        for row, share in ((left, 1 - (place - left)), (left + 1, place - left)):
                            if 0 <= row < length:
                                out[b, h, q] += weights[b, h, q, level, p] * share * values[b, h, first + row]
    return out


def case(seed: int, sizes: tuple[int, ...] = (7, 4, 2), real: list[list[int]] | None = None):
    draw = torch.Generator().manual_seed(seed)
    pyramid = Pyramid(sizes, torch.tensor(real or [[7, 4, 2], [5, 3, 2]], dtype=torch.float64))
    batch, heads, queries, points, depth = len(pyramid.real), 2, 3, 2, 4
    values = torch.randn(batch, heads, sum(sizes), depth, generator=draw, dtype=torch.float64)
    values = values * pyramid.mask[:, None, :, None]
    # Some positions fall far outside of the video.
    locations = torch.rand(batch, heads, queries, len(sizes), points, generator=draw, dtype=torch.float64) * 1.8 - 0.4
    weights = torch.rand(batch, heads, queries, len(sizes), points, generator=draw, dtype=torch.float64)
    return pyramid, values, locations, weights


@pytest.mark.parametrize("made", [*((seed,) for seed in range(5)), (0, (1, 1, 1), [[1, 1, 1]])])
def test_it_equals_the_plain_loop(made: tuple[Any, ...]) -> None:
    """The last one is a video of one frame."""
    pyramid, values, locations, weights = case(*made)
    expected = plain(values, pyramid.sizes, pyramid.real, locations, weights)
    torch.testing.assert_close(attend(values, pyramid, locations, weights), expected)


def test_borders_and_the_middle_of_a_frame() -> None:
    pyramid = Pyramid((4,), torch.tensor([[4.0]]))
    values = torch.tensor([1.0, 2.0, 3.0, 4.0]).view(1, 1, 4, 1)
    places = torch.tensor([0.125, 0.25, 0.0, 1.0, -0.2, 1.2, -9.0, 9.0]).view(1, 1, 8, 1, 1)
    read = attend(values, pyramid, places, torch.ones_like(places)).flatten()
    # Centre of frame 1; between 1 and 2; half outside at both ends; (almost) outside.
    torch.testing.assert_close(read, torch.tensor([1.0, 1.5, 0.5, 2.0, 0.0, 0.0, 0.0, 0.0]))


@pytest.mark.parametrize("padding", ["zeros", "border"])
def test_it_equals_grid_sample(padding: str) -> None:
    draw = torch.Generator().manual_seed(1)
    pyramid = Pyramid((9,), torch.tensor([[9.0]]), border=padding == "border")
    values = torch.randn(1, 1, 9, 5, generator=draw)
    places = torch.rand(1, 1, 6, 1, 1, generator=draw) * 1.4 - 0.2
    grid = torch.stack([places.view(1, 1, 6) * 2 - 1, torch.zeros(1, 1, 6)], dim=-1)
    rows = values.transpose(2, 3).view(1, 5, 1, 9)
    expected = functional.grid_sample(rows, grid, padding_mode=padding, align_corners=False)
    read = attend(values, pyramid, places, torch.ones_like(places))
    torch.testing.assert_close(read[0, 0], expected[0, :, 0].T)


def test_gradients_equal_finite_differences() -> None:
    pyramid, values, locations, weights = case(3)
    inputs = [tensor.requires_grad_() for tensor in (values, locations, weights)]
    torch.autograd.gradcheck(lambda v, x, w: attend(v, pyramid, x, w), inputs, eps=1e-7, atol=1e-5)


def test_padding_changes_nothing() -> None:
    torch.manual_seed(0)
    attention = DeformableAttention(8, 2, 2, 2)
    torch.nn.init.normal_(attention.offsets.weight)
    queries, tokens = torch.randn(1, 3, 8), torch.randn(1, 6, 8)
    references = torch.rand(1, 3, 1)
    small = Pyramid((4, 2), torch.tensor([[4.0, 2.0]]))
    wide = Pyramid((7, 4), torch.tensor([[4.0, 2.0]]))
    padded = torch.full((1, 11, 8), 99.0)
    padded[:, :4], padded[:, 7:9] = tokens[:, :4], tokens[:, 4:]
    torch.testing.assert_close(
        attention(queries, references, tokens, small), attention(queries, references, padded, wide)
    )


def test_locations_spread_in_tokens_around_points_and_in_lengths_inside_spans() -> None:
    pyramid = Pyramid((10, 5), torch.tensor([[10.0, 5.0]]))
    offsets = torch.tensor([1.0, -2.0]).view(1, 1, 1, 1, 2).expand(1, 1, 1, 2, 2)
    points = spread_locations(torch.tensor([[[0.5]]]), offsets, pyramid)
    torch.testing.assert_close(points[0, 0, 0], torch.tensor([[0.6, 0.3], [0.7, 0.1]]))
    spans = spread_locations(torch.tensor([[[0.5, 0.2]]]), offsets, pyramid)
    torch.testing.assert_close(spans[0, 0, 0], torch.tensor([[0.55, 0.4], [0.55, 0.4]]))
