"""`cookscribe study oracle`: what a perfect chooser makes of 25 to 200 candidates, and what PDVC makes of them itself.

The paper's first table and its figure: with more candidates more of the truth is among them. Beside it stand the plain
choices from the same candidates, and how well PDVC counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.evaluation.report import evaluate
from cookscribe.evaluation.soda import soda_tiou
from cookscribe.files import read_json, write_json
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.proposals.comparison import baseline_predictions
from cookscribe.learning.proposals.run import CAPTION_PRESETS, TRAINING_PRESETS, ProposalRun
from cookscribe.learning.proposals.scoring import localisation
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.plain import rerank
from cookscribe_lab.studies.core.candidate_sets import (
    SMOKE_MODEL,
    USUAL_ENCODER,
    CandidateSet,
    open_youcook2,
    prepare_candidates,
)
from cookscribe_lab.studies.core.drawings import INK, PALETTE, new_figure, save_figure
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.report import short_hash
from cookscribe_lab.studies.core.tables import FIGURES, Row, as_markdown, figures_of, write_study
from cookscribe_lab.studies.paper import paper

COUNTS = (25, 50, 100, 200)
ENCODERS = (USUAL_ENCODER, "tsn-like")
BINS = 20  # of the distribution of tIoU

# The second table: heading, and name in `localisation`.
PLACES = {
    "oracle, in order": "oracle",
    "answer": "answer",
    "published": "published",
    "top-K": "top",
    "NMS": "nms",
    "uniform": "uniform",
    "recall at .5": "recall",
    "count correlation": "count_correlation",
    "highest count": "count_highest",
}
SENTENCES = "distinct sentences"
WORDS = tuple(paper.COLUMNS)


@dataclass(frozen=True)
class Choice:
    """Candidates of the study: which features, how many, which training."""

    encoder: str
    events: int
    seed: int

    @property
    def name(self) -> str:
        """Of its row."""
        return f"{self.encoder}, N = {self.events}"


class _Bench:
    """Makes parts, or finds them."""

    def __init__(self, options: StudyOptions) -> None:
        self.options = options
        self.root = open_youcook2(options)

    @cached_property
    def meteor(self) -> MeteorTable | bool:
        return MeteorTable() if self.options.asks_meteor else False

    def encoders(self) -> tuple[str, ...]:
        """The simulated ones, or those the user has features of."""
        features = self.options.features
        if self.options.smoke or self.options.candidates is not None:
            return ENCODERS[:1]
        if features is None:
            return ENCODERS
        present = tuple(name for name in ENCODERS if (features / name).is_dir())
        return present or (USUAL_ENCODER,)

    def part(self, choice: Choice, *, make: bool) -> dict[str, Any] | None:
        """Figures of a choice, those of a model that writes if there are any; None if nothing is there nor made."""
        speaking, silent = (self._path(choice, captions) for captions in (True, False))
        wanted = speaking if self.options.captions else silent
        if make and not wanted.is_file() and not speaking.is_file():
            write_json(wanted, self._figures(choice))
        for path in (speaking, silent):
            if path.is_file():
                found: dict[str, Any] = read_json(path)
                return found
        return None

    def _path(self, choice: Choice, captions: bool) -> Path:
        options = self.options
        presets = (
            ProposalConfig.preset(options.proposal_preset, queries=choice.events).model_dump(mode="json"),
            TRAINING_PRESETS[options.proposal_preset],
            CAPTION_PRESETS[options.proposal_preset] if captions else None,
        )
        places = (self.root.root.resolve(), options.features, options.candidates)
        short = (options.proposal_epochs, options.videos, options.smoke, options.asks_meteor and captions)
        mark = short_hash(choice, *presets, *places, *short)
        return options.parts / "oracle" / f"n{choice.events}-seed{choice.seed}-{mark}.json"

    def _figures(self, choice: Choice) -> dict[str, Any]:
        options = self.options
        offer = prepare_candidates(
            options,
            encoder=choice.encoder,
            events=choice.events,
            captions="validation" if options.captions else False,
            seed=choice.seed,
            # The candidates of the training videos only show, as in the paper, how near the model comes to them.
            folds=0,
        )
        config = ProposalConfig.preset(options.proposal_preset, queries=choice.events)
        truth = {key: video for key, video in offer.videos["validation"].items() if key in offer.validation}
        told = {
            "oracle": _oracle(truth, offer.validation),
            "answer": _answer(offer.validation, config.rank_alpha, config.rank_overlap),
        }
        wanted = {key: Events(video.spans, video.sentences) for key, video in truth.items()}
        captions = [text for found in offer.validation.values() for text in found.captions or ()]
        if captions:
            # The published ranking is by what a candidate says.
            told["published"] = _answer(offer.validation, 1.0, 1.0)
        return {
            "encoder": offer.example.encoder,
            "simulated": offer.example.simulated,
            "training_videos": len(offer.training),
            "validation_videos": len(offer.validation),
            "reports": {name: self._report(wanted, events, bool(captions)) for name, events in told.items()},
            "places": localisation(offer.validation, {key: video.spans for key, video in truth.items()}, config),
            "distinct": 100 * len(set(captions)) / len(captions) if captions else None,
            "distinct_told": _distinct(told["answer"]) if captions else None,
            "overlaps": self._overlaps(offer),
        }

    def _report(self, truth: Mapping[str, Events], told: Mapping[str, Events], words: bool) -> dict[str, Any]:
        """All figures, or where only."""
        if words:
            return evaluate(truth, told, meteor=self.meteor).as_json()
        places = {key: events.spans for key, events in told.items()}
        return {"soda": {"strict": {"tIoU": soda_tiou({key: events.spans for key, events in truth.items()}, places)}}}

    def _overlaps(self, offer: CandidateSet) -> dict[str, list[int]]:
        """How many true events have a best candidate of which tIoU, in `BINS` bins from 0 to 1."""
        found = {}
        for split, candidates in (("training", offer.training), ("validation", offer.validation)):
            best = [
                tiou_matrix(video.spans, candidates[key].spans).max(axis=1)
                for key, video in offer.videos[split].items()
                if key in candidates and len(video.spans)
            ]
            found[split] = np.histogram(np.concatenate(best), BINS, (0.0, 1.0))[0].tolist()
        return found


def _oracle(truth: Mapping[str, AnnotatedVideo], candidates: Mapping[str, Candidates]) -> dict[str, Events]:
    wanted = {key: Events(video.spans, video.sentences) for key, video in truth.items()}
    return next(one for one in baseline_predictions(wanted, candidates) if one.name == "oracle paper").predictions


def _answer(candidates: Mapping[str, Candidates], alpha: float, overlap: float) -> dict[str, Events]:
    told = {}
    for key, found in candidates.items():
        chosen = rerank(found, alpha=alpha, overlap=overlap)
        told[key] = Events(np.asarray(chosen.spans, dtype=np.float64), chosen.captions or ("",) * len(chosen))
    return told


def _distinct(told: Mapping[str, Events]) -> float:
    sentences = [text for events in told.values() for text in events.sentences]
    return 100 * len(set(sentences)) / max(len(sentences), 1)


def run(options: StudyOptions) -> str:
    """The table, and the distribution of tIoU."""
    bench = _Bench(options)
    counts: tuple[int, ...] = COUNTS[:2] if options.smoke else COUNTS
    if options.candidates is not None:
        counts = tuple(n for n in counts if list(options.candidates.glob(f"validation_n{n}.*")))
    options.check_only(Choice(encoder, events, 0).name for encoder in bench.encoders() for events in counts)
    parts: dict[tuple[str, int], dict[int, dict[str, Any]]] = {}
    # Seed by seed, so that an interrupted study has all rows rather than all seeds of one.
    for seed in range(options.seeds):
        for encoder in bench.encoders():
            for events in counts:
                choice = Choice(encoder, events, seed)
                found = bench.part(choice, make=options.wants(choice.name))
                if found is not None:
                    parts.setdefault((encoder, events), {})[seed] = found
    ordered = {key: parts[key] for key in sorted(parts, key=lambda key: (bench.encoders().index(key[0]), key[1]))}
    told, placed = _rows(ordered)
    draw_overlaps(options.out / "oracle", ordered)
    text = (
        f"{_caption(options, ordered)}\n\n{as_markdown(told, 'candidates', WORDS)}\n"
        "The same candidates, SODA tIoU x 100 of plain choices: `oracle, in order` is the best choice that keeps the "
        "order of time, `answer` PDVC's own (ranked, repetitions passed over, as many as it counted), `published` its "
        "ranking as published, `top-K` the best class scores, `uniform` 8 equal segments. `distinct sentences`: in "
        f"percent, among those of the answers.\n\n{as_markdown(placed, 'candidates', (*PLACES, SENTENCES))}"
    )
    described = {
        "parts": {f"{encoder}, N = {events}": seeds for (encoder, events), seeds in ordered.items()},
        "training": ProposalRun(data="", features="", preset=options.proposal_preset)
        .training_config()
        .model_dump(mode="json"),
        "model": ProposalConfig.preset(options.proposal_preset, **(SMOKE_MODEL if options.smoke else {})).model_dump(
            mode="json"
        ),
    }
    return write_study(options, "oracle", text, [*told, *placed], **described)


def _rows(parts: Mapping[tuple[str, int], Mapping[int, Mapping[str, Any]]]) -> tuple[list[Row], list[Row]]:
    """The table of scores, and that of places."""
    oracle, own, placed = [], [], []
    for (encoder, events), seeds in parts.items():
        name, numbers = f"{encoder}, N = {events}", tuple(seeds)
        found = list(seeds.values())

        def scores(of: str, found: Sequence[Mapping[str, Any]] = found) -> dict[str, list[float]]:
            reports = [part["reports"][of] for part in found if of in part["reports"]]
            # Not every model of a row need have learnt to write.
            words = figures_of([report for report in reports if "dvc_eval" in report])
            return words | figures_of(reports, {"SODA tIoU": FIGURES["SODA tIoU"]})

        oracle.append(Row(f"oracle, {name}", scores("oracle"), paper.ORACLE.get(events, {}), numbers))
        published = paper.ANALYSED_PDVC if events == 100 else {}
        own.append(Row(f"PDVC, {name}", scores("published"), published, numbers))
        own.append(Row(f"PDVC's answer, {name}", scores("answer"), {}, numbers))
        figures = {
            heading: [part["places"][place] for part in found if place in part["places"]]
            for heading, place in PLACES.items()
        }
        figures[SENTENCES] = [part["distinct_told"] for part in found if part["distinct_told"] is not None]
        placed.append(Row(f"{name} ({len(numbers)} seed{'s' * (len(numbers) > 1)})", figures, {}, numbers))
    return oracle + own, placed


def _caption(options: StudyOptions, parts: Mapping[tuple[str, int], Mapping[int, Mapping[str, Any]]]) -> str:
    found = [part for seeds in parts.values() for part in seeds.values()]
    if not found:
        return ""
    run = ProposalRun(data="", features="", preset=options.proposal_preset)
    epochs = 1 if options.smoke else options.proposal_epochs or run.training_config().epochs
    kind = "*simulated* features" if any(part["simulated"] for part in found) else "features"
    trained = (
        f"PDVC, preset `{run.preset}`, {epochs} epochs for events, then at most {run.caption_config().epochs} for "
        f"captions, on {found[0]['training_videos']:,} training videos, a tenth of them kept to choose the weights."
    )
    if options.candidates is not None:
        trained = "They lay ready."
    return (
        f"Candidates from {kind}. {trained} Figures x 100 on {found[0]['validation_videos']} validation videos, mean ± "
        "standard deviation where there are several seeds. `oracle` takes for every true event the candidate of the "
        "highest tIoU. *The paper's* rows are for real TSN features."
    )


def draw_overlaps(stem: Path, parts: Mapping[tuple[str, int], Mapping[int, Mapping[str, Any]]]) -> None:
    """The distribution of the best tIoU of the true events, one panel per encoder; all seeds together."""
    encoders = list(dict.fromkeys(encoder for encoder, _ in parts))
    if not encoders:
        return
    figure = new_figure(1.0 + 4.2 * len(encoders), 3.6)
    axes = figure.subplots(1, len(encoders), sharey=True, squeeze=False)[0]
    centres = (np.arange(BINS) + 0.5) / BINS
    for axis, encoder in zip(axes, encoders, strict=True):
        for colour, events in zip(PALETTE, COUNTS, strict=False):
            seeds = parts.get((encoder, events))
            if not seeds:
                continue
            for split, style in (("validation", "-"), ("training", ":")):
                shares = np.sum([part["overlaps"][split] for part in seeds.values()], axis=0, dtype=np.float64)
                shares *= 100 / shares.sum()
                label = f"N = {events}, mean {float(shares @ centres) / 100:.2f}" if split == "validation" else None
                axis.plot(centres, shares, style, color=colour, label=label, linewidth=1.4)
        axis.plot([], [], ":", color=INK, label="training videos")
        simulated = any(
            part["simulated"] for key, seeds in parts.items() if key[0] == encoder for part in seeds.values()
        )
        axis.set_title(f"{encoder}{' (simulated)' * simulated}", fontsize=9, loc="left")
        axis.set_xlabel("tIoU of the best candidate", fontsize=8)
        axis.legend(frameon=False, fontsize=8, loc="upper left")
        axis.spines[["top", "right"]].set_visible(False)
        axis.tick_params(labelsize=8)
    axes[0].set_ylabel("true events, %", fontsize=8)
    save_figure(figure, stem)
