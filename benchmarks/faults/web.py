"""Kill -9 of server and worker of the web application, while films arrive, recipes are written and edits are saved.

What was acknowledged must be there afterwards, whole: the bytes of every finished upload, every revision. What was
under way goes on: jobs end, uploads can be finished.
"""

import os
import signal
import sqlite3
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from cookscribe.seeds import generator
from quick_web.running import PATIENCE, Served, film, send, served


@dataclass
class Promises:
    """What the server has acknowledged, and what was going on."""

    films: dict[str, bytes] = field(default_factory=dict)
    saves: list[tuple[str, int, str]] = field(default_factory=list)  # recipe, revision, title
    hits: dict[int, int] = field(default_factory=dict)  # how often a job lost its worker
    refused: int = 0  # requests that a kill cut off


def kill_often(folder: Path, times: int, seed: int = 0) -> dict[str, Any]:
    """Kill server and worker in turn; gives figures, and raises `AssertionError` where a promise was broken."""
    random = generator("kill the web application", seed)
    data = film(folder / "film.mp4").read_bytes()
    promises, library = Promises(), folder / "library"
    kills = {"server": 0, "worker": 0}
    while sum(kills.values()) < times:
        with served(library) as server:
            _check(server, promises)
            ending = threading.Event()
            actors = [
                threading.Thread(target=_upload_films, args=(server.url, data, promises, ending)),
                threading.Thread(target=_save_edits, args=(server.url, promises, ending)),
            ]
            for actor in actors:
                actor.start()
            # Every other round a film has arrived before anybody dies, in each an edit was saved.
            _wait_for_promises(promises, len(promises.films) + kills["server"] % 2, len(promises.saves) + 1)
            # A worker that is killed is started again; the server of the next round is a new one.
            for _ in range(min(int(random.integers(0, 3)), times - 1 - sum(kills.values()))):
                time.sleep(float(random.uniform(0.2, 1.5)))
                kills["worker"] += _kill_worker(server, promises)
            time.sleep(float(random.uniform(0.1, 1.5)))
            os.kill(server.process.pid, signal.SIGKILL)
            kills["server"] += 1
            ending.set()
            for actor in actors:
                actor.join()
            server.process.wait()
    with served(library) as server:
        _check(server, promises)
        ended = _wait_for_jobs(server)
        _check(server, promises)
        for job in ended:
            twice = promises.hits.get(job["id"], 0) >= 2
            assert job["state"] == "done" or twice, job
        assert send(server.client, "last.mp4", data), "and films are still taken in"
    with sqlite3.connect(library / "cookscribe.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        known = {row[0] for row in database.execute("SELECT id FROM recipes UNION SELECT id FROM uploads")}
    database.close()
    assert {path.name for path in (library / "films").iterdir()} <= known, "a film that nobody knows"
    return {
        "kills_of_server": kills["server"],
        "kills_of_worker": kills["worker"],
        "uploads_kept": len(promises.films),
        "saves_kept": len(promises.saves),
        "requests_cut_off": promises.refused,
        "jobs_done": sum(job["state"] == "done" for job in ended),
        "jobs_given_up_after_two_kills": sum(job["state"] == "failed" for job in ended),
        "lost": 0,
    }


def _wait_for_promises(promises: Promises, films: int, saves: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while len(promises.films) < films or len(promises.saves) < saves:
        assert time.monotonic() < deadline, "nothing is acknowledged"
        time.sleep(0.05)


def _upload_films(url: str, data: bytes, promises: Promises, ending: threading.Event) -> None:
    with httpx.Client(base_url=url, timeout=PATIENCE) as client:
        while not ending.is_set():
            try:
                recipe = send(client, "soup.mp4", data, "pause, onion", pieces=3)
                promises.films[recipe] = data
                ending.wait(0.3)
            except (httpx.HTTPError, OSError):
                promises.refused += 1
                ending.wait(0.05)


def _save_edits(url: str, promises: Promises, ending: threading.Event) -> None:
    with httpx.Client(base_url=url, timeout=PATIENCE) as client:
        number = 0
        while not ending.is_set():
            number += 1
            try:
                cards = client.get("/api/recipes", params={"limit": 5}).raise_for_status().json()["recipes"]
                for card in cards:
                    title = f"title {number} {time.time()}"
                    edit = {"revision": card["revision"], "title": title, "ingredients": ["onion"], "steps": []}
                    answer = client.put(f"/api/recipes/{card['id']}", json=edit)
                    if answer.status_code == 200:
                        promises.saves.append((card["id"], answer.json()["revision"], title))
            except (httpx.HTTPError, OSError):
                promises.refused += 1
            ending.wait(0.05)


def _kill_worker(server: Served, promises: Promises) -> int:
    """Kill the worker, if there is one, and note whose job it was at."""
    worker = _worker(server.process.pid)
    if worker is None:
        return 0
    os.kill(worker, signal.SIGSTOP)  # so that it is still at the job that is noted
    try:
        running = [job for job in server.client.get("/api/jobs").json() if job["state"] == "running"]
        for job in running:
            promises.hits[job["id"]] = promises.hits.get(job["id"], 0) + 1
    finally:
        os.kill(worker, signal.SIGKILL)
    return 1


def _worker(server: int) -> int | None:
    """The process of the worker that a server has started."""
    for path in Path(f"/proc/{server}/task").glob("*/children"):
        for child in path.read_text().split():
            with suppress(OSError):
                if "worker" in Path(f"/proc/{child}/cmdline").read_text():
                    return int(child)
    return None


def _check(server: Served, promises: Promises) -> None:
    """Everything that was acknowledged is there, and whole."""
    for recipe, data in promises.films.items():
        assert server.client.get(f"/api/recipes/{recipe}/film").content == data, f"the film of {recipe}"
    for recipe, revision, title in promises.saves:
        kept = server.client.get(f"/api/recipes/{recipe}/revisions/{revision}").json()
        assert kept["recipe"]["title"] == title, f"revision {revision} of {recipe}"
    for card in server.client.get("/api/recipes", params={"limit": 200}).json()["recipes"]:
        numbers = [one["number"] for one in server.client.get(f"/api/recipes/{card['id']}/revisions").json()]
        # The worker may have added one in between.
        assert numbers == list(range(len(numbers), 0, -1)), f"revisions of {card['id']}"
        assert len(numbers) >= card["revision"], f"the newest revision of {card['id']}"


def _wait_for_jobs(server: Served) -> list[dict[str, Any]]:
    deadline = time.monotonic() + 5 * PATIENCE
    while server.client.get("/api/jobs").json():
        assert time.monotonic() < deadline, "jobs do not end"
        time.sleep(0.2)
    cards = []
    while len(page := server.client.get("/api/recipes", params={"limit": 200, "offset": len(cards)}).json()["recipes"]):
        cards += page
    return [card["job"] for card in cards]
