"""Servers, each in a process of its own, on a port that is free; and small films to send them."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from cookscribe.video.writing import write_video

ROOT = Path(__file__).parents[2]
PATIENCE = 300.0  # seconds; the machine may be busy


@dataclass
class Served:
    """A running server."""

    url: str
    process: subprocess.Popen[str]
    library: Path
    client: httpx.Client

    def upload(self, film: Path, ingredients: str = "", title: str = "", words: Path | None = None) -> str:
        """Send a film in one piece; gives the id of its recipe."""
        return send(self.client, film.name, film.read_bytes(), ingredients, title, words)

    def wait(self, recipe: str, *states: str) -> dict[str, Any]:
        """Wait for the end of a recipe's job, or for one of these states; gives the whole recipe."""
        deadline = time.monotonic() + PATIENCE
        while True:
            whole = self.client.get(f"/api/recipes/{recipe}").raise_for_status().json()
            if whole["job"]["state"] in (states or ("done", "failed", "cancelled")):
                return whole
            assert time.monotonic() < deadline, whole["job"]
            time.sleep(0.05)


def send(
    client: httpx.Client,
    name: str,
    data: bytes,
    ingredients: str = "",
    title: str = "",
    words: Path | None = None,
    pieces: int = 1,
) -> str:
    """Send a film in some pieces; gives the id of its recipe."""
    new = {"name": name, "size": len(data), "ingredients": ingredients, "title": title}
    upload: str = client.post("/api/uploads", json=new).raise_for_status().json()["id"]
    if words is not None:
        given = client.put(f"/api/uploads/{upload}/words", params={"name": words.name}, content=words.read_bytes())
        given.raise_for_status()
    size = -(-len(data) // pieces)
    for start in range(0, len(data), size):
        headers = {"upload-offset": str(start)}
        sent = client.patch(f"/api/uploads/{upload}", content=data[start : start + size], headers=headers)
        done = sent.raise_for_status().json()["done"]
    assert done
    return upload


@contextmanager
def served(library: Path, *command: str) -> Iterator[Served]:
    """A server of a library; by default one whose worker makes recipes up. `command` replaces it."""
    started = command or (sys.executable, "-m", "quick_web.server", str(library))
    paths = (str(ROOT / "benchmarks"), os.environ.get("PYTHONPATH", ""))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    process = subprocess.Popen(started, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[1]
        with httpx.Client(base_url=url, timeout=PATIENCE) as client:
            deadline = time.monotonic() + PATIENCE
            while True:
                try:
                    client.get("/api/formats")
                    break
                except httpx.TransportError:
                    assert time.monotonic() < deadline
                    time.sleep(0.05)
            yield Served(url, process, library, client)
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def film(path: Path) -> Path:
    """Ten seconds of film that gets brighter."""
    frames = ((n / 2, np.full((48, 64, 3), 12 * n, dtype=np.uint8)) for n in range(20))
    return write_video(path, frames, rate=2)
