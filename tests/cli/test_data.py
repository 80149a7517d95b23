"""`cookscribe data` on a small made-up folder in the published layout."""

import json
from pathlib import Path
from typing import Any

import pytest

from cookscribe.errors import MissingFileError
from cookscribe.learning.datasets.root import FILES
from tests.command import run_command

STEPS = [
    {"segment": [1, 4], "id": 0, "sentence": "boil the eggs"},
    {"segment": [6, 9], "id": 1, "sentence": "salt the eggs and serve"},
]


def put(root: Path, name: str, value: Any) -> None:
    path = root / FILES[name]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    database = {
        name: {
            "duration": 10.0,
            "subset": split,
            "recipe_type": "1",
            "annotations": STEPS,
            "ner": [["boil/Ac", "eggs/F"], ["salt/Ac", "eggs/F", "serve/Ac"]],
            "ingredients": ["eggs"],
        }
        for name, split in (("one", "training"), ("two", "validation"))
    }
    put(folder, "ingredients", {"database": database})
    event = {"timestamp": [1, 4], "proposal_score": 0.5, "vid_duration": 10.0, "pred_event_count": 1}
    put(folder, "candidates", {"results": {"v_two": [event]}})
    put(folder, "actions", ["boil", "salt", "serve"])
    svpc = {
        "duration": 10.0,
        "timestamps": [step["segment"] for step in STEPS],
        "sentences": [step["sentence"] for step in STEPS],
        "ingredients": ["eggs", "oil"],
        "alignment": [[1, 1], [1, 0]],
        "action": [{"boil": 0}, {"salt": 1}],
    }
    for cut in ("train", "val", "test"):
        put(folder, f"aligned {cut}", {"one": svpc})
    return folder


def test_show(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    assert "MISSING" in run_command("data", "show", "--data", root, "--json", out)
    figures = json.loads(out.read_text())
    assert figures["splits"]["validation"] == {
        "videos": 1,
        "steps": 2,
        "ingredients": 1,
        "% named in the sentences": 100.0,
        "correlation of their number with that of the steps": 0.0,
    }
    assert figures["oracle"]["paper"]["labels without overlap"] == 1
    assert figures["oracle"]["story"]["steps without a label"] == 1
    assert figures["oracle"]["story"]["mean tIoU (%)"] == 50.0


def test_matching(root: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    assert "66.667" in run_command("data", "matching", "--data", root, "--json", out)
    figures = json.loads(out.read_text())
    ingredients = figures["ingredients, and parts: SVPC val"]
    assert ingredients["precision"] == 100.0
    assert ingredients["recall"] == pytest.approx(200 / 3)
    assert figures["actions: SVPC test"]["precision"] == pytest.approx(200 / 3)
    assert figures["actions: tags, training"]["f1"] == 100.0


def test_what_is_missing_is_named(root: Path, tmp_path: Path) -> None:
    (root / FILES["actions"]).unlink()
    with pytest.raises(MissingFileError, match=r"actions_384\.json") as missing:
        run_command("data", "matching", "--data", root)
    assert missing.value.exit_code == 2
    with pytest.raises(MissingFileError, match="nowhere"):
        run_command("data", "show", "--data", tmp_path / "nowhere")
