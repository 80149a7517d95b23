"""The dynamic programmes over chains against plain enumeration of all chains."""

from itertools import combinations, pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.model.beyond.chain_sums import chain_score, chain_sums
from cookscribe.model.beyond.chains import Potentials, best_chains
from tests.model.examples import chain_by_parts


def random_potentials(seed: int, videos: int, count: int, real: int, spread: float = 1.0) -> Potentials:
    """Potentials with `count - real` padded candidates and a few forbidden steps."""
    torch.manual_seed(seed)
    node, first, last = torch.randn(3, videos, count, dtype=torch.double) * spread
    edge = torch.randn(videos, count, count, dtype=torch.double) * spread
    edge[torch.rand(videos, count, count) < 0.2] = float("-inf")
    node[:, real:] = float("-inf")
    return Potentials(node, first, last, edge)


def all_chains(potentials: Potentials, video: int, length: int) -> dict[tuple[int, ...], float]:
    """Score of every chain of one length."""
    chains = combinations(range(potentials.node.shape[1]), length)
    return {chain: chain_by_parts(potentials, video, chain) for chain in chains}


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 7), padding=st.integers(0, 2))
def test_best_chain_of_each_length_is_the_best_of_all(seed: int, count: int, padding: int) -> None:
    potentials = random_potentials(seed, 2, count + padding, count)
    found = best_chains(potentials, 5)
    for video in range(2):
        for length in range(1, 6):
            scores = all_chains(potentials, video, length)
            best = max(scores.values(), default=float("-inf"))
            assert float(found.scores[video, length - 1]) == pytest.approx(best)
            if best > float("-inf"):
                assert scores[tuple(found.of(video, length))] == pytest.approx(best)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), count=st.integers(1, 7), padding=st.integers(0, 2))
def test_sums_equal_enumeration(seed: int, count: int, padding: int) -> None:
    potentials = random_potentials(seed, 2, count + padding, count)
    reward, gain = torch.rand(2, count + padding), torch.rand(2, count + padding, count + padding)
    sums = chain_sums(potentials, 5, reward, gain)
    for video in range(2):
        for length in range(1, 6):
            total = earned = 0.0
            for chain, score in all_chains(potentials, video, length).items():
                weight = float(torch.tensor(score, dtype=torch.double).exp())
                value = float(reward[video, chain[0]])
                value += sum(float(gain[video, i, j]) for i, j in pairwise(chain))
                total += weight
                earned += weight * value
            got = float(sums.log_weights[video, length - 1].exp())
            assert got == pytest.approx(total, rel=1e-9, abs=1e-300)
            if total:
                assert float(sums.rewards[video, length - 1]) == pytest.approx(earned / total, rel=1e-6)


def test_large_potentials_neither_overflow_nor_vanish() -> None:
    for shift in (-200.0, 200.0):
        potentials = random_potentials(0, 1, 30, 30)
        moved = Potentials(potentials.node + shift, potentials.first, potentials.last, potentials.edge)
        plain, far = chain_sums(potentials, 20), chain_sums(moved, 20)
        lengths = torch.arange(1, 21, dtype=torch.double)
        torch.testing.assert_close(far.log_weights, plain.log_weights + shift * lengths, rtol=1e-9, atol=1e-6)


def test_gradients_are_right_and_padding_gets_none() -> None:
    torch.manual_seed(3)
    real, count = 4, 6
    parts = [torch.randn(2, count, dtype=torch.double, requires_grad=True) for _ in range(4)]
    edge, gain = (torch.randn(2, count, count, dtype=torch.double, requires_grad=True) for _ in range(2))
    padding = torch.arange(count) >= real

    def expected(*inputs: torch.Tensor) -> torch.Tensor:
        node, first, last, reward, edges, gains = inputs
        sums = chain_sums(Potentials(node.masked_fill(padding, float("-inf")), first, last, edges), 3, reward, gains)
        assert sums.rewards is not None
        return (sums.probabilities * sums.rewards).sum(dim=1)

    assert torch.autograd.gradcheck(expected, (*parts, edge, gain))
    expected(*parts, edge, gain).sum().backward()
    for part in (*parts, edge, gain):
        assert torch.isfinite(part.grad).all()
        assert not part.grad[:, real:].any()


def test_score_of_a_given_chain() -> None:
    potentials = random_potentials(5, 1, 6, 6)
    scores = {c: s for k in (1, 2, 3) for c, s in all_chains(potentials, 0, k).items()}
    for chain, score in scores.items():
        chosen = torch.zeros(1, 6, dtype=torch.bool)
        chosen[0, list(chain)] = True
        assert float(chain_score(potentials, chosen)) == pytest.approx(score)
    assert float(chain_score(potentials, torch.zeros(1, 6, dtype=torch.bool))) == 0
