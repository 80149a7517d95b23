"""The fast path against the plain one: cached attention, fused weights, cached words give the same numbers."""

import numpy as np
import pytest
import torch
from torch import Tensor

from cookscribe.model.batch import take
from cookscribe.model.beyond.cached_writer import SentenceWriter
from cookscribe.model.beyond.fast import LinearPair, fused_weights
from cookscribe.model.memory import MemoryLayer
from cookscribe.model.recipe_model import State
from tests.model.examples import WORDS, build, close, inputs_of, random_video, tiny


def tensor(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(sum(shape)))


def test_two_matrices_give_the_same_by_either_way() -> None:
    torch.manual_seed(0)
    pair = LinearPair(8).double()
    few, many = tensor(1, 3, 8), tensor(5, 40, 8)
    many[0, :3] = few[0]
    by_steps = pair.outer(pair.inner(few))[0]
    assert close(pair(few)[0], by_steps)
    assert close(pair(many)[0, :3], by_steps)
    with fused_weights(torch.nn.ModuleList([pair])):
        assert close(pair(few)[0], by_steps)
    with torch.no_grad():
        pair.inner.weight.mul_(2)  # a fused weight must not outlive its factors
    assert close(pair(few)[0], pair.outer(pair.inner(few))[0])


@pytest.mark.parametrize("cells", [1, 3])
def test_cached_rows_read_the_same(cells: int) -> None:
    torch.manual_seed(0)
    layer = MemoryLayer(8, 2, cells, 0.0, 0.0).double()
    mask = torch.tensor([[True] * 5, [True, True, False, True, False]])[:, None, None, :]
    x, memory = tensor(2, 5, 8), tensor(2, cells, 8)
    rows, cached = layer.rows(x, mask), layer.rows(x, mask, cache=True)
    assert rows.cached is None
    assert cached.cached is not None
    assert close(layer.read(cached, memory, mask), layer.read(rows, memory, mask))
    second = take(cached, torch.tensor([1]))
    assert close(layer.read(second, memory[1:], mask[1:]), layer.read(rows, memory, mask)[1:])
    with_dropout = MemoryLayer(8, 2, cells, 0.0, 0.5).double().train()
    assert with_dropout.rows(x, mask, cache=True).cached is None


@pytest.mark.parametrize("name", ["b", "bi"])
@torch.no_grad()
def test_words_one_by_one_are_the_whole_sentence_and_others_may_leave(name: str) -> None:
    model = build(tiny(name), 5)
    rng = np.random.default_rng(5)
    encoded = model.encode(inputs_of([random_video(rng, 4, 3, 1) for _ in range(4)]))
    selection = model.select(encoded, State())
    opened = model.open_sentence(encoded, State(), selection.hidden[:, 1])
    words = torch.randint(4, WORDS, (4, 6), generator=torch.Generator().manual_seed(5))
    expected, whole = model.generator.extend(opened, words)
    ends = torch.tensor([6, 1, 6, 2])  # the second and the fourth sentence are over early
    writer = SentenceWriter(model.generator, opened, 6)
    for place in range(6):
        row = writer.next(words[:, place])
        for video in (ends > place).nonzero().flatten().tolist():
            assert close(row[video], expected[video, place])
        if place < 5:
            writer.leave(ends <= place + 1)
    assert len(writer.rows) == 2
    real = torch.arange(6) < ends.unsqueeze(1)
    for a, b in zip(
        model.generator.close(writer.finished(), real), model.generator.close(whole.finished(), real), strict=True
    ):
        assert close(a, b)


@torch.no_grad()
def test_scores_that_are_compared_are_not_rounded_under_autocast() -> None:
    model = build(tiny("b"), 6).float()
    rng = np.random.default_rng(6)
    rows, memory = (torch.tensor(rng.normal(size=(2, 5, 8)), dtype=torch.float32) for _ in range(2))
    mask = torch.ones(2, 5, dtype=torch.bool)
    plain = model.output(rows), model.selector.logits(rows, (memory,), mask)
    with torch.autocast("cpu", torch.bfloat16):
        assert model.mixing.f1(rows).dtype == torch.bfloat16
        scores = model.output(rows), model.selector.logits(rows, (memory,), mask)
    for found, expected in zip(scores, plain, strict=True):
        torch.testing.assert_close(found, expected)
