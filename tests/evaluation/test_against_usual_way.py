"""Every score that counts words or spans, against pycocoevalcap's own scorers called in loops."""

import pytest

from benchmarks import evaluation as usual
from benchmarks.kitchen_talk import as_files, made_up
from cookscribe.evaluation import Events, evaluate


@pytest.mark.parametrize("seed", range(13))
def test_equal_on_awkward_videos(seed: int) -> None:
    # The last ones are as long as those of the benchmark.
    truth, predictions = made_up(seed) if seed < 12 else made_up(seed, videos=25, most=13)
    ours = usual.figures_of(evaluate(truth, predictions, meteor=False))
    expected = usual.usual_way(*as_files(truth, predictions))
    assert set(expected) == set(ours)
    for name, value in expected.items():
        assert ours[name] == pytest.approx(value, abs=1e-12), name


def test_the_garbage_word_counts_as_a_match_in_2018_only() -> None:
    truth = {"a": Events([[0, 10], [20, 30]], ("fry the egg", "serve the egg"))}
    predictions = {"a": Events([[0, 10], [50, 60]], ("fry the egg", "abc123!@#"))}
    report = evaluate(truth, predictions, meteor=False)
    expected = usual.usual_dvc_eval(*as_files(truth, predictions))
    assert report.dvc["2018"].mean("CIDEr") == pytest.approx(expected["CIDEr"], abs=1e-12)
    assert report.dvc["2021"].mean("CIDEr") < report.dvc["2018"].mean("CIDEr")
    assert report.dvc["2021"].mean("BLEU1") < report.dvc["2018"].mean("BLEU1")


def test_no_more_than_a_thousand_proposals_count_in_dvc_eval() -> None:
    truth = {"a": Events([[0, 10]], ("fry the egg",))}
    good, bad = [[0.0, 10.0]], [[50.0, 60.0]] * 1000
    sentences = ("fry the egg",) * 1001
    first = evaluate(truth, {"a": Events(good + bad, sentences)}, meteor=False)
    last = evaluate(truth, {"a": Events(bad + good, sentences)}, meteor=False)
    assert first.localisation.recall > 0
    assert first.localisation.per_tiou[0.5] == (1 / 1000, 1.0)
    assert last.localisation.recall == 0
    assert last.dvc["2018"].mean("ROUGE_L") == 0
