"""What the captions of candidates say of them, alone, beside the words heard, and beside the ingredients.

A proposal model writes the same few sentences wherever it is unsure. A long caption of rarer words, one that is not
repeated all over the video, that names things heard nearby or on the list of ingredients, belongs to a better
candidate.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import tiou_matrix
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.senses.transcripts import Transcript
from cookscribe_lab.studies.selection.words_heard import plain_words

Floats = NDArray[np.float64]

HEARD_NUMBERS, INGREDIENT_NUMBERS = 2, 2
# Candidates that overlap more than this are about the same thing.
SAME_PLACE = 0.3
# Spread words are some seconds off: words this far (seconds) outside a candidate are still heard "near" it.
EARSHOT = 15.0
QUIET_WORDS = frozenset(plain_words("the a an and of in to with on it into some for then at from is as"))


def telling_words(text: str) -> list[str]:
    """The words of a text without those that stand in every sentence."""
    return [word for word in plain_words(text) if word not in QUIET_WORDS]


@dataclass(frozen=True)
class CaptionNumbers:
    """Numbers of captions; how rare a word is was counted in true sentences of other videos.

    Attributes:
        rarity: logarithm of the number of sentences by those with the word; `unknown` for words never seen.
    """

    rarity: Mapping[str, float]
    unknown: float

    @classmethod
    def fit(cls, videos: Mapping[str, AnnotatedVideo]) -> Self:
        """Count the words in all sentences of `videos`."""
        sentences = [set(telling_words(sentence)) for key in sorted(videos) for sentence in videos[key].sentences]
        seen = Counter(word for words in sentences for word in words)
        many = max(len(sentences), 1)
        return cls({word: float(np.log(many / (times + 1))) for word, times in seen.items()}, float(np.log(many)))

    def _rarity(self, words: Iterable[str]) -> list[float]:
        return [self.rarity.get(word, self.unknown) for word in words]

    def alone(self, captions: Sequence[str], spans: Floats) -> Floats:
        """(N, 4): words; likeness to the captions in the same place; equal captions elsewhere; mean rarity."""
        texts = [telling_words(caption) for caption in captions]
        sets = [frozenset(words) for words in texts]
        alike = np.array([[len(a & b) / max(len(a | b), 1) for b in sets] for a in sets]).reshape(len(sets), len(sets))
        together = tiou_matrix(spans, spans) > SAME_PLACE
        np.fill_diagonal(together, False)
        columns = (
            [float(len(words)) for words in texts],
            (alike * together).sum(axis=1) / np.maximum(together.sum(axis=1), 1),
            (alike > 0.99).sum(axis=1) - 1.0,
            [_mean(self._rarity(words)) for words in texts],
        )
        return np.stack(columns, axis=1)

    def heard(self, captions: Sequence[str], spans: Floats, transcript: Transcript | None) -> Floats:
        """(N, 2): rarity of the caption's words that are heard near the candidate; share heard anywhere."""
        said: list[tuple[str, float]] = []
        if transcript is not None:
            for text, (start, end) in zip(transcript.words, transcript.times, strict=True):
                said += [(word, (start + end) / 2) for word in plain_words(text)]
        anywhere = {word for word, _ in said}
        rows = []
        for caption, (start, end) in zip(captions, spans, strict=True):
            words = telling_words(caption)
            near = {word for word, at in said if start - EARSHOT <= at <= end + EARSHOT}
            found = sorted(set(words) & near)
            rows.append([sum(self._rarity(found)) / (len(set(words)) + 1), _mean([word in anywhere for word in words])])
        return np.array(rows, dtype=np.float64).reshape(-1, HEARD_NUMBERS)


def ingredient_numbers(captions: Sequence[str], ingredients: Iterable[str]) -> Floats:
    """(N, 2): how many words of the caption name an ingredient of the recipe (one or many of it), and their share."""
    names = {word for ingredient in ingredients for word in telling_words(ingredient)}
    names |= {word.rstrip("s") for word in names} | {f"{word}s" for word in names}
    named = [[word in names for word in telling_words(caption)] for caption in captions]
    return np.array([[float(sum(words)), _mean(words)] for words in named]).reshape(-1, INGREDIENT_NUMBERS)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
