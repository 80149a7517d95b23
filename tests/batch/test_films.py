"""Which films a folder, a pattern or a list names."""

import json
from pathlib import Path

import pytest

from cookscribe.batch.films import Film, films_of
from cookscribe.errors import BadFileError, BadValueError, InputError, MissingFileError

NOWHERE = Path("/nowhere")


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    for name in ("a.mp4", "b/c.MKV", "b/notes.txt", "b/.hidden.mp4", ".trash/x.mp4", "out/files/a.mp4"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def test_folders_patterns_and_single_films(shelf: Path) -> None:
    def names(place: object) -> list[str]:
        return sorted(str(film.path.relative_to(shelf)) for film in films_of(str(place), shelf / "out"))

    assert names(shelf) == ["a.mp4", "b/c.MKV"]
    assert names(shelf / "**" / "*.MKV") == ["b/c.MKV"]
    assert names(shelf / "a.mp4") == ["a.mp4"]
    for wrong in (shelf / "*.avi", shelf / "none"):
        with pytest.raises(MissingFileError):
            names(wrong)
    (shelf / "empty").mkdir()
    with pytest.raises(MissingFileError, match="holds no film"):
        names(shelf / "empty")
    (shelf / "odd.bin").touch()
    with pytest.raises(BadValueError, match="neither a folder nor a list"):
        names(shelf / "odd.bin")


def test_lists_say_more_of_a_film(tmp_path: Path) -> None:
    plain = tmp_path / "list.txt"
    plain.write_text("\ufeffa.mp4\n\n  /films/x/../b c.mp4 \n")
    assert list(films_of(str(plain), NOWHERE)) == [Film(tmp_path / "a.mp4"), Film(Path("/films/b c.mp4"))]
    rich = tmp_path / "list.jsonl"
    line = {"video": "a.mp4", "title": "Soup", "ingredients": ["onion"], "transcript": "words/a.vtt"}
    rich.write_text(json.dumps(line) + "\n")
    transcript = str(tmp_path / "words" / "a.vtt")
    assert list(films_of(str(rich), NOWHERE)) == [Film(tmp_path / "a.mp4", "Soup", ("onion",), transcript)]
    for wrong in (
        "[]",
        "{}",
        '{"video": 3}',
        '{"video": "a", "titel": "x"}',
        '{"video": "a", "ingredients": "x"}',
        "{",
    ):
        rich.write_text(json.dumps(line) + "\n" + wrong + "\n")
        with pytest.raises(BadFileError, match="line 2"):
            list(films_of(str(rich), NOWHERE))
    plain.write_bytes(b"\xff\xfe\xfd\n")
    with pytest.raises(InputError, match="not UTF-8"):
        list(films_of(str(plain), NOWHERE))


def test_files_of_films_of_one_name_lie_apart() -> None:
    one, two = Film(Path("/a/soup.mp4")), Film(Path("/b/soup.mp4"))
    assert one.key != two.key
    assert one.stem == f"{one.key[:3]}/soup-{one.key}"
    assert one.stem != two.stem
    assert "\x1b" not in Film(Path("/a/\x1b[31m" + "x" * 300 + ".mp4")).stem
    assert len(Film(Path("/a/" + "x" * 250 + ".mp4")).stem) < 120
