"""What simulated features show: linear probes on the true events, look-alikes, and the nearest-neighbour captioner.

All figures are on validation videos, with probes and neighbours from the training videos, and *simulated*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates
from cookscribe.datasets.records import AnnotatedVideo
from cookscribe.errors import BadValueError
from cookscribe.evaluation import Events, Report, evaluate
from cookscribe.ingredients import IngredientMatcher
from cookscribe.kitchen.probe import Reading, classify, name_one
from cookscribe.kitchen.script import read_sentence
from cookscribe.kitchen.streams import render
from cookscribe.kitchen.words import action_family, food
from cookscribe.progress import track
from cookscribe.proposals.nearest import NearestNeighbourCaptioner
from cookscribe.proposals.ranking import rerank
from cookscribe.seeds import generator
from cookscribe.tokens import ptb_tokens
from cookscribe.track import FeatureTrack

Camera = Callable[[AnnotatedVideo], FeatureTrack]

MOST_RENAMED = {"training": 150, "validation": 80}  # videos per pair of foods; every one is filmed anew
SUPPRESSION = 0.3  # tIoU above which the worse of two proposed events is dropped
GROUPS = 60  # the most common look-alike groups compete in the probe for foods

# Foods of one word, so that one can be put for the other in a sentence: pairs that look alike, and pairs that do not.
ALIKE = (("salt", "sugar"), ("beef", "pork"), ("parsley", "cilantro"), ("milk", "cream"), ("garlic", "ginger"))
UNLIKE = (("salt", "paprika"), ("beef", "chicken"), ("parsley", "oregano"), ("milk", "butter"), ("garlic", "onion"))


@dataclass(frozen=True)
class Seen:
    """What one set of features shows.

    Attributes:
        encoder, seed, difficulty: how the features were made.
        videos, events: numbers of validation videos and of their steps.
        action: a probe names the family of a step's first action (cutting, mixing, ...).
        verb: a probe names the action itself.
        group: a probe names one look-alike group of the foods that a step names.
        alike, unlike: a probe tells two foods apart that look alike, or do not; names are dealt out at random.
        nearest: scores of the nearest-neighbour captioner on the true events.
        random: scores of training sentences dealt out at random, the floor.
        proposed: scores of the nearest-neighbour captioner on proposed events, if there are any: those that
            non-maximum suppression at a tIoU of 0.3 keeps, as many as the proposal model expects.
    """

    encoder: str
    seed: int
    difficulty: float
    videos: int
    events: int
    action: Reading
    verb: Reading
    group: Reading
    alike: Reading
    unlike: Reading
    nearest: Report
    random: Report
    proposed: Report | None


@dataclass(frozen=True, eq=False)
class _Table:
    """E true events: (E, D) pooled features, and the video and the number of the step in it."""

    features: NDArray[np.float32]
    videos: tuple[AnnotatedVideo, ...]

    @property
    def sentences(self) -> list[str]:
        return [sentence for video in self.videos for sentence in video.sentences]


def what_is_seen(
    videos: Sequence[AnnotatedVideo],
    encoder: str,
    seed: int = 0,
    difficulty: float = 1.0,
    every: float | None = None,
    candidates: Mapping[str, Candidates] | None = None,
) -> Seen:
    """Film all videos and measure what their features show.

    Args:
        videos: annotated videos; "training" ones fit, "validation" ones are measured.
        encoder: the imitated encoder.
        seed, difficulty, every: as for `kitchen.streams.render`.
        candidates: proposed events of the validation videos, made from the same features.
    """

    def film(video: AnnotatedVideo) -> FeatureTrack:
        return render(video, encoder, seed, difficulty, every)

    train = _pool([video for video in videos if video.split == "training" and len(video.spans)], film)
    new = _pool([video for video in videos if video.split == "validation" and len(video.spans)], film)
    verbs, foods = _truth(train)
    new_verbs, new_foods = _truth(new)
    fit, check = [bool(verb) for verb in verbs], [bool(verb) for verb in new_verbs]
    action, verb = (
        classify(
            train.features[fit],
            [change(verb) for verb in verbs if verb],
            new.features[check],
            [change(verb) for verb in new_verbs if verb],
        )
        for change in (action_family, str)
    )
    captioner = NearestNeighbourCaptioner.fit(train.features, train.sentences)
    drawn = generator("random sentences", seed).integers(len(train.sentences), size=len(new.sentences))
    dealt = [train.sentences[index] for index in drawn]
    return Seen(
        encoder,
        seed,
        difficulty,
        videos=len(new.videos),
        events=len(new.features),
        action=action,
        verb=verb,
        group=name_one(train.features, foods, new.features, new_foods, GROUPS),
        alike=tell_apart(videos, ALIKE, film, seed),
        unlike=tell_apart(videos, UNLIKE, film, seed),
        nearest=_scores(new, captioner.caption(new.features)),
        random=_scores(new, dealt),
        proposed=None if candidates is None else _on_proposals(new.videos, candidates, captioner, film),
    )


def tell_apart(videos: Sequence[AnnotatedVideo], pairs: Sequence[tuple[str, str]], film: Camera, seed: int) -> Reading:
    """How well a probe tells two foods apart, over several pairs.

    In every video that names one of a pair, the name is dealt out at random first. So no dish and no other ingredient
    gives it away, and only the look is left to tell by.
    """
    right = chance = count = 0.0
    for pair in pairs:
        features: dict[str, list[NDArray[np.float32]]] = {"training": [], "validation": []}
        labels: dict[str, list[str]] = {"training": [], "validation": []}
        for video in videos:
            if len(features.get(video.split, ())) >= MOST_RENAMED.get(video.split, 0) or not _says(video, pair):
                continue
            name = pair[int(generator("deal out", seed, *pair, video.id).integers(2))]
            dealt = _rename(video, pair, name)
            matcher = IngredientMatcher([name], partial=False)
            steps = [number for number, text in enumerate(dealt.sentences) if matcher.find(text)]
            if steps:
                features[video.split].append(film(dealt).over(dealt.spans[steps]))
                labels[video.split] += [name] * len(steps)
        if not (features["training"] and features["validation"]):
            continue
        reading = classify(
            np.concatenate(features["training"]),
            labels["training"],
            np.concatenate(features["validation"]),
            labels["validation"],
        )
        right, chance = right + reading.right * reading.count, chance + reading.chance * reading.count
        count += reading.count
    if not count:
        raise BadValueError("annotations", "name none of the foods that look alike", "use more videos")
    return Reading(right / count, chance / count, int(count))


def _says(video: AnnotatedVideo, pair: tuple[str, str]) -> bool:
    return any(set(pair) & set(ptb_tokens(text)) for text in video.sentences)


def _rename(video: AnnotatedVideo, pair: tuple[str, str], name: str) -> AnnotatedVideo:
    """The video with `name` wherever one of the pair stood."""

    def text(words: str) -> str:
        return " ".join(name if word in pair else word for word in ptb_tokens(words))

    ingredients = tuple(dict.fromkeys(text(ingredient) for ingredient in video.ingredients))
    return replace(video, sentences=tuple(map(text, video.sentences)), ingredients=ingredients)


def _pool(videos: Sequence[AnnotatedVideo], film: Camera) -> _Table:
    if not videos:
        raise BadValueError("annotations", "hold no training or no validation videos", "use a file with both splits")
    return _Table(np.concatenate([film(video).over(video.spans) for video in track(videos, "filming")]), tuple(videos))


def _truth(table: _Table) -> tuple[list[str], list[frozenset[str]]]:
    """The first action of each step ("" for none), and the look-alike groups of the foods it names."""
    verbs, groups = [], []
    for video in table.videos:
        for text in video.sentences:
            sentence = read_sentence(text, video.ingredients)
            verbs.append(sentence.actions[0] if sentence.actions else "")
            groups.append(frozenset(food(name).group for name, _ in sentence.foods))
    # A verb seen once or twice cannot be learnt; it is left out of both.
    common = {verb for verb, count in Counter(verbs).items() if count >= 3}
    return [verb if verb in common else "" for verb in verbs], groups


def _on_proposals(
    videos: Sequence[AnnotatedVideo],
    candidates: Mapping[str, Candidates],
    captioner: NearestNeighbourCaptioner,
    film: Camera,
) -> Report:
    predictions = {}
    for video in videos:
        if video.id not in candidates:
            raise BadValueError("--candidates", f"hold no events of {video.id}", "propose for all validation videos")
        spans = rerank(candidates[video.id], alpha=0.0, overlap=SUPPRESSION).spans
        sentences = captioner.caption(film(video).over(spans))
        predictions[video.id] = Events(np.asarray(spans, dtype=np.float64), tuple(sentences))
    truth = {video.id: Events(video.spans, video.sentences) for video in videos}
    return evaluate(truth, predictions, meteor=False)


def _scores(table: _Table, sentences: Sequence[str]) -> Report:
    truth, predictions, start = {}, {}, 0
    for video in table.videos:
        stop = start + len(video.sentences)
        truth[video.id] = Events(video.spans, video.sentences)
        predictions[video.id] = Events(video.spans, tuple(sentences[start:stop]))
        start = stop
    return evaluate(truth, predictions, meteor=False)
