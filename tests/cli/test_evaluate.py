"""`cookscribe evaluate` and `cookscribe baselines` as a user calls them."""

import json
from pathlib import Path

import pytest

from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.evaluation import evaluate, read_ingredients, read_predictions, read_truth
from tests.command import invoke

EXAMPLES = Path(__file__).parents[2] / "examples"
TRUTH, PREDICTIONS, INGREDIENTS = (str(EXAMPLES / f"{n}.json") for n in ("truth", "predictions", "ingredients"))


def test_the_example_is_scored(tmp_path: Path) -> None:
    out = tmp_path / "scores.json"
    arguments = ("--truth", TRUTH, "--ingredients", INGREDIENTS, "--json", out, "--no-meteor")
    result = invoke("evaluate", PREDICTIONS, *arguments)
    for title in ("dvc_eval", "SODA", "Localisation", "Whole recipe", "Number of events", "Ingredients"):
        assert title in result.stdout
    assert "v_fried-rice" in result.stderr
    written = json.loads(out.read_text())
    expected = evaluate(
        read_truth(Path(TRUTH)),
        read_predictions(Path(PREDICTIONS)),
        meteor=False,
        ingredients=read_ingredients(Path(INGREDIENTS)),
    ).as_json()
    assert written == expected
    assert written["videos"] == {"truth": 5, "predicted": 4, "missing": ["v_fried-rice"]}
    assert f"{written['soda']['released']['tIoU']:.2f}" in result.stdout


def test_without_ingredients_there_is_no_such_table() -> None:
    result = invoke("evaluate", PREDICTIONS, "--truth", TRUTH, "--no-meteor")
    assert "Ingredients" not in result.stdout


def test_the_meteor_column_is_empty_without_meteor() -> None:
    rows = invoke("evaluate", PREDICTIONS, "--truth", TRUTH, "--no-meteor").stdout.splitlines()
    flavour = next(row for row in rows if row.startswith("2018"))
    assert flavour.split()[5] == "-"


@pytest.mark.parametrize(
    ("predictions", "error"), [("nowhere.json", MissingFileError), (TRUTH, BadFileError), (INGREDIENTS, BadFileError)]
)
def test_wrong_files_are_typed_errors_and_nothing_is_written(
    tmp_path: Path, predictions: str, error: type[Exception]
) -> None:
    out = tmp_path / "scores.json"
    with pytest.raises(error):
        invoke("evaluate", predictions, "--truth", TRUTH, "--json", out, "--no-meteor")
    assert list(tmp_path.iterdir()) == []


def test_unknown_videos_are_said(tmp_path: Path) -> None:
    content = json.loads(Path(PREDICTIONS).read_text())
    content["results"]["v_unheard-of"] = content["results"]["v_pancakes"]
    path = tmp_path / "more.json"
    path.write_text(json.dumps(content))
    result = invoke("evaluate", path, "--truth", TRUTH, "--no-meteor")
    assert "v_unheard-of" in result.stderr


def candidate_file(folder: Path) -> Path:
    truth = json.loads(Path(TRUTH).read_text())
    results = {}
    for key, video in truth.items():
        events = zip(video["timestamps"] + [[0, 30]], video["sentences"] + ["stir"], strict=True)
        results[key] = [
            {
                "timestamp": [start, end],
                "proposal_score": 0.9 - number / 20,
                "sentence": sentence,
                "sentence_score": -5.0,
                "vid_duration": video["duration"],
                "pred_event_count": 4,
            }
            for number, ((start, end), sentence) in enumerate(events)
        ]
    path = folder / "candidates.json"
    path.write_text(json.dumps({"results": results, "version": "VERSION 1.0", "external_data": {}}))
    return path


def test_baselines(tmp_path: Path) -> None:
    out = tmp_path / "baselines.json"
    arguments = ("--truth", TRUTH, "--ingredients", INGREDIENTS, "--count", "5", "--json", out, "--no-meteor")
    result = invoke("baselines", candidate_file(tmp_path), *arguments)
    for name in ("oracle paper *", "oracle story *", "re-ranked", "top-K", "NMS 0.3", "NMS 0.3 K=5", "uniform"):
        assert name in result.stdout
    reports = json.loads(out.read_text())
    assert reports["oracle paper"]["soda"]["strict"]["tIoU"] == pytest.approx(100, abs=1e-4)
    assert reports["top-K"]["counts"]["mean_predicted"] == 4
    assert reports["everything"]["localisation"]["recall"] == pytest.approx(100)
    assert reports["uniform"]["soda"]["strict"]["tIoU"] < reports["NMS 0.3"]["soda"]["strict"]["tIoU"]


def test_baselines_refuse_a_bad_threshold(tmp_path: Path) -> None:
    with pytest.raises(BadValueError, match="threshold"):
        invoke("baselines", candidate_file(tmp_path), "--truth", TRUTH, "--nms", "3", "--no-meteor")
