"""Choosing events from the published PDVC candidates of YouCook2 (N = 25, 457 validation videos).

Protocol: no candidates of training videos were ever published, so selectors are trained and tested by five-fold
cross-validation inside the validation split, folds fixed by video id. A selector sees nothing of the videos it is
tested on. What words say about steps (`words_heard`) is learnt from the training split, which shares no video with
them. This is not the paper's protocol, whose selectors were trained on the training split with candidates and features
nobody published.

Rows: what is known of the candidates (inputs) x how events are chosen from what the model thinks of them (decoding) x
seed.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field

from cookscribe.config import Config
from cookscribe.files import read_json, write_json, write_text
from cookscribe.learning.datasets.oracle import oracle_labels
from cookscribe.learning.datasets.splits import folds
from cookscribe.model.beyond.ensemble import mean_plan
from cookscribe.model.beyond.planner import Plan
from cookscribe.model.beyond.refinement import voted_times
from cookscribe.model.beyond.story_decoding import StoryRule, plan_stories
from cookscribe.model.config import LossConfig
from cookscribe.model.decoding import DecodingConfig
from cookscribe.progress import track
from cookscribe.proposals.plain import suppressed
from cookscribe_lab.studies.core.candidate_sets import open_youcook2
from cookscribe_lab.studies.core.drawings import INK, OURS, PAPER, QUIET, draw_histograms
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.report import (
    bootstrap_interval,
    markdown_table,
    mean_and_deviation,
    short_hash,
    surroundings,
)
from cookscribe_lab.studies.selection.drawings import Lane, draw_timelines
from cookscribe_lab.studies.selection.inputs import Extra, SelectionInputs
from cookscribe_lab.studies.selection.scores import Scored, score_choice
from cookscribe_lab.studies.selection.training import (
    SelectionConfig,
    joined,
    plan_videos,
    point_out,
    read_plan,
    train_selector,
    write_plan,
)
from cookscribe_lab.studies.selection.videos import SelectionVideo

Floats = NDArray[np.float64]
Borders = Literal["candidate", "refined", "voted"]

NMS_OVERLAP = 0.3
LONGEST_STORY = 18
# Inputs by the name they have in the table.
INPUTS: dict[str, tuple[Extra, ...]] = {
    "timing, scores": (),
    "+ captions": ("captions",),
    "+ words heard": ("captions", "words heard"),
    "+ ingredients": ("captions", "words heard", "ingredients"),
}
# With these, every mixture of the three is there: what each is worth alone, and more members for the last ensemble.
MIXTURES: dict[str, tuple[Extra, ...]] = {
    "timing, scores, words heard": ("words heard",),
    "timing, scores, ingredients": ("ingredients",),
    "timing, scores, captions, ingredients": ("captions", "ingredients"),
    "timing, scores, words heard, ingredients": ("words heard", "ingredients"),
}
EXTRAS = INPUTS | MIXTURES
PLAIN_INPUTS, ALL_INPUTS = "timing, scores", "+ ingredients"
NMS, ORACLE = "NMS", "oracle (sees the truth)"
REFINED, COUNTED, BOTH = "story, refined", "story of expected length, refined", "quality and story, refined"
VOTED, CHOSEN = "quality and story, voted", "rule chosen inside"
SHOWN = (COUNTED, BOTH, VOTED, CHOSEN)
ENSEMBLES = {decoding: f"{decoding}, ensemble" for decoding in SHOWN}
EVERYTHING = "all of these together"


@dataclass(frozen=True)
class Reading:
    """How events are told from a plan: the rule, whose borders they have, the chain's share in the rule `both`."""

    rule: StoryRule
    borders: Borders = "refined"
    share: float = 0.0


PLAN_DECODINGS: dict[str, Reading] = {
    "quality, refined": Reading("quality"),
    "story": Reading("chain", "candidate"),
    REFINED: Reading("chain"),
    COUNTED: Reading("counted"),
    BOTH: Reading("both", share=0.2),
    VOTED: Reading("both", "voted", share=0.2),
}
# Of these one is chosen for each fold, on videos inside its training part.
_SHARES: tuple[tuple[StoryRule, float], ...] = (
    ("quality", 0.0),
    ("chain", 0.0),
    ("counted", 0.0),
    ("both", 0.1),
    ("both", 0.2),
    ("both", 0.4),
)
_BORDERS: tuple[Borders, ...] = ("refined", "voted")
RULES: dict[str, Reading] = {
    f"{rule} {share}, {borders}" if share else f"{rule}, {borders}": Reading(rule, borders, share)
    for rule, share in _SHARES
    for borders in _BORDERS
}
POINTER_DECODINGS: dict[str, DecodingConfig] = {
    "paper: pointer with STOP": DecodingConfig(max_steps=LONGEST_STORY, max_words=1),
    "pointer, forward only": DecodingConfig(max_steps=LONGEST_STORY, max_words=1, order="start"),
}


class RealCandidates(Config):
    """The whole study."""

    folds: int = Field(default=5, ge=2)
    seeds: int = Field(default=3, ge=1)
    mixture_seeds: int = Field(default=1, ge=1)
    planner: SelectionConfig = SelectionConfig()
    pointer: SelectionConfig = SelectionConfig(way="pointer", epochs=8, learning_rate=2e-3, losses=LossConfig())
    timelines: int = 4


@dataclass(frozen=True, eq=False)
class Row:
    """One line of the table before averaging over seeds."""

    inputs: str
    decoding: str
    seed: int | str | None
    spans: dict[str, Floats]
    scored: Scored


def run(options: StudyOptions) -> str:
    """Train what is not there yet, score everything, write tables and pictures; returns the table."""
    config = RealCandidates(seeds=options.seeds)
    if options.smoke:
        config = smoke(config)
    torch.set_num_threads(1)
    began = time.perf_counter(), time.process_time()
    study = _Study(SelectionInputs(open_youcook2(options)), config, options.out)
    rows = study.rows()
    study.draw(rows)
    took = time.perf_counter() - began[0], time.process_time() - began[1]
    table = summary(rows)
    baseline = rows[0].scored
    content: dict[str, Any] = {
        "study": "real-candidates",
        "protocol": "cross-validation inside the validation split; not the protocol of the paper",
        "smoke": options.smoke,
        "videos": len(baseline.stories),
        "configuration": config.model_dump(mode="json"),
        "rules": study.rules,
        "surroundings": surroundings(),
        # Of this run only: parts that an earlier one had finished cost nothing.
        "minutes": {"elapsed": took[0] / 60, "processor": took[1] / 60},
        "parts": {"trained": study.trained, "found": study.found},
        "rows": [
            {"inputs": row.inputs, "decoding": row.decoding, "seed": row.seed, **row.scored.figures(baseline)}
            for row in rows
        ],
    }
    write_json(options.out / "real-candidates.json", content)
    write_text(options.out / "real-candidates.md", table)
    return (
        f"{table}\n{took[0] / 60:.1f} minutes, {took[1] / 60:.1f} of them computing; {study.trained} parts trained, "
        f"{study.found} found finished.\n"
    )


def smoke(config: RealCandidates) -> RealCandidates:
    """As small as possible, every part included."""
    short = {"epochs": 1, "batch_size": 4}
    return config.model_copy(
        update={
            "folds": 3,
            "seeds": min(config.seeds, 2),
            "planner": config.planner.model_copy(update=short),
            "pointer": config.pointer.model_copy(update=short),
            "timelines": 1,
        }
    )


class _Study:
    def __init__(self, inputs: SelectionInputs, config: RealCandidates, out: Path) -> None:
        self.inputs, self.config, self.out = inputs, config, out
        self.cache: dict[tuple[Extra, ...], list[SelectionVideo]] = {}
        self.truth = {video.id: video.truth for video in self.videos(PLAIN_INPUTS)}
        self.parts = folds(self.truth, config.folds)
        self.seen: set[Path] = set()
        self.trained = self.found = 0

    def videos(self, inputs: str) -> list[SelectionVideo]:
        extras = EXTRAS[inputs]
        if extras not in self.cache:
            self.cache[extras] = self.inputs.videos(extras)
        return self.cache[extras]

    def seeds(self, inputs: str) -> range:
        """The seeds of the planners that know `inputs`."""
        return range(self.config.seeds if inputs in INPUTS else min(self.config.seeds, self.config.mixture_seeds))

    def rows(self) -> list[Row]:
        """NMS first, then the rest."""
        folds = range(self.config.folds)
        for fold in track(list(folds), "rules"):
            self.inner_part(fold)
        # Seed by seed, so that a run with fewer seeds can be read from what an interrupted one has finished.
        for seed in range(self.config.seeds):
            named = [name for name in reversed(EXTRAS) if seed in self.seeds(name)]
            for name, fold in track(list(product(named, folds)), f"planners, seed {seed}"):
                self.plan_part(name, seed, fold)
        for seed, fold in track(list(product(range(self.config.seeds), folds)), "pointers"):
            self.pointer_part(seed, fold)
        return list(self._rows())

    def _rows(self) -> Iterator[Row]:
        yield self._row(PLAIN_INPUTS, NMS, None, self._nms())
        yield self._row("-", ORACLE, None, self._oracle())
        for seed in range(self.config.seeds):
            found = [self.pointer_part(seed, fold) for fold in range(self.config.folds)]
            for decoding in POINTER_DECODINGS:
                chosen = {key: value for part in found for key, value in part[decoding].items()}
                spans = {v.id: v.spans[chosen[v.id]] for v in self.videos(PLAIN_INPUTS)}
                yield self._row(PLAIN_INPUTS, decoding, seed, spans)
        plans = {name: [self.plan(name, seed) for seed in self.seeds(name)] for name in EXTRAS}
        for name, of_seeds in plans.items():
            decodings = (*PLAN_DECODINGS, CHOSEN) if name in (PLAIN_INPUTS, ALL_INPUTS) else SHOWN
            for seed, plan in enumerate(of_seeds):
                for decoding in decodings:
                    yield self._row(name, decoding, seed, self._told(plan, decoding))
            if len(of_seeds) > 1:
                yield from self._ensemble(name, mean_plan(of_seeds))
        everyone = [plan for of_seeds in plans.values() for plan in of_seeds]
        # Where the steps are, all say together; how many, those say who know the ingredients.
        knowing = [plan for name, of_seeds in plans.items() for plan in of_seeds if "ingredients" in EXTRAS[name]]
        yield from self._ensemble(EVERYTHING, replace(mean_plan(everyone), count=mean_plan(knowing).count))

    def _ensemble(self, inputs: str, plan: Plan) -> Iterator[Row]:
        for decoding, name in ENSEMBLES.items():
            yield self._row(inputs, name, "all", self._told(plan, decoding))

    def _row(self, inputs: str, decoding: str, seed: int | str | None, spans: dict[str, Floats]) -> Row:
        return Row(inputs, decoding, seed, spans, score_choice(self.truth, spans))

    def _nms(self) -> dict[str, Floats]:
        return {
            key: np.asarray(suppressed(self.inputs.candidates[key], NMS_OVERLAP).spans, np.float64)
            for key in self.truth
        }

    def _oracle(self) -> dict[str, Floats]:
        chosen: dict[str, Floats] = {}
        for video in self.videos(PLAIN_INPUTS):
            labels = oracle_labels(video.truth, video.spans, "paper")
            chosen[video.id] = video.spans[labels[labels >= 0]]
        return chosen

    def _told(self, plan: Plan, decoding: str) -> dict[str, Floats]:
        """Spans in seconds of all videos; the plan has them fold by fold."""
        keys = [key for part in self.parts for key in part]
        if decoding != CHOSEN:
            return self._read(plan, PLAN_DECODINGS[decoding], keys)
        # Each fold is told by the rule that was best inside its training part.
        rules = [found["rule"] for found in self.rules]
        told = {rule: self._read(plan, RULES[rule], keys) for rule in sorted(set(rules))}
        return {key: told[rule][key] for rule, part in zip(rules, self.parts, strict=True) for key in part}

    def _read(self, plan: Plan, reading: Reading, keys: Sequence[str]) -> dict[str, Floats]:
        stories = plan_stories(plan, reading.rule, longest=LONGEST_STORY, chain_share=reading.share)
        by_id = {video.id: video for video in self.videos(PLAIN_INPUTS)}
        times = plan.times
        if reading.borders == "voted":
            times = voted_times(plan.times, plan.quality.sigmoid(), plan.mask)
        told: dict[str, Floats] = {}
        for b, key in enumerate(keys):
            video = by_id[key]
            spans = video.spans if reading.borders == "candidate" else times[b].double().numpy() * video.duration
            told[key] = spans[stories[b]]
        return told

    @cached_property
    def rules(self) -> list[dict[str, Any]]:
        """For each fold, the scores of `RULES` on the next fold, by a model that saw neither, and the best of them."""
        found: list[dict[str, Any]] = []
        for fold in range(self.config.folds):
            plan, keys = self.inner_part(fold), self.parts[self._next(fold)]
            truth = {key: self.truth[key] for key in keys}
            told = {name: self._read(plan, reading, keys) for name, reading in RULES.items()}
            scores = {name: score_choice(truth, spans).soda_tiou for name, spans in told.items()}
            best = max(scores, key=lambda name: scores[name])
            found.append({"rule": best, "scores": scores})
        return found

    # -- parts that are kept ---------------------------------------------------------------------------------------

    def plan(self, inputs: str, seed: int) -> Plan:
        """The plans of all videos by the model that did not see them, fold by fold."""
        return joined([self.plan_part(inputs, seed, fold) for fold in range(self.config.folds)])

    def plan_part(self, inputs: str, seed: int, fold: int) -> Plan:
        """The plans of a fold's videos by a model that saw all others."""
        path = self._path("planner", inputs, seed, fold, self.config.planner, ".safetensors")
        return self._planned(path, *self._apart(self.videos(inputs), fold), seed, fold)

    def inner_part(self, fold: int) -> Plan:
        """The plans of the next fold's videos by a model that saw neither them nor those of this fold."""
        path = self._path("inside", ALL_INPUTS, 0, fold, self.config.planner, ".safetensors")
        others, _ = self._apart(self.videos(ALL_INPUTS), fold)
        return self._planned(path, *self._apart(others, self._next(fold)), 0, fold)

    def _planned(
        self, path: Path, seen: Sequence[SelectionVideo], new: Sequence[SelectionVideo], seed: int, fold: int
    ) -> Plan:
        if self._missing(path):
            write_plan(path, plan_videos(train_selector(seen, self.config.planner, seed, fold), new))
        return read_plan(path)

    def _next(self, fold: int) -> int:
        return (fold + 1) % self.config.folds

    def pointer_part(self, seed: int, fold: int) -> dict[str, dict[str, list[int]]]:
        """Chosen candidates by decoding and video."""
        path = self._path("pointer", PLAIN_INPUTS, seed, fold, self.config.pointer, ".json")
        if self._missing(path):
            training, testing = self._apart(self.videos(PLAIN_INPUTS), fold)
            selector = train_selector(training, self.config.pointer, seed, fold)
            chosen = {
                name: dict(zip(self.parts[fold], point_out(selector, testing, decoding), strict=True))
                for name, decoding in POINTER_DECODINGS.items()
            }
            write_json(path, chosen)
        found: dict[str, dict[str, list[int]]] = read_json(path)
        return found

    def _missing(self, path: Path) -> bool:
        """Whether a part has to be made; counted the first time it is asked for."""
        missing = not path.is_file()
        if path not in self.seen:
            self.seen.add(path)
            self.trained, self.found = self.trained + missing, self.found + (not missing)
        return missing

    def _apart(self, videos: Sequence[SelectionVideo], fold: int) -> tuple[list[SelectionVideo], list[SelectionVideo]]:
        """Videos outside of a fold and inside of it, these in the fold's order."""
        by_id = {video.id: video for video in videos}
        outside = [video for video in videos if video.id not in self.parts[fold]]
        return outside, [by_id[key] for key in self.parts[fold]]

    def _path(self, way: str, inputs: str, seed: int, fold: int, config: SelectionConfig, suffix: str) -> Path:
        mark = short_hash(config.model_dump(mode="json"), self.config.folds, sorted(self.truth), EXTRAS[inputs])
        name = inputs.replace(",", "").replace("+ ", "with ").replace(" ", "-")
        return self.out / "parts" / f"{way}-{name}-seed{seed}-fold{fold}-{mark}{suffix}"

    # -- pictures --------------------------------------------------------------------------------------------------

    def draw(self, rows: Sequence[Row]) -> None:
        """Histogram of counts and timelines of a few videos, chosen by their ids, not by how well they went."""
        plain = rows[0]
        candidates = [row for row in rows if row.decoding in {*ENSEMBLES, *ENSEMBLES.values()}]
        ours = max(candidates, key=lambda row: row.scored.soda_tiou)
        truth = Counter(len(spans) for spans in self.truth.values())
        told = {row.decoding: Counter(row.scored.counts.tolist()) for row in (plain, ours)}
        draw_histograms(self.out / "counts", truth, told, "real candidates of YouCook2")
        by_id = {video.id: video for video in self.videos(PLAIN_INPUTS)}
        drawn = []
        for key in self.parts[0][: self.config.timelines]:
            video = by_id[key]
            lanes = [
                Lane("truth", video.truth, INK),
                Lane("candidates", video.spans, QUIET, video.scores),
                Lane("NMS", plain.spans[key], PAPER),
                Lane("ours", ours.spans[key], OURS),
            ]
            drawn.append((key, video.duration, lanes))
        draw_timelines(self.out / "timelines", drawn)


def summary(rows: Sequence[Row]) -> str:
    """The table: mean and standard deviation over seeds, one line per inputs and decoding."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.inputs, row.decoding), []).append(row)
    baseline = rows[0].scored

    def figure(members: Sequence[Row], value: Callable[[Scored], float], digits: int) -> str:
        return mean_and_deviation([value(row.scored) for row in members], digits)

    lines = []
    for (inputs, decoding), members in groups.items():
        # The interval is that of the mean over seeds, so that luck with one seed does not narrow or move it.
        mean = np.mean([row.scored.stories for row in members], axis=0)
        low, high = bootstrap_interval(mean - baseline.stories)
        lines.append(
            {
                "inputs": inputs,
                "decoding": decoding,
                "SODA tIoU": figure(members, lambda scored: scored.soda_tiou, 2),
                "against NMS (95 %)": "-" if decoding == NMS else f"{low:+.2f} .. {high:+.2f}",
                "P / R / F1": " / ".join(
                    f"{np.mean([getattr(row.scored, name) for row in members]):.1f}"
                    for name in ("precision", "recall", "f1")
                ),
                "\\|p-q\\| ≤ 1": figure(members, lambda scored: scored.within[1], 1),
                "≤ 3": figure(members, lambda scored: scored.within[3], 1),
                "events": figure(members, lambda scored: scored.mean_count, 1),
            }
        )
    return markdown_table(lines)
