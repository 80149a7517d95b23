"""Chapters inside a copy of the video, step pictures, and the command, on a real little film."""

import io
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from cookscribe.errors import BadFileError
from cookscribe.export.chapters import embed_chapters, tiled_chapters
from cookscribe.export.pictures import step_pictures
from tests.broken_films import brightening
from tests.command import invoke

from .documents import soup


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return brightening(tmp_path_factory.mktemp("film") / "soup.mp4", 120)


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_chapters_in_the_copy_are_read_by_pyav(film: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"copy{suffix}"
    embed_chapters(soup(), film, target)
    with av.open(str(target)) as copy, av.open(str(film)) as source:
        found = copy.chapters()
        expected = tiled_chapters(soup())
        assert [c.title for c in expected][:2] == ["Intro", "Chop the onion"]
        assert [c["metadata"]["title"] for c in found] == [c.title for c in expected]
        for got, wanted in zip(found, expected, strict=True):
            assert float(got["start"] * got["time_base"]) == pytest.approx(wanted.start / 1000, abs=0.002)
            assert float(got["end"] * got["time_base"]) == pytest.approx(wanted.end / 1000, abs=0.002)
        frames = [sum(1 for _ in container.decode(video=0)) for container in (copy, source)]
        assert frames[0] == frames[1] == 240


def test_a_text_named_mp4_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    fake = tmp_path / "fake.mp4"
    fake.write_text("ffconcat version 1.0\nfile other.mp4\n")
    with pytest.raises(BadFileError):
        embed_chapters(soup(), fake, tmp_path / "out.mp4")
    assert [path.name for path in tmp_path.iterdir()] == ["fake.mp4"]


def test_pictures_come_from_their_steps(film: Path) -> None:
    levels = []
    for picture in step_pictures(soup(), film):
        assert picture is not None
        levels.append(np.asarray(Image.open(io.BytesIO(picture))).mean())
    assert levels == sorted(levels)
    assert levels[0] == pytest.approx(255 * (12.5 + 17.5 * 2 / 3) / 120, abs=6)


def test_the_command_exports_an_edited_recipe(film: Path, tmp_path: Path) -> None:
    path = tmp_path / "soup.recipe.json"
    soup().save(path)
    done = invoke("export", path, "--formats", "md,html,youtube", "--video", film)
    assert (tmp_path / "soup.md").read_text().count("![step") == 4
    assert "data:image/jpeg" in (tmp_path / "soup.html").read_text()
    assert "introduction" in done.stderr
    path.write_text('{"title": "x", "steps": [], "video": {"name": "a", "duration": -1}}')
    with pytest.raises(BadFileError, match=r"soup\.recipe\.json.*duration") as wrong:
        invoke("export", path)
    assert wrong.value.exit_code == 2
