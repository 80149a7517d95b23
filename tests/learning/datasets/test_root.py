"""The whole dataset under one folder: what is missing is named, and only when it is needed."""

import json
from pathlib import Path

import pytest

from cookscribe.errors import BadValueError, MissingFileError
from cookscribe.learning.datasets.root import FILES, YouCook2


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "youcook2"
    (folder / "annotations").mkdir(parents=True)
    steps = [{"segment": [1, 2], "id": 0, "sentence": "boil the egg"}]
    database = {
        name: {"duration": 9.0, "subset": split, "recipe_type": "1", "annotations": steps, "ingredients": ["egg"]}
        for name, split in (("a", "training"), ("b", "validation"))
    }
    (folder / FILES["ingredients"]).write_text(json.dumps({"database": database}))
    return tmp_path


def test_the_root_may_be_named_from_outside_or_inside(root: Path) -> None:
    assert YouCook2(root).root == YouCook2(root / "youcook2").root == root / "youcook2"
    with pytest.raises(MissingFileError, match="annotations"):
        YouCook2(root / "nowhere")


def test_splits(root: Path) -> None:
    data = YouCook2(root)
    assert list(data.videos()) == ["a", "b"]
    assert list(data.videos("validation")) == ["b"]
    assert data.videos("training")["a"].ingredients == ("egg",)
    for split in ("testing", "train"):
        with pytest.raises(BadValueError, match=split):
            data.videos(split)


def test_missing_files_are_named_when_needed(root: Path) -> None:
    data = YouCook2(root)
    assert [name for name, there in data.present().items() if there] == ["ingredients"]
    for call, name in [
        (lambda: data.videos(ingredients=False), "annotations"),
        (data.lengths, "lengths"),
        (data.testing_ids, "testing ids"),
        (data.recipe_names, "recipe names"),
        (data.actions, "actions"),
        (lambda: data.aligned("val"), "aligned val"),
        (data.candidates, "candidates"),
        (lambda: data.transcripts("recognised"), "timed transcripts"),
        (lambda: data.transcripts("spread"), "untimed transcripts"),
    ]:
        with pytest.raises(MissingFileError, match=Path(FILES[name]).name):
            call()
