"""`cookscribe study main`: B, BI, BIV and BIVT beside PDVC and everything plain, with what each costs."""

from collections.abc import Iterator
from typing import Any

from cookscribe_lab.rivals.rows import RIVALS
from cookscribe_lab.studies.core.comparable import comparable_outcome
from cookscribe_lab.studies.core.costs import (
    GFLOPS,
    INFERENCE,
    PARAMETERS,
    TRAINING,
    Size,
    proposal_seconds,
    proposal_size,
    story_size,
)
from cookscribe_lab.studies.core.drawings import draw_rows
from cookscribe_lab.studies.core.grid import caption, described, plain_label
from cookscribe_lab.studies.core.paired import compared
from cookscribe_lab.studies.core.plain_rows import (
    COMPARABLE,
    LINEAR,
    NEAREST,
    NMS,
    ORACLE,
    PDVC,
    UNIFORM,
    plain_outcome,
)
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.study_data import StudyData
from cookscribe_lab.studies.core.tables import FIGURES, Row, as_markdown, figures_of, write_study
from cookscribe_lab.studies.core.variants import Scored, Variant, VariantRunner
from cookscribe_lab.studies.paper import paper
from cookscribe_lab.studies.paper.rival_rows import RivalRunner

# One event after another, the paper's way.
MODELS: tuple[Variant, ...] = tuple(
    Variant(name=letters.upper(), letters=letters, paper=paper.MAIN[letters.upper()])
    for letters in ("b", "bi", "biv", "bivt")
)
# Our best way to read the same trainings out: the planner's story, sentences by beam search.
STORY: dict[str, Any] = {"selection": "chain", "beam": 3}
# No event twice, no STOP before the first one, no UNK: the paper's plain argmax may do all three.
GUARDED: dict[str, Any] = {"reuse": False, "stop_first": False, "any_word": False}


def _read_out(way: str, decoding: dict[str, Any]) -> tuple[Variant, ...]:
    return tuple(Variant(name=f"{one.name}, {way}", letters=one.letters, decoding=decoding) for one in MODELS)


# Further rows of the same trainings, by preset; models of the paper's design have no planner that could plan a story.
STORIES, GUARDED_ROWS = _read_out("story", STORY), _read_out("no reuse", GUARDED)
REPORTED = "PDVC as reported"
# What the paper says is better than what.
PAIRS = (
    *((name, UNIFORM) for name in ("MT", "ECHR", "SGR", PDVC)),
    *(("B", name) for name in ("MT", "ECHR", "SGR", PDVC, NMS, LINEAR)),
    *(("BI", "B"), ("BIV", "BI"), ("BIVT", "BIV"), ("BIVT", "B")),
)
PLACES_ONLY = ("SODA tIoU", "steps")
COSTS = (GFLOPS, PARAMETERS, TRAINING, INFERENCE)


def variants_of(preset: str) -> tuple[Variant, ...]:
    """Rows of the preset's models."""
    return MODELS + (STORIES if preset == "small" else GUARDED_ROWS)


def run(options: StudyOptions) -> str:
    """The main table."""
    rivals = (name for name, kind in RIVALS.items() if not kind.presegmented)
    options.check_only((*rivals, COMPARABLE, *(variant.name for variant in variants_of(options.preset))))
    runner = VariantRunner(options)
    data = runner.data()
    found: dict[str, list[Scored]] = {}
    rows = list(_rows(runner, data, found))
    paired, comparisons = compared(data.truth, found, PAIRS)
    shown = variants_of(options.preset)
    said = caption(runner, data, shown)
    said += (
        " Rows called *story* are the same trainings, read out by planner and beam search."
        if options.preset == "small"
        else " Rows called *no reuse* are the same trainings: no event twice, no recipe without a step, no UNK."
    )
    text = (
        f"{said}\n\n{as_markdown(rows, data.label, tuple(FIGURES))}{paired}\n"
        "What each costs; operations are those of one pass over one video, times are processor time of one thread.\n\n"
        f"{as_markdown(rows, data.label, COSTS, 3)}"
    )
    draw_rows(options.out / "main", rows, plain_label(data.label))
    return write_study(options, "main", text, rows, paired=comparisons, **described(runner, shown))


def _rows(runner: VariantRunner, data: StudyData, found: dict[str, list[Scored]]) -> Iterator[Row]:
    """The rows in order; `found` gets what each of them tells."""
    for name in (UNIFORM, NMS, NEAREST, LINEAR, PDVC):
        found[name] = [plain_outcome(runner, data, name)]
    for name in (UNIFORM, NMS, NEAREST, LINEAR):
        yield Row(name, _plain(runner, data, name))
    for name, trainings in RivalRunner(runner, data).outcomes(presegmented=False):
        found[name] = list(trainings)
        figures = figures_of([one.report for one in trainings]) | {
            PARAMETERS: [trainings[0].parameters],
            TRAINING: [one.training_seconds / 60 for one in trainings],
            INFERENCE: [one.writing_seconds for one in trainings],
        }
        yield Row(name, figures, paper.MAIN[name], tuple(one.seed for one in trainings))
    yield Row(REPORTED, {}, paper.MAIN[REPORTED])
    yield _pdvc(runner, data)
    sizes: dict[str, Size] = {}
    rows = []
    for variant, outcomes in runner.finished(variants_of(runner.options.preset)):
        if variant.letters not in sizes:
            sizes[variant.letters] = story_size(runner, data, outcomes[0].folder)
        size = sizes[variant.letters]
        figures = figures_of([outcome.report for outcome in outcomes]) | {
            GFLOPS: [size.gflops],
            PARAMETERS: [size.parameters],
            TRAINING: [outcome.training_seconds / 60 for outcome in outcomes],
            INFERENCE: [outcome.writing_seconds for outcome in outcomes],
        }
        printed = variant.paper
        if printed:
            printed = printed | dict(zip((GFLOPS, PARAMETERS), paper.COSTS[variant.name], strict=False))
        rows.append(Row(variant.name, figures, printed, tuple(o.seed for o in outcomes)))
        found[variant.name] = list(outcomes)
    yield from _comparable(runner, data)
    yield from rows
    yield Row(ORACLE, _plain(runner, data, ORACLE), paper.MAIN[ORACLE])


def _plain(runner: VariantRunner, data: StudyData, name: str) -> dict[str, list[float]]:
    """The figures of a plain row; candidates without captions have places only, and no figure for what they say."""
    speaks = name in (NEAREST, LINEAR) or all(events.captions is not None for events in data.candidates.values())
    places = FIGURES if speaks else {heading: FIGURES[heading] for heading in PLACES_ONLY}
    return figures_of([plain_outcome(runner, data, name).report], places)


def _pdvc(runner: VariantRunner, data: StudyData) -> Row:
    figures = _plain(runner, data, PDVC)
    if data.proposals is not None:
        size = proposal_size(data, data.proposals)
        seconds = proposal_seconds(data, data.proposals)
        figures |= {GFLOPS: [size.gflops], PARAMETERS: [size.parameters], INFERENCE: [seconds]}
    costs = dict(zip((GFLOPS, PARAMETERS), paper.COSTS[PDVC], strict=False))
    return Row(PDVC, figures, paper.MAIN[PDVC] | costs)


def _comparable(runner: VariantRunner, data: StudyData) -> Iterator[Row]:
    wanted = runner.options.wants(COMPARABLE)
    found = comparable_outcome(runner, data, train=wanted)
    if found is None:
        return
    larger = proposal_size(data, found.folder)
    figures = figures_of([found.report]) | {
        GFLOPS: [larger.gflops],
        PARAMETERS: [larger.parameters],
        TRAINING: [found.training_seconds / 60],
        INFERENCE: [proposal_seconds(data, found.folder)],
    }
    costs = dict(zip((GFLOPS, PARAMETERS), paper.COSTS[COMPARABLE], strict=False))
    yield Row(COMPARABLE, figures, paper.MAIN[COMPARABLE] | costs)
