"""Heard words around events, as the model reads them: word numbers and where each word lies to its event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from cookscribe.datasets.transcripts import Transcript
from cookscribe.ingredients import IngredientMatcher
from cookscribe.speech.words import HeardText, WordSpace
from cookscribe.tokens import ptb_tokens

Ints = NDArray[np.int64]

# Words further from an event than this (seconds) are not its words. Spread words may be half a minute off.
REACH_TIMED, REACH_SPREAD = 8.0, 25.0
NEAR_BORDERS = (4.0, 10.0)  # seconds: near an event, further off, far
MOST_WORDS = 56  # around one event; the nearest are kept
MOST_NAMES = 28  # words of ingredients

# Places. Inside: first, second, last third; before and behind: near, further off, far. The same again for words
# whose times are only guessed, and two places outside time.
_PER_KIND = 9
GIVEN, HEARD_NAME = 2 * _PER_KIND, 2 * _PER_KIND + 1
PLACES = 2 * _PER_KIND + 2


def heard_ingredients(transcript: Transcript | None, names: Sequence[str]) -> tuple[str, ...]:
    """Which of the known ingredient `names` are said, in order of their first mention."""
    if transcript is None or not len(transcript):
        return ()
    return IngredientFinder(names)(transcript)


class IngredientFinder:
    """Finds the ingredients that are said, among names known from training."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._matcher = IngredientMatcher(self.names, partial=False)

    def __call__(self, transcript: Transcript) -> tuple[str, ...]:
        """The names said, in order of their first mention."""
        found = [self.names[mention.ingredient] for mention in self._matcher.find(transcript.text)]
        return tuple(dict.fromkeys(found))


def common_ingredients(lists: Iterable[Sequence[str]], least: int = 3) -> tuple[str, ...]:
    """The names that stand in at least `least` lists, sorted."""
    counts: dict[str, int] = {}
    for names in lists:
        for name in set(names):
            counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(name for name, count in counts.items() if count >= least and ptb_tokens(name)))


def name_words(names: Sequence[str], space: WordSpace, place: int) -> Ints:
    """(W, 2) the words of ingredient names, each once, all at `place`."""
    ids = list(dict.fromkeys(number for name in names for number in space.ids(name)))[:MOST_NAMES]
    return np.array([(number, place) for number in ids], dtype=np.int64).reshape(-1, 2)


def words_around(heard: HeardText, span: Sequence[float]) -> Ints:
    """(W, 2) numbers and places of the words in and around a span (seconds), in order of time."""
    start, end = float(span[0]), float(span[1])
    reach = REACH_TIMED if heard.timed else REACH_SPREAD
    first, last = np.searchsorted(heard.times, (start - reach, end + reach))
    times, ids = heard.times[first:last], heard.ids[first:last]
    before, behind = start - times, times - end
    distance = np.maximum(np.maximum(before, behind), 0.0)
    if len(ids) > MOST_WORDS:
        nearest = np.sort(np.argsort(distance, kind="stable")[:MOST_WORDS])
        times, ids, before, distance = times[nearest], ids[nearest], before[nearest], distance[nearest]
    third = np.clip((3 * (times - start) / max(end - start, 1e-3)).astype(np.int64), 0, 2)
    off = np.searchsorted(NEAR_BORDERS, distance, side="right")
    places = np.where(distance == 0, third, np.where(before > 0, 3 + off, 6 + off))
    return np.stack([ids, places + (0 if heard.timed else _PER_KIND)], axis=1)


def heard_table(heard: HeardText, spans: NDArray[np.floating], names: Ints) -> Ints:
    """(N, W, 2) what the model reads beside each of (N, 2) spans: ingredient words first, then the words around it."""
    rows = [np.concatenate([names, words_around(heard, span)]) for span in np.asarray(spans).tolist()]
    longest = max((len(row) for row in rows), default=1)
    table = np.zeros((len(rows), max(longest, 1), 2), dtype=np.int64)
    for n, row in enumerate(rows):
        table[n, : len(row)] = row
    return table
