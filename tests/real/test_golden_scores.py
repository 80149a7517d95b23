"""Every figure of the original evaluators, reproduced: all sets, per threshold, per video, METEOR included."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cookscribe.evaluation import Events, Report, evaluate, read_predictions
from cookscribe.evaluation.captions import CaptionTable, rouge_l
from cookscribe.evaluation.dvc_eval import FLAVOURS
from cookscribe.evaluation.meteor import MeteorTable, close_meteor
from cookscribe.evaluation.pairing import THRESHOLDS

SETS = ("P1_oracle", "P2_pdvc", "P5_missing")
THEIRS = {f"BLEU{n}": f"Bleu_{n}" for n in range(1, 5)} | {n: n for n in ("METEOR", "ROUGE_L", "CIDEr")}
PERCENT = 1e-4  # 0.01 in percent


@pytest.fixture(scope="module")
def meteor() -> Iterator[MeteorTable]:
    yield MeteorTable()
    close_meteor()


@pytest.fixture(scope="module")
def scores(golden_folder: Path) -> dict[str, Any]:
    return json.loads((golden_folder / "scores.json").read_text())


@pytest.fixture(scope="module")
def reports(golden_folder: Path, truth: dict[str, Events], meteor: MeteorTable) -> dict[str, Report]:
    return {name: evaluate(truth, read_predictions(golden_folder / f"{name}.json"), meteor=meteor) for name in SETS}


@pytest.mark.parametrize("name", SETS)
def test_dvc_eval(name: str, reports: dict[str, Report], scores: dict[str, Any]) -> None:
    for flavour in FLAVOURS:
        golden = scores["sets"][name][f"dvc_eval_{flavour}"]
        ours = reports[name].dvc[flavour]
        for metric, theirs in THEIRS.items():
            assert ours.mean(metric) == pytest.approx(golden["mean"][theirs], abs=PERCENT), metric
            assert ours.per_video[metric].mean(axis=1) == pytest.approx(golden["per_tiou"][theirs], abs=PERCENT)


@pytest.mark.parametrize("name", SETS)
def test_localisation(name: str, reports: dict[str, Report], scores: dict[str, Any]) -> None:
    golden, ours = scores["sets"][name], reports[name].localisation
    assert ours.precision == pytest.approx(golden["dvc_eval_2021"]["mean"]["Precision"], abs=PERCENT)
    assert ours.recall == pytest.approx(golden["dvc_eval_2021"]["mean"]["Recall"], abs=PERCENT)
    assert ours.f1 == pytest.approx(golden["f1_of_mean_precision_recall"], abs=PERCENT)
    for i, threshold in enumerate(THRESHOLDS):
        expected = [golden["dvc_eval_2021"]["per_tiou"][key][i] for key in ("Precision", "Recall")]
        assert ours.per_tiou[threshold] == pytest.approx(expected, abs=PERCENT)


@pytest.mark.parametrize("name", SETS)
def test_soda(name: str, reports: dict[str, Report], scores: dict[str, Any]) -> None:
    golden, ours = scores["sets"][name]["soda"], reports[name]
    for scorer, theirs in (("METEOR", "c_METEOR"), ("CIDEr", "c_CIDEr"), ("tIoU", "d_tIoU")):
        assert ours.soda_mean("released", scorer) == pytest.approx(golden[theirs][2], abs=PERCENT), scorer
    assert ours.soda_videos("released") == golden["videos_averaged"]


@pytest.mark.parametrize("name", SETS)
def test_paragraphs_and_repetition(name: str, reports: dict[str, Report], scores: dict[str, Any]) -> None:
    golden, ours = scores["sets"][name], reports[name]
    for metric, value in ours.paragraph.items():
        assert value == pytest.approx(golden["paragraph"][THEIRS[metric]], abs=PERCENT), metric
    assert ours.repetition == pytest.approx(golden["repetition"]["re4"], abs=PERCENT)


def test_the_papers_oracle_row(reports: dict[str, Report], scores: dict[str, Any]) -> None:
    paper, ours = scores["meta"]["paper_row_oracle_N25"], reports["P1_oracle"].as_json()
    for metric, value in paper["dvc_eval"].items():
        assert ours["dvc_eval"]["2021"][metric] == pytest.approx(value, abs=0.1)
    for scorer, value in paper["SODA"].items():
        assert ours["soda"]["released"][scorer] == pytest.approx(value, abs=0.1)


def test_missing_videos_are_named(reports: dict[str, Report], golden_folder: Path) -> None:
    removed = json.loads((golden_folder / "P5_removed_ids.json").read_text())
    videos = reports["P5_missing"].as_json()["videos"]
    assert videos == {"truth": 457, "predicted": 366, "missing": sorted(removed)}


def test_empty_lists(truth: dict[str, Events], meteor: MeteorTable, golden_folder: Path) -> None:
    """The first three videos with an empty list each: the original SODA hangs there, the other programs run."""
    golden = json.loads((golden_folder / "edge_cases.json").read_text())["P7_emptylist"]
    predictions = read_predictions(golden_folder / "P2_pdvc.json")
    predictions |= {video: Events([], ()) for video in sorted(truth)[:3]}
    report = evaluate(truth, predictions, meteor=meteor)
    for metric, theirs in THEIRS.items():
        assert report.dvc["2018"].mean(metric) == pytest.approx(golden["dvc_eval_2018"]["mean"][theirs], abs=PERCENT)
    assert report.localisation.precision == pytest.approx(golden["dvc_eval_2018"]["mean"]["Precision"], abs=PERCENT)
    for metric, value in report.paragraph.items():
        assert value == pytest.approx(golden["paragraph"]["scores"][THEIRS[metric]], abs=PERCENT)
    assert report.repetition == pytest.approx(golden["repetition"]["scores"]["re4"], abs=PERCENT)
    assert report.soda_videos("released") == 454


def test_each_video(reports: dict[str, Report], golden_folder: Path) -> None:
    report = reports["P1_oracle"]
    place = {video: i for i, video in enumerate(report.videos)}
    rows = list(csv.DictReader((golden_folder / "per_video_dvc2021_P1_oracle.csv").open()))
    assert len(rows) == 4 * 457
    for row in rows:
        at = THRESHOLDS.index(float(row["tiou"])), place[row["video"]]
        for metric, theirs in THEIRS.items():
            assert report.dvc["2021"].per_video[metric][at] == pytest.approx(float(row[theirs]), abs=1e-9)
    for row in csv.DictReader((golden_folder / "per_video_soda_P1_oracle.csv").open()):
        for scorer in ("METEOR", "CIDEr", "tIoU"):
            ours = report.soda["released"][scorer][place[row["video"]]]
            assert ours == pytest.approx(float(row[f"{scorer.lower()}_f1"]), abs=1e-9)


def test_sentence_pairs(golden_folder: Path, meteor: MeteorTable) -> None:
    units = json.loads((golden_folder / "units.json").read_text())
    pairs, corpus = units["pairs"], units["corpus"]
    candidates = [pair["cand_tok"] for pair in pairs]
    references = [pair["ref_tok"] for pair in pairs]
    each, one_group = np.arange(len(pairs)), np.zeros(len(pairs), dtype=np.int64)
    table = CaptionTable(
        [text.split(" ") for text in references], [text.split(" ") for text in candidates],
        one_group, one_group, each, each, groups=1,
    )  # fmt: skip
    idf = table.idf_by_group("references", np.ones(len(pairs)), np.array([float(len(pairs))]))
    assert table.cider(idf) == pytest.approx([pair["cider_d_in_corpus"] for pair in pairs], abs=1e-9)
    assert table.bleu(np.ones(len(pairs), dtype=bool))[0] == pytest.approx(corpus["bleu"], abs=1e-9)
    for pair, candidate, reference in zip(pairs, candidates, references, strict=True):
        assert rouge_l(candidate, reference) == pytest.approx(pair["rouge_l"], abs=1e-9)
    assert meteor.each(candidates, references) == pytest.approx([pair["meteor"] for pair in pairs], abs=1e-9)
    swapped = [pair["meteor_swapped"] for pair in pairs]
    assert meteor.each(references, candidates) == pytest.approx(swapped, abs=1e-9)
    together = meteor.by_group(candidates, references, one_group, 1)[0]
    assert together == pytest.approx(corpus["meteor_aggregate"], abs=1e-9)
    probes = units["meteor_probes"]
    asked = meteor.each([probe["candidate"] for probe in probes], [probe["reference"] for probe in probes])
    assert asked == pytest.approx([probe["meteor"] for probe in probes], abs=1e-9)
