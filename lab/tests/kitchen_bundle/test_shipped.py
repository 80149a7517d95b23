"""The bundle that is shipped: what it weighs, what it says of itself, and that it reads a film it has never seen."""

from pathlib import Path

import pytest
import torch

from cookscribe.bundle import Bundle, find_bundle, shipped
from cookscribe.evaluation.soda import soda_tiou
from cookscribe.model_folder import read_tensors
from cookscribe.scribe import load
from cookscribe_lab.kitchen_bundle.scores import events_of
from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_video
from cookscribe_lab.kitchen_films.recipes import make_recipe

MOST_BYTES = 26 * 2**20  # four recipe models, three of which write together
ALL_BYTES = 40 * 10**6


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return find_bundle("kitchen")


def test_it_is_small_and_half_precision(bundle: Bundle) -> None:
    size = sum(path.stat().st_size for path in bundle.folder.rglob("*") if path.is_file())
    assert size <= MOST_BYTES
    for folder in (bundle.proposals, bundle.story, *bundle.members):
        tensors, _ = read_tensors(folder / "weights.safetensors")
        assert all(value.dtype != torch.float32 for value in tensors.values())
        assert any(value.dtype == torch.float16 for value in tensors.values())


def test_all_are_there_and_small_together() -> None:
    assert sorted(shipped()) == ["auto", "kitchen", "youcook2-sight", "youcook2-speech"]
    everything = sum(
        path.stat().st_size for name in shipped() for path in find_bundle(name).folder.rglob("*") if path.is_file()
    )
    assert everything <= ALL_BYTES


def test_it_says_what_it_is(bundle: Bundle) -> None:
    assert bundle.config.simulated
    assert bundle.config.calibration is not None
    card = (bundle.folder / "README.md").read_text()
    for word in ("simulated", "Limits", "cookscribe kitchen bundle", "cookscribe kitchen evaluate"):
        assert word in card


def test_it_reads_a_film_it_has_never_seen(tmp_path: Path) -> None:
    """One short film, far brisker than those it learnt from."""
    made_up = make_recipe(6000, 0, "testing", tempo=10)
    film = draw_video(made_up, tmp_path / "film.mp4", Picture(180))
    scribe = load("kitchen")
    recipe = scribe.write(film, made_up.names)
    assert recipe.made_by.simulated
    truth = {"film": made_up.annotated().spans}
    assert soda_tiou(truth, {"film": events_of(recipe).spans}) > 45
    used = {name for step in recipe.steps for name in step.ingredients}
    assert len(used) >= len(made_up.names) / 2
