"""The parts of the selection study: words heard, changes of training videos, plans."""

from pathlib import Path

import numpy as np
import pytest
import torch

from cookscribe.candidates import tiou_matrix
from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.model.beyond.ensemble import mean_plan
from cookscribe.model.beyond.story_decoding import plan_stories
from cookscribe.senses.transcripts import Transcript
from cookscribe_lab.studies.core.report import bootstrap_interval, mean_and_deviation
from cookscribe_lab.studies.selection.inputs import SelectionInputs
from cookscribe_lab.studies.selection.scores import score_choice
from cookscribe_lab.studies.selection.training import (
    SelectionConfig,
    joined,
    plan_videos,
    read_plan,
    train_selector,
    write_plan,
)
from cookscribe_lab.studies.selection.videos import (
    SelectionVideo,
    SoftBins,
    batch_inputs,
    batch_targets,
    spliced,
    stretched,
)
from cookscribe_lab.studies.selection.words_heard import BINS, CountGuess, WordsHeard, candidate_numbers, moment_labels
from tests.learning.made_up_youcook2 import write_folder


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> SelectionInputs:
    return SelectionInputs(YouCook2(write_folder(tmp_path_factory.mktemp("data") / "youcook2", training=60)))


@pytest.fixture(scope="module")
def videos(inputs: SelectionInputs) -> list[SelectionVideo]:
    return inputs.videos(("captions", "words heard", "ingredients"))


def test_words_tell_where_steps_are(inputs: SelectionInputs) -> None:
    """On videos that were not learnt from, the guess follows the truth far better than chance."""
    heard, transcripts = inputs.words_heard, inputs.transcripts
    unseen = inputs.data.videos("validation")
    guessed = np.concatenate([heard.moments(transcripts[key], video.duration) for key, video in unseen.items()])
    true = np.concatenate([moment_labels(video) for video in unseen.values()])
    assert np.corrcoef(guessed[:, 0], true[:, 0])[0, 1] > 0.6
    silent = np.concatenate([heard.moments(None, video.duration) for video in unseen.values()])
    assert np.corrcoef(silent[:, 0], true[:, 0])[0, 1] < np.corrcoef(guessed[:, 0], true[:, 0])[0, 1] - 0.2


def test_moment_labels_are_shares_of_bins() -> None:
    video = AnnotatedVideo("a", 120.0, np.array([[10.0, 13.0], [60.0, 62.0]]), ("x", "y"))
    labels = moment_labels(video)
    assert labels.shape == (BINS, 3)
    np.testing.assert_allclose(labels[:, 0].sum() * 120 / BINS, 5.0)
    assert labels[5, 0] == 1
    assert labels[6, 0] == pytest.approx(0.5)
    assert abs(int(labels[:15, 1].argmax()) - 5) <= 1


def test_count_guess_uses_what_it_is_told() -> None:
    """Videos in which "then" is said once per step: with words the guess is right, without it is the mean."""
    rng = np.random.default_rng(0)
    videos, transcripts = {}, {}
    for n in range(80):
        steps = int(rng.integers(3, 10))
        spans = np.stack([np.arange(steps) * 10.0, np.arange(steps) * 10.0 + 5], axis=1)
        videos[str(n)] = AnnotatedVideo(str(n), 200.0, spans, ("x",) * steps, ingredients=("i",))
        transcripts[str(n)] = Transcript.from_text(" ".join(["then"] * steps), 200.0)
    learnt = {key: videos[key] for key in list(videos)[:60]}
    told = CountGuess.fit(learnt, transcripts, {"then": 0}, ingredients=False)
    blind = CountGuess.fit(learnt, {}, {}, ingredients=False)
    tested = [videos[key] for key in list(videos)[60:]]
    right = [abs(told.guess(video, transcripts[video.id]) - len(video.spans)) for video in tested]
    wrong = [abs(blind.guess(video, None) - len(video.spans)) for video in tested]
    assert np.mean(right) < 0.5 < np.mean(wrong)


def test_candidate_numbers_are_the_same_backwards() -> None:
    """In a video that runs backwards, before and behind change places and a start is an end."""
    rng = np.random.default_rng(1)
    moments = rng.random((BINS, 3))
    backwards = moments[::-1][:, [0, 2, 1]]
    spans = np.array([[20.0, 50.0], [55.0, 90.0], [0.0, 120.0]])
    forward = candidate_numbers(spans, 120.0, moments)
    turned = candidate_numbers((120.0 - spans)[:, ::-1], 120.0, backwards)
    np.testing.assert_allclose(forward[:, [0, 2, 1, 3, 4, 6, 5, 8, 7]], turned)


def test_splicing_keeps_every_candidate_beside_its_step(videos: list[SelectionVideo]) -> None:
    rng = np.random.default_rng(0)
    made = [found for k in range(20) if (found := spliced(videos[0], videos[1], rng)) and k >= 0]
    assert made
    for video in made:
        assert (video.spans >= 0).all()
        assert (video.spans <= video.duration + 1e-9).all()
        assert (np.diff(video.spans[:, 0]) >= 0).all()
        assert (np.diff(video.truth[:, 0]) >= 0).all()
        assert len(video.own) == len(video.scores) == len(video.spans)
        whole = [tiou_matrix(v.spans, v.truth).max() for v in videos[:2]]
        assert tiou_matrix(video.spans, video.truth).max() <= max(whole) + 0.35


def test_stretching_changes_no_share(videos: list[SelectionVideo]) -> None:
    slow = stretched(videos[0], 1.5)
    np.testing.assert_allclose(slow.spans / slow.duration, videos[0].spans / videos[0].duration)
    assert slow.whole[0] == pytest.approx(np.log(slow.duration))


def test_soft_bins_sum_to_one_and_interpolate(videos: list[SelectionVideo]) -> None:
    bins = SoftBins.fit(videos)
    numbers = np.random.default_rng(0).normal(size=(50, len(bins.centres))) * 10
    weights = bins(numbers).reshape(50, *bins.centres.shape)
    np.testing.assert_allclose(weights.sum(axis=2), 1.0, atol=1e-5)
    clipped = np.clip(numbers, bins.centres[:, 0], bins.centres[:, -1])
    np.testing.assert_allclose((weights * bins.centres).sum(axis=2), clipped, rtol=1e-3, atol=1e-3)


def test_batches_fit_the_model(videos: list[SelectionVideo]) -> None:
    few = [videos[0].take(np.arange(len(videos[0])) < 4), videos[1]]
    given, wanted = batch_inputs(few, SoftBins.fit(videos)), batch_targets(few)
    assert given.event_mask.sum(dim=1).tolist() == [4, len(videos[1])]
    assert wanted.true_mask.sum(dim=1).tolist() == [len(v.truth) for v in few]
    assert int(wanted.events.max()) <= given.times.shape[1]


@pytest.fixture(scope="module")
def trained(videos: list[SelectionVideo]) -> object:
    return train_selector(videos[:12], SelectionConfig(epochs=3, batch_size=4), seed=0, fold=0)


def test_a_plan_survives_its_file(videos: list[SelectionVideo], trained: object, tmp_path: Path) -> None:
    plan = plan_videos(trained, videos[12:])  # type: ignore[arg-type]
    write_plan(tmp_path / "plan.safetensors", plan)
    read = read_plan(tmp_path / "plan.safetensors")
    assert plan_stories(read, "chain", longest=8) == plan_stories(plan, "chain", longest=8)
    assert torch.equal(read.times, plan.times)
    assert plan.redundancy is not None
    assert read.redundancy is not None
    assert torch.equal(read.redundancy, plan.redundancy)


def test_the_mean_of_equal_plans_is_the_plan(videos: list[SelectionVideo], trained: object) -> None:
    plan = plan_videos(trained, videos[12:])  # type: ignore[arg-type]
    mean = mean_plan([plan, plan])
    torch.testing.assert_close(mean.times, plan.times)
    torch.testing.assert_close(mean.count.softmax(dim=1), plan.count.softmax(dim=1))
    assert plan_stories(mean, "chain", longest=8) == plan_stories(plan, "chain", longest=8)
    assert plan_stories(mean, "both", longest=8) == plan_stories(plan, "both", longest=8)


def test_plans_of_different_sizes_are_joined(videos: list[SelectionVideo], trained: object) -> None:
    few = videos[12].take(np.arange(len(videos[12])) < 3)
    apart = [plan_videos(trained, [few]), plan_videos(trained, videos[13:15])]  # type: ignore[arg-type]
    together = joined(apart)
    for rule in ("quality", "counted", "both"):
        told = [story for plan in apart for story in plan_stories(plan, rule, longest=8)]
        assert plan_stories(together, rule, longest=8) == told


def test_a_trained_planner_knows_which_pairs_tell_one_step(videos: list[SelectionVideo], trained: object) -> None:
    plan = plan_videos(trained, videos[12:])  # type: ignore[arg-type]
    near, far = [], []
    for b, video in enumerate(videos[12:]):
        overlap = tiou_matrix(video.spans, video.spans)
        earlier = np.triu(np.ones_like(overlap, dtype=bool), 1)
        told = plan.redundancy[b, : len(video), : len(video)].numpy()
        near.append(told[earlier & (overlap > 0.5)])
        far.append(told[earlier & (overlap == 0)])
    assert np.concatenate(near).mean() > np.concatenate(far).mean()


def test_score_of_the_truth_is_full_and_intervals_hold_the_mean() -> None:
    truth = {"a": np.array([[0.0, 5.0], [6.0, 9.0]]), "b": np.array([[1.0, 2.0]])}
    scored = score_choice(truth, truth)
    assert scored.soda_tiou == pytest.approx(100)
    assert scored.within[0] == 100
    differences = np.random.default_rng(0).normal(1.0, 1.0, 400)
    low, high = bootstrap_interval(differences)
    assert low < differences.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * differences.std() / 20, rel=0.15)
    assert mean_and_deviation([1.0, 3.0]) == "2.00 ± 1.41"


def test_words_heard_needs_transcripts() -> None:
    with pytest.raises(BadValueError, match="transcript"):
        WordsHeard.fit({}, {})
