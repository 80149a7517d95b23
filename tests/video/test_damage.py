"""A hundred damaged films: each is read, in part at least, or refused with a typed error."""

from collections import Counter
from pathlib import Path

import damaged_video
import films
from cookscribe.batch.engine import Crew, run
from cookscribe.video import VideoFile
from cookscribe.video.writing import write_video


def test_a_hundred_damaged_films(tmp_path: Path) -> None:
    originals = [films.plain(tmp_path / name, 2.0).read_bytes() for name in ("a.mp4", "b.mkv")]
    paths = []
    for seed in range(100):
        path = tmp_path / f"damaged-{seed}.mp4"
        path.write_bytes(films.damaged(originals[seed % 8 // 4], seed))
        paths.append(path)
    outcomes = list(run(damaged_video.ours, paths, Crew(workers=1, patience=30.0)))
    assert len(outcomes) == 100
    kinds = Counter(outcome.kind for outcome in outcomes)
    assert set(kinds) <= {"done", "refused"}, [o.error for o in outcomes if o.kind not in {"done", "refused"}]
    # The damage is neither harmless nor total, so both ways out are exercised.
    assert kinds["done"] >= 15
    assert kinds["refused"] >= 15
    assert any(outcome.result == "with a warning" for outcome in outcomes)


def test_writing_is_atomic(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"

    def failing() -> object:
        yield from films.moving(0.5)
        raise RuntimeError("drawing failed")

    for frames in (failing(), iter(())):
        try:
            write_video(path, frames)  # type: ignore[arg-type]
        except Exception:
            assert list(tmp_path.iterdir()) == []
        else:
            raise AssertionError("an error was expected")
    write_video(path, films.moving(0.5))
    assert [p.name for p in tmp_path.iterdir()] == ["film.mp4"]
    assert len(list(VideoFile(path).frames())) == 12
