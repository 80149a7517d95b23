"""How good a bundle is on drawn videos it has never seen: real mp4 files, through the very path a user takes.

Held out are recipes of the testing split: another seed, and every recipe has a combination (such as grated carrots)
that no training recipe has. Beside the bundle stands the nearest-neighbour captioner, with the same features and
proposals: once on the events that the proposal model itself would choose, and once on the bundle's own events. Above
all stands the truth on the bundle's events: what a captioner could reach there that knows what is done. In the varied
wording it says so in other words, because nobody can know which of its ways the grammar took.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from cookscribe.candidates import tiou_matrix
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import InputError
from cookscribe.evaluation.events import Events
from cookscribe.evaluation.meteor import MeteorTable
from cookscribe.evaluation.report import evaluate, figure_at
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.pipelines.visual import VisualPipeline
from cookscribe.progress import track
from cookscribe.recipe import Recipe
from cookscribe.scribe import assemble, described, title_of
from cookscribe.seeds import generator
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile
from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_videos
from cookscribe_lab.kitchen_films.grammar import sentence
from cookscribe_lab.kitchen_films.names import ALL_NAMES, Naming, kind_of
from cookscribe_lab.kitchen_films.recipes import PLAIN, VARIED, MadeUpRecipe, make_recipes
from cookscribe_lab.kitchen_films.splits import TESTING
from cookscribe_lab.kitchen_films.world import perform
from cookscribe_lab.nearest import NearestNeighbourCaptioner
from cookscribe_lab.studies.core.tables import Row, as_markdown

SEED = 2000  # of the held-out recipes, unless another is asked for
TEMPO = 3.5
OURS, WITHOUT = "with the list", "without the list"
NEAREST, NEAREST_OURS = "nearest neighbour, events of the proposals", "nearest neighbour, our events"
NEAREST_LISTED = "nearest neighbour, our events, names put right by the list"
REPHRASED, TRUTH = "the truth in other words, our events", "the truth, our events"
# Where a figure stands in a report, by its heading.
FIGURES: dict[str, tuple[str, ...]] = {
    "SODA tIoU": ("soda", "strict", "tIoU"),
    "SODA METEOR": ("soda", "strict", "METEOR"),
    "SODA CIDEr-D": ("soda", "strict", "CIDEr"),
    "dvc CIDEr-D": ("dvc_eval", "2021", "CIDEr"),
    "ingredient F1": ("ingredients", "f1"),
    "steps": ("counts", "mean_predicted"),
}


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out videos as files, with what an encoder made of them."""

    recipes: dict[str, MadeUpRecipe]
    videos: dict[str, AnnotatedVideo]
    films: dict[str, Path]
    tracks: FeatureStore

    @classmethod
    def draw(cls, folder: Path, count: int, wording: str = VARIED, workers: int = 1, seed: int = SEED) -> Self:
        """Draw what is missing; the films stay in `folder/films`."""
        recipes = held_out_recipes(count, wording, seed)
        paths = draw_videos(recipes, folder / "films", Picture(), workers=workers)
        return cls(
            {recipe.id: recipe for recipe in recipes},
            {recipe.id: recipe.annotated() for recipe in recipes},
            {recipe.id: path for recipe, path in zip(recipes, paths, strict=True)},
            FeatureStore(folder / "features"),
        )


def held_out_recipes(count: int, wording: str = VARIED, seed: int = SEED) -> list[MadeUpRecipe]:
    """Recipes that no bundle learns from: of the testing split, with any seed."""
    return list(make_recipes(seed, count, split=TESTING, tempo=TEMPO, wording=wording))


def watch(pipeline: VisualPipeline, held_out: HeldOut) -> dict[str, FeatureTrack]:
    """The tracks of all films by the bundle's own encoder; those made before are read."""
    found = {}
    for key, path in track(list(held_out.films.items()), "watching"):
        try:
            found[key] = held_out.tracks.read(key)
        except InputError:  # not there yet, or damaged
            found[key] = pipeline.encoder.encode(VideoFile(path))
            held_out.tracks.write(key, found[key])
    return found


def tell_all(
    pipeline: VisualPipeline, held_out: HeldOut, tracks: Mapping[str, FeatureTrack], listed: bool
) -> dict[str, Recipe]:
    """The recipes of all films, with or without their ingredient lists."""
    told = {}
    for key, path in track(list(held_out.films.items()), "writing"):
        names = held_out.videos[key].ingredients if listed else ()
        draft = pipeline.draft_of(tracks[key], names)
        config, video = pipeline.bundle.config, described(VideoFile(path))
        told[key] = assemble(draft, config, video, title_of(path), listed=bool(names))
    return told


def events_of(recipe: Recipe) -> Events:
    """A recipe as the evaluators see it."""
    spans = np.array([[step.span.start, step.span.end] for step in recipe.steps]).reshape(-1, 2)
    return Events(spans, tuple(step.sentence for step in recipe.steps))


def score_bundle(
    pipeline: VisualPipeline, held_out: HeldOut, training: tuple[Sequence[AnnotatedVideo], FeatureStore] | None
) -> tuple[dict[str, dict[str, float]], dict[str, Recipe]]:
    """Figures by row, and the recipes written with their lists.

    Args:
        training: videos and features the bundle learnt from, for the nearest-neighbour captioner; None leaves it out.
    """
    tracks = watch(pipeline, held_out)
    recipes = tell_all(pipeline, held_out, tracks, listed=True)
    rows: dict[str, dict[str, Events]] = {
        OURS: {key: events_of(recipe) for key, recipe in recipes.items()},
        WITHOUT: {key: events_of(r) for key, r in tell_all(pipeline, held_out, tracks, listed=False).items()},
    }
    plain = all(recipe.wording == PLAIN for recipe in held_out.recipes.values())
    rows[TRUTH if plain else REPHRASED] = {
        key: Events(events.spans, tuple(in_other_words(held_out.recipes[key], span) for span in events.spans.tolist()))
        for key, events in rows[OURS].items()
    }
    if training is not None:
        captioner = NearestNeighbourCaptioner.fit_videos(*training)
        answers = {key: pipeline.proposer.answer(pipeline.proposer.propose(tracks[key])).spans for key in tracks}
        for name, spans in (
            (NEAREST, answers),
            (NEAREST_OURS, {key: events.spans for key, events in rows[OURS].items()}),
        ):
            rows[name] = {
                key: Events(np.asarray(found, dtype=np.float64), tuple(captioner.caption(tracks[key].over(found))))
                for key, found in spans.items()
            }
        rows[NEAREST_LISTED] = {
            key: Events(events.spans, by_the_list(events.sentences, held_out.videos[key].ingredients))
            for key, events in rows[NEAREST_OURS].items()
        }
    truth = {key: Events(video.spans, video.sentences) for key, video in held_out.videos.items()}
    lists = {key: video.ingredients for key, video in held_out.videos.items()}
    meteor = MeteorTable()
    figures = {
        name: _figures(evaluate(truth, told, meteor=meteor, ingredients=lists).as_json()) for name, told in rows.items()
    }
    return figures, recipes


def by_the_list(sentences: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """The same sentences, where everything that has a listed look-alike goes by its name.

    Only the kitchen knows what looks alike, so this says how much of a bundle's lead is more than finding names.
    """
    listed = {kind_of(name): name for name in names}
    naming = Naming({name: listed[kind_of(name)] for name in ALL_NAMES if kind_of(name) in listed})
    return tuple(map(naming, sentences))


def in_other_words(recipe: MadeUpRecipe, span: tuple[float, float]) -> str:
    """What might as well have been said of the true step that is nearest to a span; the plain wording has one way."""
    number = int(tiou_matrix(np.array([span]), recipe.annotated().spans)[0].argmax())
    if recipe.wording == PLAIN:
        return recipe.steps[number].sentence
    step, state = recipe.steps[number], recipe.before(number)
    states = []
    for act in step.acts:
        states.append(state)
        state = perform(state, act)
    words = sentence(step.acts, states, generator("in other words", recipe.seed, recipe.number, number))
    return recipe.naming(words)


def _figures(report: Mapping[str, Any]) -> dict[str, float]:
    found = {heading: figure_at(report, place) for heading, place in FIGURES.items()}
    return {heading: float("nan") if value is None else value for heading, value in found.items()}


Table = Mapping[str, Mapping[str, float]]


def table_of(tables: Sequence[Table], corner: str = "") -> str:
    """Markdown: mean and, of several bundles, standard deviation, row by row."""
    rows = [Row(name, {key: [table[name][key] for table in tables] for key in FIGURES}) for name in tables[0]]
    return as_markdown(rows, corner, tuple(FIGURES))


def times_the_neighbour(tables: Sequence[Table]) -> float | None:
    """Our SODA METEOR in nearest neighbours' (events of the proposals), from the means; None without a neighbour."""
    if NEAREST not in tables[0]:
        return None
    ours, nearest = (sum(table[name]["SODA METEOR"] for table in tables) for name in (OURS, NEAREST))
    return ours / nearest
