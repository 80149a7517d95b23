"""Sentences that do not repeat themselves, nor the sentences of their recipe before them.

A model that copies may otherwise say the same word again and again.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from cookscribe.model.config import EOS, PAD

# Takes what may not follow out of (rows, vocabulary) log-probabilities, in place. Also gets the (rows, L) words so far
# and which (rows,) sentences are finished; the rows of a video's beam stand one after another.
Forbid = Callable[[Tensor, Tensor, Tensor], None]


class PastNGrams:
    """The n-grams (runs of `size` words) in the sentences of one recipe so far."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.next: dict[tuple[int, ...], set[int]] = {}

    def add(self, words: Sequence[int]) -> None:
        """A finished sentence. Its end counts as a word, so that a short sentence is not said twice either."""
        ended = [*words, EOS]
        for start in range(max(1, len(ended) - self.size + 1)):
            run = ended[start : start + self.size]
            self.next.setdefault(tuple(run[:-1]), set()).add(run[-1])

    def after(self, words: Sequence[int]) -> set[int]:
        """The words that would say an n-gram, or a sentence shorter than that, again."""
        return self.next.get(tuple(words[max(0, len(words) - self.size + 1) :]), set())


class RepetitionRules:
    """What the sentences of some recipes may not say again.

    Args:
        recipes: how many there are.
        ngram, repeat_from, may_repeat: see `DecodingConfig.no_repeat_ngram`, `no_repeat_from` and `may_repeat`.
    """

    def __init__(self, recipes: int, ngram: int, repeat_from: int, may_repeat: Sequence[int]) -> None:
        self.past = [PastNGrams(ngram) for _ in range(recipes)] if ngram else None
        self.repeat_from, self.may_repeat = repeat_from, may_repeat

    def add(self, recipe: int, words: Sequence[int]) -> None:
        """A finished sentence of a recipe."""
        if self.past is not None:
            self.past[recipe].add(words)

    def of(self, recipes: Sequence[int]) -> Forbid:
        """The rules for the next sentences of these recipes."""

        def forbid(following: Tensor, tokens: Tensor, finished: Tensor) -> None:
            if self.repeat_from:
                self._forbid_words(following, tokens)
            if self.past is not None:
                beam = len(tokens) // len(recipes)
                for row, words in enumerate(tokens[:, 1:].tolist()):
                    repeated = [] if finished[row] else sorted(self.past[recipes[row // beam]].after(words))
                    if repeated:
                        without = following[row].index_fill(0, torch.tensor(repeated, device=tokens.device), -torch.inf)
                        # Unless nothing else can be said.
                        if bool(without.isfinite().any()):
                            following[row] = without

        return forbid

    def _forbid_words(self, following: Tensor, tokens: Tensor) -> None:
        spoken = torch.where(tokens >= self.repeat_from, tokens, PAD)
        # PAD is no word: it keeps what it had, which lets finished sentences go on. So do the words that may repeat.
        free = torch.tensor([PAD, *self.may_repeat], device=tokens.device)
        kept = following[:, free]
        following.scatter_(1, spoken, float("-inf"))
        following[:, free] = kept
