"""Repetition, paragraphs, counts and ingredients on cases small enough to work out by hand."""

import pytest

from cookscribe.errors import BadValueError
from cookscribe.evaluation import Events, evaluate
from cookscribe.evaluation.captions import rouge_l
from cookscribe.evaluation.events import Video
from cookscribe.evaluation.ingredient_score import ingredient_score
from cookscribe.evaluation.paragraph import paragraph
from cookscribe.evaluation.repetition import repeated_share, repetition


def said(*sentences: str) -> Events:
    return Events([[i, i + 1] for i in range(len(sentences))], sentences)


@pytest.mark.parametrize(
    ("sentences", "share"),
    [
        ((), 0.0),
        (("stir",), 0.0),
        (("add salt to it", "add salt to it"), 0.5),
        (("add salt to it.", "Add salt to it"), 0.0),  # case stays
        (("add salt, to it . ", "add salt to it"), 1 / 3),  # "it . " ends in a blank, so its full stop is a word
        (("a b c d e", "a b c d e", "a b c d"), 3 / 5),
        (("a b", "c d", "a b", "c d"), 0.0),  # n-grams do not run over sentences
        (("", " ", "."), 0.0),
    ],
)
def test_repetition(sentences: tuple[str, ...], share: float) -> None:
    assert repeated_share(sentences, 4) == pytest.approx(share)


def test_repetition_averages_over_videos_with_an_entry() -> None:
    truth = said("x")
    videos = [Video("a", truth, said("a b c d", "a b c d")), Video("b", truth, said()), Video("c", truth, None)]
    assert repetition(videos) == pytest.approx(0.25)
    assert repetition([Video("c", truth, None)]) == 0.0


def test_paragraphs_are_letters_only_in_listed_order() -> None:
    assert paragraph(said("Add 2 eggs.", "Don't stop: crème!")) == "add eggs don t stop cr me"
    assert paragraph(None) == ""


def test_rouge_splits_at_blanks_only() -> None:
    assert rouge_l("add salt", "add salt") == pytest.approx(1.0)
    assert rouge_l("", "") == pytest.approx(1.0)  # one empty token on each side
    assert rouge_l("1\u00a01/2 cups", "1 1/2 cups") == pytest.approx(rouge_l("x cups", "y z cups"))
    assert rouge_l("a b c", "d e") == 0.0


def test_counts() -> None:
    truth = {"a": said("x", "y"), "b": said("x"), "c": said("x", "y", "z"), "d": said("x")}
    predictions = {"a": said("x", "y"), "b": said("x", "y", "z"), "c": said()}
    counts = evaluate(truth, predictions, meteor=False).as_json()["counts"]
    assert counts["within"] == {"0": 25.0, "1": 50.0, "2": 75.0, "3": 100.0}
    assert counts["mean_predicted"] == pytest.approx(5 / 4)
    assert counts["mean_truth"] == pytest.approx(7 / 4)
    assert counts["histogram"] == {"predicted": {"0": 2, "2": 1, "3": 1}, "truth": {"1": 2, "2": 1, "3": 1}}


LISTS = {"a": ("parmesan cheese", "tomatoes", "olive oil"), "b": ("chicken", "rice")}


def test_ingredients_named_whole_in_the_other_number_or_in_part() -> None:
    videos = [
        Video("v_a", said("grate parmesan cheese", "cut the tomatoes", "add olive oil"), said("cheese on a tomato"))
    ]
    score = ingredient_score(videos, LISTS)
    assert (score.precision, score.recall) == (1.0, pytest.approx(2 / 3))


def test_a_wrong_ingredient_costs_precision() -> None:
    truth, right = said("cut the tomatoes", "add olive oil"), said("cut the tomato")
    wrong = said("cut the tomato", "fry the chicken")
    other = Video("v_b", said("fry the chicken with rice"), said("fry the chicken with rice"))
    good = ingredient_score([Video("v_a", truth, right), other], LISTS)
    bad = ingredient_score([Video("v_a", truth, wrong), other], LISTS)
    assert good.precision == 1.0
    assert bad.precision == pytest.approx(3 / 4)
    assert bad.recall == good.recall == pytest.approx(3 / 4)


def test_ingredients_of_missing_videos_lower_recall_only() -> None:
    videos = [
        Video("v_a", said("cut the tomatoes"), None),
        Video("v_b", said("fry the chicken"), said("fry the chicken")),
    ]
    score = ingredient_score(videos, LISTS)
    assert (score.precision, score.recall, score.f1) == (1.0, 0.5, pytest.approx(2 / 3))


def test_ingredients_of_no_video_are_a_typed_error() -> None:
    with pytest.raises(BadValueError, match="ingredient list"):
        ingredient_score([Video("v_z", said("x"), None)], LISTS)
