"""Many films with real processes: each good film gets its recipe once, whoever is killed, and each bad one is named."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

import films
from cookscribe.batch.engine import Crew
from cookscribe.batch.films import Film, films_of
from cookscribe.batch.job import Receipt
from cookscribe.batch.manifest import Place
from cookscribe.batch.report import Report, progress_line, spelled
from cookscribe.batch.run import Job
from cookscribe.batch.table import RecipeTable, write_parquet
from cookscribe.errors import BadFileError, BadValueError, UnwritableError
from cookscribe.progress import StageClock
from tests.batch import scribes
from tests.command import invoke, run_command


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return films.plain(tmp_path_factory.mktemp("film") / "film.mp4", 0.5, sound=False).read_bytes()


def shelf(folder: Path, film: bytes, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / f"{name}.mp4").write_bytes(film)
    return folder


def rows(out: Path) -> list[dict]:
    return [json.loads(line) for path in sorted((out / "table").glob("*.jsonl")) for line in path.open()]


def written(out: Path) -> Counter[str]:
    """How often each film was written to its end."""
    return Counter(line.split()[1] for line in (out / "log").read_text().splitlines() if line.startswith("written"))


def finish(out: Path, place: Path, **more: float) -> Job:
    job = Job(scribes.marked_job(out))
    job.manifest.add(films_of(str(place), out))
    job.work(Crew(**({"workers": 2, "timeout": 60.0} | more)), Report())  # type: ignore[arg-type]
    return job


def test_every_fate_is_told_and_good_films_are_done_once(tmp_path: Path, film: bytes) -> None:
    good = [f"good-{n}" for n in range(8)]
    place = shelf(tmp_path / "films", film, *good, "kill-1", "once-1", "hang-1", "bug-1", "bad-1")
    out = tmp_path / "out"
    # Long enough that no good film is too late on a machine with other work.
    with finish(out, place, timeout=8.0) as job:
        assert job.manifest.counts == {"waiting": 0, "running": 0, "done": 9, "failed": 1, "aside": 3}
        told = {Path(failure.path).stem: failure for failure in job.manifest.failures()}
        fates = {name: (one.state, one.kind, one.tries) for name, one in told.items()}
        assert fates == {
            "kill-1": ("aside", "crashed", 2),
            "hang-1": ("aside", "late", 2),
            "bug-1": ("aside", "bug", 2),
            "bad-1": ("failed", "refused", 1),
        }
        assert (told["bad-1"].error, told["bad-1"].cause) == ("BadFileError", "is not a film")
        assert "SIGKILL" in told["kill-1"].cause
        assert job.manifest.stage_seconds().keys() == {"opening", "watching", "writing", "exporting"}
    assert written(out) == Counter([*good, "once-1"])
    assert sorted(row["title"] for row in rows(out)) == sorted([*good, "once-1"])
    assert not list((out / "receipts").iterdir())
    # Another run has nothing to do; those that failed wait again when somebody says so.
    with finish(out, place) as job:
        assert len(job.manifest) == 0
        assert job.manifest.again() == 4
        assert len(job.manifest) == 4
    assert len(written(out)) == 9


def test_killed_workers_and_a_killed_leader_lose_nothing(tmp_path: Path, film: bytes) -> None:
    names = [f"good-{n:02}" for n in range(40)]
    place, out = shelf(tmp_path / "films", film, *names), tmp_path / "out"
    scribes.marked_job(out)
    command = [sys.executable, "-m", "tests.batch.scribes", str(out), str(place), "local"]
    leader = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    dead: set[int] = set()
    for done in (4, 10, 16):
        dead.add(kill_a_worker(out, done, dead))
    wait_for(out, 22)
    leader.send_signal(signal.SIGKILL)
    leader.wait()
    with finish(out, place) as job:
        assert job.manifest.counts["done"] == 40
        assert job.manifest.failures() == []
    assert sorted(row["title"] for row in rows(out)) == names
    # A worker may be killed after the last stroke of a film and before its receipt; nobody else writes one twice.
    again = [name for name, count in written(out).items() if count > 1]
    assert len(again) <= len(dead) + 2


def wait_for(out: Path, done: int) -> list[str]:
    deadline = time.monotonic() + 120
    while sum(written(out).values()) < done:
        assert time.monotonic() < deadline, "the job does not go on"
        time.sleep(0.01)
    return (out / "log").read_text().splitlines()


def kill_a_worker(out: Path, done: int, dead: set[int]) -> int:
    lines = wait_for(out, done)
    process = next(int(line.split()[2]) for line in reversed(lines) if int(line.split()[2]) not in dead)
    os.kill(process, signal.SIGKILL)
    return process


def test_a_finished_film_is_not_done_again_when_the_leader_died_before_its_entry(tmp_path: Path, film: bytes) -> None:
    place, out = shelf(tmp_path / "films", film, "good-1", "good-2"), tmp_path / "out"
    job = Job(scribes.marked_job(out))
    job.manifest.add(films_of(str(place), out))
    first, second = job.manifest.popleft(), job.manifest.popleft()
    work = job.job()
    receipt = work(first, lambda _: None)
    job.table.add(receipt.row | {"title": "half"})  # in the table, but the manifest never heard of it
    job.manifest.close()  # as a kill leaves it
    with finish(out, place) as job:
        assert job.manifest.counts["done"] == 2
        assert job.manifest.state(second) == "done"
    assert written(out) == Counter(["good-1", "good-2"])
    assert [row["title"] for row in rows(out)] == ["good-1", "good-2"]


def test_an_interrupt_is_no_try(tmp_path: Path, film: bytes) -> None:
    place, out = shelf(tmp_path / "films", film, "good-1", "hang-1"), tmp_path / "out"

    class Interrupting(Report):
        def settled(self, *_: object) -> None:
            raise KeyboardInterrupt

    def interrupted() -> None:
        with Job(scribes.marked_job(out)) as job:
            job.manifest.add(films_of(str(place), out))
            if job.manifest.counts["done"]:
                job.manifest.popleft()
                raise KeyboardInterrupt
            job.work(Crew(workers=2, timeout=60.0), Interrupting())

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            interrupted()
    with Job(scribes.marked_job(out)) as job:
        assert job.manifest.counts["waiting"] == job.manifest.counts["done"] == 1
        job.manifest.popleft()
        assert (
            job.manifest.fail(Film(place / "hang-1.mp4"), "late", BadFileError("x", "y"), "", final=False) == "waiting"
        )


def test_a_full_disk_stops_the_run_and_blames_no_film(tmp_path: Path, film: bytes) -> None:
    place, out = shelf(tmp_path / "films", film, "good-1", "good-2"), tmp_path / "out"
    with Job(scribes.marked_job(out)) as job:
        (out / "receipts").write_text("a file where a folder should be")
        job.manifest.add(films_of(str(place), out))
        with pytest.raises(UnwritableError, match="cannot be written"):
            job.work(Crew(workers=1), Report())
    (out / "receipts").unlink()
    with finish(out, place) as job:
        assert job.manifest.counts["done"] == 2


def test_what_a_power_cut_took_from_the_table_is_done_again(tmp_path: Path, film: bytes) -> None:
    place, out = shelf(tmp_path / "films", film, "good-1", "good-2", "good-3"), tmp_path / "out"
    with finish(out, place, workers=1):
        pass
    path = RecipeTable(out / "table", Place()).path(0)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:10])
    with finish(out, place) as job:
        assert job.manifest.counts["done"] == 3
    assert sorted(row["title"] for row in rows(out)) == ["good-1", "good-2", "good-3"]


def test_the_table_in_parts_and_as_parquet(tmp_path: Path, film: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("cookscribe.batch.table.PART_ROWS", 2)
    place, out = shelf(tmp_path / "films", film, *(f"good-{n}" for n in range(5))), tmp_path / "out"
    with finish(out, place) as job:
        assert [path.name for path in write_parquet(job.table)] == [f"recipes-0000{n}.parquet" for n in range(3)]
        assert [path.name for path in write_parquet(job.table)] == ["recipes-00002.parquet"]  # others are complete
    assert [len(path.read_text().splitlines()) for path in sorted((out / "table").glob("*.jsonl"))] == [2, 2, 1]
    read = [row for path in sorted((out / "table").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    assert read == rows(out)
    assert read[0]["steps"][0]["actions"] == ["stir"]


def test_the_command_writes_real_recipes(tmp_path: Path, film: bytes) -> None:
    place, out = shelf(tmp_path / "films", film, "soup", "silent"), tmp_path / "out"
    (place / "said.vtt").write_text("WEBVTT\n\n00:00.000 --> 00:00.400\nchop the onions and fry them in butter\n")
    (place / "bad.mp4").write_text("not a film")
    listed = place / "list.jsonl"
    lines = [
        {"video": "soup.mp4", "title": "Soup", "ingredients": ["onion", "butter"], "transcript": "said.vtt"},
        {"video": "bad.mp4"},
    ]
    listed.write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ["write", "--from", listed, "--out", out, "--model", "youcook2-speech", "--workers", 1]
    printed = invoke(*command, "--formats", "json,md", "--parquet", exit_code=1)
    assert "1 recipes, 1 films without one (1 refused)" in printed.stdout
    assert "bad.mp4: is not a film" in printed.stderr
    (row,) = rows(out)
    assert (row["title"], row["ingredients"], row["model"]) == ("Soup", ["onion", "butter"], "youcook2-speech")
    (recipe,) = (out / "files").glob("*/soup-*.recipe.json")
    document = json.loads(recipe.read_text())
    assert [step["sentence"] for step in document["steps"]] == [step["sentence"] for step in row["steps"]]
    assert list((out / "table").glob("*.parquet"))
    with pytest.raises(BadValueError, match="was begun otherwise: formats"):
        run_command(*command)
    for wrong in (
        ["--title", "x"],
        ["--ingredients", "salt"],
        ["soup.mp4"],
        ["--engine", "abacus"],
        ["--address", "x:1"],
    ):
        with pytest.raises(BadValueError):
            run_command(*command, *wrong)


def test_a_film_whose_receipt_a_power_cut_emptied_is_done_again(tmp_path: Path, film: bytes) -> None:
    place, out = shelf(tmp_path / "films", film, "good-1"), tmp_path / "out"
    job = Job(scribes.marked_job(out))
    job.manifest.add(films_of(str(place), out))
    first = job.manifest.popleft()
    job.job()(first, lambda _: None)
    job.job.receipt(first.key).write_bytes(b"")
    job.job.receipt(first.key).with_suffix(".123").write_bytes(b"{")  # of a worker that died while it wrote
    job.manifest.close()
    with finish(out, place) as job:
        assert job.manifest.counts["done"] == 1
    assert [row["title"] for row in rows(out)] == ["good-1"]
    assert not list((out / "receipts").iterdir())


def test_receipts_are_read_back(tmp_path: Path) -> None:
    receipt = Receipt({"title": "Crème"}, {"writing": 0.5})
    receipt.save(tmp_path / "r.json")
    assert Receipt.read(tmp_path / "r.json") == receipt
    (tmp_path / "r.json").write_text('{"row": 3}')
    with pytest.raises(BadFileError, match="not a receipt"):
        Receipt.read(tmp_path / "r.json")


def test_progress_says_share_speed_time_left_and_failures() -> None:
    counts = {"waiting": 8000, "running": 2, "done": 1990, "failed": 7, "aside": 1}
    line = progress_line(counts, 1.0, {"refused": 7, "late": 1})
    assert line == "1,998 of 10,000 films (20%), 3,600 an hour, 2 h 13 min left; failed: 7 refused, 1 late"
    assert [spelled(s) for s in (40, 700, 9000, 300_000)] == ["40 s", "12 min", "2 h 30 min", "3 d 11 h"]


def test_a_stage_has_the_time_until_the_next_one_begins() -> None:
    now = [0.0]
    clock = StageClock(lambda: now[0])
    for moment, stage, share in ((1, "opening", 0.0), (3, "watching", 0.5), (4, "watching", 1.0), (6, "writing", 0.0)):
        now[0] = float(moment)
        clock(stage, share)
    now[0] = 10.0
    assert clock.stop() == {"opening": 1.0, "watching": 5.0, "writing": 4.0}
