"""`cookscribe study state`: do the simulator's ingredient vectors know the true state of the ingredients?

The kitchen makes up recipes in which the state of every ingredient after every step is known. A BIVT learns to write
them, and never hears of states. Then a linear probe tries to read each ingredient's state off its vector after each
step, on recipes the model has not seen. Beside it stand probes that only see the ingredient's raw vector (its name), or
the name and how far the recipe has come: what they know is no knowledge of this recipe.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.candidates import Candidates
from cookscribe.files import read_json, write_json
from cookscribe.learning.datasets.glove import WordVectors
from cookscribe.learning.story_data import batch_targets, label_story
from cookscribe.learning.story_run import StoryMaterial, read_vectors, train_story
from cookscribe.model.simulator import Simulation
from cookscribe.model.story_input import batch_inputs
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.progress import track
from cookscribe.seeds import generator
from cookscribe.text.actions import ActionMatcher, packaged_verbs
from cookscribe_lab.kitchen_features.probe import classify
from cookscribe_lab.kitchen_features.streams import render
from cookscribe_lab.kitchen_films.names import BY_KIND, renamed
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe, make_recipes
from cookscribe_lab.kitchen_films.states import ItemState
from cookscribe_lab.studies.core.candidate_sets import USUAL_ENCODER
from cookscribe_lab.studies.core.drawings import draw_rows
from cookscribe_lab.studies.core.registry import StudyOptions
from cookscribe_lab.studies.core.report import short_hash
from cookscribe_lab.studies.core.tables import Row, as_markdown, write_study
from cookscribe_lab.studies.core.variants import Variant, VariantRunner, resolved

Array = NDArray[np.float64]

RECIPES, SMOKE_RECIPES = 800, 20
BIVT = Variant(name="BIVT")
PROPERTIES = ("used yet", "cut", "heat", "form", "place")
NAME, TIME, STATE, COMMON = "its name", "its name and the time", "the simulator's vector", "the most common answer"


@dataclass(frozen=True, eq=False)
class Seen:
    """E pairs of ingredient and step.

    Attributes:
        states, raw: (E, d) the ingredient's vector after the step, and before the first.
        progress: (E,) share of the recipe that is over.
        labels: per property, E answers.
    """

    states: Array
    raw: Array
    progress: Array
    labels: dict[str, list[str]]


def run(options: StudyOptions) -> str:
    """Probe one training per seed."""
    recipes = list(make_recipes(0, options.videos or (SMOKE_RECIPES if options.smoke else RECIPES)))
    vectors = None if options.smoke else read_vectors("", Path(), None)
    material = _material(recipes, vectors)
    readings: dict[str, dict[str, list[float]]] = {}
    for seed in range(options.seeds):
        for who, figures in _part(options, seed, recipes, material).items():
            for name, value in figures.items():
                readings.setdefault(who, {}).setdefault(name, []).append(value)
    seeds = tuple(range(options.seeds))
    rows = [Row(who, readings[who], seeds=seeds) for who in (COMMON, NAME, TIME, STATE)]
    test = [recipe for recipe in recipes if recipe.split != "training"]
    label = f"*simulated* `{USUAL_ENCODER}`, made-up recipes"
    text = (
        f"A BIVT (preset `{options.preset}`) learnt {len(recipes) - len(test)} made-up recipes from {label}; linear "
        f"probes were fitted to its vectors of these recipes and asked about {len(test)} others. Right answers in "
        f"percent, mean ± standard deviation over {options.seeds} seed{'s' if options.seeds > 1 else ''}.\n\n"
        f"{as_markdown(rows, 'read off', PROPERTIES)}"
    )
    draw_rows(options.out / "state", rows, "state: right answers in percent, simulated, made-up recipes", PROPERTIES)
    configuration = resolved(VariantRunner(options).run_of(BIVT, 0))
    return write_study(
        options, "state", text, rows, simulated=True, features=[USUAL_ENCODER], configuration=configuration
    )


def _part(
    options: StudyOptions, seed: int, recipes: Sequence[MadeUpRecipe], material: StoryMaterial
) -> dict[str, dict[str, float]]:
    story = VariantRunner(options).run_of(BIVT, seed)
    folder = options.parts / "state" / f"seed-{seed}-{short_hash(resolved(story), len(recipes))}"
    path = folder / "readings.json"
    if not path.is_file():
        learnt = {recipe.id for recipe in recipes if recipe.split == "training"}
        videos = {key: video for key, video in material.videos.items() if key in learnt}
        few = replace(material, videos=videos, candidates={key: material.candidates[key] for key in videos})
        train_story(story, Path(), folder, material=few)
        writer = StoryWriter.load(folder)
        parts = [
            gather(writer, [recipe for recipe in recipes if (recipe.split == "training") == known], material)
            for known in (True, False)
        ]
        write_json(path, read_off(*parts))
    found: dict[str, dict[str, float]] = read_json(path)
    return found


def _material(recipes: Sequence[MadeUpRecipe], vectors: WordVectors | None) -> StoryMaterial:
    """Films of the recipes, with candidates around the true steps and as many between them."""
    # Feature streams are made from words, and know the looks of the larder's kinds rather than all of their names.
    videos = {recipe.id: renamed(recipe.annotated(), BY_KIND) for recipe in recipes}
    candidates = {}
    for video in track(list(videos.values()), "filming"):
        rng = generator("state candidates", video.id)
        length = video.spans[:, 1:] - video.spans[:, :1]
        moved = video.spans + 0.15 * length * rng.standard_normal(video.spans.shape)
        other = np.sort(rng.uniform(0, video.duration, video.spans.shape), axis=1)
        spans = np.sort(np.clip(np.concatenate([moved, other]), 0, video.duration), axis=1)
        found = render(video, USUAL_ENCODER)
        scores = np.full(len(spans), 0.5)
        candidates[video.id] = Candidates(spans, scores, video.duration, features=found.over(spans))
    return StoryMaterial(videos, candidates, {}, packaged_verbs(), vectors, USUAL_ENCODER, True)


def gather(writer: StoryWriter, recipes: Sequence[MadeUpRecipe], material: StoryMaterial) -> Seen:
    """Let the model follow the true recipes and keep each ingredient's vector after each step."""
    states, raw, progress = [], [], []
    labels: dict[str, list[str]] = {name: [] for name in PROPERTIES}
    for recipe in track(recipes, "following recipes"):
        followed = list(follow(writer, recipe, material))
        for step, (before, after) in zip(recipe.steps, followed, strict=False):
            for number, name in enumerate(recipe.ingredients):
                states.append(after[number])
                raw.append(before[number])
                progress.append(step.span.end / recipe.duration)
                for heading, answer in properties(step.after[name]).items():
                    labels[heading].append(answer)
    return Seen(np.array(states), np.array(raw), np.array(progress), labels)


def follow(writer: StoryWriter, recipe: MadeUpRecipe, material: StoryMaterial) -> Iterator[tuple[Array, Array]]:
    """Per step, (M, d) raw vectors and vectors after it; recipes with a step that no candidate shows give nothing."""
    video, candidates = material.videos[recipe.id], material.candidates[recipe.id]
    config = writer.config
    limits = (config.decoding.max_steps, config.decoding.max_words)
    truth = label_story(video, candidates, writer.vocabulary, ActionMatcher(config.actions), config.oracle, *limits)
    if len(truth) < min(len(recipe.steps), limits[0]):
        return
    seen: list[Array] = []

    def keep(_: object, __: object, simulation: Simulation) -> None:
        seen.append(simulation.ingredient_states[0].double().numpy())

    inputs = batch_inputs([writer.reader.input(candidates, video.ingredients)])
    targets = batch_targets([truth], len(video.ingredients), config.model.actions)
    assert writer.model.simulator is not None
    handle = writer.model.simulator.register_forward_hook(keep)
    try:
        with torch.no_grad():
            raw = writer.model.encode(inputs).raw_ingredients
            writer.model(inputs, targets)
    finally:
        handle.remove()
    assert raw is not None
    for state in seen[: len(truth)]:
        yield raw[0].double().numpy(), state


def properties(item: ItemState) -> dict[str, str]:
    """The true state as answers."""
    used = "yes" if item != ItemState() else "no"
    return dict(zip(PROPERTIES, (used, item.cut, item.heat, item.form, item.place), strict=True))


def read_off(known: Seen, new: Seen) -> dict[str, dict[str, float]]:
    """Right answers in percent, by what is read and by property; probes are fitted to `known`, asked about `new`."""
    figures: dict[str, dict[str, float]] = {COMMON: {}, NAME: {}, TIME: {}, STATE: {}}
    # The time as a few overlapping windows, so that a linear probe can say "early" or "in the middle".
    centres = np.linspace(0, 1, 6)

    def timed(seen: Seen) -> Array:
        windows = np.exp(-0.5 * ((seen.progress[:, None] - centres) / 0.15) ** 2)
        spread = float(seen.raw.std())
        # Products of name and time: a probe that is linear in them knows when each ingredient usually changes.
        both = (seen.raw[:, :, None] * windows[:, None, :]).reshape(len(seen.raw), -1)
        return np.concatenate([seen.raw, spread * windows, both], axis=1)

    for name in PROPERTIES:
        pairs = {NAME: (known.raw, new.raw), TIME: (timed(known), timed(new)), STATE: (known.states, new.states)}
        for who, (fitted, asked) in pairs.items():
            reading = classify(fitted, known.labels[name], asked, new.labels[name])
            figures[who][name] = 100 * reading.right
            figures[COMMON][name] = 100 * reading.chance
    return figures
