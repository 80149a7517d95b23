"""Videos as numbers: labels stand where the words are, padding where nothing is."""

import numpy as np
import pytest
import torch

from cookscribe.candidates import Candidates
from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.story_data import batch_targets, label_story
from cookscribe.model import config as model
from cookscribe.model.story_input import Reader, batch_inputs
from cookscribe.pipelines.story_writer import with_features
from cookscribe.text.actions import ActionMatcher
from cookscribe.text.vocabulary import BOS, EOS, UNK, Vocabulary
from cookscribe.track import FeatureTrack

VOCABULARY = Vocabulary.build(["chop the red onion and fry it"], 1)
VERBS = ("fry", "chop")
READER = Reader(("[PAD]", "[UNK]", "onion", "red", "oil"))


def events(*spans: tuple[float, float], features: bool = True) -> Candidates:
    values = np.arange(len(spans) * 3, dtype=np.float32).reshape(-1, 3) if features else None
    return Candidates(np.array(spans).reshape(-1, 2), np.full(len(spans), 0.5), 100.0, features=values)


def recipe() -> AnnotatedVideo:
    return AnnotatedVideo(
        "film",
        100.0,
        np.array([[0, 10], [20, 30], [40, 50]]),
        ("chop the red onion", "taste it", "fry the onion in oil and serve"),
        ("oil", "red onion"),
    )


def test_model_and_vocabulary_agree_on_special_tokens() -> None:
    assert (model.PAD, model.BOS, model.EOS, model.UNK) == (0, BOS, EOS, UNK)
    assert model.SPECIAL_TOKENS == 4


def test_labels_of_words_stand_where_they_are_predicted() -> None:
    candidates = events((0, 9), (41, 52))
    truth = label_story(recipe(), candidates, VOCABULARY, ActionMatcher(VERBS), "story", 16, 20)
    # The second step overlaps no candidate and is left out.
    assert truth.events.tolist() == [0, 1]
    assert [VOCABULARY.decode(ids) for ids in truth.words] == [
        "chop the red onion",
        "fry the onion [UNK] [UNK] and [UNK]",
    ]
    assert truth.ingredients == ((1,), (0, 1))
    assert truth.actions == ((1,), (0,))
    # "red onion" is words 2 and 3 of the first sentence, predicted at positions 2 and 3.
    assert sorted(truth.word_ingredients[0]) == [(2, 1), (3, 1)]
    assert sorted(truth.word_ingredients[1]) == [(2, 1), (4, 0)]
    assert truth.word_actions == (((0, 1),), ((0, 0),))


def test_limits_cut_words_with_their_labels_and_steps() -> None:
    candidates = events((0, 9), (41, 52))
    truth = label_story(recipe(), candidates, VOCABULARY, ActionMatcher(VERBS), "story", 1, 3)
    assert len(truth) == 1
    assert VOCABULARY.decode(truth.words[0]) == "chop the red"
    assert truth.word_ingredients == (((2, 1),),)
    every = label_story(recipe(), candidates, VOCABULARY, ActionMatcher(VERBS), "paper", 16, 20)
    assert every.events.tolist() == [0, 0, 1]


def test_reader_knows_parts_of_names_and_says_unknown_otherwise() -> None:
    assert READER.ids("red onion") == (3, 2)
    assert READER.ids("Big onion") == (2,)
    assert READER.ids("saffron") == (1,)
    with pytest.raises(BadValueError, match="have no features"):
        READER.input(events((0, 1), features=False), ())


def test_batches_are_padded_behind() -> None:
    first = READER.input(events((0, 10), (20, 40)), ("red onion",), [["oil red", ""]])
    second = READER.input(events((50, 100)), (), [["onion"]])
    inputs = batch_inputs([first, second])
    assert inputs.times[0].tolist() == [[0.0, pytest.approx(0.1)], [pytest.approx(0.2), pytest.approx(0.4)]]
    assert inputs.event_mask.tolist() == [[True, True], [True, False]]
    assert inputs.texts[:, :, 0].tolist() == [[[4, 3], [0, 0]], [[2, 0], [0, 0]]]
    assert inputs.ingredients.tolist() == [[[3, 2]], [[0, 0]]]
    assert inputs.ingredient_mask.tolist() == [[True], [False]]
    assert torch.equal(inputs.features[1, 0], torch.tensor([0.0, 1.0, 2.0]))

    truth = label_story(recipe(), events((0, 9), (41, 52)), VOCABULARY, ActionMatcher(VERBS), "story", 16, 20)
    targets = batch_targets([truth, truth], 2, 2)
    assert targets.events.tolist() == [[1, 2], [1, 2]]
    assert targets.steps.tolist() == [2, 2]
    assert targets.words[0, 0].tolist()[:6] == list(truth.words[0])
    assert targets.ingredient_used[0].tolist() == [[False, True], [True, True]]
    assert targets.word_ingredient[0, 0].nonzero().tolist() == [[2, 1], [3, 1]]
    assert targets.word_action[0, :, :2].tolist() == [[1, -1], [0, -1]]


def test_the_words_of_the_list_stand_beside_every_candidate_to_be_copied() -> None:
    reader = Reader(("[PAD]", "[UNK]", "onion", "red", "oil"), copy_list=True)
    given = reader.input(events((0, 9), (41, 52)), ("red onion", "oil", "onion", "jackfruit"))
    # Each word once; a word that is not read cannot be copied.
    assert given.copy_words[..., 0].tolist() == [[3, 2, 4]] * 2
    assert not given.copy_words[..., 1].any()
    without = reader.input(events((0, 9)), ())
    batch = batch_inputs([given, without])
    assert batch.copy_words.shape == (2, 2, 3, 2)
    assert not batch.copy_words[1].any(), "without a list there is nothing to copy"
    assert READER.input(events((0, 9)), ("oil",)).copy_words is None


def test_an_event_may_be_seen_in_parts() -> None:
    """First half and second half side by side; one part is the mean of the whole."""
    rows = np.arange(20, dtype=np.float32).reshape(10, 2)
    track = FeatureTrack(np.arange(10) + 0.5, rows, "made-up", 10.0)
    found = Candidates(np.array([[0.0, 4.0], [2.0, 10.0]]), np.full(2, 0.5), 10.0)
    whole, halves = (with_features(found, track, "film", parts).features for parts in (1, 2))
    np.testing.assert_allclose(whole, [rows[0:4].mean(0), rows[2:10].mean(0)])
    expected = [[*rows[0:2].mean(0), *rows[2:4].mean(0)], [*rows[2:6].mean(0), *rows[6:10].mean(0)]]
    np.testing.assert_allclose(halves, expected)
