"""Fitting the heads of sight: least squares, logistic regression, groups of sentences. All deterministic."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from cookscribe.encoders.published_graphs import GRAPHS
from cookscribe.seeds import generator
from cookscribe.senses.sight import KINDS, SCENES, SightConfig, SightModel

Floats = NDArray[np.floating]

# Chosen by cross-validation on the training stills.
RIDGE, LOGISTIC = 8.0, 1.0  # pull towards zero; rows have a length of about 1
SHRINKAGE = 4.0  # of the covariances of sentences and errors, as a multiple of their mean variance
USUAL = 0.1  # the same for rows of stills
ROUNDS = 15  # of k-means


def ridge(x: Tensor, y: Tensor, pull: float = RIDGE) -> tuple[Tensor, Tensor]:
    """(F, D) weights and (D,) shift of the least squares from (S, F) to (S, D)."""
    middle, level = x.mean(dim=0), y.mean(dim=0)
    centred = x - middle
    square = centred.T @ centred + pull * torch.eye(x.shape[1], dtype=x.dtype)
    weights = torch.linalg.solve(square, centred.T @ (y - level))
    return weights, level - middle @ weights


def logistic(x: Tensor, y: Tensor, pull: float = LOGISTIC, rounds: int = 60) -> tuple[Tensor, Tensor]:
    """(F, W) weights and (W,) shifts of W logistic regressions from (S, F) to (S, W) of 0 and 1."""
    share = (y.sum(dim=0) + 0.5) / (len(y) + 1)
    shift = torch.logit(share).requires_grad_()
    weights = torch.zeros(x.shape[1], y.shape[1], dtype=x.dtype, requires_grad=True)
    search = torch.optim.LBFGS([weights, shift], max_iter=rounds, history_size=8, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        search.zero_grad()
        errors = F.binary_cross_entropy_with_logits(x @ weights + shift, y, reduction="sum")
        total = errors + pull / 2 * weights.square().sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    search.step(loss)  # type: ignore[no-untyped-call]
    return weights.detach(), shift.detach()


def groups_of(rows: Tensor, count: int, name: str) -> tuple[Tensor, Tensor]:
    """k-means on rows of length 1: (count, D) middles of length 1, and (S,) the group of every row."""
    chosen = generator(f"groups of {name}").choice(len(rows), count, replace=len(rows) < count)
    middles = rows[torch.from_numpy(chosen)]
    member = torch.zeros(len(rows), dtype=torch.long)
    for _ in range(ROUNDS):
        member = (rows @ middles.T).argmax(dim=1)
        sums = torch.zeros_like(middles).index_add_(0, member, rows)
        # A group that lost all its members stays where it is.
        lost = torch.bincount(member, minlength=count) == 0
        middles = torch.where(lost.unsqueeze(1), middles, F.normalize(sums, dim=1))
    return middles, member


def fit_heads(
    config: SightConfig, rows: Floats, named: Floats, vectors: Floats, others: Floats, others_named: Floats
) -> SightModel:
    """A model whose two votes are learnt; their weights are not (`fit_votes`).

    Args:
        rows: (S, F) of stills; named: (S, W) words of their sentences; vectors: (S, D) of the sentences.
        others, others_named: the same of all sentences that may be recalled, most of them without a picture.
    """
    model = SightModel(config)
    x, y, s, pool, pool_y = (
        torch.from_numpy(np.asarray(a, np.float64)) for a in (rows, named, vectors, others, others_named)
    )
    mean, scale = level_and_scale(x, config.encoder)
    values = {"mean": mean, "scale": scale}
    x = (x - mean) / scale
    prior = torch.logit((pool_y.sum(dim=0) + 0.5) / (len(pool_y) + 1))
    # The vote is what the picture adds to how often a word is named; so the shift is left out.
    direct, _ = logistic(x, y)
    towards, origin = ridge(x, s)
    middles, member = groups_of(F.normalize(pool, dim=1), config.memory, "sentences")
    counts = torch.bincount(member, minlength=config.memory).double()
    sums = torch.zeros(config.memory, len(config.words), dtype=torch.float64).index_add_(0, member, pool_y)
    values |= {
        "prior": prior,
        "direct": direct,
        "towards": towards,
        "origin": origin,
        "groups": middles,
        "group_weight": counts.clamp(min=1e-3).log(),
        "rates": sums / counts.clamp(min=1).unsqueeze(1),
        "usual": inverse_covariance(x[:, -config.judged :], USUAL),
    }
    put(model, values)
    return model


def level_and_scale(x: Tensor, encoder: str) -> tuple[Tensor, Tensor]:
    """(F,) means of (S, F) rows, and (F,) what to divide them by, so that the rows of each encoder have length 1."""
    widths = torch.cat([torch.full((w,), float(w) ** 0.5) for w in block_widths(encoder, x.shape[1])])
    return x.mean(dim=0), (x.std(dim=0) + 1e-6) * widths


def guesses_for(held: Tensor, rows: Tensor, vectors: Tensor, encoder: str) -> Tensor:
    """(N, D) guessed vectors of (N, F) held-out rows by the head that learns from (S, F) rows and (S, D) vectors."""
    mean, scale = level_and_scale(rows, encoder)
    weights, shift = ridge((rows - mean) / scale, vectors)
    return (held - mean) / scale @ weights + shift


def put(model: SightModel, values: dict[str, Tensor]) -> None:
    """Set parameters by name."""
    parameters = dict(model.named_parameters())
    for name, value in values.items():
        parameters[name].data.copy_(value)


def block_widths(encoder: str, width: int) -> list[int]:
    """Width of each joined encoder's rows; a wide one shall not outweigh the others."""
    widths = [GRAPHS[name].width if name in GRAPHS else 0 for name in encoder.split("+")]
    return widths if all(widths) and sum(widths) == width else [width]


def fit_votes(votes: Tensor, named: Tensor, model: SightModel) -> Tensor:
    """(3, 4) weights of (S, W, 2) votes of held-out stills, of the prior, and a shift, per kind of word."""
    fitted = torch.zeros(len(KINDS), 4, dtype=torch.float64)
    for kind in range(len(KINDS)):
        columns = torch.nonzero(model.which == kind).squeeze(1)
        if not len(columns):
            continue
        prior = model.prior.double()[columns].expand(len(votes), -1).unsqueeze(-1)
        x = torch.cat((votes[:, columns], prior), dim=-1).reshape(-1, 3)
        weights, shift = logistic(x, named[:, columns].reshape(-1, 1), pull=1e-3)
        fitted[kind] = torch.cat((weights.squeeze(1), shift))
    return fitted


def precisions(vectors: Tensor, guesses: Tensor) -> tuple[Tensor, Tensor]:
    """(D, D) inverse covariance of the errors of held-out guesses, and how much it is above that of sentences."""
    of_errors = inverse_covariance(vectors - guesses, SHRINKAGE)
    return of_errors, of_errors - inverse_covariance(vectors, SHRINKAGE)


def inverse_covariance(rows: Tensor, shrinkage: float) -> Tensor:
    """(D, D) of (S, D) rows around zero; `shrinkage` times the mean variance is added to every direction."""
    covariance = rows.T @ rows / len(rows)
    size = len(covariance)
    steady = shrinkage * covariance.trace() / size * torch.eye(size, dtype=rows.dtype)
    inverted: Tensor = torch.linalg.inv(covariance + steady)
    return inverted


def fit_scenes(x: Tensor, kinds: list[str]) -> tuple[Tensor, Tensor]:
    """(F, 2) weights and (2,) shifts of `SCENES` from normalised rows of stills that somebody looked at."""
    y = torch.tensor([[float(kind == scene) for scene in SCENES] for kind in kinds], dtype=torch.float64)
    return logistic(x, y)
