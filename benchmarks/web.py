"""How the web application bears its visitors, beside a bare server of static files in the same run.

    python benchmarks/web.py                 # 2,000 made-up recipes, 50 watchers of one job, 20 browsers
    python benchmarks/web.py --quick         # 300 recipes, 10 watchers, 5 browsers
    python benchmarks/web.py --faults 50     # kill -9 of server and worker, fifty times

A browser pages through the shelf, searches, opens recipes, and rests about a quarter of a second between two requests;
pages of the baseline are files of the same size. Times are those of whole answers. The last line is one JSON object.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from cookscribe.recipe import Recipe, Span, Step, Video
from cookscribe.seeds import generator
from cookscribe.web.library import Library
from cookscribe.web.marks import Marked
from cookscribe.web.places import new_id
from faults.web import kill_often
from frame import finish, options
from quick_web.running import ROOT, Served, film, served

REST = 0.25  # seconds between two requests of a browser
FOODS = ("onion", "butter", "stock", "tomato", "basil", "cream", "leek", "rice", "chicken", "lemon", "garlic", "bread")
VERBS = ("chop", "fry", "boil", "stir", "bake", "slice", "season", "pour in", "blend", "serve")


def fill(folder: Path, count: int) -> None:
    """A library of made-up recipes, each with a picture."""
    library, random = Library(folder), generator("made-up shelf")
    picture = film_picture(folder)
    for first in range(0, count, 100):
        with library.db.writing() as connection:
            for number in range(first, min(count, first + 100)):
                recipe = new_id()
                foods = tuple(str(food) for food in random.choice(FOODS, 5, replace=False))
                steps = tuple(
                    Step(
                        span=Span(start=30.0 * n, end=30.0 * n + 25),
                        sentence=f"{random.choice(VERBS)} the {random.choice(foods)}",
                        confidence=float(random.uniform()),
                    )
                    for n in range(8)
                )
                video = Video(name=f"{number}.mp4", duration=300)
                document = Recipe(title=f"{foods[0]} {foods[1]} {number}", ingredients=foods, steps=steps, video=video)
                library.add(connection, recipe, video.name, document, "made up")
                library.append(connection, recipe, Marked.fresh(document), "model", "made up")
                poster = library.places.poster(recipe)
                poster.parent.mkdir(parents=True)
                poster.hardlink_to(picture)


def film_picture(folder: Path) -> Path:
    """The picture of a small film."""
    from cookscribe.web.looking import take_pictures

    target = folder / "picture.jpg"
    take_pictures(film(folder / "film.mp4"), {target: 3.0})
    return target


class Visitor:
    """A browser: asks, waits for the whole answer, rests, asks on."""

    def __init__(self, port: int, keep: bool) -> None:
        self.port, self.keep, self.times = port, keep, list[float]()
        self.open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, path: str) -> bytes:
        began = time.perf_counter()
        if self.open is None:
            self.open = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.open
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        assert " 200 " in head.split("\r\n")[0], (path, head)
        size = int(head.split("content-length:")[1].split("\r\n")[0])
        body = await reader.readexactly(size)
        self.times.append(time.perf_counter() - began)
        if not self.keep:
            writer.close()
            self.open = None
        return body

    async def visit(self, paths: list[str], seconds: float, number: int) -> None:
        end, random = time.monotonic() + seconds, generator("visitor", number)
        # People do not click in step.
        await asyncio.sleep(REST * random.uniform(0, 4))
        while time.monotonic() < end:
            for path in paths:
                await self.ask(path)
                await asyncio.sleep(REST * random.uniform(0.5, 1.5))
                if time.monotonic() > end:
                    break


def measure(port: int, ways: list[list[str]], seconds: float, *, keep: bool) -> dict[str, float]:
    """Milliseconds of all requests of some browsers, each with its own way through the pages."""

    async def all_visits() -> list[float]:
        visitors = [Visitor(port, keep) for _ in ways]
        visits = (one.visit(way, seconds, n) for n, (one, way) in enumerate(zip(visitors, ways, strict=True)))
        await asyncio.gather(*visits)
        return [taken for one in visitors for taken in one.times]

    times = 1000 * np.array(asyncio.run(all_visits()))
    return {
        "requests": len(times),
        "median_ms": round(float(np.median(times)), 1),
        "p99_ms": round(float(np.percentile(times, 99)), 1),
        "worst_ms": round(float(times.max()), 1),
    }


def ways_through(server: Served, browsers: int) -> list[list[str]]:
    """What each browser asks for."""
    random = generator("ways through the shelf")
    count = server.client.get("/api/recipes").json()["count"]
    ways = []
    for _ in range(browsers):
        way = ["/"]
        for _ in range(6):
            offset = int(random.integers(0, max(1, count - 48)))
            way.append(f"/api/recipes?limit=48&offset={offset}")
        way.append(f"/api/recipes?q={random.choice(FOODS)}+{random.choice(VERBS).split()[0]}")
        found = server.client.get("/api/recipes", params={"offset": int(random.integers(0, count - 1))}).json()
        recipe = found["recipes"][0]["id"]
        ways.append([*way, f"/r/{recipe}", f"/api/recipes/{recipe}"])
    return ways


@contextmanager
def static_files(folder: Path, server: Served, ways: list[list[str]]) -> Iterator[tuple[int, list[list[str]]]]:
    """A bare server of files as large as the pages."""
    sizes = [[len(server.client.get(path).content) for path in way] for way in ways[:1]]
    for size in set(sizes[0]):
        (folder / f"{size}.bin").write_bytes(bytes(size))
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().split(" port ")[1].split()[0])
        yield port, [[f"/{size}.bin" for size in sizes[0]]] * len(ways)
    finally:
        process.kill()
        process.wait()


def memory(process: int) -> float:
    """The most memory a process has had, in MiB."""
    status = Path(f"/proc/{process}/status").read_text()
    return round(int(status.split("VmHWM:")[1].split()[0]) / 1024, 1)


def watch(url: str, watchers: int) -> None:
    """Watch as so many browsers until killed; prints how many events each got, again and again."""

    async def one(counts: list[int], n: int) -> None:
        host, port = url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET /api/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        while line := await reader.readline():
            counts[n] += line.startswith(b"data:")

    async def everybody() -> None:
        counts = [0] * watchers
        tasks = [asyncio.create_task(one(counts, n)) for n in range(watchers)]
        while any(not task.done() for task in tasks):
            await asyncio.sleep(1)
            print(json.dumps({"fewest": min(counts), "most": max(counts)}), flush=True)

    asyncio.run(everybody())


def main() -> None:
    """Run what was asked for."""
    asked = options(
        __doc__,
        "fewer recipes, watchers and browsers",
        faults=0,
        seed=0,
        watch="",
        watchers=50,
        browsers=20,
        seconds=30.0,
    )
    if asked.watch:
        watch(asked.watch, asked.watchers)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if asked.faults:
            finish(**kill_often(folder, asked.faults, asked.seed))
            return
        recipes = 300 if asked.quick else 2000
        watchers, browsers = (10, 5) if asked.quick else (asked.watchers, asked.browsers)
        seconds = 8.0 if asked.quick else asked.seconds
        fill(folder / "library", recipes)
        with served(folder / "library") as server:
            job = server.upload(folder / "library" / "film.mp4", "slow")
            server.wait(job, "running")
            ways = ways_through(server, browsers)
            (folder / "static").mkdir()
            with static_files(folder / "static", server, ways) as (port, files):
                baseline = measure(port, files, seconds / 3, keep=False)
            command = [sys.executable, __file__, "--watch", server.url, "--watchers", str(watchers)]
            watching = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
            figures = measure(int(server.url.rpartition(":")[2]), ways, seconds, keep=True)
            still = server.wait(job, "running", "done")["job"]["state"]
            most = memory(server.process.pid)
            watching.kill()
            lines = watching.communicate()[0].splitlines()
            events = json.loads(lines[-1]) if lines else {}
    print(f"{recipes} recipes, {watchers} watchers, {browsers} browsers: {figures}; job {still}")
    print(f"static files: {baseline}")
    finish(
        recipes=recipes,
        watchers=watchers,
        browsers=browsers,
        **figures,
        events=events,
        server_mib=most,
        static_p99_ms=baseline["p99_ms"],
        p99_to_static=round(figures["p99_ms"] / baseline["p99_ms"], 2),
    )


if __name__ == "__main__":
    main()
