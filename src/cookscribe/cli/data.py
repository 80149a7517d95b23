"""`cookscribe data`: what a YouCook2 folder holds, and how well words are matched in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cookscribe.cli.tables import print_table

if TYPE_CHECKING:
    from cookscribe.learning.datasets.matching import Agreement
    from cookscribe.learning.datasets.root import YouCook2

data = typer.Typer(help="Look at a folder of YouCook2 files.", no_args_is_help=True, rich_markup_mode=None)

DataOption = Annotated[
    Path, typer.Option("--data", envvar="COOKSCRIBE_DATA", help="Folder of the YouCook2 files (see docs/data.md).")
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Also write the figures to this file.")]


@data.command()
def show(folder: DataOption, json_path: JsonOption = None) -> None:
    """List the files that are there, and count what they hold."""
    from cookscribe.files import write_json
    from cookscribe.learning.datasets.root import FILES, YouCook2

    youcook2 = YouCook2(folder)
    present = youcook2.present()
    print_table(
        f"Files under {youcook2.root}",
        ["file", "", "place"],
        [[name, "there" if there else "MISSING", FILES[name]] for name, there in present.items()],
        left=(0, 1, 2),
    )
    figures: dict[str, Any] = {"files": present}
    if present["ingredients"]:
        figures["splits"] = _count_splits(youcook2)
        figures["vocabulary"] = _count_words(youcook2, present["word vectors"])
        if present["candidates"]:
            figures["oracle"] = _count_oracle(youcook2)
    if json_path is not None:
        write_json(json_path, figures)


def _count_splits(youcook2: YouCook2) -> dict[str, dict[str, float]]:
    """Numbers of everything, and how much the ingredient lists tell about the true recipe that they were made from."""
    import numpy as np

    from cookscribe.text.ingredients import IngredientMatcher

    counts: dict[str, dict[str, float]] = {}
    for split in ("training", "validation"):
        videos = youcook2.videos(split).values()
        steps = [len(video.sentences) for video in videos]
        listed = [len(video.ingredients) for video in videos]
        named = sum(
            len(IngredientMatcher(video.ingredients, partial=False).named(" ".join(video.sentences)))
            for video in videos
        )
        alike = np.corrcoef(steps, listed)[0, 1] if len(set(steps)) > 1 and len(set(listed)) > 1 else 0.0
        counts[split] = {
            "videos": len(videos),
            "steps": sum(steps),
            "ingredients": sum(listed),
            "% named in the sentences": round(100 * named / max(1, sum(listed)), 2),
            "correlation of their number with that of the steps": round(float(alike), 3),
        }
    print_table(
        "Annotated videos",
        ["", *counts],
        [[name, *(f"{row[name]:g}" for row in counts.values())] for name in counts["training"]],
    )
    return counts


def _count_words(youcook2: YouCook2, with_vectors: bool) -> dict[str, float]:
    from cookscribe.errors import MissingDependencyError
    from cookscribe.learning.datasets.glove import WordVectors
    from cookscribe.text.vocabulary import SPECIALS, Vocabulary

    sentences = [sentence for video in youcook2.videos("training").values() for sentence in video.sentences]
    words = Vocabulary.build(sentences).words[len(SPECIALS) :]
    figures: dict[str, float] = {"words seen at least 3 times in training": len(words)}
    if with_vectors:
        vectors = youcook2.word_vectors()
        figures[f"% of them in {vectors.name}"] = 100 * vectors.table(words).coverage
    try:
        vectors = WordVectors.packaged()
        figures[f"% of them in {vectors.name}"] = 100 * vectors.table(words).coverage
    except MissingDependencyError:
        pass  # the table then simply has no such row
    print_table("Vocabulary", ["", ""], [[name, f"{value:.4g}"] for name, value in figures.items()])
    return figures


def _count_oracle(youcook2: YouCook2) -> dict[str, dict[str, float]]:
    import numpy as np

    from cookscribe.candidates import tiou_matrix
    from cookscribe.learning.datasets.oracle import oracle_labels

    candidates, videos = youcook2.candidates(), youcook2.videos("validation")
    figures: dict[str, dict[str, float]] = {}
    for rule in ("paper", "story"):
        repeated = disordered = unassigned = without_overlap = steps = 0
        tiou = 0.0
        for video_id in sorted(set(candidates) & set(videos)):
            spans = videos[video_id].spans
            labels = oracle_labels(spans, candidates[video_id].spans, "paper" if rule == "paper" else "story")
            placed = np.flatnonzero(labels >= 0)
            chosen = labels[placed]
            overlaps = tiou_matrix(spans, candidates[video_id].spans)[placed, chosen]
            steps += len(labels)
            unassigned += len(labels) - len(placed)
            repeated += len(chosen) - len(set(chosen.tolist()))
            disordered += int((np.diff(chosen) < 0).any())
            without_overlap += int((overlaps == 0).sum())
            tiou += float(overlaps.sum())
        figures[rule] = {
            "steps": steps,
            "repeated labels": repeated,
            "videos out of order": disordered,
            "labels without overlap": without_overlap,
            "steps without a label": unassigned,
            "mean tIoU (%)": 100 * tiou / max(steps, 1),
        }
    names = list(figures["paper"])
    print_table(
        "Oracle labels on the validation candidates",
        ["", *figures],
        [[name, *(f"{figures[rule][name]:.4g}" for rule in figures)] for name in names],
    )
    return figures


@data.command()
def matching(folder: DataOption, json_path: JsonOption = None) -> None:
    """Measure ingredient and action matching against the published labels, which are word matching too."""
    from cookscribe.files import write_json
    from cookscribe.learning.datasets.matching import measure_actions, measure_actions_by_tags, measure_ingredients
    from cookscribe.learning.datasets.root import YouCook2

    youcook2 = YouCook2(folder)
    verbs = youcook2.actions()
    aligned = {cut: youcook2.aligned(cut) for cut in ("train", "val", "test")}
    comparisons: dict[str, Agreement] = {}
    for cut, videos in aligned.items():
        comparisons[f"ingredients, whole names: SVPC {cut}"] = measure_ingredients(videos.values(), partial=False)
    for cut, videos in aligned.items():
        comparisons[f"ingredients, and parts: SVPC {cut}"] = measure_ingredients(videos.values())
    for cut, videos in aligned.items():
        comparisons[f"actions: SVPC {cut}"] = measure_actions(videos.values(), verbs)
    tags = youcook2.tags()
    for split in ("training", "validation"):
        tagged = [(video, tags[video_id]) for video_id, video in youcook2.videos(split).items()]
        comparisons[f"actions: tags, {split}"] = measure_actions_by_tags(tagged, verbs)
    figures = {
        name: {"steps": one.steps} | {score: 100 * getattr(one, score) for score in ("precision", "recall", "f1")}
        for name, one in comparisons.items()
    }
    print_table(
        "Agreement with published labels, in percent of (step, name) pairs",
        ["", "steps", "precision", "recall", "F1"],
        [[name, *(f"{value:.5g}" for value in row.values())] for name, row in figures.items()],
    )
    if json_path is not None:
        write_json(json_path, figures)
