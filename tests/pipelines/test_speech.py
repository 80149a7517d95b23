"""The shipped bundle of narrated films: small, in half precision, and it knows what is talked about."""

import numpy as np
import pytest
import torch

from cookscribe.bundle import Bundle, find_bundle
from cookscribe.model_folder import read_tensors
from cookscribe.pipelines.speech import SpeechPipeline, named_in
from cookscribe.recipe import Recipe, Video
from cookscribe.scribe import assemble
from cookscribe.senses.transcripts import Transcript
from cookscribe.story import StoryStep

TALK = (
    (20.0, "hello everybody and welcome today we make pancakes"),
    (35.0, "first crack two eggs into a bowl and add the milk"),
    (55.0, "then add the flour the sugar and a pinch of salt and whisk everything"),
    (85.0, "now melt the butter in a hot frying pan"),
    (105.0, "pour some of the batter into the pan"),
    (125.0, "when you see bubbles flip the pancake over and cook the other side"),
    (150.0, "put the pancakes on a plate and pour the maple syrup over them"),
    (175.0, "thank you for watching and see you next week"),
)


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return find_bundle("youcook2-speech")


@pytest.fixture(scope="module")
def recipe(bundle: Bundle) -> Recipe:
    ends = [start for start, _ in TALK[1:]] + [190.0]
    transcript = Transcript.from_segments(
        (start, min(end, start + 12.0), text) for (start, text), end in zip(TALK, ends, strict=True)
    )
    draft = SpeechPipeline.load(bundle).draft_of(transcript, 200.0)
    return assemble(draft, bundle.config, Video(name="pancakes.mp4", duration=200.0), "Pancakes", listed=False)


def test_pancakes(recipe: Recipe) -> None:
    text = " ".join(step.sentence for step in recipe.steps)
    assert 3 <= len(recipe.steps) <= 10
    named = [word for word in ("egg", "milk", "flour", "butter", "batter", "pancake", "syrup") if word in text]
    assert len(named) >= 4, text
    assert len({step.sentence for step in recipe.steps}) == len(recipe.steps)
    assert set(recipe.ingredients) & {"eggs", "milk", "flour", "butter"}


def test_talk_of_other_things_is_weak_evidence(bundle: Bundle, recipe: Recipe) -> None:
    text = (
        "the second half started with a corner and the keeper came out but missed the ball the defender cleared it off "
        "the line and the crowd went wild ten minutes later the captain scored from a free kick outside the box it was "
        "his twelfth goal of the season and he ran to the fans the referee looked at the screen and gave the goal"
    )
    draft = SpeechPipeline.load(bundle).draft_of(Transcript.from_text(text, 60.0), 60.0)
    other = assemble(draft, bundle.config, Video(name="match.mp4", duration=60.0), "Match", listed=False)
    assert any("weak" in note for note in other.warnings)
    assert not any("weak" in note for note in recipe.warnings)


def test_it_is_small(bundle: Bundle) -> None:
    files = [path for path in bundle.folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 20 * 2**20
    weights, _ = read_tensors(bundle.story / "weights.safetensors")
    assert {value.dtype for value in weights.values()} <= {torch.float16, torch.int64}
    assert "## Figures" in (bundle.folder / "README.md").read_text()


def test_the_list_of_a_recipe_holds_a_name_once() -> None:
    told = [
        StoryStep(n, np.array([n, n + 1.0]), text, np.zeros(2), -1.0)
        for n, text in enumerate(("chop the onions", "fry the onion in butter", "serve"))
    ]
    assert named_in(told, ("onion", "onions", "butter", "rice")) == ["onion", "butter"]
