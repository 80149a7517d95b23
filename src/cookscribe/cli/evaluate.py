"""`cookscribe evaluate` and `cookscribe baselines`: scores of predictions, and of plain choices beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from cookscribe.evaluation import Report

_TRUTH_HELP = "True events: an ActivityNet-style JSON file."
_JSON_HELP = "Also write all figures to this file."
_METEOR_HELP = "Leave METEOR out; no Java is started."
_INGREDIENTS_HELP = "Ingredient lists by video, for the ingredient F1."


def evaluate(
    predictions: Path = typer.Argument(..., help='Predictions: {"results": {video: [{"sentence", "timestamp"}]}}.'),
    truth: Path = typer.Option(..., help=_TRUTH_HELP),
    json: Path = typer.Option(None, help=_JSON_HELP),
    ingredients: Path = typer.Option(None, help=_INGREDIENTS_HELP),
    no_meteor: bool = typer.Option(False, "--no-meteor", help=_METEOR_HELP),
) -> None:
    """Score predicted recipes against the true ones."""
    from cookscribe.cli.score_tables import print_report
    from cookscribe.evaluation import evaluate, read_ingredients, read_predictions, read_truth
    from cookscribe.files import write_json

    report = evaluate(
        read_truth(truth),
        read_predictions(predictions),
        meteor=not no_meteor,
        ingredients=None if ingredients is None else read_ingredients(ingredients),
    )
    if json is not None:
        write_json(json, report.as_json())
    print_report(report)
    _warn(report)


def baselines(
    candidates: Path = typer.Argument(..., help="Candidate events: a file in PDVC's released format."),
    truth: Path = typer.Option(..., help=_TRUTH_HELP),
    json: Path = typer.Option(None, help=_JSON_HELP),
    ingredients: Path = typer.Option(None, help=_INGREDIENTS_HELP),
    nms: float = typer.Option(0.3, help="Highest tIoU of two events that non-maximum suppression lets stand."),
    count: int = typer.Option(8, help="The constant number of events."),
    no_meteor: bool = typer.Option(False, "--no-meteor", help=_METEOR_HELP),
) -> None:
    """Score plain choices from candidate events: oracles, re-ranking, top-K, NMS, uniform segments, everything."""
    from cookscribe.cli.score_tables import print_comparison
    from cookscribe.evaluation import evaluate, read_ingredients, read_truth
    from cookscribe.evaluation.meteor import MeteorTable
    from cookscribe.files import write_json
    from cookscribe.learning.datasets.youcook2 import read_truth as read_videos
    from cookscribe.learning.proposals.comparison import baseline_predictions
    from cookscribe.progress import track
    from cookscribe.proposals.candidate_files import read_candidates

    events = read_truth(truth)
    durations = {video_id: video.duration for video_id, video in read_videos(truth).items()}
    choices = baseline_predictions(events, read_candidates(candidates, durations), threshold=nms, count=count)
    lists = None if ingredients is None else read_ingredients(ingredients)
    meteor = False if no_meteor else MeteorTable()
    reports = {
        choice: evaluate(events, choice.predictions, meteor=meteor, ingredients=lists)
        for choice in track(choices, "baselines")
    }
    if json is not None:
        write_json(json, {choice.name: report.as_json() for choice, report in reports.items()})
    print_comparison({choice.name + (" *" if choice.sees_truth else ""): reports[choice] for choice in choices})
    _warn(reports[choices[0]])


def _warn(report: Report) -> None:
    """Say on standard error what the figures silently contain or leave out."""
    for videos, text in (
        (
            report.missing,
            "without a predicted event: 0 in dvc_eval, localisation and strict SODA, left out of released SODA",
        ),
        (report.unknown, "predicted but not in the truth: not scored"),
    ):
        if videos:
            some = ", ".join(videos[:5]) + (", ..." if len(videos) > 5 else "")
            number = f"{len(videos)} video" + ("s" if len(videos) > 1 else "")
            typer.echo(f"cookscribe: {number} {text} ({some})", err=True)
