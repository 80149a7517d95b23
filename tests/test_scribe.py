"""The main job from film to recipe, with tiny models: bundle, library call, command, many films, wrong ones."""

import json
import os
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from cookscribe.bundle import Bundle, find_bundle
from cookscribe.cli.write import check_names
from cookscribe.encoders import Progress
from cookscribe.errors import BadFileError, BadValueError, CookscribeError, InputError, MissingFileError
from cookscribe.learning.proposals.run import ProposalRun, train_proposals
from cookscribe.learning.story_run import StoryRun, train_story
from cookscribe.pipelines.visual import VisualPipeline
from cookscribe.recipe import Recipe
from cookscribe.scribe import Scribe, clean_ingredients, title_of
from cookscribe.track import FeatureTrack
from cookscribe.video import VideoFile, probe
from tests.broken_films import brightening, cut, streamable
from tests.command import run_command
from tests.learning.story_kitchen import WIDTH, video, write_kitchen

FILM = 3  # which made-up video the film stands for


class MadeUpEncoder:
    """Sees in every film the made-up video `FILM`, so that no real network is needed."""

    name, width = "made-up", WIDTH

    def encode(self, film: VideoFile, progress: Progress) -> FeatureTrack:
        film.warn("the light was poor")
        progress(film.duration)
        return video(FILM)[1]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """A bundle made by the command from two models of a few seconds' training."""
    folder = tmp_path_factory.mktemp("scribe")
    config = write_kitchen(folder)
    model = {"width": 32, "feedforward": 32, "frames": 32, "queries": 8, "caption_width": 16, "caption_length": 8}
    run = ProposalRun(
        data="truth.json", features="features", model=model, training={"epochs": 2, "batch_size": 8}, min_count=1
    )
    train_proposals(run, folder, folder / "proposals", quiet=True)
    train_story(StoryRun.load(config), folder, folder / "story", quiet=True)
    words = ["--proposals", folder / "proposals", "--story", folder / "story", "--name", "tiny"]
    assert "reads made-up features" in run_command("bundle", *words, "--out", folder / "bundle")
    return Bundle.open(folder / "bundle")


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return brightening(tmp_path_factory.mktemp("films") / "red_onion-soup.mp4", int(video(FILM)[0].duration))


def made_up_scribe(bundle: Bundle) -> Scribe:
    return Scribe(bundle, open_pipeline=lambda found, _: VisualPipeline.load(found, encoder=MadeUpEncoder()))


@pytest.fixture
def made_up_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The command sees what the made-up encoder sees."""
    monkeypatch.setattr("cookscribe.pipelines.visual.load_encoder", lambda *_: MadeUpEncoder())


@pytest.fixture
def scribe(bundle: Bundle) -> Scribe:
    return made_up_scribe(bundle)


def test_a_bundle_is_half_precision_and_leaves_the_training_behind(bundle: Bundle) -> None:
    with safe_open(bundle.story / "weights.safetensors", framework="pt") as weights:
        assert {weights.get_tensor(name).dtype for name in weights.keys()} == {torch.float16}  # noqa: SIM118
    kept = {path.name for path in bundle.proposals.iterdir()}
    assert kept == {"config.json", "vocabulary.json", "weights.safetensors"}
    assert bundle.config.simulated
    assert "simulated kitchen only" in (bundle.folder / "README.md").read_text()


def test_a_recipe_with_evidence(scribe: Scribe, film: Path) -> None:
    truth = video(FILM)[0]
    stages: list[str] = []
    recipe = scribe.write(film, truth.ingredients, stage=lambda name, _: stages.append(name))
    assert recipe.title == "Red onion soup"
    assert recipe.steps
    assert recipe.video.duration == pytest.approx(truth.duration, abs=0.6)
    assert len(recipe.evidence.candidates) == 8
    assert {c.step for c in recipe.evidence.candidates} - {None} == set(range(len(recipe.steps)))
    for step, seen in zip(recipe.steps, recipe.evidence.steps, strict=True):
        assert len(seen.change) == len(truth.ingredients)
        assert 0 <= (step.confidence or 0) <= 1
        assert all(name in step.sentence or set(name.split()) & set(step.sentence.split()) for name in step.ingredients)
    assert recipe.warnings[0] == "the light was poor"
    assert any("simulated kitchen" in note for note in recipe.warnings)
    assert any("not a drawn one" in note for note in recipe.warnings)  # its confidences are those of drawn films
    assert list(dict.fromkeys(stages)) == ["watching", "proposing", "writing"]


def test_a_bundle_of_recipe_models_that_write_together(bundle: Bundle, film: Path, tmp_path: Path) -> None:
    words = ["--proposals", bundle.proposals, "--story", bundle.story, "--story", bundle.story, "--name", "two"]
    run_command("bundle", *words, "--out", tmp_path / "two")
    made = Bundle.open(tmp_path / "two")
    assert made.members == (made.folder / "story-2",)
    assert "2 that write together" in (made.folder / "README.md").read_text()
    together, alone = (made_up_scribe(each).write(film) for each in (made, bundle))
    # The same model twice says what it says alone.
    assert [step.sentence for step in together.steps] == [step.sentence for step in alone.steps]


def test_without_ingredients_it_still_writes_and_says_so(scribe: Scribe, film: Path) -> None:
    recipe = scribe.write(film)
    assert recipe.steps
    assert recipe.ingredients == ()
    assert any("no ingredients were given" in note for note in recipe.warnings)


def test_names_it_has_never_read_are_pointed_out(scribe: Scribe, film: Path) -> None:
    notes = scribe.write(film, ["rice", "xyzzy"]).warnings
    assert any("never read of xyzzy:" in note for note in notes)
    assert not any("never read of" in note for note in scribe.write(film, ["rice"]).warnings)


def test_the_same_film_twice_gives_the_same_recipe(scribe: Scribe, film: Path) -> None:
    assert scribe.write(film, ["rice"]) == scribe.write(film, ["rice"])


@pytest.mark.usefixtures("made_up_encoder")
def test_the_command_writes_only_what_was_asked_for(bundle: Bundle, film: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_text("not a film")
    options = ["--model", bundle.folder, "--ingredients", "rice, carrots", "--formats", "json,html"]
    printed = run_command("write", film, broken, *options, "--out", tmp_path / "out", exit_code=2)
    for words in ("Red onion soup", "broken.mp4", "1 of 2 videos failed"):
        assert words in printed
    made = {path.name for path in (tmp_path / "out").iterdir()}
    assert made == {"red_onion-soup.html", "red_onion-soup.recipe.json"}
    recipe = Recipe.load(tmp_path / "out" / "red_onion-soup.recipe.json")
    assert recipe.ingredients == ("rice", "carrots")
    assert (tmp_path / "out" / "red_onion-soup.html").read_text().count("data:image/jpeg") == len(recipe.steps)


@pytest.mark.usefixtures("made_up_encoder")
def test_a_film_cut_short_says_so_and_no_step_is_after_its_end(bundle: Bundle, film: Path, tmp_path: Path) -> None:
    path = cut(streamable(film, tmp_path / "whole.mp4"), tmp_path / "film.mp4", 0.8)
    readable = probe(path).readable
    assert 1 < readable < video(FILM)[0].duration - 2
    words = [path, "--model", bundle.folder, "--formats", "json,html", "--out", tmp_path / "out"]
    printed = run_command("write", *words)
    recipe = Recipe.load(tmp_path / "out" / "film.recipe.json")
    assert recipe.steps
    assert max(step.span.end for step in recipe.steps) <= recipe.video.duration == readable
    page = (tmp_path / "out" / "film.html").read_text()
    for text in (printed, " ".join(recipe.warnings), page):
        assert f"only the first {readable:.1f} s can be read" in " ".join(text.split())


def refused(*words: object) -> str:
    """What `cookscribe write` says, without having loaded or written anything."""
    with pytest.raises(InputError) as caught:
        run_command("write", *words)
    return str(caught.value)


def test_films_whose_files_would_be_the_same_are_refused_before_the_work(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cookscribe.cli.write.find_scribe", lambda *_: pytest.fail("a model was loaded"))
    names = ("a/dinner.mp4", "b/dinner.mp4", "c/dinner.mkv", "d/Dinner.mp4", "e/caf\u00e9.mp4", "f/cafe\u0301.mp4")
    paths = [tmp_path / name for name in (*names, "soup.mp4", "soup.chapters.mp4")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(film.read_bytes())
    *dinners, one, other, soup, copy = paths
    for second in dinners[1:]:
        assert f"has the same name as {dinners[0]}" in refused(dinners[0], second, "--out", tmp_path / "o")
    assert "has the same name" in refused(one, other, "--formats", "json", "--out", tmp_path / "o")
    assert "would replace it" in refused(soup, copy, "--formats", "mp4", "--out", tmp_path)
    assert not (tmp_path / "o").exists()


def test_names_that_cannot_be_written_are_refused_before_the_work(
    film: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cookscribe.cli.write.find_scribe", lambda *_: pytest.fail("a model was loaded"))
    long = tmp_path / f"{'l' * 245}.mp4"
    long.write_bytes(film.read_bytes())
    said = refused(long, "--formats", "json", "--out", tmp_path / "o")
    assert long.name in said
    assert "257 bytes, more than 255" in said
    odd = tmp_path / os.fsdecode(b"so\xffup.mp4")
    for call in (lambda: VideoFile(odd), lambda: check_names([odd], (), tmp_path)):
        with pytest.raises(BadFileError, match=r"so\\xffup\.mp4: its path is not UTF-8"):
            call()
    assert [path.name for path in tmp_path.iterdir()] == [long.name]


@pytest.mark.usefixtures("made_up_encoder")
def test_films_in_parts_keep_their_pictures(bundle: Bundle, film: Path, tmp_path: Path) -> None:
    parts = [tmp_path / f"soup.part{number}.mp4" for number in (1, 2)]
    for part in parts:
        part.write_bytes(film.read_bytes())
    run_command("write", *parts, parts[0], "--model", bundle.folder, "--formats", "json,md", "--out", tmp_path / "out")
    made = {path.name for path in (tmp_path / "out").iterdir()}
    steps = len(Recipe.load(tmp_path / "out" / "soup.part1.recipe.json").steps)
    for part in ("soup.part1", "soup.part2"):
        pictures = {f"{part}-step-{number}.jpg" for number in range(1, steps + 1)}
        assert {f"{part}.recipe.json", f"{part}.md"} | pictures == {name for name in made if name.startswith(part)}
        assert f"![step 1]({part}-step-1.jpg)" in (tmp_path / "out" / f"{part}.md").read_text()
    assert all(name.startswith(("soup.part1", "soup.part2")) for name in made)


@pytest.mark.usefixtures("made_up_encoder")
def test_the_limits_of_a_film_can_be_raised(bundle: Bundle, film: Path, tmp_path: Path) -> None:
    words = [film, "--model", bundle.folder, "--max-pixels"]
    assert "64 x 48 pixels, more than the limit of 3000 (raise it with --max-pixels" in refused(*words, 3000)
    run_command("write", *words, 64 * 48)
    assert "raise it with --max-seconds" in refused(film, "--model", bundle.folder, "--max-seconds", 0.5)
    assert "watches films" in refused(film, "--model", bundle.folder, "--transcript", tmp_path / "said.vtt")


@pytest.mark.usefixtures("made_up_encoder")
def test_wrong_input_is_named(bundle: Bundle, film: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError) as missing:
        run_command("write", tmp_path / "none.mp4", "--model", bundle.folder)
    assert missing.value.exit_code == 2
    with pytest.raises(BadValueError):
        run_command("write", film, "--model", "no-such-model")
    with pytest.raises(CookscribeError):
        run_command("write", film, "--model", tmp_path)
    with pytest.raises(BadValueError):
        run_command("write", film, "--model", bundle.folder, "--formats", "docx")
    with pytest.raises(BadValueError, match="more than 60"):
        clean_ingredients([f"spice {n}" for n in range(61)])


def test_a_damaged_bundle_is_a_typed_error(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "bundle.json").write_text(json.dumps({"format": 2, "name": "x", "encoder": "effnet"}))
    with pytest.raises(CookscribeError, match="format"):
        find_bundle(copy)


def test_ingredients_are_made_printable() -> None:
    assert clean_ingredients([" salt ", "sa\x1b[31mlt", "", "\x07", "black\n pepper"]) == ["salt", "black pepper"]
    with pytest.raises(BadValueError, match="has 1000 characters"):
        clean_ingredients(["salt", "x" * 1000])


def test_titles() -> None:
    assert title_of(Path("my_tomato-soup.mp4")) == "My tomato soup"
    assert title_of(Path("___.mp4")) == "Recipe"
    assert title_of(Path("tomato\x1b[31m\nsoup\udc80.mp4")) == "Tomato soup\N{REPLACEMENT CHARACTER}"
