"""The paper's main table: B, BI, BIV and BIVT beside PDVC and the nearest-neighbour captioner, over several seeds.

    python -m cookscribe.studies.main_table --config FILE --out FOLDER

Every training, its predictions and its scores stay in the folder; the same command goes on where it was interrupted and
prints the table from what is there. Models are chosen on the development part of the training videos; the figures are
those of the validation videos.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.datasets.records import AnnotatedVideo
from cookscribe.datasets.root import YouCook2
from cookscribe.datasets.store import FeatureStore
from cookscribe.datasets.youcook2 import read_truth
from cookscribe.errors import BadValueError
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.evaluation.report import evaluate
from cookscribe.files import read_json, write_json
from cookscribe.proposals.nearest import NearestNeighbourCaptioner
from cookscribe.proposals.ranking import rerank
from cookscribe.training.story_run import StoryMaterial, StoryRun, read_candidate_file, read_material, train_story
from cookscribe.training.story_task import told_events
from cookscribe.training.story_writer import StoryWriter, as_predictions, with_features

# Where a figure stands in a report file, by its heading in the table.
FIGURES: dict[str, tuple[str, ...]] = {
    "SODA METEOR": ("soda", "strict", "METEOR"),
    "SODA CIDEr-D": ("soda", "strict", "CIDEr"),
    "SODA tIoU": ("soda", "strict", "tIoU"),
    "released METEOR": ("soda", "released", "METEOR"),
    "released CIDEr-D": ("soda", "released", "CIDEr"),
    "dvc BLEU4": ("dvc_eval", "2021", "BLEU4"),
    "dvc METEOR": ("dvc_eval", "2021", "METEOR"),
    "dvc CIDEr-D": ("dvc_eval", "2021", "CIDEr"),
    "ingredient F1": ("ingredients", "f1"),
    "steps": ("counts", "mean_predicted"),
}
REPORT, PREDICTIONS = "report.json", "predictions.json"
# Events of the baselines: PDVC's ranking and count, without telling an event twice.
OVERLAP = 0.3


class MainTable(Config):
    """What the study reads. Paths are relative to the file.

    Attributes:
        story: the training, see `StoryRun`; its preset and seed are replaced.
        validation: candidate file of the validation videos.
        truth: truth file of the validation videos; if left out, the validation split of the data folder.
        presets: the models of the table.
        seeds: trainings per model.
        meteor: ask METEOR too (Java).
    """

    story: StoryRun
    validation: str
    truth: str = ""
    presets: tuple[str, ...] = ("small-b", "small-bi", "small-biv", "small-bivt")
    seeds: tuple[int, ...] = Field(default=(0, 1, 2), min_length=1)
    meteor: bool = True


@dataclass(frozen=True)
class Row:
    """One line of the table: every figure of every seed, in percent."""

    name: str
    figures: dict[str, list[float]]

    def shown(self, figure: str) -> str:
        """Mean and standard deviation over the seeds."""
        values = self.figures.get(figure, [])
        if not values:
            return "-"
        mean = f"{statistics.mean(values):.2f}"
        return mean if len(values) == 1 else f"{mean} ± {statistics.stdev(values):.2f}"


def as_markdown(rows: Sequence[Row], figures: Sequence[str] = tuple(FIGURES)) -> str:
    """The table as Markdown."""
    lines = [f"| model | {' | '.join(figures)} |", "|---" * (len(figures) + 1) + "|"]
    lines += [f"| {row.name} | {' | '.join(row.shown(figure) for figure in figures)} |" for row in rows]
    return "\n".join(lines)


class Validation:
    """The videos the table reports on, and the scores of anything told about them."""

    def __init__(self, table: MainTable, base: Path) -> None:
        data = base / table.story.data
        if table.truth:
            self.videos: Mapping[str, AnnotatedVideo] = read_truth(base / table.truth)
        elif data.is_dir():
            self.videos = YouCook2(data).videos("validation")
        else:
            raise BadValueError("truth", "the study needs a truth file of the validation videos")
        self.store = FeatureStore(base / table.story.features)
        found = read_candidate_file(base / table.validation)
        ids = sorted(set(self.videos) & set(found))
        if not ids:
            raise BadValueError(table.validation, "holds candidates of none of the validation videos")
        self.candidates: dict[str, Candidates] = {
            key: with_features(found[key], self.store.read(key), key) for key in ids
        }
        self.truth = {key: Events(video.spans, video.sentences) for key, video in self.videos.items()}
        self.ingredients = {key: video.ingredients for key, video in self.videos.items()}
        self.meteor: MeteorTable | bool = MeteorTable() if table.meteor else False

    def score(self, told: Mapping[str, Events], path: Path) -> dict[str, Any]:
        """The report of predictions, kept in `path`."""
        report = evaluate(self.truth, told, meteor=self.meteor, ingredients=self.ingredients).as_json()
        write_json(path, report)
        return report


def _figures(reports: Sequence[Mapping[str, Any]]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for heading, place in FIGURES.items():
        for report in reports:
            value: Any = report
            for key in place:
                value = value[key]
            if value is not None:
                found.setdefault(heading, []).append(float(value))
    return found


def _baselines(validation: Validation, material: StoryMaterial, out: Path) -> list[Row]:
    """PDVC's own answer, and the same events with the sentences of their nearest training events."""
    rows = []
    captioner: NearestNeighbourCaptioner | None = None
    for name in ("PDVC", "PDVC without repetitions", "nearest neighbour"):
        path = out / "baselines" / f"{name.replace(' ', '-')}.json"
        if path.is_file():
            rows.append(Row(name, _figures([read_json(path)])))
            continue
        told: dict[str, Events] = {}
        for key, candidates in validation.candidates.items():
            if name != "nearest neighbour" and candidates.captions is None:
                break
            chosen = rerank(candidates, overlap=1.0 if name == "PDVC" else OVERLAP)
            sentences = chosen.captions
            if name == "nearest neighbour":
                if captioner is None:
                    captioner = NearestNeighbourCaptioner.fit_videos(material.videos.values(), validation.store)
                assert chosen.features is not None
                sentences = tuple(captioner.caption(chosen.features))
            assert sentences is not None
            told[key] = Events(np.asarray(chosen.spans, dtype=np.float64), sentences)
        if told:
            rows.append(Row(name, _figures([validation.score(told, path)])))
    return rows


def _one(
    table: MainTable, preset: str, seed: int, material: StoryMaterial, validation: Validation, folder: Path
) -> Any:
    """Train, predict and score one model; what is finished is only read."""
    path = folder / REPORT
    if path.is_file():
        return read_json(path)
    run = table.story.model_copy(update={"preset": preset, "training": table.story.training | {"seed": seed}})
    print(f"{preset}, seed {seed}", file=sys.stderr, flush=True)
    train_story(run, Path(), folder, material=material)
    writer = StoryWriter.load(folder)
    inputs = [
        writer.prepare(candidates, validation.ingredients[key], name=key)
        for key, candidates in validation.candidates.items()
    ]
    stories = dict(zip(validation.candidates, writer.write(inputs), strict=True))
    write_json(folder / PREDICTIONS, as_predictions(stories))
    return validation.score({key: told_events(story) for key, story in stories.items()}, path)


def main_table(table: MainTable, base: Path, out: Path) -> list[Row]:
    """Train and score everything that is missing in `out`; returns the rows, baselines first.

    Args:
        base: folder the paths of `table` are relative to.
    """
    material = read_material(table.story, base)
    validation = Validation(table, base)
    rows = _baselines(validation, material, out)
    reports: dict[str, list[Any]] = {preset: [] for preset in table.presets}
    # Seed by seed, so that an interrupted study has all models, not all seeds of one.
    for seed in table.seeds:
        for preset in table.presets:
            folder = out / preset / f"seed-{seed}"
            reports[preset].append(_one(table, preset, seed, material, validation, folder))
            now = Row(preset, _figures(reports[preset]))
            print(as_markdown([now]), file=sys.stderr, flush=True)
    return rows + [Row(preset, _figures(reports[preset])) for preset in table.presets]


def main() -> None:
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=Path, required=True, help="JSON file, see MainTable")
    parser.add_argument("--out", type=Path, required=True, help="folder of the trainings and their scores")
    arguments = parser.parse_args()
    table = MainTable.load(arguments.config)
    rows = main_table(table, arguments.config.parent, arguments.out)
    text = as_markdown(rows)
    (arguments.out / "table.md").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
