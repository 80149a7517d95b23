"""Each rival learns eight videos by heart, beats equal segments there, and pays no heed to what it may not know."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from cookscribe.candidates import Candidates
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.soda import soda
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.proposals.plain import uniform
from cookscribe.text.actions import ActionMatcher
from cookscribe.text.vocabulary import EOS, Vocabulary
from cookscribe.track import FeatureTrack
from cookscribe_lab.rivals.base import RivalConfig, train_rival, write_all
from cookscribe_lab.rivals.rows import RIVALS
from cookscribe_lab.rivals.sgr import Sgr
from cookscribe_lab.rivals.video_data import CLIP, FRAMES, RivalVideo, prepare

VERBS, FOODS = ("chop", "fry", "boil", "mix", "bake"), ("onion", "rice", "egg", "milk")
WIDTH = 24
EPOCHS = {"MT": 120, "ECHR": 60, "SGR": 90, "MART": 80, "SVPC": 80}


@cache
def videos() -> tuple[tuple[RivalVideo, ...], Vocabulary]:
    rng = np.random.default_rng(0)
    look = {word: rng.normal(size=WIDTH) for word in (*VERBS, *FOODS)}
    films = []
    for number in range(8):
        duration = 60.0 + 5 * number
        spans = np.array([[0.05, 0.25], [0.35, 0.6], [0.7, 0.95]]) * duration + rng.uniform(-2, 2, (3, 2))
        spans = np.clip(spans, 0, duration)
        words = [(str(rng.choice(VERBS)), str(rng.choice(FOODS))) for _ in range(3)]
        times = np.arange(0.5, duration)
        rows = 0.1 * rng.normal(size=(len(times), WIDTH))
        for (start, end), (verb, food) in zip(spans, words, strict=True):
            rows[(times >= start) & (times <= end)] += look[verb] + look[food]
        video = AnnotatedVideo(f"v{number}", duration, spans, tuple(f"{v} the {f}" for v, f in words), FOODS)
        noise = np.sort(rng.uniform(0, duration, (5, 2)), axis=1)
        offered = np.concatenate([np.clip(spans + rng.normal(0, 1, spans.shape), 0, duration), noise])
        scores = np.concatenate([np.full(3, 0.9), rng.uniform(0, 0.3, 5)])
        films.append(
            (video, FeatureTrack(times, rows, "made-up", duration), Candidates(offered, scores, duration, count=3))
        )
    vocabulary = Vocabulary.build([text for video, _, _ in films for text in video.sentences], 1)
    matcher = ActionMatcher(VERBS)
    return tuple(prepare(video, track, vocabulary, matcher, offer) for video, track, offer in films), vocabulary


def truth_of(some: tuple[RivalVideo, ...]) -> dict[str, Events]:
    return {one.video.id: Events(one.video.spans, one.video.sentences) for one in some}


def test_what_a_rival_is_shown() -> None:
    some, vocabulary = videos()
    first = some[0]
    assert first.rows.shape == (FRAMES, WIDTH)
    assert first.clips.shape == (3, CLIP, WIDTH)
    assert [vocabulary.decode(words) for words in first.sentences] == list(first.video.sentences)
    for t, text in enumerate(first.video.sentences):
        assert [FOODS[m] for m in np.flatnonzero(first.named[t])] == [text.split()[-1]]
        assert [VERBS[r] for r in np.flatnonzero(first.done[t])] == [text.split()[0]]
    # The proposed events are the three good candidates, and each is nearest to its step.
    assert first.nearest.tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", list(RIVALS))
def test_a_rival_learns_eight_videos_by_heart_and_beats_equal_segments(name: str, tmp_path: Path) -> None:
    some, vocabulary = videos()
    kind = RIVALS[name]
    config = RivalConfig(
        feature_size=WIDTH, words=len(vocabulary), actions=len(VERBS), width=48, heads=4, layers=1, dropout=0.0
    )
    training = TrainingConfig(
        epochs=EPOCHS[name], batch_size=8, learning_rate=6e-3, evaluate_every=EPOCHS[name], ema=0.0, clip=1.0
    )
    model = train_rival(name, kind, config, training, vocabulary, some, some, tmp_path / name, quiet=True)
    found, truth = write_all(model, some, vocabulary), truth_of(some)
    right = np.mean([a == b for key in truth for a, b in zip(truth[key].sentences, found[key].sentences, strict=False)])
    segments = {
        one.video.id: Events(np.asarray(uniform(one.video.duration, 3).spans, dtype=np.float64), ("fry the onion",) * 3)
        for one in some
    }
    reached, floor = (soda(truth, told, "CIDEr", "strict") for told in (found, segments))
    assert right > 0.8
    assert reached > 2 * floor
    if kind.presegmented:
        assert all(np.array_equal(found[key].spans, truth[key].spans) for key in truth)
    else:
        assert soda(truth, found, "tIoU", "strict") > soda(truth, segments, "tIoU", "strict")


@pytest.mark.parametrize("name", list(RIVALS))
@torch.no_grad()
def test_nothing_of_the_truth_is_read_when_a_rival_writes(name: str) -> None:
    some, vocabulary = videos()
    kind = RIVALS[name]
    torch.manual_seed(1)
    model = kind(
        RivalConfig(feature_size=WIDTH, words=len(vocabulary), actions=len(VERBS), width=16, heads=2, layers=1)
    )
    blind = []
    for one in some:
        video = replace(one.video, sentences=("",) * 3)
        if not kind.presegmented:
            video = replace(video, spans=np.zeros((0, 2)), sentences=())
        blind.append(
            replace(
                one,
                video=video,
                sentences=(),
                named=one.named[:0],
                done=one.done[:0],
                clips=one.clips if kind.presegmented else one.clips[:0],
                nearest=one.nearest[:0],
            )
        )
    told, also = write_all(model, some, vocabulary), write_all(model, blind, vocabulary)
    for key in told:
        assert np.array_equal(told[key].spans, also[key].spans)
        assert told[key].sentences == also[key].sentences


@torch.no_grad()
def test_what_sgr_refines_from_knows_nothing_of_the_sentence_to_be_written() -> None:
    torch.manual_seed(2)
    model = Sgr(RivalConfig(feature_size=WIDTH, words=12, width=16, heads=2, layers=1)).eval()
    frames = torch.randn(1, FRAMES, 16)
    (one, before, _), (other, still, _) = (
        model.read_sketch([[[4, 5, EOS], [6, word, EOS], [8, EOS]]], frames) for word in (7, 9)
    )
    assert torch.equal(before[:2], still[:2])  # of the first two sentences, before the word that differs
    assert not torch.equal(one[1], other[1])
    assert not torch.equal(before[2], still[2])
    # A refined sentence sees that, and the frames of its own segment only.
    rows, real = model.segment(frames, torch.zeros(3, dtype=torch.long), torch.tensor([[0.1, 0.2]] * 3), before)
    assert torch.equal(rows[:, 0], before)
    inside = real[0, 1:].sum()
    assert 10 <= inside <= 40
    assert rows.shape == (3, 1 + inside, 16)
