"""Sight: foods, actions and tools in the pictures of a film, and what kind of picture each is.

A frozen encoder makes a row of each still; small heads, learnt from one still per annotated step, say how likely the
sentence of the step names a word. Two heads vote. One reads the row directly. The other guesses the vector of the
sentence and recalls which words stand in sentences like it: most of those have no picture, so it knows rarer words.
Probabilities are calibrated on videos that no head has seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field, model_validator
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.config import Config
from cookscribe.cues import Cue, Cues
from cookscribe.model_folder import CONFIG, WEIGHTS, open_model, read_tensors
from cookscribe.recipe import Span
from cookscribe.senses.sentence_space import SentenceSpace
from cookscribe.track import FeatureTrack

Floats = NDArray[np.float64]
Kind = Literal["food", "action", "tool"]
KINDS: tuple[Kind, ...] = ("food", "action", "tool")
# "person": the cook is in the picture, often talking; "dish": a dish that is served. The others are work.
SCENES = ("person", "dish")

FOLDER = "sight"  # kind of the model folder
# Weights that come from the sentences of the training videos alone: equal for all heads.
OF_SENTENCES = frozenset(
    ("groups", "group_weight", "rates", *(f"space.{name}" for name in ("meaning", "middle", "rarity", "spelling")))
)
LEAST = 0.12  # a word below this is no cue
PAUSE = 2.0  # seconds for which a thing may be out of the picture and still be the same cue
SMALLEST = 1e-3  # of a probability that is recalled


class SightConfig(Config):
    """What a `SightModel` knows.

    Attributes:
        encoder: features it reads; feature_size: their width.
        words: what it may see, in the form in which it is written; kinds: of each word.
        memory: groups of sentences that are recalled; sharpness: how much nearer groups count more.
        sentence: width of a sentence's vector; vocabulary: words that the `SentenceSpace` knows.
        judged: so many of the last columns tell pictures of cooking from others; familiar: how far, in deviations
            (Mahalanobis' distance), a picture may be from the mean of pictures of cooking.
        uses: log odds that a listed ingredient is used in a step, by its canonical last word; any_use: of all others.
        ingredient: of a listed ingredient's log odds: weights of likeness, of the words seen, of there being such
            words, of `uses`, and the shift; once: slope and shift after the list is laid out over the steps.
    """

    encoder: str = Field(max_length=200)
    feature_size: int = Field(gt=0, le=2**14)
    words: tuple[str, ...] = Field(min_length=1, max_length=2000)
    kinds: tuple[Kind, ...]
    memory: int = Field(gt=0, le=4096)
    sharpness: float = Field(gt=0, le=1000)
    sentence: int = Field(default=384, gt=0, le=4096)
    vocabulary: tuple[str, ...] = Field(default=(), max_length=10_000)
    judged: int = Field(gt=0, le=4096)
    familiar: float = Field(ge=0)
    uses: dict[str, float] = Field(default_factory=dict)
    any_use: float = 0.0
    ingredient: tuple[float, float, float, float, float] = (1.0, 0.0, 0.0, 1.0, 0.0)
    once: tuple[float, float] = (1.0, 0.0)

    @model_validator(mode="after")
    def _one_kind_per_word(self) -> SightConfig:
        if len(self.words) != len(self.kinds):
            raise ValueError(f"{len(self.words)} words have {len(self.kinds)} kinds")
        return self


class SightModel(nn.Module):
    """(T, F) rows of stills to what they show. All parts are linear but the recall."""

    which: Tensor

    def __init__(self, config: SightConfig) -> None:
        super().__init__()
        self.config = config
        size, words = config.feature_size, len(config.words)

        def table(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(*shape).zero_(), requires_grad=False)

        self.mean, self.scale = table(size), table(size)
        self.space = SentenceSpace(config.vocabulary, config.sentence)
        self.direct, self.prior = table(size, words), table(words)
        self.towards, self.origin = table(size, config.sentence), table(config.sentence)
        self.groups, self.group_weight = table(config.memory, config.sentence), table(config.memory)
        self.rates = table(config.memory, words)
        # Per kind of word: weights of the two votes, of the prior, and a shift.
        self.votes = table(len(KINDS), 4)
        # Of the guesses' errors, and how much more it weighs than that of sentences.
        self.precision = table(config.sentence, config.sentence)
        self.gained = table(config.sentence, config.sentence)
        self.scene, self.scene_shift = table(size, len(SCENES)), table(len(SCENES))
        self.usual = table(config.judged, config.judged)  # inverse covariance of pictures of cooking
        self.register_buffer("which", torch.tensor([KINDS.index(kind) for kind in config.kinds]), persistent=False)

    def normal(self, rows: Tensor) -> Tensor:
        """(T, F) rows with the means and deviations of pictures of cooking."""
        return (rows - self.mean) / self.scale

    def votes_of(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """(T, W, 2) log odds against the prior of the two heads, and (T, D) the guessed sentence's vector."""
        guess = x @ self.towards + self.origin
        near = F.softmax(self.config.sharpness * guess @ self.groups.T + self.group_weight, dim=1)
        rates = (near @ self.rates + SMALLEST * self.prior.sigmoid()) / (1 + SMALLEST)
        recalled = torch.logit(rates.clamp(1e-7, 1 - 1e-7)) - self.prior
        return torch.stack((x @ self.direct, recalled), dim=-1), guess

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """(T, W) log odds of the words, (T, D) guessed vectors, (T, 2) log odds of `SCENES`, (T,) distances."""
        x = self.normal(rows)
        votes, guess = self.votes_of(x)
        weights = self.votes[self.which]
        odds = (votes * weights[:, :2]).sum(-1) + self.prior * weights[:, 2] + weights[:, 3]
        return odds, guess, x @ self.scene + self.scene_shift, self.distance(x)

    def distance(self, x: Tensor) -> Tensor:
        """(T,) how far normalised rows are from the mean of pictures of cooking."""
        last = x[:, -self.config.judged :]
        return ((last @ self.usual) * last).sum(dim=1).clamp(min=0).sqrt()


@dataclass(frozen=True, eq=False)
class Seen:
    """What is to be seen in a film.

    Attributes:
        track: rows of the encoder, one a second; config: what its words are.
        words: (T, W) how likely each word is; guesses: (T, D) vectors of sentences.
        scenes: (T, 2) how likely each of `SCENES` is; cooking: (T,) whether the picture is like one of cooking.
    """

    track: FeatureTrack
    config: SightConfig
    words: Floats
    guesses: Floats
    scenes: Floats
    cooking: NDArray[np.bool_]

    @property
    def share_cooking(self) -> float:
        """How much of the film looks like cooking, 0 to 1."""
        return float(self.cooking.mean())

    def over(self, spans: Floats) -> tuple[Floats, Floats]:
        """(N, W) probabilities and (N, D) guesses, means over (N, 2) spans."""
        weights = self.cooking.astype(np.float64) + 1e-6
        words, guesses = [], []
        for start, end in np.asarray(spans, dtype=np.float64).reshape(-1, 2):
            inside = (self.track.times >= start - 1e-6) & (self.track.times < end)
            if not inside.any():
                inside[np.abs(self.track.times - (start + end) / 2).argmin()] = True
            words.append(np.average(self.words[inside], axis=0, weights=weights[inside]))
            guesses.append(np.average(self.guesses[inside], axis=0, weights=weights[inside]))
        return np.array(words).reshape(-1, self.words.shape[1]), np.array(guesses).reshape(-1, self.guesses.shape[1])

    def cues(self) -> Cues:
        """One cue per word and stretch of pictures that show it."""
        found: list[Cue] = []
        times = self.track.times
        step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
        smooth = smoothed(self.words)
        smooth[~self.cooking] = 0.0
        for column, word in enumerate(self.config.words):
            shown = np.flatnonzero(smooth[:, column] >= LEAST)
            for run in np.split(shown, np.flatnonzero(np.diff(times[shown]) > step + PAUSE) + 1):
                if len(run):
                    end = min(float(times[run[-1]]) + step, self.track.duration)
                    span = Span(start=min(float(times[run[0]]), end), end=end)
                    found.append(Cue(span, "seen", word, float(smooth[run, column].mean())))
        return Cues(tuple(found))


def smoothed(values: Floats, reach: int = 1) -> Floats:
    """Means over each row and `reach` rows on both sides: what is there for one picture only is mostly a mistake."""
    padded = np.pad(np.asarray(values, dtype=np.float64), ((reach, reach), (0, 0)), mode="edge")
    return np.asarray(np.stack([padded[n : n + len(values)] for n in range(2 * reach + 1)]).mean(axis=0))


class Sight:
    """A trained `SightModel` at work on feature tracks."""

    def __init__(self, model: SightModel) -> None:
        self.model, self.config = model.eval(), model.config

    @classmethod
    def load(cls, folder: Path, sentences: Path | None = None) -> Sight:
        """Open a folder that `cookscribe train sight` wrote.

        Args:
            sentences: folder of other heads, if what these know of sentences is only kept there.
        """
        saved = open_model(folder, FOLDER)
        config = SightConfig.parse(saved.config, saved.folder / CONFIG)
        kept = {} if sentences is None else read_tensors(sentences / WEIGHTS)[0]
        shared = {name: value for name, value in kept.items() if name in OF_SENTENCES}
        return cls(saved.build(lambda: SightModel(config), shared))

    @torch.no_grad()
    def look(self, track: FeatureTrack) -> Seen:
        """What the stills of a film show."""
        track.check("film", self.config.feature_size, self.config.encoder)
        rows = torch.from_numpy(np.asarray(track.values, dtype=np.float32))
        odds, guesses, scenes, distance = (part.double() for part in self.model(rows))
        return Seen(
            track,
            self.config,
            odds.sigmoid().numpy(),
            guesses.numpy(),
            scenes.sigmoid().numpy(),
            distance.numpy() <= self.config.familiar,
        )

    def sentence_odds(self, guesses: Floats, vectors: Floats) -> Floats:
        """(N, M) log odds that a picture with this guess belongs to this sentence rather than to any other.

        Guesses and vectors are (N, D) and (M, D) in the model's `space`.
        Sentences, and errors of the guesses, are taken as normal: directions in which guesses err much count little.
        """
        precision, gained = (table.double().numpy() for table in (self.model.precision, self.model.gained))
        return np.asarray(guesses @ precision @ vectors.T - 0.5 * ((vectors @ gained) * vectors).sum(axis=1))

    def name_likeness(self, guesses: Floats, vectors: Floats) -> Floats:
        """(N, M) how much the guesses point to each name, of which the length of the vector says nothing."""
        precision = self.model.precision.double().numpy()
        lengths = np.sqrt(((vectors @ precision) * vectors).sum(axis=1))
        return np.asarray(guesses @ precision @ vectors.T / np.maximum(lengths, 1e-9))
