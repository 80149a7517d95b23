"""Files: whole or not at all, and every fault has a name."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cookscribe.errors import BadFileError, MissingFileError
from cookscribe.files import read_json, read_json_lines, read_text, replacing, write_json, write_text
from tests.killing import kill_while_saving

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(values)
@settings(max_examples=80)
def test_json_round_trip(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    path = tmp_path_factory.mktemp("json") / "value.json"
    write_json(path, value)
    assert read_json(path) == value
    assert path.read_bytes().endswith(b"\n")


@given(st.text(st.characters(codec="utf-8", exclude_characters="\ufeff\r")))
@settings(max_examples=50)
def test_text_round_trip(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("text") / "a.txt"
    write_text(path, text)
    assert read_text(path) == text


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "windows.json"
    path.write_bytes(b"\xef\xbb\xbf{}")
    assert read_json(path) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ('[{"b": {"a": 1, "a": 1}}]', "stands twice"),
        ('{"a": NaN}', "NaN"),
        ("[-Infinity]", "Infinity"),
        ("[1e999]", "too large"),
        ("[" + "9" * 400 + "]", "400 digits"),
        ("[" + "9" * 5000 + "]", "5000 digits"),
        ('["\\ud800"]', "surrogate"),
        ('{"a": [1,\n2', "line 2"),
        ("", "not JSON"),
        ("[" * 100000, "nested too deeply"),
    ],
)
def test_json_that_would_lose_or_spoil_data_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(content)
    with pytest.raises(BadFileError, match=message) as caught:
        read_json(path)
    assert "wrong.json" in str(caught.value)


def test_surrogate_pairs_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "pair.json"
    path.write_text('["\\ud83c\\udf73"]')
    assert read_json(path) == ["\U0001f373"]


@given(st.binary(max_size=60))
@settings(max_examples=80)
def test_any_bytes_are_read_or_refused_by_a_typed_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("bytes") / "any.json"
    path.write_bytes(data)
    try:
        read_json(path)
    except BadFileError as error:
        message = str(error)
    else:
        message = "any.json was JSON"
    assert "any.json" in message


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="nowhere"):
        read_text(tmp_path / "nowhere")
    with pytest.raises(BadFileError, match="folder"):
        read_text(tmp_path)
    with pytest.raises(BadFileError, match="not a file name"):
        read_text(Path("a\0b"))
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(BadFileError, match="UTF-8"):
        read_text(tmp_path / "latin")
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadFileError, match="cannot be read"):
        read_text(tmp_path / "file" / "below")


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"a": 1}\n\n[2]\n')
    assert list(read_json_lines(path)) == [(1, {"a": 1}), (3, [2])]
    path.write_text('{"a": 1}\n{"a"\n')
    with pytest.raises(BadFileError, match="line 2"):
        list(read_json_lines(path))


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "old")

    def stop_while_writing() -> None:
        with replacing(path) as temporary:
            temporary.write_text("new")
            assert (temporary.suffix, temporary.parent) == (".txt", tmp_path)
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        stop_while_writing()
    with pytest.raises(ValueError, match="JSON"):
        write_json(path, {"a": float("nan")})
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "\ud800")
    assert read_text(path) == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.txt"]


def test_folders_are_made_and_permissions_are_ordinary(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "a.txt"
    write_text(path, "x")
    plain = tmp_path / "plain.txt"
    plain.write_text("x")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    with replacing(path) as temporary:
        # As some libraries do: a private file of their own takes the place of ours.
        private = temporary.with_suffix(".own")
        private.touch(0o600)
        private.replace(temporary)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and devices are Unix's")
def test_what_may_never_end_is_refused_at_once(tmp_path: Path) -> None:
    pipe, endless = tmp_path / "pipe.json", tmp_path / "endless.json"
    os.mkfifo(pipe)
    endless.symlink_to("/dev/zero")
    for path in (pipe, endless):
        with pytest.raises(BadFileError, match="device or a pipe") as caught:
            read_json(path)
        assert caught.value.subject == str(path)


def test_a_file_has_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text('"' + "x" * 98 + '"')
    assert len(read_json(path, 100)) == 98
    with pytest.raises(BadFileError, match=r"long\.json: is larger than"):
        read_json(path, 99)
    with path.open("wb") as file:
        file.truncate(2**40)  # a hole: it takes no room
    with pytest.raises(BadFileError, match="is larger than 256 MiB"):
        read_text(path)


def _leave_behind(path: Path, how: str) -> None:
    """Let a process begin to write `path` and end in the midst of it, or not."""
    code = (
        "import os, sys, time\nfrom pathlib import Path\nfrom cookscribe.files import replacing\n"
        "with replacing(Path(sys.argv[1])) as temporary:\n"
        "    temporary.write_text('half')\n    print(flush=True)\n    time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    if how != "alive":
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # it is dead, but its number is still taken
    if how == "dead":
        process.wait()
    _running.append(process)


_running: list[subprocess.Popen[bytes]] = []


@pytest.fixture
def _no_process_stays() -> Iterator[None]:
    yield
    while _running:
        process = _running.pop()
        process.kill()
        process.wait()


@pytest.mark.usefixtures("_no_process_stays")
@pytest.mark.parametrize("how", ["dead", "not waited for"])
def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path, how: str) -> None:
    path = tmp_path / ("soup" * 20 + ".tar.gz")
    path.write_text("old")
    _leave_behind(path, how)
    assert len(list(tmp_path.iterdir())) == 2
    assert path.read_text() == "old"
    write_text(path, "new")
    assert [found.read_text() for found in tmp_path.iterdir()] == ["new"]


@pytest.mark.usefixtures("_no_process_stays")
def test_a_living_process_keeps_what_it_writes(tmp_path: Path) -> None:
    path = tmp_path / "soup.txt"
    _leave_behind(path, "alive")
    with replacing(path) as mine:
        mine.write_text("mine")
        write_text(path, "other")
        assert mine.read_text() == "mine"
    (kept,) = (found for found in tmp_path.iterdir() if found != path)
    assert kept.read_text() == "half"
    assert path.read_text() == "mine"


def test_whose_a_leftover_is_decides(tmp_path: Path) -> None:
    with replacing(tmp_path / "a.txt") as temporary:
        mine = temporary.name
    machine, process, started, token = mine.removeprefix(".a.").removesuffix(".part.txt").split("-")
    other = "0" * 8 if machine != "0" * 8 else "1" * 8
    names = {
        "number given anew": f".a.{machine}-{process}-{int(started) + 1}-{token}.part.txt",
        "of no process": f".a.{machine}-{2**22 + 5}-{started}-{token}.part",
        "old, of another machine": f".a.{other}-1-1-{token}.part.txt",
        "of another machine": f".b.{other}-1-1-{token}.part.txt",
        "a user's": ".a.part.txt",
        "a user's own": f".a.{machine}-{process}-x-{token}.part.txt",
        "mine": mine,
    }
    for name in names.values():
        (tmp_path / name).write_text("x")
    os.utime(tmp_path / names["old, of another machine"], (0, 0))
    write_text(tmp_path / "c.txt", "c")
    left = {what for what, name in names.items() if (tmp_path / name).exists()}
    assert left == {"of another machine", "a user's", "a user's own", "mine"}


def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file" / "below.txt", tmp_path / ("x" * 300), tmp_path / "a" / ("y." + "z" * 300)):
        with pytest.raises(BadFileError, match="cannot be written"):
            write_text(place, "x")
    folder = tmp_path / "folder.txt"
    folder.mkdir()
    with pytest.raises(BadFileError, match="cannot be written"):
        write_text(folder, "x")
    assert not list(tmp_path.glob(".*"))


def test_a_long_name_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 120 + ".txt")
    write_text(path, "x")
    assert read_text(path) == "x"


def test_a_writer_killed_a_hundred_times_leaves_no_corrupt_file(tmp_path: Path) -> None:
    path = tmp_path / "value.json"
    write_json(path, {"number": 0, "filling": [0] * 5000})

    def check() -> None:
        value = json.loads(path.read_text())
        assert value["filling"] == [value["number"]] * 5000

    kill_while_saving(
        path,
        "from pathlib import Path\nfrom cookscribe.files import write_json",
        "write_json(Path(sys.argv[1]), {'number': number, 'filling': [number] * 5000})",
        check,
    )
    write_json(path, {})
    assert list(tmp_path.iterdir()) == [path], "the next writer removes what the killed ones left"
