"""The building of the bundle `kitchen` with a made-up encoder and tiny models: parts, resuming, folds, scores."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from cookscribe.bundle import Bundle
from cookscribe.encoders import Progress
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.learning.folds import read_folds
from cookscribe.learning.packing import pack
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.pipelines.visual import VisualPipeline
from cookscribe.proposals.store import read_candidate_store
from cookscribe.seeds import generator
from cookscribe.text.vocabulary import SPECIALS
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile
from cookscribe_lab.kitchen_bundle import features as drawn_features
from cookscribe_lab.kitchen_bundle.build import KitchenRun, Watched, build_kitchen_bundle, said_again
from cookscribe_lab.kitchen_bundle.features import picture_of
from cookscribe_lab.kitchen_bundle.scores import (
    FIGURES,
    NEAREST,
    OURS,
    REPHRASED,
    HeldOut,
    by_the_list,
    held_out_recipes,
    score_bundle,
    table_of,
    times_the_neighbour,
)
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe, make_recipe
from cookscribe_lab.kitchen_films.splits import HELD_OUT, TESTING
from tests.broken_films import brightening

WIDTH = 16
RUN = KitchenRun(
    videos=12,
    members=2,
    cuts=1,
    folds=2,
    development=0.2,
    model={"width": 32, "feedforward": 32, "frames": 32, "queries": 8, "groups": 1},
    training={"epochs": 2, "batch_size": 8},
    story={"planner": True, "planner_width": 16, "width": 32, "heads": 2},
    story_training={"epochs": 2, "batch_size": 8},
    training_without_ingredients={"epochs": 1, "batch_size": 8},
)


def seen(recipe: MadeUpRecipe) -> FeatureTrack:
    """What a made-up encoder sees: noise, and which action is going on."""
    times = np.arange(int(recipe.duration)) + 0.5
    values = generator("seen", recipe.number).normal(0, 0.1, (len(times), WIDTH)).astype(np.float16)
    for step in recipe.steps:
        inside = (times >= step.span.start) & (times < step.span.end)
        values[inside, sum(map(ord, step.acts[0].action)) % WIDTH] += 1
    return FeatureTrack(times, values, "effnet", recipe.duration, simulated=True)


class MadeUpEncoder:
    """Sees in every film the same recipe."""

    name, width = "effnet", WIDTH

    def __init__(self, recipe: MadeUpRecipe) -> None:
        self.recipe = recipe

    def encode(self, film: VideoFile, progress: Progress | None = None) -> FeatureTrack:
        del film
        if progress is not None:
            progress(self.recipe.duration)
        return seen(self.recipe)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bundle, Path]:
    folder = tmp_path_factory.mktemp("kitchen")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawn_features, "EffNetEncoder", lambda **_: None)
        patch.setattr(drawn_features, "drawn_track", lambda recipe, *_: seen(recipe))
        return build_kitchen_bundle(RUN, folder, quiet=True), folder


def test_the_bundle_says_what_it_is(made: tuple[Bundle, Path]) -> None:
    bundle, _ = made
    config = Bundle.open(bundle.folder).config
    assert (config.name, config.encoder, config.rate, config.simulated) == ("kitchen", "effnet", 1.0, True)
    assert config.calibration is not None
    assert config.calibration_without_ingredients is not None
    assert bundle.without_ingredients is not None
    assert 0 < config.calibrated(0.1) < 1


def test_two_recipe_models_write_together(made: tuple[Bundle, Path]) -> None:
    bundle, folder = made
    assert bundle.members == (bundle.folder / "story-2",)
    pipeline = VisualPipeline.load(bundle, encoder=MadeUpEncoder(make_recipe(2000, 0)))
    (other,) = pipeline.writer.members
    alone = StoryWriter.load(folder / "seed-0" / "story-2").model
    first, second, trained = (m.output.linear.weight for m in (pipeline.writer.model, other, alone))
    assert bool((first != second).any()), "they learnt with different seeds"
    assert bool((second == trained.half().float()).all())
    assert pipeline.without_ingredients.members == ()


def test_a_second_run_only_reads(made: tuple[Bundle, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is watched, and nothing learnt, twice."""
    bundle, folder = made
    before = (bundle.story / "weights.safetensors").read_bytes()
    monkeypatch.setattr(drawn_features, "EffNetEncoder", None)  # would fail
    monkeypatch.setattr("cookscribe.learning.proposals.out_of_fold.propose_folder", None)
    states = {path: path.stat().st_mtime_ns for path in folder.rglob("state.safetensors")}
    again = build_kitchen_bundle(RUN, folder, quiet=True)
    assert (again.story / "weights.safetensors").read_bytes() == before
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("state.safetensors")} == states


def test_it_counts_as_a_bundle_only_when_its_last_part_is_written(
    made: tuple[Bundle, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a new bundle nor one that is made again is taken for whole while a part is still to be written."""
    bundle, folder = made
    trained = folder / "seed-0"
    parts = trained / "proposals", trained / "story", "# card", tmp_path / "bundle"
    readings = {"story": {"beam": 3}}

    def out_of_power(part: Path, _: object) -> None:
        assert part == tmp_path / "bundle" / "story"
        raise InterruptedError

    for again in (False, True):
        with monkeypatch.context() as patch:
            patch.setattr("cookscribe.learning.packing.store_decoding", out_of_power)
            with pytest.raises(InterruptedError):
                pack(bundle.config, *parts, decodings=readings)
        with pytest.raises(MissingFileError, match="is not a bundle"):
            Bundle.open(tmp_path / "bundle")
        whole = pack(bundle.config, *parts, decodings=readings)
        assert Bundle.open(whole.folder).config == bundle.config, f"made again: {again}"
        assert StoryWriter.load(whole.story).config.decoding.beam == 3


def test_a_bundle_of_too_many_voices_or_of_the_wrong_features_is_refused(
    made: tuple[Bundle, Path], tmp_path: Path
) -> None:
    bundle, _ = made
    folder = Path(shutil.copytree(bundle.folder, tmp_path / "bundle"))
    encoder = MadeUpEncoder(make_recipe(2000, 0))
    encoder.width = WIDTH + 1
    with pytest.raises(BadFileError, match=f"proposals: reads {WIDTH} columns"):
        VisualPipeline.load(Bundle.open(folder), encoder=encoder)
    for number in range(2, 99):
        (folder / f"story-{number}").mkdir(exist_ok=True)
    with pytest.raises(BadFileError, match="more than 16 members"):
        VisualPipeline.load(Bundle.open(folder), encoder=MadeUpEncoder(make_recipe(2000, 0)))


def test_a_cut_goes_with_its_video_into_the_same_fold(made: tuple[Bundle, Path]) -> None:
    _, folder = made
    of_video = read_folds(folder / "seed-0" / "proposals")
    assert len(of_video) == 24
    for name, fold in of_video.items():
        assert of_video[name.partition("_cut")[0]] == fold
    assert len(read_candidate_store(folder / "seed-0" / "candidates.safetensors")[0]) == 24


def test_training_videos_come_in_two_sizes() -> None:
    heights = {picture_of(make_recipe(1000, number)).height for number in range(4)}
    assert heights == {180, 360}


def test_figures_of_held_out_films(made: tuple[Bundle, Path], tmp_path: Path) -> None:
    bundle, folder = made
    recipe = make_recipe(2000, 0, "testing", tempo=10)
    path = brightening(tmp_path / f"{recipe.id}.mp4", int(recipe.duration), 1.0)
    store = FeatureStore(tmp_path / "features")
    held_out = HeldOut({recipe.id: recipe}, {recipe.id: recipe.annotated()}, {recipe.id: path}, store)
    watched = Watched(RUN, folder)
    pipeline = VisualPipeline.load(bundle, encoder=MadeUpEncoder(recipe))
    rows, recipes = score_bundle(pipeline, held_out, (list(watched.originals.values()), watched.store))
    assert set(recipes) == {recipe.id}
    assert 0 < rows[OURS]["SODA tIoU"] <= 100
    assert rows[NEAREST]["SODA METEOR"] >= 0
    assert rows[REPHRASED]["SODA METEOR"] > rows[OURS]["SODA METEOR"]
    assert rows[REPHRASED]["SODA tIoU"] == rows[OURS]["SODA tIoU"]
    assert table_of([rows]).count("\n") == len(rows) + 2
    assert held_out.tracks.ids() == [recipe.id]


def test_held_out_recipes_of_any_seed_have_something_training_never_showed() -> None:
    usual, others = held_out_recipes(5), held_out_recipes(5, seed=4000)
    assert not {recipe.id for recipe in usual} & {recipe.id for recipe in others}
    assert all(recipe.pairs & HELD_OUT[TESTING] for recipe in (*usual, *others))


def test_means_of_several_bundles() -> None:
    def table(ours: float, nearest: float) -> dict[str, dict[str, float]]:
        return {OURS: dict.fromkeys(FIGURES, ours), NEAREST: dict.fromkeys(FIGURES, nearest)}

    tables = [table(1.0, 1.0), table(2.0, 1.0), table(6.0, 1.0)]
    lines = table_of(tables, "mean ± standard deviation, 3 bundles").splitlines()
    assert lines[0].startswith("| mean ± standard deviation, 3 bundles | SODA tIoU |")
    assert lines[2] == f"| {OURS} | " + " | ".join(["3.00 ± 2.65"] * len(FIGURES)) + " |"
    assert table_of(tables[:1]).splitlines()[0].startswith("|  | SODA tIoU |")
    assert times_the_neighbour(tables) == 3.0
    assert times_the_neighbour([{OURS: dict.fromkeys(FIGURES, 1.0)}]) is None


def test_a_neighbour_may_be_told_what_things_are_called() -> None:
    told = ("slice the onion", "fry the shallot in canola", "add the peas")
    assert by_the_list(told, ("fennel", "oil", "salt")) == ("slice the fennel", "fry the fennel in oil", "add the peas")


@pytest.mark.parametrize(("least", "expected"), [(1, {"the", "boil"}), (2, {"the"}), (3, set())])
def test_words_that_sentences_say_twice_may_be_said_again(least: int, expected: set[str]) -> None:
    words = (*SPECIALS, "the", "onion", "boil", "salt")
    told_before = ["chop the onion and the garlic", "boil water and boil it", "add salt", "peel the onion", "the the"]
    assert {words[number] for number in said_again(words, told_before, least)} == expected
