"""Learning which listed ingredients a still shows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.sight.fitting import logistic
from cookscribe.senses.listed import compete, evidence
from cookscribe.senses.sight import Sight
from cookscribe.text.ingredients import IngredientMatcher, canonical
from cookscribe.text.tokens import ptb_tokens

if TYPE_CHECKING:
    from cookscribe.learning.sight.run import SightData

Floats = NDArray[np.float64]
STEADY = 20.0  # steps that the mean of all ingredients counts for
LEAST_LISTED = 3  # videos that list a word before it has a rate of its own


def list_uses(data: YouCook2, without: Collection[str] = ()) -> tuple[dict[str, float], float]:
    """Log odds that a step uses a listed ingredient, by the canonical last word of its name; and of any.

    Args:
        without: training videos that are not counted.
    """
    used: Counter[str] = Counter()
    steps: Counter[str] = Counter()
    listed: Counter[str] = Counter()
    for video in data.videos("training").values():
        if video.id in without:
            continue
        matcher = IngredientMatcher(video.ingredients)
        named = Counter(n for sentence in video.sentences for n in matcher.named(sentence))
        for number, name in enumerate(video.ingredients):
            key = last_word(name)
            used[key] += named[number]
            steps[key] += len(video.sentences)
            listed[key] += 1
    mean = sum(used.values()) / max(1, sum(steps.values()))

    def odds(share: float) -> float:
        share = min(max(share, 1e-3), 1 - 1e-3)
        return round(float(np.log(share / (1 - share))), 3)

    rates = {
        key: odds((used[key] + STEADY * mean) / (steps[key] + STEADY))
        for key in sorted(listed)
        if key and listed[key] >= LEAST_LISTED
    }
    return rates, odds(mean)


def last_word(name: str) -> str:
    """Canonical last word of a name: "juice" of "lemon juice"."""
    tokens = ptb_tokens(name)
    return canonical(tokens[-1]) if tokens else ""


def fit_list(
    held: SightData, sight: Sight, words: Floats, guesses: Floats
) -> tuple[tuple[float, float, float, float, float], tuple[float, float], list[ListedVideo]]:
    """Weights of the evidence, slope and shift of the joint odds, and the held-out stills with their lists.

    `words` and `guesses` come from heads that have not seen the video. The weights, six numbers, come from all
    training stills; for the figures they are fitted without the fold they judge.
    """
    videos = listed_videos(held, sight, words, guesses)
    fold = {still.video_id: int(f) for still, f in zip(held.stills, held.fold, strict=True)}
    learnt = [video for video in videos if fold[video.video_id] >= 0]

    def fitted(some: list[ListedVideo]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        x = torch.from_numpy(np.concatenate([video.evidence.reshape(-1, 4) for video in some]))
        y = torch.from_numpy(np.concatenate([video.used.reshape(-1, 1) for video in some]))
        weights, shift = logistic(x, y, pull=1e-2)
        line = np.append(weights.squeeze(1).numpy(), float(shift))
        joint = np.concatenate([compete(v.evidence @ line[:4] + line[4], v.elsewhere).ravel() for v in some])
        slope, level = logistic(torch.from_numpy(joint[:, None]), y, pull=1e-2)
        return line, np.array([float(slope), float(level)])

    for number in sorted(set(fold.values())):
        line, once = fitted([video for video in learnt if fold[video.video_id] != number])
        for video in videos:
            if fold[video.video_id] == number:
                joint = compete(video.evidence @ line[:4] + line[4], video.elsewhere)
                video.odds = once[0] * joint + once[1]
    line, once = fitted(learnt)
    a, b, c, d, e = (float(value) for value in line)
    return (a, b, c, d, e), (float(once[0]), float(once[1])), videos


class ListedVideo:
    """The stills of one video with its ingredient list.

    Attributes:
        rows: numbers of the stills; evidence: (N, M, 4); used: (N, M) truth by name; elsewhere: steps without a still.
        odds: (N, M) log odds of use by weights that have not seen the video.
    """

    def __init__(self, video_id: str, rows: list[int], found: Floats, used: Floats, elsewhere: int) -> None:
        self.video_id, self.rows, self.evidence, self.used, self.elsewhere = video_id, rows, found, used, elsewhere
        self.odds: Floats = np.zeros_like(used)


def listed_videos(held: SightData, sight: Sight, words: Floats, guesses: Floats) -> list[ListedVideo]:
    """All videos with stills and a list; the list in alphabetical order, since the published one is that of use."""
    from cookscribe.encoders.minilm import SentenceVectors

    annotated = held.data.videos()
    fold = {still.video_id: int(f) for still, f in zip(held.stills, held.fold, strict=True)}
    # How often the ingredients of a held-out video are used is not known from itself either.
    uses = {
        number: list_uses(held.data, {video_id for video_id, f in fold.items() if f == number and number >= 0})
        for number in sorted(set(fold.values()))
    }
    stills: dict[str, list[int]] = defaultdict(list)
    for number, still in enumerate(held.stills):
        if still.video_id in annotated and annotated[still.video_id].ingredients:
            stills[still.video_id].append(number)
    names = {video_id: sorted(set(annotated[video_id].ingredients)) for video_id in stills}
    distinct = sorted({name for some in names.values() for name in some})
    vectors = dict(zip(distinct, sight.model.space(distinct, SentenceVectors()(distinct)), strict=True))
    found = []
    for video_id, rows in stills.items():
        listed = names[video_id]
        matcher = IngredientMatcher(listed)
        used = np.zeros((len(rows), len(listed)))
        for row, number in enumerate(rows):
            used[row, sorted(matcher.named(held.stills[number].sentence))] = 1.0
        table = np.stack([vectors[name] for name in listed])
        seen = evidence(sight, words[rows], guesses[rows], listed, table)
        rates, any_use = uses[fold[video_id]]
        seen[..., 3] = [rates.get(last_word(name), any_use) for name in listed]
        found.append(ListedVideo(video_id, rows, seen, used, len(annotated[video_id].sentences) - len(rows)))
    return found
