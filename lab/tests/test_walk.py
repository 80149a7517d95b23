"""The way from a drawn film to its recipe stays short: how much is loaded, and how much must be read to follow it."""

from pathlib import Path

import pytest

from cookscribe_lab.walk import MOST, Walk, draw_short_film, walk


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return walk(draw_short_film(tmp_path_factory.mktemp("walk") / "film.mp4"))


@pytest.mark.parametrize("name", MOST)
def test_the_walk_is_short(found: Walk, name: str) -> None:
    modules, lines = found.figures()[name]
    assert modules <= MOST[name][0], sorted(vars(found)[name])
    assert lines <= MOST[name][1], vars(found)[name]


def test_the_walk_is_the_papers(found: Walk) -> None:
    paper = ("recipe_model", "selector", "generator", "memory", "mixing", "simulator", "attention", "decoding")
    stations = ["scribe", "pipelines.visual", "encoders.effnet", "proposals.pdvc.pdvc", "candidates", "recipe"]
    assert {*stations, *(f"model.{name}" for name in paper)} <= found.read.keys() <= found.imported.keys()
    assert not any(name.startswith(("learning", "evaluation", "senses")) for name in found.imported)
    assert "model.beyond.planner" in found.imported


def test_a_recipe_was_written(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="exit status"):
        walk(tmp_path / "no-film.mp4")
