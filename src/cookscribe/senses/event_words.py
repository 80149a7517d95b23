"""Heard words around events, as the model reads them: word numbers and where each word lies to its event.

A place says all that is known of a word beside the word itself: where it is said (inside the event, before it, behind
it), whether its time is known, and whether it is part of an ingredient. The words of ingredients stand there too, once
more, with how far their place in the list is from the event's place in the film: lists are written, and ingredients are
mentioned, in the order in which they are used.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_space import TranscriptWords, WordSpace
from cookscribe.text.ingredients import IngredientMatcher, canonical
from cookscribe.text.tokens import ptb_tokens

Ints = NDArray[np.int64]

# Words further from an event than this (seconds) are not its words. Spread words may be half a minute off.
REACH_TIMED, REACH_SPREAD = 8.0, 25.0
NEAR_BORDERS = (4.0, 10.0)  # seconds: near an event, further off, far
MOST_WORDS = 72  # around one event; the nearest are kept
MOST_NAMES = 32  # words of ingredients

# Said words. Inside: first, second, last third; before and behind: near, further off, far. All again for words whose
# times are only guessed, and all of that for words of no ingredient, of one that is heard, and of one that is given.
_PER_KIND = 9
_OF_NOTHING, _OF_HEARD, _OF_GIVEN = 0, 1, 2
_SAID = 3 * 2 * _PER_KIND
# Words of ingredients: how far on they stand in the list, less how far on the event is in the film (shares), for words
# that are not said around the event and for those that are; given ones, then heard ones.
LIST_BORDERS = (-0.35, -0.2, -0.08, 0.04, 0.16, 0.28, 0.45)
_PER_LIST = 2 * (len(LIST_BORDERS) + 1)
GIVEN, HEARD_NAME = _SAID, _SAID + _PER_LIST  # the first place of each
PLACES = _SAID + 2 * _PER_LIST


class IngredientFinder:
    """Finds the ingredients that are said, among names known from training."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._matcher = IngredientMatcher(self.names, partial=False)

    def __call__(self, transcript: Transcript) -> tuple[str, ...]:
        """The names said, in order of their first mention."""
        found = [self.names[mention.ingredient] for mention in self._matcher.find(transcript.text)]
        return tuple(dict.fromkeys(found))

    def count(self, text: str) -> int:
        """How many of the names a text has."""
        return len(self._matcher.named(text))


def distinct_names(names: Iterable[str]) -> list[str]:
    """Names in their order; one in both numbers ("onion", "onions") stands there once, as it came first."""
    found: dict[tuple[str, ...], str] = {}
    for name in names:
        found.setdefault(tuple(canonical(word) for word in name.split()), name)
    return list(found.values())


def common_ingredients(lists: Iterable[Sequence[str]], least: int = 3) -> tuple[str, ...]:
    """The names that stand in at least `least` lists, sorted."""
    counts: dict[str, int] = {}
    for names in lists:
        for name in set(names):
            counts[name] = counts.get(name, 0) + 1
    return tuple(sorted(name for name, count in counts.items() if count >= least and ptb_tokens(name)))


@dataclass(frozen=True, eq=False)
class NameWords:
    """The W words of a list of ingredients.

    Attributes:
        ids: (W,) numbers in the word space.
        shares: (W,) where in the list the name of each word stands, 0 to 1.
        given: whether somebody gave the list; otherwise the names were heard.
    """

    ids: Ints
    shares: NDArray[np.float64]
    given: bool

    def places(self, share: float, said: Ints) -> Ints:
        """(W,) places of the words beside an event at this share of the film, around which the words `said` are."""
        off = np.searchsorted(LIST_BORDERS, self.shares - share, side="right")
        around = set(said.tolist())
        near = np.array([number in around for number in self.ids.tolist()], dtype=np.int64)
        places: Ints = (GIVEN if self.given else HEARD_NAME) + near * (len(LIST_BORDERS) + 1) + off
        return places


def name_words(names: Sequence[str], space: WordSpace, *, given: bool) -> NameWords:
    """The words of ingredient names in their order; a word stands there once for each name that holds it."""
    found = [
        (number, (n + 0.5) / len(names)) for n, name in enumerate(names) for number in dict.fromkeys(space.ids(name))
    ]
    found = found[:MOST_NAMES]
    ids, shares = [number for number, _ in found], [share for _, share in found]
    return NameWords(np.array(ids, dtype=np.int64), np.array(shares, dtype=np.float64), given)


def words_around(heard: TranscriptWords, span: Sequence[float]) -> Ints:
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


def transcript_table(heard: TranscriptWords, spans: NDArray[np.floating], names: NameWords, duration: float) -> Ints:
    """(N, W, 2) what the model reads beside each of (N, 2) spans: ingredient words first, then the words around it."""
    rows = []
    of_names = set(names.ids.tolist())
    for span in np.asarray(spans, dtype=np.float64).tolist():
        around = words_around(heard, span)
        named = np.array([number in of_names for number in around[:, 0].tolist()], dtype=bool)
        around[:, 1] += np.where(named, _OF_GIVEN if names.given else _OF_HEARD, _OF_NOTHING) * (2 * _PER_KIND)
        places = names.places((span[0] + span[1]) / 2 / duration, around[:, 0])
        rows.append(np.concatenate([np.stack([names.ids, places], axis=1), around]))
    longest = max((len(row) for row in rows), default=1)
    table = np.zeros((len(rows), max(longest, 1), 2), dtype=np.int64)
    for n, row in enumerate(rows):
        table[n, : len(row)] = row
    return table
