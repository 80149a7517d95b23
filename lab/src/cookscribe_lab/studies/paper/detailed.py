"""The paper's detailed studies, and ours of the same kind, as lists of variants.

All but `decoding` are about the paper's model and leave our planner out: it has losses of its own, which would blur
what a row is about.
"""

from __future__ import annotations

from typing import Any

from cookscribe_lab.studies.core.grid import LETTERS, Grid, run_grid, without_planner
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.study_data import DataChoice
from cookscribe_lab.studies.core.variants import Variant
from cookscribe_lab.studies.paper import paper
from cookscribe_lab.studies.paper.main import STORY

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
MIXERS = {"separate": "separate", "joint": "paper", "joint, GELU": "gelu"}
CANDIDATES = (25, 50, 100, 200)
LAYERS = (1, 2, 4)
DIFFICULTIES = (0.5, 1.0, 1.5)


def _run(options: StudyOptions, grid: Grid) -> str:
    return run_grid(options, without_planner(grid))


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
    return _run(options, Grid("losses", rows))


def memory(options: StudyOptions) -> str:
    """Memories apart, mixed as in the paper, mixed as in the released program."""
    rows = tuple(
        Variant(
            name=f"{letters.upper()}, {name}",
            letters=letters,
            model={} if mixing == "paper" else {"mixing": mixing},
            paper={"separate": paper.SEPARATE, "paper": paper.MAIN}.get(mixing, {}).get(letters.upper(), {}),
        )
        for letters in LETTERS
        for name, mixing in MIXERS.items()
    )
    return _run(options, Grid("memory", rows))


def modalities(options: StudyOptions) -> str:
    """What is read beside the features of a candidate: nothing, its caption, the words heard in it."""
    rows = []
    for letters in LETTERS:
        name = letters.upper()
        rows += [
            Variant(name=f"{name}, video only", letters=letters, paper=paper.MAIN[name]),
            Variant(
                name=f"{name}, with captions", letters=letters, texts=("caption",), paper=paper.WITH_CAPTIONS[name]
            ),
            Variant(name=f"{name}, with speech", letters=letters, texts=("speech",)),
        ]
    return _run(options, Grid("modalities", tuple(rows)))


def encoders(options: StudyOptions) -> str:
    """What shows the candidates to the recipe model; the candidates themselves stay the same, as in the paper."""
    rows = tuple(
        Variant(
            name=f"{letters.upper()}, {encoder}",
            letters=letters,
            data=DataChoice(looks="" if encoder == "milnce-like" else encoder),
            paper=(paper.MAIN if encoder == "milnce-like" else paper.TSN)[letters.upper()],
        )
        for letters in LETTERS
        for encoder in ("tsn-like", "milnce-like")
    )
    return _run(options, Grid("encoders", rows))


def candidates(options: StudyOptions) -> str:
    """How many candidates there are to choose from."""
    numbers = CANDIDATES[:2] if options.smoke else CANDIDATES
    rows = [
        Variant(
            name=f"{letters.upper()}, N = {count}",
            letters=letters,
            data=DataChoice(events=count),
            paper=paper.CANDIDATES[letters.upper()][count],
        )
        for letters in LETTERS
        for count in numbers
    ]
    places = tuple(float(row.data.events) for row in rows)
    return _run(options, Grid("candidates", tuple(rows), "candidates per video, N", places))


def layers(options: StudyOptions) -> str:
    """How many layers both transformers have."""
    rows = [
        Variant(
            name=f"{letters.upper()}, {count} layer{'s' if count > 1 else ''}",
            letters=letters,
            model={"layers": count},
            paper=paper.LAYERS[letters.upper()][count],
        )
        for letters in LETTERS
        for count in LAYERS
    ]
    places = tuple(float(row.model["layers"]) for row in rows)
    return _run(options, Grid("layers", tuple(rows), "layers", places))


def teacher(options: StudyOptions) -> str:
    """Which event feeds the words in training: the sampled one or the labelled one."""
    rows = tuple(
        Variant(name=f"{letters.upper()}, {teacher}", letters=letters, model={"teacher": teacher})
        for letters in LETTERS
        for teacher in ("gumbel", "oracle")
    )
    return _run(options, Grid("teacher", rows))


def folds(options: StudyOptions) -> str:
    """Whether the training candidates come from a proposal model that saw those videos."""
    rows = tuple(
        Variant(
            name=f"{letters.upper()}, {'in fold' if in_fold else 'out of fold'}",
            letters=letters,
            data=DataChoice(in_fold=in_fold),
        )
        for letters in ("b", "bivt")
        for in_fold in (True, False)
    )
    return _run(options, Grid("folds", rows))


def noise(options: StudyOptions) -> str:
    """How hard the simulation is."""
    levels = DIFFICULTIES[:2] if options.smoke else DIFFICULTIES
    rows = [
        Variant(name=f"{letters.upper()}, difficulty {level:g}", letters=letters, data=DataChoice(difficulty=level))
        for letters in ("b", "bivt")
        for level in levels
    ]
    places = tuple(row.data.difficulty for row in rows)
    return _run(options, Grid("noise", tuple(rows), "difficulty of the simulation", places))


def decoding(options: StudyOptions) -> str:
    """Ways to read one and the same trained model out; it has a planner beside the paper's selector."""
    ways: dict[str, dict[str, Any]] = {
        "argmax": {"reuse": True},
        "no reuse": {},
        "monotone": {"order": "start"},
        "story": {"selection": "chain", "refine": False},
        "story, refined": {"selection": "chain"},
        "no reuse, beam of 3": {"beam": 3},
        "story, refined, beam of 3": STORY,
    }
    rows = tuple(
        Variant(name=f"{letters.upper()}, {way}", letters=letters, model={"planner": True}, decoding=changes)
        for letters in ("b", "bivt")
        for way, changes in ways.items()
    )
    return run_grid(options, Grid("decoding", rows))
