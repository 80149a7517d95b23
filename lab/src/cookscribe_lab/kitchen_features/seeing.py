"""What simulated features show: linear probes on the true events, look-alikes, and the nearest-neighbour captioner.

All figures are on validation videos, with probes and neighbours from the training videos, and *simulated*.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates
from cookscribe.errors import BadValueError
from cookscribe.evaluation import Events, Report, evaluate
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.progress import track
from cookscribe.proposals.plain import rerank
from cookscribe.seeds import generator
from cookscribe.text.ingredients import canonical
from cookscribe.text.tokens import ptb_tokens
from cookscribe.track import FeatureTrack
from cookscribe_lab.kitchen_features.probe import Reading, SentenceProbe, classify, name_one
from cookscribe_lab.kitchen_features.script import read_sentence
from cookscribe_lab.kitchen_features.streams import render
from cookscribe_lab.kitchen_features.words import action_family, food
from cookscribe_lab.nearest import NearestNeighbourCaptioner

Camera = Callable[[AnnotatedVideo], FeatureTrack]
# By pair of foods and split: the features of steps, and which of the two each names.
Named = dict[tuple[tuple[str, str], str], list[tuple[NDArray[np.float32], str]]]

SUPPRESSION = 0.3  # tIoU above which the worse of two proposed events is dropped
GROUPS = 60  # the most common look-alike groups compete in the probe for foods

# Foods of one word, so that one can be put for the other in a sentence: pairs that look alike, and pairs that do not.
ALIKE = (("salt", "sugar"), ("beef", "pork"), ("parsley", "cilantro"), ("garlic", "ginger"))
UNLIKE = (("onion", "carrot"), ("butter", "milk"), ("egg", "cheese"), ("tomato", "potato"))


@dataclass(frozen=True)
class Seen:
    """What one set of features shows.

    Attributes:
        videos, events: numbers of validation videos and of their steps.
        readings: what probes name right: the family of a step's first action (cutting, mixing, ...) and the action
            itself; one look-alike group of the foods that a step names; which of two foods is meant that look alike, or
            do not, when names are dealt out at random.
        captioners: scores on the true events of training sentences dealt out at random, which is the floor, of the
            nearest-neighbour captioner and of the linear one; of these two also on proposed events, if there are any:
            those that non-maximum suppression at a tIoU of 0.3 keeps, as many as the proposal model expects.
    """

    videos: int
    events: int
    readings: dict[str, Reading]
    captioners: dict[str, Report]


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
    alike, unlike = tell_apart([*train.videos, *new.videos], film, seed)
    nearest = NearestNeighbourCaptioner.fit(train.features, train.sentences)
    linear = SentenceProbe.fit(train.features, train.sentences)
    drawn = generator("random sentences", seed).integers(len(train.sentences), size=len(new.sentences))
    dealt = [train.sentences[index] for index in drawn]
    captioners = {
        "random sentences": _scores(new, dealt),
        "nearest neighbour": _scores(new, nearest.caption(new.features)),
        "linear captioner": _scores(new, linear.caption(new.features)),
    }
    if candidates:
        captioners["nearest, proposed events"] = _on_proposals(new.videos, candidates, nearest.caption, film)
        captioners["linear, proposed events"] = _on_proposals(new.videos, candidates, linear.caption, film)
    readings = {
        "family of the action": action,
        "action": verb,
        "look-alike group of a food": name_one(train.features, foods, new.features, new_foods, GROUPS),
        "foods that look alike": alike,
        "foods that do not": unlike,
    }
    return Seen(len(new.videos), len(new.features), readings, captioners)


def tell_apart(videos: Sequence[AnnotatedVideo], film: Camera, seed: int) -> tuple[Reading, Reading]:
    """How well probes tell two foods apart, over the pairs that look alike and over those that do not.

    In every video that names one of a pair, the name is dealt out at random first, and the video is filmed again. So no
    dish and no other ingredient gives the name away, and only the look is left to tell by.
    """
    pairs = (*ALIKE, *UNLIKE)
    named: Named = {}
    for video in track(videos, "filming with names dealt out"):
        dealt = _deal_out(video, pairs, seed)
        said = [set(ptb_tokens(text)) for text in dealt.sentences]
        rows = film(dealt).over(dealt.spans)
        for pair in pairs:
            for row, words in zip(rows, said, strict=True):
                for name in set(pair) & words:
                    named.setdefault((pair, video.split), []).append((row, name))
    return _together(ALIKE, named), _together(UNLIKE, named)


def _together(pairs: Sequence[tuple[str, str]], named: Named) -> Reading:
    readings = []
    for pair in pairs:
        fit, check = (named.get((pair, split), []) for split in ("training", "validation"))
        if all(len({name for _, name in found}) == 2 for found in (fit, check)):
            given = [(np.stack([row for row, _ in found]), [name for _, name in found]) for found in (fit, check)]
            readings.append(classify(*given[0], *given[1]))
    if not readings:
        raise BadValueError("annotations", f"name none of the foods {pairs}", "use more videos")
    count = sum(reading.count for reading in readings)
    right = sum(reading.right * reading.count for reading in readings) / count
    return Reading(right, sum(reading.chance * reading.count for reading in readings) / count, count)


def _deal_out(video: AnnotatedVideo, pairs: Sequence[tuple[str, str]], seed: int) -> AnnotatedVideo:
    """The video with one name of each pair, drawn anew, wherever one of the two stood, in either number."""
    rng = generator("deal out", seed, video.id)
    names = {canonical(name): pair[chosen] for pair in pairs for chosen in [int(rng.integers(2))] for name in pair}

    def text(words: str) -> str:
        return " ".join(names.get(canonical(word), word) for word in ptb_tokens(words))

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
    caption: Callable[[NDArray[np.float32]], list[str]],
    film: Camera,
) -> Report:
    predictions = {}
    for video in videos:
        if video.id not in candidates:
            raise BadValueError("--candidates", f"hold no events of {video.id}", "propose for all validation videos")
        spans = rerank(candidates[video.id], alpha=0.0, overlap=SUPPRESSION).spans
        sentences = caption(film(video).over(spans))
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
