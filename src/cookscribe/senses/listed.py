"""Which ingredients of a list are used in which step, judged by sight for the whole film at once.

A recipe uses most ingredients once. So the steps compete for an ingredient: one that is clearly seen elsewhere is less
likely here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cookscribe.senses.sight import Sight, SightConfig
from cookscribe.text.ingredients import canonical
from cookscribe.text.tokens import ptb_tokens

Floats = NDArray[np.float64]

SOFTNESS = 0.5  # how sharply the steps compete


def evidence(
    sight: Sight, words: Floats, guesses: Floats, names: Sequence[str], vectors: Floats | None
) -> NDArray[np.float64]:
    """(N, M, 4): likeness, log odds of the words seen against their prior, whether there are such words, `uses`.

    Args:
        words: (N, W) probabilities and guesses: (N, D) of N steps.
        vectors: (M, D) of the names in the model's space; None where nothing makes them.
    """
    config = sight.config
    prior = sight.model.prior.double().numpy()
    against = np.log(words.clip(1e-6, 1 - 1e-6)) - np.log1p(-words.clip(1e-6, 1 - 1e-6)) - prior
    found = np.zeros((len(words), len(names), 4))
    if vectors is not None:
        found[..., 0] = sight.name_likeness(guesses, vectors)
    keys = word_keys(config)
    for column, name in enumerate(names):
        tokens = [canonical(token) for token in ptb_tokens(name)]
        held = [n for n, key in keys if key <= set(tokens)]
        if held:
            strongest = np.abs(against[:, held]).argmax(axis=1)
            found[:, column, 1] = against[:, held][np.arange(len(words)), strongest]
            found[:, column, 2] = 1.0
        found[:, column, 3] = config.uses.get(tokens[-1] if tokens else "", config.any_use)
    return found


def word_keys(config: SightConfig) -> list[tuple[int, frozenset[str]]]:
    """Number and canonical tokens of every food that may be seen."""
    return [
        (n, frozenset(canonical(token) for token in ptb_tokens(word)))
        for n, word in enumerate(config.words)
        if config.kinds[n] == "food"
    ]


def compete(odds: Floats, elsewhere: int = 0) -> Floats:
    """(N, M) log odds of use, judged alone -> with the steps competing for each ingredient.

    Args:
        elsewhere: steps of the recipe that are not among the N.
    """
    strength = np.exp(SOFTNESS * odds)
    return np.asarray(np.log(strength / (strength.sum(axis=0) - strength + elsewhere + 1.0)))


def ingredients_in_steps(
    sight: Sight, words: Floats, guesses: Floats, names: Sequence[str], vectors: Floats | None, elsewhere: int = 0
) -> Floats:
    """(N, M) how likely step n uses ingredient m; arguments as those of `evidence` and `compete`."""
    *weights, shift = sight.config.ingredient
    alone = evidence(sight, words, guesses, names, vectors) @ np.array(weights) + shift
    slope, level = sight.config.once
    return np.asarray(0.5 + 0.5 * np.tanh((slope * compete(alone, elsewhere) + level) / 2))
