"""Videos as the writer learns from them: which evidence of an annotated video is shown in one epoch.

Every video is told twice an epoch: with what is heard, and silently, with what is seen, read and given. In either way
every source is missing at times, so that any mixture works later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.files import read_json_lines
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.youcook2 import Tag
from cookscribe.learning.narrated.task import Augmentation, drawn_events
from cookscribe.seeds import generator
from cookscribe.text.tokens import ptb_tokens
from cookscribe.validation import Published, checked
from cookscribe.writer.evidence import EventEvidence, FilmEvidence, heard_lines, seen_names

MOST_BYTES = 64 * 2**20
NEIGHBOURS = 4  # frames of similar steps that may stand for a step's own
VERSIONS = 4  # of a video for which there are drafts

# By video, for each of its versions: a sentence for every event, see `drafts`.
Drafts = Mapping[str, Sequence[Sequence[str]]]


class WriterAugmentation(Augmentation):
    """Which sources a video of one epoch has; all are shares of the videos.

    Attributes:
        titled: videos whose dish is named.
        listed: videos with their ingredient list, in any order; heard_names: of the others, those that list the
            ingredients heard.
        drafted: narrated videos with the sentences of a recipe model, where there are some.
        seen: narrated videos with what is seen; captioned: videos with text on the screen.
        listed_silent, titled_silent, seen_silent: the same of videos that are told silently.
    """

    titled: float = Field(default=0.2, ge=0, le=1)
    listed: float = Field(default=0.3, ge=0, le=1)
    heard_names: float = Field(default=0.75, ge=0, le=1)
    drafted: float = Field(default=0.85, ge=0, le=1)
    seen: float = Field(default=0.3, ge=0, le=1)
    captioned: float = Field(default=0.12, ge=0, le=1)
    titled_silent: float = Field(default=0.4, ge=0, le=1)
    listed_silent: float = Field(default=0.5, ge=0, le=1)
    seen_silent: float = Field(default=0.85, ge=0, le=1)


@dataclass(frozen=True, eq=False)
class WriterExample:
    """An annotated video and all that is known of it.

    Attributes:
        truth: steps, sentences, ingredients.
        dish: its name, or "".
        words, times, timed: what is said, with the middle of each word in seconds; no words for a video nobody heard.
        heard_names: ingredients that are said.
        proposals: out-of-fold events, if there are some.
        tags: the tagged phrases of every step, for the text on the screen.
    """

    truth: AnnotatedVideo
    dish: str
    words: Sequence[str]
    times: NDArray[np.float64]
    timed: bool
    heard_names: Sequence[str]
    proposals: Candidates | None
    tags: Sequence[Sequence[Tag]]


@dataclass(frozen=True, eq=False)
class Version:
    """What of a video is told: numbers of its steps, (N, 2) seconds where they are seen, and ingredient names, given
    by somebody or heard."""

    steps: NDArray[np.int64]
    spans: NDArray[np.float64]
    names: tuple[str, ...]
    given: bool


def drawn_version(
    example: WriterExample, choices: WriterAugmentation, rng: np.random.Generator, *, silent: bool
) -> Version:
    """Events and ingredients of a video, drawn anew."""
    steps, spans = drawn_events(example.truth, example.proposals, choices, rng)
    given = bool(rng.random() < (choices.listed_silent if silent else choices.listed))
    names: Sequence[str] = ()
    if given:
        kept = [name for name in example.truth.ingredients if rng.random() >= choices.forgotten]
        names = [kept[n] for n in rng.permutation(len(kept))]
    elif not silent and rng.random() < choices.heard_names:
        names = example.heard_names
    return Version(steps, spans, tuple(names), given)


def drafted_versions(example: WriterExample, choices: WriterAugmentation) -> list[Version]:
    """The versions of a narrated video that drafts are written for: always the same."""
    return [
        drawn_version(example, choices, generator("drafted", example.truth.id, number), silent=False)
        for number in range(VERSIONS)
    ]


class Glimpses:
    """What a sight model that did not see the video says about the frames of steps; others borrow a similar step's.

    A step without a frame is shown one of the frames whose sentences are nearest to its own (shared words, rare ones
    count more): the same kinds of mistakes, for every step.
    """

    def __init__(self, seen: Mapping[tuple[str, int], Sequence[tuple[str, float]]], sentences: Sequence[str]) -> None:
        self.seen = dict(seen)
        self.keys = list(self.seen)
        self._words = [Counter(ptb_tokens(sentence)) for sentence in sentences]
        documents = Counter(word for words in self._words for word in words)
        self._rarity = {word: np.log(1 + len(self._words) / count) for word, count in documents.items()}
        self._vocabulary = {word: number for number, word in enumerate(sorted(documents))}
        self._vectors = np.stack([self._vector(words) for words in self._words]) if self._words else np.zeros((0, 1))

    def _vector(self, words: Counter[str]) -> NDArray[np.float32]:
        vector = np.zeros(max(len(self._vocabulary), 1), dtype=np.float32)
        for word in words:
            if word in self._vocabulary:
                vector[self._vocabulary[word]] = self._rarity[word]
        return vector / max(float(np.linalg.norm(vector)), 1e-6)

    def of(self, video: AnnotatedVideo, step: int, rng: np.random.Generator) -> tuple[str, ...]:
        """What is seen in a step."""
        if not self.keys:
            return ()
        key = (video.id, step)
        if key not in self.seen:
            alike = self._vectors @ self._vector(Counter(ptb_tokens(video.sentences[step])))
            # Frames of the video itself show its other steps.
            nearest = [n for n in np.argsort(-alike, kind="stable")[: NEIGHBOURS + 3] if self.keys[n][0] != video.id]
            key = self.keys[nearest[int(rng.integers(min(NEIGHBOURS, len(nearest))))]]
        return seen_names(self.seen[key])


class _Seen(Published):
    video_id: str
    event_index: int
    split: str
    sentence: str
    tags: list[Annotated[list[str | float], Field(min_length=2)]]  # name, probability, kind


_SEEN = TypeAdapter(_Seen)


def read_glimpses(path: Path | None, split: str = "training") -> Glimpses:
    """Read the out-of-fold predictions that `cookscribe train sight` leaves; no path gives none."""
    seen: dict[tuple[str, int], list[tuple[str, float]]] = {}
    sentences: list[str] = []
    for number, value in read_json_lines(path, MOST_BYTES) if path else ():
        row = checked(value, _SEEN, f"{path}, line {number}", "what is seen in a frame")
        if row.split == split:
            seen[row.video_id, row.event_index] = [(str(tag[0]), float(tag[1])) for tag in row.tags]
            sentences.append(row.sentence)
    return Glimpses(seen, sentences)


def captions(tags: Sequence[Tag]) -> tuple[str, ...]:
    """Text as silent films show it: the foods of a step, with their quantities where the sentence has them."""
    lines, quantity = [], ""
    for tag in tags:
        if tag.label == "Q":
            quantity = tag.text + " "
        elif tag.label == "F":
            lines.append(quantity + tag.text)
            quantity = ""
    return tuple(lines)


class ExampleSampler:
    """Draws the evidence and the sentences of one video of one epoch."""

    def __init__(self, augmentation: WriterAugmentation, glimpses: Glimpses, drafts: Drafts | None = None) -> None:
        self.augmentation, self.glimpses, self.drafts = augmentation, glimpses, drafts or {}

    def draw(
        self, example: WriterExample, rng: np.random.Generator, *, silent: bool
    ) -> tuple[FilmEvidence, tuple[str, ...]]:
        """One version of a video: its evidence, and the true sentence of every event."""
        choices, video = self.augmentation, example.truth
        if not silent and video.id in self.drafts and rng.random() < choices.drafted:
            number = int(rng.integers(VERSIONS))
            version, drafts = drafted_versions(example, choices)[number], self.drafts[video.id][number]
        else:
            version = drawn_version(example, choices, rng, silent=silent)
            drafts = ("",) * len(version.steps)
        title = example.dish if rng.random() < (choices.titled_silent if silent else choices.titled) else ""
        heard = [""] * len(version.steps)
        if not silent:
            heard = heard_lines(example.words, example.times, version.spans, timed=example.timed)
        looks = rng.random() < (choices.seen_silent if silent else choices.seen)
        shows = rng.random() < choices.captioned
        events = tuple(
            EventEvidence(
                heard=heard[n],
                read=captions(example.tags[step]) if shows and rng.random() < 0.7 else (),
                seen=self.glimpses.of(video, int(step), rng) if looks and rng.random() < 0.95 else (),
                draft=drafts[n],
            )
            for n, step in enumerate(version.steps)
        )
        sentences = tuple(" ".join(video.sentences[step].split()) for step in version.steps)
        return FilmEvidence(events, title, version.names, version.given), sentences


class WriterData(Config):
    """Which part of the training videos is kept apart, and how the others are shown.

    Attributes:
        augmentation: which sources a video of one epoch has.
        development: share of the training videos kept apart to choose the weights.
        narrated, silent: shares of the videos that an epoch tells with what is heard, and silently.
    """

    augmentation: WriterAugmentation = WriterAugmentation()
    development: float = Field(default=0.08, gt=0, lt=1)
    narrated: float = Field(default=1.0, gt=0, le=1)
    silent: float = Field(default=0.6, ge=0, le=1)
