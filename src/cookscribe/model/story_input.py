"""What is known of a video before its recipe is written, as numbers padded to batches."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.candidates import Candidates
from cookscribe.errors import BadValueError
from cookscribe.model.batch import Inputs
from cookscribe.text.tokens import ptb_tokens

Ints = NDArray[np.int64]


# A text beside a candidate is an average; more words than this change it no more.
LONGEST_TEXT = 64


UNKNOWN = 1  # id of `READ_UNKNOWN`


@dataclass(frozen=True, eq=False)
class StoryInput:
    """What is known of one video before anything is written.

    Attributes:
        candidates: the events, with `features` (N, F).
        ingredients: per ingredient, the ids of its words; never empty lists.
        texts: (N, K, W) word ids of the texts beside each candidate; 0 is padding.
        copy_words: (N, W, 2) ids and places of the words that may be copied for each candidate, for models that copy.
    """

    candidates: Candidates
    ingredients: tuple[tuple[int, ...], ...]
    texts: Ints
    copy_words: Ints | None = None

    @property
    def features(self) -> NDArray[np.floating]:
        """(N, F)."""
        features = self.candidates.features
        assert features is not None
        return features


class Reader:
    """Turns names and texts into ids of the words that are only read.

    Args:
        words: by id.
        copy_list: True puts the words of the ingredient list beside every candidate, to be copied.
        most: only so many candidates of a video are read, the first ones; 0 for all.
    """

    def __init__(self, words: Sequence[str], copy_list: bool = False, most: int = 0) -> None:
        self.most = most
        self.number = {word: number for number, word in enumerate(words)}
        self.copy_list = copy_list

    def ids(self, text: str) -> tuple[int, ...]:
        """Ids of the known words; a text without any is the unknown word."""
        return tuple(self.number[token] for token in ptb_tokens(text) if token in self.number) or (UNKNOWN,)

    def knows(self, name: str) -> bool:
        """Whether a word of the name is known."""
        return self.ids(name) != (UNKNOWN,)

    def input(
        self, candidates: Candidates, ingredients: Sequence[str], texts: Sequence[Sequence[str]] = ()
    ) -> StoryInput:
        """Put the input of one video together.

        Args:
            candidates: with features.
            ingredients: names; none is allowed.
            texts: per kind of text, one text for each candidate.
        """
        if candidates.features is None:
            raise BadValueError("candidates", "have no features", "pool the feature track over their spans first")
        if self.most and len(candidates) > self.most:
            candidates = candidates.take(range(self.most))
            texts = [lines[: self.most] for lines in texts]
        table = np.zeros((len(candidates), len(texts), LONGEST_TEXT), dtype=np.int64)
        longest = 0
        for kind, lines in enumerate(texts):
            for n, text in enumerate(lines):
                # An empty text stays empty: nothing was said there.
                words = self.ids(text)[:LONGEST_TEXT] if text.strip() else ()
                table[n, kind, : len(words)] = words
                longest = max(longest, len(words))
        names = tuple(self.ids(name) for name in ingredients)
        listed = self._listed(names, len(candidates)) if self.copy_list else None
        return StoryInput(candidates, names, table[:, :, :longest], listed)

    def _listed(self, names: Sequence[Sequence[int]], count: int) -> Ints:
        """(count, W, 2) the known words of the list, each once, all at place 0; the same for every candidate."""
        words = list(dict.fromkeys(word for name in names for word in name if word != UNKNOWN))
        table = np.zeros((max(1, len(words)), 2), dtype=np.int64)
        table[: len(words), 0] = words
        return np.broadcast_to(table, (count, *table.shape))


def batch_inputs(videos: Sequence[StoryInput], device: torch.device | str = "cpu") -> Inputs:
    """Pad the inputs of several videos."""
    size = len(videos)
    count = max(len(video.candidates) for video in videos)
    names = max(len(video.ingredients) for video in videos)
    longest = max((len(ids) for video in videos for ids in video.ingredients), default=1)
    kinds, length = (max(video.texts.shape[axis] for video in videos) for axis in (1, 2))
    features = np.zeros((size, count, videos[0].features.shape[1]), dtype=np.float32)
    times = np.zeros((size, count, 2), dtype=np.float32)
    scores = np.full((size, count), 0.5, dtype=np.float32)
    mask = np.zeros((size, count), dtype=bool)
    texts = np.zeros((size, count, kinds, length), dtype=np.int64)
    ingredients = np.zeros((size, names, longest), dtype=np.int64)
    ingredient_mask = np.zeros((size, names), dtype=bool)
    for b, video in enumerate(videos):
        n = len(video.candidates)
        features[b, :n] = video.features
        times[b, :n] = np.clip(video.candidates.spans / video.candidates.duration, 0.0, 1.0)
        scores[b, :n] = np.clip(video.candidates.scores, 0.0, 1.0)
        mask[b, :n] = True
        texts[b, :n, :, : video.texts.shape[2]] = video.texts
        for m, ids in enumerate(video.ingredients):
            ingredients[b, m, : len(ids)] = ids
            ingredient_mask[b, m] = True
    arrays = (features, times, scores, mask, texts, ingredients, ingredient_mask)
    copied = _copy_words(videos, count)
    inputs = Inputs(*(torch.from_numpy(array).to(device) for array in arrays))
    return inputs if copied is None else replace(inputs, copy_words=torch.from_numpy(copied).to(device))


def _copy_words(videos: Sequence[StoryInput], count: int) -> Ints | None:
    """(B, count, W, 2) the words to copy of all videos; None if there are none."""
    found = [video.copy_words for video in videos if video.copy_words is not None]
    if not found:
        return None
    table = np.zeros((len(videos), count, max(words.shape[1] for words in found), 2), dtype=np.int64)
    for b, video in enumerate(videos):
        if (words := video.copy_words) is not None:
            table[b, : len(words), : words.shape[1]] = words
    return table
