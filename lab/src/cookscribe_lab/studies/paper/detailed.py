"""The paper's detailed studies, and ours of the same kind, as lists of variants.

All but `decoding` are about the paper's model and leave our planner out: it has losses of its own, which would blur
what a row is about.
"""

from collections.abc import Mapping
from typing import Any

from cookscribe_lab.studies.core.grid import LETTERS, Grid, run_grid, with_true_events, without_planner
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.study_data import DataChoice
from cookscribe_lab.studies.core.variants import Variant
from cookscribe_lab.studies.paper import paper
from cookscribe_lab.studies.paper.main import GUARDED, STORY
from cookscribe_lab.studies.paper.paper import Figures

FOUR_LOSSES = ("ingredient_selection", "action_selection", "ingredient_attention", "action_attention")
SHORT = {"ingredient_selection": "IS", "action_selection": "AS", "ingredient_attention": "IA", "action_attention": "AA"}
# Which of the four losses each row of the paper's table keeps.
KEPT: dict[str, tuple[str, ...]] = {
    "a": (),
    "b": FOUR_LOSSES[:1],
    "c": FOUR_LOSSES[1:2],
    "d": FOUR_LOSSES[:2],
    "e": FOUR_LOSSES[:3],
    "f": (*FOUR_LOSSES[:2], FOUR_LOSSES[3]),
    "g": FOUR_LOSSES,
}
# How the memories go on, as changes to the preset; without one there is nothing to feed a choice back to.
MIXERS: dict[str, dict[str, Any]] = {
    "separate": {"mixing": "separate"},
    "joint": {},
    "joint, GELU": {"mixing": "gelu"},
    "no memory": {"mixing": "reset", "feedback": "none"},
}
CANDIDATES = (25, 50, 100, 200)
LAYERS = (1, 2, 4)
DIFFICULTIES = (0.5, 1.0, 1.5)
ENDS = ("b", "bivt")  # the first and the last model


def _run(options: StudyOptions, grid: Grid) -> str:
    return run_grid(options, without_planner(grid))


def _run_sentences(options: StudyOptions, grid: Grid) -> str:
    return _run(options, with_true_events(grid) if options.true_events else grid)


def losses(options: StudyOptions) -> str:
    """BIVT without some of the four additional losses."""
    rows = tuple(
        Variant(
            name=f"({row}) {' + '.join(SHORT[name] for name in kept) or 'none'}",
            losses={name: 0.0 for name in FOUR_LOSSES if name not in kept},
            paper=paper.LOSSES[row],
        )
        for row, kept in KEPT.items()
    )
    return _run_sentences(options, Grid("losses", rows))


def _row(letters: str, case: str, printed: Mapping[str, Figures] | None = None, **changes: Any) -> Variant:
    """A row of one model in one case; `printed` are the paper's figures of this case by model."""
    name, figures = letters.upper(), printed or {}
    return Variant(name=f"{name}, {case}", letters=letters, paper=figures.get(name, {}), **changes)


def memory(options: StudyOptions) -> str:
    """Memories apart, mixed as in the paper, mixed as in the released program, and none."""
    printed = {"separate": paper.SEPARATE, "joint": paper.MAIN}
    rows = tuple(
        _row(letters, name, printed.get(name), model=changes) for letters in LETTERS for name, changes in MIXERS.items()
    )
    return _run_sentences(options, Grid("memory", rows))


def modalities(options: StudyOptions) -> str:
    """What is read beside the features of a candidate: nothing, its caption, the words heard in it.

    Captions are read by a text tower, as in the paper, or as the mean of their word vectors.
    """
    rows: list[Variant] = []
    for letters in LETTERS:
        rows.append(_row(letters, "video only", paper.MAIN))
        rows.append(_row(letters, "with captions", paper.WITH_CAPTIONS, data=DataChoice(tower=True)))
        rows.append(_row(letters, "with captions, word vectors", texts=("caption",)))
        rows.append(_row(letters, "with speech", texts=("speech",)))
    return _run(options, Grid("modalities", tuple(rows)))


def encoders(options: StudyOptions) -> str:
    """What shows the candidates to the recipe model; the candidates themselves stay the same, as in the paper."""
    rows: list[Variant] = []
    for letters in LETTERS:
        rows.append(_row(letters, "tsn-like", paper.TSN, data=DataChoice(looks="tsn-like")))
        rows.append(_row(letters, "milnce-like", paper.MAIN))
    return _run_sentences(options, Grid("encoders", tuple(rows)))


def candidates(options: StudyOptions) -> str:
    """How many candidates there are to choose from."""
    rows = tuple(
        _row(letters, f"N = {count}", _at(paper.CANDIDATES, count), data=DataChoice(events=count))
        for letters in LETTERS
        for count in (CANDIDATES[:2] if options.smoke else CANDIDATES)
    )
    places = tuple(float(row.data.events) for row in rows)
    return _run(options, Grid("candidates", rows, "candidates per video, N", places))


def layers(options: StudyOptions) -> str:
    """How many layers both transformers have."""
    rows = tuple(
        _row(letters, f"{count} layer{'s' if count > 1 else ''}", _at(paper.LAYERS, count), model={"layers": count})
        for letters in LETTERS
        for count in LAYERS
    )
    places = tuple(float(row.model["layers"]) for row in rows)
    return _run_sentences(options, Grid("layers", rows, "layers", places))


def _at(printed: Mapping[str, Mapping[int, Figures]], count: int) -> dict[str, Figures]:
    """The figures of all models at one number."""
    return {letters: by_count[count] for letters, by_count in printed.items()}


def teacher(options: StudyOptions) -> str:
    """Which event feeds the words in training: the sampled one or the labelled one."""
    ways = ("gumbel", "oracle")
    rows = tuple(_row(letters, way, model={"teacher": way}) for letters in LETTERS for way in ways)
    return _run(options, Grid("teacher", rows))


def folds(options: StudyOptions) -> str:
    """Whether the training candidates come from a proposal model that saw those videos."""
    ways = {"in fold": True, "out of fold": False}
    rows = tuple(
        _row(letters, way, data=DataChoice(in_fold=in_fold)) for letters in ENDS for way, in_fold in ways.items()
    )
    return _run(options, Grid("folds", rows))


def noise(options: StudyOptions) -> str:
    """How hard the simulation is."""
    levels = DIFFICULTIES[:2] if options.smoke else DIFFICULTIES
    rows = tuple(
        _row(letters, f"difficulty {level:g}", data=DataChoice(difficulty=level))
        for letters in ENDS
        for level in levels
    )
    places = tuple(row.data.difficulty for row in rows)
    return _run_sentences(options, Grid("noise", rows, "difficulty of the simulation", places))


def decoding(options: StudyOptions) -> str:
    """Ways to read one and the same trained model out; it has a planner beside the paper's selector."""
    ways: dict[str, dict[str, Any]] = {
        "argmax": dict.fromkeys(GUARDED, True),
        "no reuse": GUARDED,
        "monotone": GUARDED | {"order": "start"},
        "story": GUARDED | {"selection": "chain", "refine": False},
        "story, refined": GUARDED | {"selection": "chain"},
        "no reuse, beam of 3": GUARDED | {"beam": 3},
        "story, refined, beam of 3": GUARDED | STORY,
    }
    rows = tuple(
        _row(letters, way, model={"planner": True}, decoding=changes)
        for letters in ENDS
        for way, changes in ways.items()
    )
    return run_grid(options, Grid("decoding", rows))
