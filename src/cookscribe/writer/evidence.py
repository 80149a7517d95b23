"""What the writer reads: the evidence of a film's events as lines of text.

    dish: margherita pizza
    ingredients: basil, tomatoes, flour, mozzarella
    heard: so this is the dough. it has been resting for an hour
    read: 500 g flour
    seen: dough, bowl, knead
    draft: knead the dough in a bowl
    step 1/7: knead the dough
    heard: ...

Every line but the last is left out where nothing is known. The sentences written so far stand in the text: the story
is the writer's memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cookscribe.text.printable import one_line

# Seconds before and after an event whose words are read with it; more where the times of words are only guessed.
AROUND_TIMED = (3.0, 4.0)
AROUND_SPREAD = (10.0, 14.0)
MOST_WORDS = 100  # heard words that are read with one event
MOST_LINES = 6  # read or seen things that are named with one event
# A thing that is seen this surely is named, one below the second figure is not.
SURE, DOUBTFUL = 0.25, 0.05
MOST_INGREDIENTS = 40
MOST_CHARACTERS = 120  # of a title, a name or a line on the screen


@dataclass(frozen=True)
class EventEvidence:
    """What is known of one event.

    Attributes:
        heard: words said in and around it.
        read: lines on the screen; seen: things and actions, the surest first.
        draft: the sentence that a recipe model writes.
    """

    heard: str = ""
    read: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    draft: str = ""


@dataclass(frozen=True)
class FilmEvidence:
    """What is known of a film: its events in order of time, and what holds for all of them.

    Attributes:
        title: of the dish, "" if nobody said.
        ingredients: names; given: whether somebody gave the list, otherwise they were heard.
    """

    events: tuple[EventEvidence, ...]
    title: str = ""
    ingredients: tuple[str, ...] = ()
    given: bool = False


def spoken(words: Sequence[str]) -> str:
    """Recognised words as one line: lower case, contractions joined, of the punctuation only ends of sentences."""
    text = " ".join(words).lower()
    text = re.sub(r"\s+(?='|n't\b)", "", text)
    text = re.sub(r"[^\w\s.?'%/°-]", " ", text)
    text = re.sub(r"\s+([.?])", r"\1", text)
    return " ".join(text.split())


def heard_lines(
    words: Sequence[str], times: NDArray[np.floating], spans: NDArray[np.floating], *, timed: bool
) -> list[str]:
    """The words read with each of (N, 2) spans in order of start; each word with one: what is said between two events
    is shared out in the middle.

    Args:
        words: W words in order of time; times: (W,) their middles in seconds.
        timed: whether the times are a recogniser's.
    """
    before, after = AROUND_TIMED if timed else AROUND_SPREAD
    spans = np.asarray(spans, dtype=np.float64).reshape(-1, 2)
    middles = np.append((spans[:-1, 1] + spans[1:, 0]) / 2, np.inf)[: len(spans)]
    lines, done = [], 0
    for (start, end), middle in zip(spans.tolist(), middles.tolist(), strict=True):
        first, last = (int(n) for n in np.searchsorted(times, (start - before, min(end + after, max(middle, start)))))
        first, last = max(first, done), max(last, done)
        distance = np.maximum(np.maximum(start - times[first:last], times[first:last] - end), 0.0)
        nearest = np.sort(np.argsort(distance, kind="stable")[:MOST_WORDS])
        done = last
        lines.append(spoken([words[first + n] for n in nearest]))
    return lines


def seen_names(tags: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """What is seen in an event, the surest first; doubtful things with a question mark.

    Args:
        tags: names and how likely each is in the picture, 0 to 1.
    """
    ranked = sorted(tags, key=lambda tag: -tag[1])
    return tuple(f"{name}{'' if sure >= SURE else '?'}" for name, sure in ranked if sure >= DOUBTFUL)[:MOST_LINES]


def header(film: FilmEvidence) -> str:
    """The lines before the first event."""
    lines = []
    if film.title:
        lines.append(f"dish: {_short(film.title)}\n")
    if film.ingredients:
        name = "ingredients" if film.given else "ingredients heard"
        lines.append(f"{name}: {', '.join(_short(one) for one in film.ingredients[:MOST_INGREDIENTS])}\n")
    return "".join(lines)


def event_lines(event: EventEvidence, number: int, count: int) -> str:
    """The lines of event `number` (from 1) of `count`, up to where its sentence begins."""
    lines = []
    if event.heard:
        lines.append(f"heard: {event.heard}\n")
    if event.read:
        lines.append(f"read: {'; '.join(_short(one) for one in event.read[:MOST_LINES])}\n")
    if event.seen:
        lines.append(f"seen: {', '.join(_short(one) for one in event.seen[:MOST_LINES])}\n")
    if event.draft:
        lines.append(f"draft: {_short(event.draft)}\n")
    lines.append(f"step {number}/{count}:")
    return "".join(lines)


def sentence_line(sentence: str) -> str:
    """A sentence as it stands behind its event's lines."""
    return f" {sentence}\n"


def _short(text: str) -> str:
    return one_line(text)[:MOST_CHARACTERS].lower()
