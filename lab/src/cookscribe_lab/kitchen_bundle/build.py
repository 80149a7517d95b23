"""How the `kitchen` bundle is made: from made-up recipes to a folder that `cookscribe write` loads.

DIR/
  truth.json         the made-up recipes, labelled as simulated
  features/          effnet tracks of their drawn videos, and of other cuts of them
  seed-0/proposals/  PDVC, and one more model per fold
  seed-0/candidates.safetensors   out of fold
  seed-0/story/, story-2/, ...   the recipe models (BIVT) that write together
  seed-0/story-without-ingredients/   the same for films whose ingredients nobody knows
  seed-0/bundle/     all of them, in half precision, with a card

Every part is kept, so that an interrupted run goes on where it was. Features are shared by all seeds.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from cookscribe.bundle import PROPOSALS, STORY, WITHOUT_INGREDIENTS, Bundle, BundleConfig, member_folder
from cookscribe.config import Config
from cookscribe.encoders.store import FeatureStore
from cookscribe.files import write_json
from cookscribe.learning.calibration import calibrate, right_steps
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.splits import development_split
from cookscribe.learning.folds import train_with_folds
from cookscribe.learning.loop import History, train
from cookscribe.learning.packing import pack
from cookscribe.learning.proposals.data import VideoSet
from cookscribe.learning.proposals.out_of_fold import ProposeOptions, propose_to_file
from cookscribe.learning.proposals.run import ProposalRun
from cookscribe.learning.proposals.task import ProposalTask
from cookscribe.learning.story_run import StoryRun, make_task, read_material
from cookscribe.learning.story_task import story_events
from cookscribe.model.decoding import DecodingConfig
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.pipelines.visual import confidence, steps_apart
from cookscribe.progress import track
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.store import read_candidate_store
from cookscribe.text.vocabulary import SPECIALS
from cookscribe_lab.kitchen_bundle.cut_augmentation import other_cut
from cookscribe_lab.kitchen_bundle.features import RATE, write_drawn_features
from cookscribe_lab.kitchen_bundle.name_augmentation import NameAugmentation, without_ingredients
from cookscribe_lab.kitchen_films.actions import ACTIONS
from cookscribe_lab.kitchen_films.dishes import DISHES
from cookscribe_lab.kitchen_films.names import ALL_NAMES, BY_KIND, NAMES, renamed
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe, make_recipes, truth
from cookscribe_lab.kitchen_films.splits import TRAINING

NAME, ENCODER = "kitchen", "effnet"
FILMS = "drawn videos of the simulated kitchen (`cookscribe kitchen draw`)"
# Many steps are two acts: what is seen first and what is seen then.
PARTS = 2
TEMPO = 3.5  # of `cookscribe kitchen draw`
# Seeds that people try first (0, 1, 7, ...) stay unseen.
RECIPE_SEED = 1000
# Between the seeds of two members of the ensemble.
MEMBER_SEEDS_APART = 10


class KitchenRun(Config):
    """Every choice in building the bundle.

    Attributes:
        videos: drawn videos to learn from.
        wording: how their steps are put into words, "plain" or "varied"; what is seen decides the plain sentence.
        cuts: other cuts of each of them, see `cut_augmentation`.
        folds: models for out-of-fold candidates.
        development: share of the videos kept apart to choose the weights.
        seed: of the trainings; the videos stay the same.
        model, training: changes to the proposal model's preset `small` and its training.
        story, losses, story_training, decoding: changes to the recipe model's preset.
        members: recipe models that write together where the ingredients are known, see `model.beyond.ensemble`.
        training_without_ingredients: instead of `story_training`, for the recipe model that has no list.
        inference: changes to the decoding of the trained model; these did best on the videos kept apart. A beam would
            make every look at them in training slower. No recipe says the same sentence twice (`no_repeat_ngram`).
        said_twice: a word that fewer training sentences than this say twice stands at most once in a sentence, so that
            "onion and onion" is not said, while "bring water to a boil and boil the pasta in it" is.
        most_overlap: see `BundleConfig`.
        preset: of the recipe model.
        weak: mean confidence below which a recipe says that its evidence is weak; confidences are calibrated, so 0.5
            means that half of the steps are expected to be wrong.
    """

    videos: int = Field(default=1000, ge=10)
    wording: Literal["plain", "varied"] = "plain"
    cuts: int = Field(default=1, ge=0)
    folds: int = Field(default=3, ge=2)
    development: float = Field(default=0.1, gt=0, lt=1)
    seed: int = Field(default=0, ge=0)
    model: dict[str, Any] = Field(default_factory=dict)
    training: dict[str, Any] = Field(default_factory=lambda: {"epochs": 4, "batch_size": 16})
    preset: str = "small-bivt"
    story: dict[str, Any] = Field(default_factory=lambda: {"planner": True, "order": "start", "width": 192})
    losses: dict[str, Any] = Field(default_factory=dict)
    story_training: dict[str, Any] = Field(default_factory=lambda: {"epochs": 12})
    members: int = Field(default=3, ge=1)
    training_without_ingredients: dict[str, Any] = Field(default_factory=lambda: {"epochs": 4})
    decoding: dict[str, Any] = Field(default_factory=lambda: {"selection": "quality"})
    inference: dict[str, Any] = Field(
        default_factory=lambda: {
            "selection": "chain",
            "count_weight": 3.0,
            "vote": True,
            "beam": 5,
            "length_penalty": 1.5,
            "no_repeat_ngram": 30,
        }
    )
    said_twice: int = Field(default=2, ge=1)
    most_overlap: float = Field(default=0.4, ge=0, le=1)
    weak: float = 0.5


class Watched:
    """The training videos with their features: originals, and other cuts of them by the original's id."""

    def __init__(self, run: KitchenRun, folder: Path) -> None:
        self.recipes: list[MadeUpRecipe] = list(
            make_recipes(RECIPE_SEED, run.videos, split=TRAINING, tempo=TEMPO, wording=run.wording)
        )
        write_json(folder / "truth.json", truth(self.recipes))
        self.store: FeatureStore = write_drawn_features(self.recipes, folder / "features")
        self.originals: dict[str, AnnotatedVideo] = {recipe.id: recipe.annotated() for recipe in self.recipes}
        self.cuts: dict[str, list[AnnotatedVideo]] = {}
        for recipe in track(self.recipes, "cutting anew") if run.cuts else ():
            made = [other_cut(recipe, self.store.read(recipe.id), number) for number in range(1, run.cuts + 1)]
            self.cuts[recipe.id] = [video for video, _ in made]
            for video, found in made:
                if video.id not in self.store:
                    self.store.write(video.id, found)

    def with_cuts(self, ids: Sequence[str]) -> list[AnnotatedVideo]:
        """These videos and all cuts of them."""
        return [video for key in ids for video in (self.originals[key], *self.cuts.get(key, ()))]


def build_kitchen_bundle(run: KitchenRun, folder: Path, *, quiet: bool = False) -> Bundle:
    """Make the bundle; whatever `folder` holds already is used."""
    watched = Watched(run, folder)
    place = folder / f"seed-{run.seed}"
    train_kitchen_proposals(run, watched, place / PROPOSALS, quiet=quiet)
    candidates = propose_out_of_fold(watched, place)
    stories = [place / STORY, *(member_folder(place, number) for number in range(2, run.members + 1))]
    for number, story in enumerate(stories):
        member = run.model_copy(update={"seed": run.seed + MEMBER_SEEDS_APART * number})
        train_kitchen_story(member, watched, candidates, folder, story, listed=True, quiet=quiet)
    train_kitchen_story(run, watched, candidates, folder, place / WITHOUT_INGREDIENTS, listed=False, quiet=quiet)
    writers = StoryWriter.load(stories[0], members=stories[1:]), StoryWriter.load(place / WITHOUT_INGREDIENTS)
    config = BundleConfig(
        name=NAME,
        encoder=ENCODER,
        rate=RATE,
        films=FILMS,
        wording=run.wording,
        most_overlap=run.most_overlap,
        simulated=True,
        weak=run.weak,
        calibration=calibrate(*confidences(run, watched, candidates, writers[0], listed=True)),
        calibration_without_ingredients=calibrate(*confidences(run, watched, candidates, writers[1], listed=False)),
    )
    decodings = {
        name: inference_decoding(run, watched, writer)
        for name, writer in zip((STORY, WITHOUT_INGREDIENTS), writers, strict=True)
    }
    parts = place / PROPOSALS, stories[0], card(run), place / "bundle", place / WITHOUT_INGREDIENTS, stories[1:]
    return pack(config, *parts, decodings)


def train_kitchen_proposals(run: KitchenRun, watched: Watched, out: Path, *, quiet: bool = False) -> None:
    """PDVC without captions on all videos, and once more without each fold; a fold takes its cuts with it."""
    training = ProposalRun(
        data="", features="", training=run.training | {"seed": run.seed}, captions=False
    ).training_config()

    def train_on(ids: list[str], folder: Path) -> None:
        example = watched.store.read(ids[0])
        sizes = {"feature_size": example.width, "encoder": example.encoder}
        config = ProposalConfig.preset("small", **(run.model | sizes))
        rest, held_out = development_split(ids, run.development)
        learnt, tested = watched.with_cuts(rest), [watched.originals[key] for key in held_out]
        task = ProposalTask(
            config,
            training,
            VideoSet(learnt, watched.store, config, None, "training features"),
            VideoSet(tested, watched.store, config, None, "development features"),
            None,
        )
        train(task, training, folder, quiet=quiet)

    train_with_folds(
        watched.originals, run.folds, out, train_on, copies=lambda key: [video.id for video in watched.with_cuts([key])]
    )


def propose_out_of_fold(watched: Watched, place: Path) -> Path:
    """Candidates of all videos and cuts, each from a model that saw neither the video nor a cut of it."""
    path = place / "candidates.safetensors"
    ids = [video.id for video in watched.with_cuts(list(watched.originals))]
    wishes = ProposeOptions(captions=False, features=False)
    propose_to_file(place / PROPOSALS, watched.store, ids, wishes, path)
    return path


def train_kitchen_story(
    run: KitchenRun, watched: Watched, candidates: Path, folder: Path, out: Path, *, listed: bool, quiet: bool = False
) -> History:
    """The recipe model on the originals and, beside them, on the cuts of its training part.

    One that always had a list when it learnt is lost without it, and one that often had none makes less of it. So there
    are two.

    Args:
        listed: True learns from films with an ingredient list, where every epoch calls everything otherwise; False from
            films without one, where everything is called what it looks like.
    """
    story = story_run(run, candidates.relative_to(folder), listed)
    material = read_material(story, folder)
    # By kind: the head start of the words is about what is seen.
    by_kind = {
        key: renamed(video, BY_KIND) if listed else without_ingredients(video) for key, video in material.videos.items()
    }
    task = make_task(story, replace(material, videos=by_kind), texts=ALL_NAMES * story.min_count if listed else ())
    rest, held_out = development_split(watched.originals, story.development)
    videos = watched.with_cuts(rest)
    found = read_candidate_store(candidates)[0]
    told = NameAugmentation(
        task, videos if listed else [without_ingredients(video) for video in videos], found, watched.store
    )
    task.examples = told.examples
    if listed:
        task.version = told.renamed_example
        task.development = [(watched.originals[key], told.input(watched.originals[key])) for key in held_out]
    return train(task, story.training_config(), out, quiet=quiet)


def confidences(
    run: KitchenRun, watched: Watched, path: Path, writer: StoryWriter, *, listed: bool
) -> tuple[list[float], list[bool]]:
    """How sure the writer is of every step of the videos kept apart, and whether the step is right.

    Neither its models nor the proposals of these videos learnt from them.
    """
    found, changes = read_candidate_store(path)[0], inference_decoding(run, watched, writer)
    decoding = DecodingConfig.parse(writer.config.decoding.model_dump() | changes, "decoding")
    _, held_out = development_split(watched.originals, run.development)
    sure: list[float] = []
    right: list[bool] = []
    for key in held_out:
        video = watched.originals[key]
        names = video.ingredients if listed else ()
        given = writer.prepare(found[key], names, watched.store.read(key), name=key)
        told = writer.write([given], decoding)[0]
        told = replace(told, steps=steps_apart(told.steps, found[key], run.most_overlap))
        sure += [confidence(step, found[key]) for step in told.steps]
        right += right_steps(story_events(told), video)
    return sure, right


def story_run(run: KitchenRun, candidates: Path, listed: bool) -> StoryRun:
    """The recipe model's own configuration."""
    return StoryRun(
        data="truth.json",
        candidates=(str(candidates),),
        features="features",
        preset=run.preset,
        model=run.story,
        losses=run.losses,
        training=(run.story_training if listed else run.training_without_ingredients) | {"seed": run.seed},
        decoding=run.decoding,
        parts=PARTS,
        copy_list=listed,
        min_count=2,
        development=run.development,
    )


def inference_decoding(run: KitchenRun, watched: Watched, writer: StoryWriter) -> dict[str, Any]:
    """How a trained writer decodes."""
    sentences = [sentence for video in watched.originals.values() for sentence in video.sentences]
    may_repeat = said_again(writer.vocabulary.words, sentences, run.said_twice)
    return {"no_repeat_from": len(SPECIALS), "may_repeat": may_repeat} | run.inference


def said_again(words: Sequence[str], sentences: Sequence[str], least: int) -> tuple[int, ...]:
    """Ids of the words that at least so many sentences say twice, such as "the" and "chopped"."""
    counts = Counter(word for sentence in sentences for word, said in Counter(sentence.split()).items() if said > 1)
    return tuple(number for number, word in enumerate(words) if counts[word] >= least)


def card(run: KitchenRun) -> str:
    """The model card, but for the figures, which `cookscribe kitchen evaluate` prints."""
    return f"""# {NAME}

Writes recipes of {FILMS}. It learnt from the simulated kitchen only.

- Reads {ENCODER} features (EfficientNet-Lite0, ImageNet), {RATE:g} frame a second.
- Proposals: PDVC. Recipe models: {run.preset.partition("-")[2].upper()} with planner, {run.members} that write together
  for films with an ingredient list and one for films without. Weights in half precision.
- Learnt from {run.videos} drawn videos of made-up recipes of the training split (seed {RECIPE_SEED}), simulated,
  and from other cuts of each ({run.cuts}). Made by `cookscribe kitchen bundle --videos {run.videos} --seed {run.seed}`;
  judged by `cookscribe kitchen evaluate`.
- Words: the kitchen's {run.wording} wording (`cookscribe kitchen recipes --wording {run.wording}`).
- Confidence: how often a step of this kind was right on videos kept apart (tIoU and word F1 of at least 0.5). A recipe
  whose mean is below {run.weak:.0%} says that its evidence is weak.

## Limits

It has only seen cartoons with clean backgrounds and one light. On real film its words are guesses.
It knows {len(ALL_NAMES)} names of {len(NAMES)} kinds of ingredients, {len(ACTIONS)} actions and {len(DISHES)} dishes.
What looks alike (a shallot and an onion, salt and sugar) it can tell apart by the ingredient list only; without a list
it says what a thing looks like.
"""
