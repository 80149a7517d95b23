"""Many films: nothing lost and nothing done twice, whoever is killed, and what a second worker brings.

python benchmarks/scale.py [--quick] [--films N]
python benchmarks/scale.py --costs FILM [--model NAME]     processor seconds by stage for a second of this film

1. 200 short films (1,000 without `--quick`) are written through `local` and through `ray`, first by one worker, whose
   leader is killed, then by two. Some films are damaged, one hangs, one kills its worker; meanwhile three workers and
   once more the leader are killed, and the job is begun again. `lost` counts good films without a recipe and bad films
   that nobody names, `twice` recipes that are in the table more than once, `repeated` films whose recipe was written
   again because the first one died with its worker.
2. Films a second of two workers over twice those of one worker, before the first worker is killed: `efficiency`, the
   lower of both engines. Only the time in which all workers are at work counts, not their start. Of it,
   `processor_efficiency` is what a film takes more of the processor because another one is worked on beside it, and
   `without_processor` the share of the time in which two workers could have worked but had none: on a machine with
   nothing else to do it is near 0, elsewhere `efficiency` says little.
3. The queue, simulated with failures, for ten thousand, a million and a hundred million films (`scale_queue.py`).

The films are the first seconds of four drawings (drawing 200 would take longer than everything else), each copy with
subtitles of its own. They are drawn once and kept in the temporary folder of the system. One Ray is started for all
leaders, and outlives those that are killed.
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
from contextlib import contextmanager, suppress
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

SECONDS = 1.0
DRAWINGS = 4
SAID = ("chop the {0} and the {1}",)
FOODS = ("onions", "tomatoes", "carrots", "butter", "garlic", "mushrooms", "rice", "chicken", "basil", "flour")

# What happens when this share of the good films is written: the first leader, who has one worker, is killed; so far two
# workers were measured; workers are killed; the second leader is killed.
ALONE, MEASURED, WORKER_KILLS, LEADER_KILL = 0.2, 0.6, (0.65, 0.7, 0.75), 0.8
POISON = 0.7  # where in the list the poison stands
WARM = 2


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


def fill(folder: Path, count: int, cache: Path) -> Shelf:
    """Films with subtitles beside them. In the last two fifths every eighth is damaged, and two are poison."""
    folder.mkdir(parents=True)
    films = drawings(cache)
    good, bad = set(), set()
    for number in range(count):
        name, data = f"film-{number:04}", films[number % DRAWINGS]
        kind = number // 8 % 3 if number >= MEASURED * count and number % 8 == 3 else None
        if number in (POISON * count, POISON * count + 1):
            name += HANGS if number % 2 else KILLS
            bad.add(name)
        elif kind is None:
            good.add(name)
        elif kind == 0:
            data = b"this is not a film\n" * 50
            bad.add(name)
        elif kind == 1:
            data = data[: len(data) // 2]  # its index, which stands at the end, is gone
            bad.add(name)
        else:
            data = data[: len(data) // 3] + bytes(200) + data[len(data) // 3 + 200 :]
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
    with (out.parent / f"{out.name}.err").open("ab") as errors:
        return subprocess.Popen(command, stderr=errors, env=os.environ | {"OMP_NUM_THREADS": "1"})


@dataclass(frozen=True)
class Moment:
    """A line of the log: what happened to which film in which process, and when by its clocks (`MarkedScribe`)."""

    what: str
    film: str
    process: int
    wall: float
    processor: float
    queued: float


def moments(out: Path) -> list[Moment]:
    """What the log says."""
    path = out / "log"
    lines = path.read_text().splitlines() if path.is_file() else []
    fields = (line.split() for line in lines)
    return [Moment(what, film, int(process), *map(float, clocks)) for what, film, process, *clocks in fields]


def in_hand(out: Path) -> Iterator[int]:
    """Processes that have a good film in hand, the latest first."""
    for moment in reversed(moments(out)):
        if moment.what == "written" or moment.film.endswith((HANGS, KILLS)):
            return
        yield moment.process


class Run:
    """A job of one engine, led by one process after the other."""

    def __init__(self, engine: str, out: Path, shelf: Shelf) -> None:
        self.engine, self.out, self.shelf = engine, out, shelf
        self.worker_kills = self.driver_kills = 0
        self.limit = 0.0

    def begin(self, workers: int) -> float:
        """Let a process lead; returns when."""
        began = time.time()
        self.process = leader(self.engine, self.out, self.shelf.folder, workers, self.limit)
        return began

    def wait_for(self, share: float) -> None:
        """Until this share of the good films is written."""
        log = self.out / "log"
        while not log.is_file() or log.read_bytes().count(b"written ") < share * len(self.shelf.good):
            if self.process.poll() is not None:
                raise SystemExit(f"the leader ended early: {self.errors()}")
            time.sleep(0.02)

    def kill_leader(self) -> None:
        """Kill the process that leads."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.driver_kills += 1

    def kill_worker(self) -> None:
        """Kill a worker that has a good film in hand."""
        while (worker := next(in_hand(self.out), None)) is None:
            time.sleep(0.001)
        os.kill(worker, signal.SIGKILL)
        self.worker_kills += 1

    def errors(self) -> str:
        """What the leaders had to say."""
        return (self.out.parent / f"{self.out.name}.err").read_text()[-2000:]

    def kept(self) -> dict[str, int]:
        """What became of the films."""
        with Job(marked_job(self.out)) as job:
            named = {Path(failure.path).stem for failure in job.manifest.failures()}
            states = dict(job.manifest.counts)
        rows = Counter(
            Path(json.loads(line)["path"]).stem for part in (self.out / TABLE).glob("*.jsonl") for line in part.open()
        )
        written = Counter(moment.film for moment in moments(self.out) if moment.what == "written")
        good, bad = self.shelf.good, self.shelf.bad
        print(f"{self.engine}: {states}; named: {', '.join(sorted(named))}", flush=True)
        return {
            "lost": len(good - rows.keys()) + len(bad - named) + states["waiting"] + states["running"],
            "twice": sum(number - 1 for number in rows.values()) + len(named & rows.keys()),
            "repeated": sum(number - 1 for number in written.values()),
            "named_wrongly": len(named & good),
            "worker_kills": self.worker_kills,
            "driver_kills": self.driver_kills,
        }


def whole_job(engine: str, out: Path, shelf: Shelf) -> tuple[dict[str, int], dict[str, float]]:
    """What became of the films, and what was measured: one worker, two workers, and then the kills."""
    run = Run(engine, out, shelf)
    started = time.monotonic()
    run.begin(workers=1)
    run.wait_for(ALONE)
    run.kill_leader()
    alone = speed(moments(out))
    # Far more than any good film needs now, on this machine and with what else it has to do.
    run.limit = max(2.0, 25 / alone.rate)
    began = run.begin(workers=2)
    run.wait_for(MEASURED)
    seen = [moment for moment in moments(out) if moment.wall > began]
    together = speed(seen)
    memory = largest({moment.process for moment in seen})
    for share in WORKER_KILLS:
        run.wait_for(share)
        run.kill_worker()
    run.wait_for(LEADER_KILL)
    run.kill_leader()
    run.begin(workers=2)
    if run.process.wait():
        raise SystemExit(f"the last leader failed: {run.errors()}")
    return run.kept(), {
        "seconds": time.monotonic() - started,
        "efficiency": together.rate / (2 * alone.rate),
        "processor_efficiency": alone.processor / together.processor,
        "without_processor": together.queued,
        "films_a_second_of_one": alone.rate,
        "processor_seconds_a_film": alone.processor,
        "start_seconds": min(moment.wall for moment in seen) - began,
        "worker_rss_mb": memory["rss"],
        "worker_pss_mb": memory["pss"],
    }


@dataclass(frozen=True)
class Speed:
    """How fast films were written.

    Attributes:
        rate: films a second while all workers were at work, without their start and the end.
        processor: processor seconds that a film took its worker, which other work on the machine hardly changes.
        queued: share of the time in which a worker could have worked but had no processor.
    """

    rate: float
    processor: float
    queued: float


def speed(seen: list[Moment]) -> Speed:
    """The speed of the workers in these moments."""
    written: dict[int, list[Moment]] = {}
    for moment in seen:
        if moment.what == "written":
            written.setdefault(moment.process, []).append(moment)
    # The first films find caches empty.
    warm = {process: each[WARM:] for process, each in written.items()}
    start, end = max(each[0].wall for each in warm.values()), min(each[-1].wall for each in warm.values())
    counted = sum(start < one.wall <= end for each in warm.values() for one in each)
    spans = [(each[0], each[-1]) for each in warm.values()]
    films = sum(len(each) - 1 for each in warm.values())
    return Speed(
        counted / (end - start),
        sum(last.processor - first.processor for first, last in spans) / films,
        sum(last.queued - first.queued for first, last in spans) / sum(last.wall - first.wall for first, last in spans),
    )


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


@contextmanager
def ray_here() -> Iterator[None]:
    """A Ray on this machine, which the leaders find: one that is killed leaves it as it is."""
    import ray

    options = {"include_dashboard": False, "logging_level": "CRITICAL", "log_to_driver": False}
    ray.init(num_cpus=2, _system_config={"worker_niceness": 0}, **options)
    os.environ["RAY_ADDRESS"] = ray.get_runtime_context().gcs_address
    try:
        yield
    finally:
        del os.environ["RAY_ADDRESS"]
        ray.shutdown()


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
    quick = "200 films and not 1,000, a short window of the simulation"
    given = options(__doc__, quick, films=0, costs="", model="auto")
    # Leaders and the workers of Ray find the scribe of this folder.
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    if given.costs:
        finish(**{name: round(value, 4) for name, value in stage_costs(Path(given.costs), given.model).items()})
        return
    cache = Path(tempfile.gettempdir()) / "cookscribe-scale-films"
    place = Path(tempfile.mkdtemp(prefix="cookscribe-scale-"))
    began = time.monotonic()
    try:
        count = given.films or (200 if given.quick else 1000)
        shelf = fill(place / "films", count, cache)
        found = {"local": whole_job("local", place / "local", shelf)}
        with ray_here():
            found["ray"] = whole_job("ray", place / "ray", shelf)
        leading = entries(place / "entries", 2_000 if given.quick else 50_000)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    simulated = plans(Costs(entry=leading["entry_ms"] / 1000), given.quick)
    finish(
        films=count,
        **{name: sum(kept[name] for kept, _ in found.values()) for name in ("lost", "twice")},
        efficiency=round(min(measured["efficiency"] for _, measured in found.values()), 3),
        engines={
            engine: kept | {name: round(value, 3) for name, value in measured.items()}
            for engine, (kept, measured) in found.items()
        },
        leader={name: round(value, 4) for name, value in leading.items()},
        simulated=simulated,
        seconds=round(time.monotonic() - began, 1),
    )


if __name__ == "__main__":
    main()
