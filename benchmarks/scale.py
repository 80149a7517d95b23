"""Many films: nothing lost and nothing done twice, whoever is killed, and what a second worker brings.

python benchmarks/scale.py [--quick] [--films N]
python benchmarks/scale.py --costs FILM [--model NAME]     processor seconds by stage for a second of this film

1. 200 short films are written by two workers, through `local` and through `ray`. Some are damaged, one hangs, one kills
   its worker; meanwhile three workers and once the leading process are killed from outside, and the run is begun again.
   `lost` counts good films without a recipe and bad films that nobody names, `twice` recipes that are in the table
   more than once, `repeated` films whose recipe was written again because the first one died with its worker.
2. Films a second of two workers over twice those of one worker, in this run: `efficiency`, the lower of both engines.
   Only the time in which all workers are at work counts, not their start. `processor_efficiency` is the same in
   processor seconds of the workers: how much slower a film becomes because another one is worked on beside it.
3. The queue, simulated with failures, for ten thousand, a million and a hundred million films (`scale_queue.py`).

The films are the first seconds of four drawings (drawing 200 would take longer than everything else), each copy with
subtitles of its own. They are drawn once and kept in the temporary folder of the system. Times are those of the clock
on the wall: on a machine with other work to do they say little.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from cookscribe.batch.films import Film
from cookscribe.batch.job import Receipt
from cookscribe.batch.outcomes import Outcome
from cookscribe.batch.run import TABLE, Job
from cookscribe.batch.table import table_row
from cookscribe.progress import StageClock
from cookscribe.recipe import Recipe, Span, Step, Video
from cookscribe.scribe import load
from cookscribe.video import VideoFile
from cookscribe.video.writing import write_video
from cookscribe_lab.kitchen_films.drawing.film import FPS, LABEL, Picture
from cookscribe_lab.kitchen_films.drawing.film import Film as Drawing
from cookscribe_lab.kitchen_films.recipes import make_recipe
from cookscribe_lab.kitchen_films.splits import TESTING
from frame import finish, options
from marked_scribe import HANGS, KILLS, marked_job
from scale_queue import Costs, plans

SECONDS = 2.0
DRAWINGS = 4
SAID = ("chop the {0}", "heat the oil and fry the {0}", "add the {1} and the salt", "stir in the {1}", "serve it hot")
FOODS = ("onions", "tomatoes", "carrots", "butter", "garlic", "mushrooms", "rice", "chicken", "basil", "flour")


@dataclass(frozen=True)
class Shelf:
    """The films of the benchmark, by what must become of them; of the rest anything typed may become."""

    folder: Path
    good: frozenset[str]
    bad: frozenset[str]


def drawings(cache: Path) -> list[bytes]:
    """Short cartoons, drawn once."""
    cache.mkdir(parents=True, exist_ok=True)
    found = []
    for number in range(DRAWINGS):
        path = cache / f"drawing-{number}-{SECONDS:g}.mp4"
        if not path.is_file():
            picture, recipe = Picture(height=90), make_recipe(5000, number, TESTING, tempo=10.0)
            images = islice(Drawing(recipe, picture.width, picture.height), round(SECONDS * FPS))
            frames = ((n / FPS, np.asarray(image)) for n, image in enumerate(images))
            write_video(path, frames, rate=FPS, metadata={"title": recipe.title, "comment": LABEL})
        found.append(path.read_bytes())
    return found


def fill(folder: Path, count: int, cache: Path, *, only_good: bool = False) -> Shelf:
    """Films with subtitles beside them; of every twenty one is damaged, and two are poison."""
    folder.mkdir(parents=True)
    films = drawings(cache)
    good, bad = set(), set()
    for number in range(count):
        name, data = f"film-{number:04}", films[number % DRAWINGS]
        if only_good or number % 20 != 7:
            good.add(name)
        elif number % 60 == 7:
            data = b"this is not a film\n" * 50
            bad.add(name)
        elif number % 60 == 27:
            data = data[: len(data) // 2]  # its index, which stands at the end, is gone
            bad.add(name)
        else:
            data = data[: len(data) // 3] + bytes(200) + data[len(data) // 3 + 200 :]
        if not only_good and number in (count // 3, count // 2):
            good.discard(name)
            name = HANGS if number == count // 3 else KILLS
            bad.add(name)
        (folder / f"{name}.mp4").write_bytes(data)
        foods = FOODS[number % len(FOODS)], FOODS[number // len(FOODS) % len(FOODS)]
        each = SECONDS / len(SAID)
        cues = [
            f"00:{n * each:06.3f} --> 00:{(n + 1) * each:06.3f}\n{line.format(*foods)}\n" for n, line in enumerate(SAID)
        ]
        (folder / f"{name}.vtt").write_text("\n".join(["WEBVTT\n", *cues]))
    return Shelf(folder, frozenset(good), frozenset(bad))


def leader(engine: str, out: Path, folder: Path, workers: int, limit: float = 0.0) -> subprocess.Popen[bytes]:
    """Start the process that leads a job (`marked_scribe.lead`)."""
    program = "import sys; from marked_scribe import lead; lead(*sys.argv[1:])"
    command = [sys.executable, "-c", program, engine, str(out), str(folder), str(workers), str(limit)]
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    with (out.parent / f"{out.name}.err").open("ab") as errors:
        return subprocess.Popen(command, stderr=errors, env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"})


@dataclass(frozen=True)
class Moment:
    """A line of the log: what happened to which film in which process, and when, by the wall and by its processor."""

    what: str
    film: str
    process: int
    wall: float
    processor: float


def moments(out: Path) -> list[Moment]:
    """What the log says."""
    path = out / "log"
    lines = path.read_text().splitlines() if path.is_file() else []
    fields = (line.split() for line in lines)
    return [Moment(what, film, int(pid), float(wall), float(own)) for what, film, pid, wall, own in fields]


def in_hand(out: Path) -> Iterator[int]:
    """Processes that have a good film in hand, the latest first."""
    for moment in reversed(moments(out)):
        if moment.what == "written" or moment.film in (HANGS, KILLS):
            return
        yield moment.process


def with_kills(engine: str, out: Path, shelf: Shelf, limit: float) -> dict[str, int]:
    """Two workers, three of whom are killed, under a leader that is killed once; then what became of the films."""
    process = leader(engine, out, shelf.folder, 2, limit)
    killed = 0
    for share in (0.15, 0.3, 0.45, 0.6):
        while sum(moment.what == "written" for moment in moments(out)) < share * len(shelf.good):
            if process.poll() is not None:
                raise SystemExit(f"the leader ended early: {(out.parent / f'{out.name}.err').read_text()[-2000:]}")
            time.sleep(0.01)
        if share == 0.6:
            process.send_signal(signal.SIGKILL)
            process.wait()
            continue
        while (worker := next(in_hand(out), None)) is None:
            time.sleep(0.001)
        os.kill(worker, signal.SIGKILL)
        killed += 1
    if leader(engine, out, shelf.folder, 2, limit).wait():
        raise SystemExit(f"the second leader failed: {(out.parent / f'{out.name}.err').read_text()[-2000:]}")
    with Job(marked_job(out)) as job:
        named = {Path(failure.path).stem for failure in job.manifest.failures()}
        states = dict(job.manifest.counts)
    rows = Counter(
        Path(json.loads(line)["path"]).stem for part in (out / TABLE).glob("*.jsonl") for line in part.open()
    )
    written = Counter(moment.film for moment in moments(out) if moment.what == "written")
    print(f"{engine}: {states}, {killed} workers and the leader killed; named: {', '.join(sorted(named))}")
    return {
        "lost": len(shelf.good - rows.keys()) + len(shelf.bad - named) + states["waiting"] + states["running"],
        "twice": sum(number - 1 for number in rows.values()) + len(named & rows.keys()),
        "repeated": sum(number - 1 for number in written.values()),
        "named_wrongly": len(named & shelf.good),
        "worker_kills": killed,
        "driver_kills": 1,
    }


def speed(out: Path) -> tuple[float, float]:
    """Films a second while all workers were at work, without their start and the end, where one has no more to do.

    And the processor seconds that a film took its worker, which other work on the machine hardly changes.
    """
    written: dict[int, list[Moment]] = {}
    for moment in moments(out):
        if moment.what == "written":
            written.setdefault(moment.process, []).append(moment)
    start, end = max(each[0].wall for each in written.values()), min(each[-1].wall for each in written.values())
    counted = sum(start < one.wall <= end for each in written.values() for one in each)
    own = sum(each[-1].processor - each[0].processor for each in written.values())
    return counted / (end - start), own / sum(len(each) - 1 for each in written.values())


def efficiency(engine: str, place: Path, cache: Path, count: int) -> dict[str, float]:
    """Films a second of two workers over twice those of one, and what else is seen on the way."""
    speeds, starts, memory = {}, [], {"rss": 0.0, "pss": 0.0}
    for workers in (1, 2):
        shelf = fill(place / f"{engine}-{workers}", count * workers, cache, only_good=True)
        out = place / f"{engine}-{workers}-out"
        began = time.time()
        process = leader(engine, out, shelf.folder, workers)
        while process.poll() is None:
            # Seldom: reading what a process maps holds it up.
            time.sleep(1.0)
            seen = moments(out)
            if workers == 2 and sum(moment.what == "written" for moment in seen) > count:
                memory = {
                    name: max(memory[name], most) for name, most in largest({one.process for one in seen}).items()
                }
        starts.append(min(moment.wall for moment in moments(out)) - began)
        speeds[workers] = speed(out)
    return {
        "efficiency": speeds[2][0] / (2 * speeds[1][0]),
        "processor_efficiency": speeds[1][1] / speeds[2][1],
        "films_a_second_of_one": speeds[1][0],
        "processor_seconds_a_film": speeds[1][1],
        "start_seconds": min(starts),
        "worker_rss_mb": memory["rss"],
        "worker_pss_mb": memory["pss"],
    }


def largest(processes: set[int]) -> dict[str, float]:
    """Memory of the largest process in megabytes: all that it maps, and its share of what several map."""
    found = {"rss": 0.0, "pss": 0.0}
    for process in processes:
        with suppress(OSError):
            for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
                name, _, rest = line.partition(":")
                if name.lower() in found:
                    found[name.lower()] = max(found[name.lower()], int(rest.split()[0]) / 1024)
    return found


def entries(place: Path, count: int) -> dict[str, float]:
    """What the leader needs for a film when all workers are infinitely fast: seconds, and bytes on the disk."""
    steps = tuple(
        Step(span=Span(start=30.0 * n, end=30.0 * n + 20), sentence="add the chopped onions and stir", confidence=0.5)
        for n in range(8)
    )
    films = [Film(Path(f"/films/of/a/large/archive/{number:09}.mp4")) for number in range(count)]
    with Job(marked_job(place)) as job:
        began = time.process_time()
        job.manifest.add(films)
        added = time.process_time() - began
        began = time.process_time()
        for _ in range(count):
            film = job.manifest.popleft()
            recipe = Recipe(title="Soup", steps=steps, video=Video(name=film.path.name, duration=300.0))
            receipt = Receipt(table_row(film, recipe), {"opening": 0.01, "listening": 30.0, "writing": 3.0})
            job.settle(Outcome(film, "done", result=receipt, worker="machine-0001:12345"))
        took = time.process_time() - began
        size = job.table.end.bytes
    return {
        "add_ms": 1000 * added / count,
        "entry_ms": 1000 * took / count,
        "manifest_bytes": (place / "manifest.sqlite").stat().st_size / count,
        "table_bytes": size / count,
    }


def stage_costs(film: Path, model: str) -> dict[str, float]:
    """Processor seconds by stage for a second of film, on one thread; the models are loaded before."""
    scribe = load(model)
    scribe.write(VideoFile(film, threads=1))
    video, clock = VideoFile(film, threads=1), StageClock(time.process_time)
    clock("opening", 0.0)
    scribe.write(video, stage=clock)
    return {name: seconds / video.duration for name, seconds in clock.stop().items()}


def main() -> None:
    """Everything, and the figures."""
    quick = "fewer films for the speed, a short window of the simulation"
    given = options(__doc__, quick, films=200, costs="", model="auto")
    if given.costs:
        finish(**{name: round(value, 4) for name, value in stage_costs(Path(given.costs), given.model).items()})
        return
    cache = Path(tempfile.gettempdir()) / "cookscribe-scale-films"
    place = Path(tempfile.mkdtemp(prefix="cookscribe-scale-"))
    began = time.monotonic()
    try:
        shelf = fill(place / "films", given.films, cache)
        speeds = {engine: efficiency(engine, place, cache, 24 if given.quick else 100) for engine in ("local", "ray")}
        # Far more than any good film needs now, on this machine and with what else it has to do.
        limit = max(3.0, 40 / min(found["films_a_second_of_one"] for found in speeds.values()))
        kept = {engine: with_kills(engine, place / engine, shelf, limit) for engine in ("local", "ray")}
        leading = entries(place / "entries", 2_000 if given.quick else 50_000)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    simulated = plans(Costs(entry=leading["entry_ms"] / 1000), given.quick)
    sums = {name: sum(kept[engine][name] for engine in kept) for name in kept["local"]}
    finish(
        films=given.films,
        **sums,
        efficiency=round(min(found["efficiency"] for found in speeds.values()), 3),
        engines={engine: {name: round(value, 3) for name, value in found.items()} for engine, found in speeds.items()},
        leader={name: round(value, 4) for name, value in leading.items()},
        simulated=simulated,
        seconds=round(time.monotonic() - began, 1),
    )


if __name__ == "__main__":
    main()
