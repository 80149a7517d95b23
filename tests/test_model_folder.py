"""Model folders: what is saved comes back, and nothing hostile, damaged or too large is let in."""

import json
import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from cookscribe.config import Config
from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.learning.state import fingerprint, write_description, write_weights
from cookscribe.model.presets import preset
from cookscribe.model.recipe_model import RecipeModel
from cookscribe.model_folder import _ShapesAlone, open_model, read_tensors
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.pdvc import PDVC
from cookscribe.proposals.spans import SpanConfig, SpanModel
from cookscribe.text.vocabulary import Vocabulary
from harmful import Harmful

WORDS = Vocabulary.build(["salt and pepper"], min_count=1)


class ThingConfig(Config):
    width: int = 3


def saved(folder: Path) -> nn.Module:
    model = nn.Linear(3, 2)
    write_description(folder, "thing", ThingConfig().model_dump(), WORDS, {"seed": 1})
    write_weights(folder, model)
    return model


def test_a_model_folder_round_trips(tmp_path: Path) -> None:
    model = saved(tmp_path)
    found = open_model(tmp_path, "thing")
    other = nn.Linear(3, 2)
    found.build(lambda: other)
    assert fingerprint(other.state_dict()) == fingerprint(model.state_dict())
    assert found.vocabulary == WORDS
    assert ThingConfig.parse(found.config) == ThingConfig()
    assert found.made == {"seed": 1}
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}


def test_tied_weights_can_be_saved(tmp_path: Path) -> None:
    model = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
    model[1].weight = model[0].weight
    write_description(tmp_path, "thing", {}, None, {})
    write_weights(tmp_path, model)
    open_model(tmp_path, "thing").build(lambda: model)
    assert model[1].weight is model[0].weight


@pytest.mark.parametrize("how", ["pickle", "torch"])
def test_a_hostile_checkpoint_is_refused_and_runs_nothing(tmp_path: Path, how: str) -> None:
    saved(tmp_path)
    marker, path = tmp_path / "ran", tmp_path / "weights.safetensors"
    if how == "pickle":
        path.write_bytes(pickle.dumps(Harmful(marker)))
    else:
        torch.save({"weight": Harmful(marker)}, path)
    with pytest.raises(BadFileError, match="not a whole safetensors file"):
        open_model(tmp_path, "thing").build(lambda: nn.Linear(3, 2))
    assert not marker.exists()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_damaged_weights_load_or_give_a_typed_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    saved(folder)
    path = folder / "weights.safetensors"
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    # Anything but a typed error fails the test.
    with suppress(BadFileError):
        open_model(folder, "thing").build(lambda: nn.Linear(3, 2))


def test_wrong_folders_say_what_is_wrong(tmp_path: Path) -> None:
    saved(tmp_path)
    with pytest.raises(MissingFileError, match="no such model folder"):
        open_model(tmp_path / "nowhere", "thing")
    with pytest.raises(BadFileError, match="is a 'thing' model, not a 'story' model"):
        open_model(tmp_path, "story")
    with pytest.raises(BadFileError, match=r"has shape \(2, 3\), not \(2, 4\)"):
        open_model(tmp_path, "thing").build(lambda: nn.Linear(4, 2))
    model = nn.Linear(3, 2)
    model.add_module("extra", nn.Linear(1, 1))
    with pytest.raises(BadFileError, match=r"lacks 'extra\.bias'"):
        open_model(tmp_path, "thing").build(lambda: model)
    (tmp_path / "config.json").write_text('{"format": 99, "kind": "thing", "config": {}}')
    with pytest.raises(BadFileError, match="update cookscribe"):
        open_model(tmp_path, "thing")
    with pytest.raises(MissingFileError):
        read_tensors(tmp_path / "none.safetensors")


def test_a_model_that_would_be_too_large_is_never_made(tmp_path: Path) -> None:
    """The header is compared first: neither a large model nor a large file takes any room."""
    saved(tmp_path)
    made: list[bool] = []

    def huge() -> nn.Module:
        model = nn.Linear(2**20, 2**20)  # four terabytes
        made.append(model.weight.is_meta)
        return model

    with pytest.raises(BadFileError, match=r"has shape \(2,\), not \(1048576,\)|has shape \(2, 3\)"):
        open_model(tmp_path, "thing").build(huge)
    assert made == [True]
    with (tmp_path / "weights.safetensors").open("r+b") as file:
        file.truncate(2**41)  # a hole
    with pytest.raises(BadFileError, match=r"weights\.safetensors: is larger than 1,024 MiB"):
        open_model(tmp_path, "thing").build(lambda: nn.Linear(3, 2))


def _with_header(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    change(header)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + raw[8 + size :])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda header: header["bias"].update(dtype="F64"), "'bias' has the type F64"),
        (lambda header: header["bias"].update(dtype="I32"), "'bias' has the type I32"),
        (lambda header: header["bias"].update(shape=[10**12]), r"'bias' has shape \(1000000000000,\)"),
        (lambda header: header["bias"].update(shape="wide"), "'bias' has shape"),
        (lambda header: header["bias"].pop("dtype"), "header is damaged"),
        (lambda header: header.update(more=header["bias"]), "unknown 'more'"),
        (lambda header: header.pop("bias"), "lacks 'bias'"),
        (lambda header: header["bias"].update(data_offsets=[0, 2**40]), "not a whole safetensors file"),
    ],
)
def test_a_header_must_tell_what_the_model_is(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], says: str
) -> None:
    saved(tmp_path)
    _with_header(tmp_path / "weights.safetensors", change)
    with pytest.raises(BadFileError, match=says) as caught:
        open_model(tmp_path, "thing").build(lambda: nn.Linear(3, 2))
    assert caught.value.subject == str(tmp_path / "weights.safetensors")


@pytest.mark.parametrize("size", [0, 1, 10**6, 2**40, 2**64 - 1])
def test_a_header_that_lies_about_its_length(tmp_path: Path, size: int) -> None:
    saved(tmp_path)
    path = tmp_path / "weights.safetensors"
    path.write_bytes(size.to_bytes(8, "little") + path.read_bytes()[8:])
    with pytest.raises(BadFileError, match="not a whole safetensors file"):
        open_model(tmp_path, "thing").build(lambda: nn.Linear(3, 2))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices are Unix's")
@pytest.mark.parametrize("name", ["config.json", "weights.safetensors", "vocabulary.json"])
@pytest.mark.parametrize("what", ["pipe", "device", "folder"])
def test_a_part_that_is_no_file_is_named_at_once(tmp_path: Path, name: str, what: str) -> None:
    saved(tmp_path)
    path = tmp_path / name
    path.unlink()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    with pytest.raises(BadFileError, match="not a regular file") as caught:
        open_model(tmp_path, "thing").build(lambda: nn.Linear(3, 2))
    assert caught.value.subject == str(path)


def test_real_models_are_described_without_being_made() -> None:
    """What is compared with a header is exactly what the model has."""
    makers: list[Callable[[], nn.Module]] = [
        lambda: RecipeModel(preset("small-bivt", copying=True, copy_layers=1, width=48, word_vector_size=12)),
        lambda: RecipeModel(preset("paper-b", relative="fixed", absolute=True, output="transform", width=48)),
        lambda: PDVC(ProposalConfig.preset("small", words=9)),
        lambda: PDVC(ProposalConfig.preset("paper", words=9, width=64, count_head="classes")),
        lambda: SpanModel(SpanConfig(feature_size=5, words=("add", "now"))),
    ]
    for make in makers:
        with _ShapesAlone():
            described = make().state_dict()
        expected = make().state_dict()
        assert list(described) == list(expected)
        for name, value in expected.items():
            assert (described[name].shape, described[name].dtype) == (value.shape, value.dtype), name


def test_weights_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    write_description(tmp_path, "thing", {}, None, {})
    model = nn.Linear(3, 2)
    nn.init.constant_(model.bias, float("nan"))
    write_weights(tmp_path, model)
    with pytest.raises(BadFileError, match="'bias' contains numbers that are not finite"):
        open_model(tmp_path, "thing").build(lambda: nn.Linear(3, 2))
