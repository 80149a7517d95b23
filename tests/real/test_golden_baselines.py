"""The baselines on the published PDVC candidates: equal to the golden selections and to published figures."""

from pathlib import Path

import numpy as np
import pytest

from cookscribe.evaluation import Events, evaluate, read_predictions, soda_tiou
from cookscribe.learning.proposals.comparison import baseline_predictions
from cookscribe.proposals.candidate_files import read_candidates


@pytest.fixture(scope="module")
def choices(data_folder: Path, truth: dict[str, Events]) -> dict[str, dict[str, Events]]:
    candidates = read_candidates(data_folder / "youcook2" / "candidates" / "pdvc_n25_val.json")
    return {choice.name: choice.predictions for choice in baseline_predictions(truth, candidates)}


@pytest.mark.parametrize(("name", "golden"), [("re-ranked", "P2_pdvc"), ("oracle paper", "P1_oracle")])
def test_selections_are_the_golden_ones(
    name: str, golden: str, choices: dict[str, dict[str, Events]], golden_folder: Path
) -> None:
    expected = read_predictions(golden_folder / f"{golden}.json")
    assert choices[name].keys() == expected.keys()
    for video, events in expected.items():
        assert choices[name][video].sentences == events.sentences
        assert np.abs(choices[name][video].spans - events.spans).max() < 1e-3


def test_suppression_reaches_the_known_figure(choices: dict[str, dict[str, Events]], truth: dict[str, Events]) -> None:
    spans = {video: events.spans for video, events in choices["NMS 0.3"].items()}
    assert soda_tiou({video: events.spans for video, events in truth.items()}, spans) == pytest.approx(37.49, abs=0.01)


def test_the_oracles_are_best_and_uniform_is_worse_than_any_choice(
    choices: dict[str, dict[str, Events]], truth: dict[str, Events]
) -> None:
    tiou = {
        name: evaluate(truth, predictions, meteor=False).soda_mean("strict", "tIoU")
        for name, predictions in choices.items()
    }
    ordered = sorted(tiou, key=lambda name: -(tiou[name] or 0))
    assert ordered[:2] == ["oracle story", "oracle paper"]
    assert ordered[-2:] == ["uniform", "everything"]
