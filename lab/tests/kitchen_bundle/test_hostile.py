"""Bundles that are damaged or mean harm: a typed error that names the file, before anything large is made."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cookscribe.bundle import Bundle, find_bundle
from cookscribe.errors import InputError
from cookscribe.scribe import load_pipeline


def changed(name: str, *place: str, value: Any) -> tuple[str, Callable[[Path], None]]:
    """A JSON file with another value in one place."""

    def change(path: Path) -> None:
        content = json.loads(path.read_text())
        inner = content
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value
        path.write_text(json.dumps(content))

    return name, change


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def endless(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def grown(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(2**40)


def not_finite(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-2000] + b"\xff\x7f" * 1000)


PARTS = (
    "bundle.json",
    "listener/words.json",
    "listener/vectors.safetensors",
    "listener/ingredients.json",
    "spans/config.json",
    "spans/weights.safetensors",
    "story/config.json",
    "story/vocabulary.json",
    "story/weights.safetensors",
)
CASES: list[tuple[str, Callable[[Path], None]]] = [
    changed("bundle.json", "rate", value=1e9),
    changed("bundle.json", "rate", value=1e-300),
    changed("bundle.json", "calibration", value=[1e308, -1e308]),
    changed("bundle.json", "weak", value=1e300),
    changed("spans/config.json", "config", "bins", value=10**6),
    changed("spans/config.json", "config", "width", value=8000),
    changed("spans/config.json", "config", "layers", value=60),
    changed("story/config.json", "config", "model", "width", value=10**9),
    changed("story/config.json", "config", "model", "feature_size", value=2**17),
    changed("story/config.json", "config", "decoding", "beam", value=10**9),
    changed("story/config.json", "config", "decoding", "max_words", value=10**9),
    changed("story/config.json", "config", "decoding", "again", value=[10**6]),
    changed("story/config.json", "config", "decoding", "length_penalty", value=1e308),
    changed("story/vocabulary.json", "words", value=["[PAD]", "[BOS]", "[EOS]", "[UNK]", "salt"]),
    ("listener/words.json", lambda path: path.write_text('["salt", 1]') and None),
    *[(name, what) for name in PARTS for what in (cut, endless, pipe, grown)],
    *[(name, Path.unlink) for name in PARTS],
    *[(name, not_finite) for name in PARTS if name.endswith("safetensors")],
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices are Unix's")
@pytest.mark.parametrize(("name", "change"), CASES)
def test_it_is_refused_and_the_file_is_named(tmp_path: Path, name: str, change: Callable[[Path], None]) -> None:
    folder = Path(shutil.copytree(find_bundle("youcook2-speech").folder, tmp_path / "bundle"))
    change(folder / name)
    with pytest.raises(InputError) as caught:
        load_pipeline(find_bundle(folder))
    # Where widths do not fit, the configuration is right by itself and the weights are those that do not belong to it.
    names = {str(folder / name), str((folder / name).with_name("weights.safetensors")), str(folder)}
    assert caught.value.subject in (names if "config" in name or change is Path.unlink else {str(folder / name)})


def test_an_encoder_that_nobody_knows_is_the_bundles_fault(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(find_bundle("kitchen").folder, tmp_path / "bundle"))
    changed("bundle.json", "encoder", value="crystal ball")[1](folder / "bundle.json")
    with pytest.raises(InputError, match="no encoder of this name") as caught:
        load_pipeline(Bundle.open(folder))
    assert caught.value.subject == str(folder / "bundle.json")
