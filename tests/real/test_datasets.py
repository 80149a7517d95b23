"""The readers on the real files: every count that the files' own description gives."""

from pathlib import Path

import numpy as np
import pytest

from cookscribe.candidates import tiou_matrix
from cookscribe.learning.datasets.matching import measure_actions, measure_actions_by_tags, measure_ingredients
from cookscribe.learning.datasets.oracle import oracle_labels
from cookscribe.learning.datasets.root import FILES, YouCook2
from cookscribe.learning.datasets.youcook2 import read_split_list, read_truth
from cookscribe.proposals.candidate_files import read_candidates, write_candidates
from cookscribe.text.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def youcook2(data_folder: Path) -> YouCook2:
    return YouCook2(data_folder)


def test_everything_is_there(youcook2: YouCook2) -> None:
    assert all(youcook2.present().values()), youcook2.present()
    assert set(youcook2.present()) == set(FILES)


def test_annotations(youcook2: YouCook2) -> None:
    training, validation = youcook2.videos("training"), youcook2.videos("validation")
    assert (len(training), len(validation), len(youcook2.videos())) == (1333, 457, 1790)
    assert sum(len(video.sentences) for video in training.values()) == 10337
    assert sum(len(video.sentences) for video in validation.values()) == 3492
    assert sum(len(video.ingredients) for video in training.values()) == 13689
    assert sum(len(video.ingredients) for video in validation.values()) == 4671
    assert "v_dkYNq8G9Y" in youcook2.videos()  # an id that only looks prefixed
    plain = youcook2.videos(ingredients=False)
    for video_id, video in youcook2.videos().items():
        assert plain[video_id].sentences == video.sentences
        np.testing.assert_array_equal(plain[video_id].spans, video.spans)
        assert (np.diff(video.spans[:, 0]) >= 0).all()
    names = youcook2.recipe_names()
    assert {video.recipe_type for video in plain.values()} <= set(names)
    assert len({video.recipe_type for video in plain.values()}) == 89


@pytest.mark.parametrize(("name", "split"), [("yc2_train.json", "training"), ("yc2_val.json", "validation")])
def test_activitynet_style_files_say_the_same(youcook2: YouCook2, name: str, split: str) -> None:
    truth, videos = read_truth(youcook2.root / "annotations" / name, split), youcook2.videos(split, ingredients=False)
    assert set(truth) == set(videos)
    for video_id, video in videos.items():
        assert truth[video_id].sentences == video.sentences
        assert truth[video_id].duration == video.duration
        np.testing.assert_array_equal(truth[video_id].spans, video.spans)


def test_lengths_and_lists(youcook2: YouCook2) -> None:
    lengths = youcook2.lengths()
    assert len(lengths) == 2000
    assert len(youcook2.testing_ids()) == 210
    lists = youcook2.root / "annotations" / "splits"
    assert set(read_split_list(lists / "train_list.txt")) == set(youcook2.videos("training"))
    assert set(read_split_list(lists / "val_list.txt")) == set(youcook2.videos("validation"))
    assert set(lengths) == set(youcook2.videos()) | set(youcook2.testing_ids())


def test_tags(youcook2: YouCook2) -> None:
    tags = youcook2.tags()
    assert len(tags) == 1790
    labels = {tag.label for steps in tags.values() for step in steps for tag in step}
    assert {"F", "T", "Q", "D", "Ac"} <= labels <= {"F", "T", "Q", "D", "Ac", "Ac2", "Af", "Sf", "St"}


@pytest.mark.parametrize(("cut", "videos", "steps"), [("train", 1233, 9538), ("val", 100, 798), ("test", 329, 2493)])
def test_svpc(youcook2: YouCook2, cut: str, videos: int, steps: int) -> None:
    aligned = youcook2.aligned(cut)  # type: ignore[arg-type]
    assert (len(aligned), sum(len(video.actions) for video in aligned.values())) == (videos, steps)
    verbs = youcook2.actions()
    assert len(verbs) == 384
    assert verbs[293] == "add"


def test_candidates(youcook2: YouCook2, tmp_path: Path) -> None:
    candidates = youcook2.candidates()
    assert set(candidates) == set(youcook2.videos("validation"))
    assert {len(events) for events in candidates.values()} == {25}
    write_candidates(tmp_path / "again.json", candidates)
    again = read_candidates(tmp_path / "again.json")
    for video_id, events in candidates.items():
        np.testing.assert_array_equal(again[video_id].spans, events.spans)
        np.testing.assert_array_equal(again[video_id].scores, events.scores)
        np.testing.assert_array_equal(again[video_id].caption_scores, events.caption_scores)
        assert again[video_id].captions == events.captions
        assert again[video_id].count == events.count


def test_oracle_labels_by_the_released_rule(youcook2: YouCook2) -> None:
    candidates = youcook2.candidates()
    repeated = videos_with_repeats = disordered = without_overlap = 0
    for video_id, video in youcook2.videos("validation").items():
        spans = candidates[video_id].spans
        labels = oracle_labels(video.spans, spans, "paper")
        repeats = len(labels) - len(set(labels.tolist()))
        repeated += repeats
        videos_with_repeats += repeats > 0
        disordered += bool((np.diff(labels) < 0).any())
        without_overlap += int((tiou_matrix(video.spans, spans)[np.arange(len(labels)), labels] == 0).sum())
    assert (repeated, videos_with_repeats, disordered, without_overlap) == (141, 108, 60, 16)


def test_oracle_labels_by_the_story_rule_lose_little(youcook2: YouCook2) -> None:
    candidates = youcook2.candidates()
    total = {"paper": 0.0, "story": 0.0}
    for video_id, video in youcook2.videos("validation").items():
        matrix = tiou_matrix(video.spans, candidates[video_id].spans)
        for rule in ("paper", "story"):
            labels = oracle_labels(video.spans, candidates[video_id].spans, rule)  # type: ignore[arg-type]
            chosen = labels[labels >= 0]
            total[rule] += matrix[np.flatnonzero(labels >= 0), chosen].sum()
            assert rule == "paper" or (np.diff(chosen) > 0).all()
    assert total["paper"] / 3492 == pytest.approx(0.554, abs=5e-4)
    assert 0.98 * total["paper"] < total["story"] < total["paper"]


def test_transcripts(youcook2: YouCook2) -> None:
    recognised, spread = youcook2.transcripts("recognised"), youcook2.transcripts("spread")
    assert (len(recognised), len(spread)) == (353, 1736)
    assert all(transcript.timed for transcript in recognised.values())
    assert not any(transcript.timed for transcript in spread.values())
    either = youcook2.transcripts()
    assert set(either) == set(recognised) | set(spread)
    assert sum(transcript.timed for transcript in either.values()) == 353
    durations = youcook2.durations()
    for video_id, transcript in either.items():
        assert not len(transcript) or transcript.times[-1, 1] <= durations[video_id] + 1e-6
    same = [video_id for video_id in recognised if video_id in spread]
    assert len(same) == 318
    assert all(recognised[video_id].words == spread[video_id].words for video_id in same)


def test_vocabulary_and_word_vectors(youcook2: YouCook2) -> None:
    sentences = [sentence for video in youcook2.videos("training").values() for sentence in video.sentences]
    vocabulary = Vocabulary.build(sentences)
    assert len(vocabulary) == 4 + 1156
    vectors = youcook2.word_vectors()
    assert (len(vectors), vectors.width) == (1292, 300)
    assert vectors.table(vocabulary.words).coverage > 0.85
    assert len(vectors.table(youcook2.actions()).missing) <= 4


@pytest.mark.parametrize("cut", ["train", "val", "test"])
def test_matching_agrees_with_the_published_labels(youcook2: YouCook2, cut: str) -> None:
    aligned = youcook2.aligned(cut).values()  # type: ignore[arg-type]
    for video in aligned:  # the published alignment is a substring test, which explains what ours leaves out
        sentences, names = video.video.sentences, video.video.ingredients
        expected = np.array([[name in sentence for name in names] for sentence in sentences]).reshape(-1, len(names))
        np.testing.assert_array_equal(video.alignment, expected)
    whole, parts = measure_ingredients(aligned, partial=False), measure_ingredients(aligned)
    assert min(whole.precision, whole.recall) > 0.96
    assert min(parts.precision, parts.recall) > 0.95
    actions = measure_actions(aligned, youcook2.actions())
    if cut == "train":  # its labels include nouns: oil, salt, pepper
        assert actions.precision > 0.95
        assert actions.labelled - actions.both > 3500
    else:  # its labels leave verbs out
        assert actions.recall > 0.97


def test_actions_agree_with_tagged_phrases(youcook2: YouCook2) -> None:
    tags = youcook2.tags()
    tagged = [(video, tags[video_id]) for video_id, video in youcook2.videos("validation").items()]
    result = measure_actions_by_tags(tagged, youcook2.actions())
    assert result.precision > 0.95
    assert result.recall > 0.98
