"""The server as programs see it: uploads in pieces, jobs to any end, news, files, what recipe managers import."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import av
import httpx
import pytest
import webvtt
from recipe_scrapers import scrape_html

from cookscribe.cli import build_app
from cookscribe.learning.datasets.youcook2 import read_truth
from cookscribe.recipe import Recipe
from quick_web.running import PATIENCE, ROOT, Served, served
from quick_web.server import LIMIT
from tests.broken_films import cut

HOSTILE_NAMES = (
    "../../etc/passwd", "..\\..\\windows\\system32", "/etc/shadow", "C:\\boot.ini", "....//....//x.mp4", "a/../b.mp4",
    "film.mp4\x00.png", "\x1b[31mred.mp4", "<script>alert(1)</script>.mp4", '"><img src=x onerror=alert(1)>.mp4',
    "con.mp4", "..", ".", " ", "‮4pm.evil", "a" * 1500 + ".mp4", "file:///etc/passwd", "http://example.org/x.mp4",
    "concat:a|b", "-rf *.mp4", "%2e%2e%2f.mp4", "soup\r\nSet-Cookie: a=b.mp4", "\ud83d\ude00.mp4",
)  # fmt: skip

SENT = (HOSTILE_NAMES[0], HOSTILE_NAMES[9])  # these arrive as a whole, too


@pytest.fixture(scope="module")
def written(server: Served, small_film: Path) -> str:
    """A recipe that was written and that nobody changes."""
    recipe = server.upload(small_film, "2 tbsp butter, onion", title="Soup: the/best & <b>more</b>")
    assert server.wait(recipe)["job"]["state"] == "done"
    return recipe


def test_a_film_becomes_a_recipe(server: Served, written: str) -> None:
    whole = server.wait(written)
    assert whole["recipe"]["title"] == "Soup: the/best & <b>more</b>"
    assert whole["recipe"]["video"]["name"] == "onion_soup.mp4"
    assert [line["line"] for line in whole["lines"]] == ["2 tbsp butter", "onion"]
    assert whole["recipe"]["steps"][0]["sentence"] == "chop the onion with butter"
    card = server.client.get("/api/recipes", params={"q": "butter"}).json()["recipes"][0]
    assert (card["steps"], card["unsure"], card["checked"]) == (4, 1, False)
    for address in (*whole["pictures"], f"/api/recipes/{written}/poster"):
        assert server.client.get(address).content.startswith(b"\xff\xd8"), address


def test_an_upload_goes_on_where_it_broke(server: Served, small_film: Path) -> None:
    data = small_film.read_bytes()
    half = len(data) // 2
    upload = server.client.post("/api/uploads", json={"name": "a.mp4", "size": len(data)}).json()["id"]
    address = f"/api/uploads/{upload}"
    first = server.client.patch(address, content=data[:half], headers={"upload-offset": "0"}).json()
    assert (first["received"], first["done"]) == (half, False)

    def broken() -> Iterator[bytes]:
        yield data[half : half + 100]
        raise OSError("the cable is out")

    with pytest.raises(OSError, match="cable"):
        server.client.patch(address, content=broken(), headers={"upload-offset": str(half)})
    assert server.client.patch(address, content=data, headers={"upload-offset": "0"}).status_code == 409
    # What came before the break may have been kept or not; a break that is not noticed yet gives 409.
    deadline = time.monotonic() + PATIENCE
    while True:
        there = server.client.get(address).json()["received"]
        assert half <= there <= half + 100
        done = server.client.patch(address, content=data[there:], headers={"upload-offset": str(there)})
        if done.status_code != 409:
            break
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert done.json()["done"]
    assert server.wait(upload)["recipe"]["title"] == "A"
    assert server.client.get(f"/api/recipes/{upload}/film").content == data
    assert server.client.patch(address, content=b"", headers={"upload-offset": "0"}).json()["done"], (
        "asking again is fine"
    )


def test_too_much_is_refused_while_it_streams(server: Served) -> None:
    def folder_size() -> int:
        return sum(path.stat().st_size for path in (server.library / "uploads").rglob("*"))

    before = folder_size()
    assert server.client.post("/api/uploads", json={"name": "x.mp4", "size": LIMIT + 1}).status_code == 413
    upload = server.client.post("/api/uploads", json={"name": "x.mp4", "size": LIMIT}).json()["id"]
    endless = (b"\0\0\0\x20ftypisom" + bytes(2**20 - 12) for _ in range(40))
    answer = server.client.patch(f"/api/uploads/{upload}", content=endless, headers={"upload-offset": "0"})
    assert answer.status_code == 413
    assert set(answer.json()) == {"subject", "cause", "advice"}
    assert folder_size() - before <= LIMIT
    assert server.client.delete(f"/api/uploads/{upload}").status_code == 204
    assert folder_size() == before


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"ffconcat version 1.0\nfile /etc/passwd\n" * 40, 415),
        (b"#EXTM3U\n#EXTINF:10,\n/etc/passwd\n" * 40, 415),
        (b"\x89PNG\r\n\x1a\n" + bytes(2000), 415),
        (b"<html><script>alert(1)</script>" * 60, 415),
        (b"short", 415),
        (b"\0\0\0\x20ftypisom" + bytes(5000), 422),
    ],
)
def test_what_is_no_film_is_refused_and_nothing_of_it_stays(server: Served, content: bytes, status: int) -> None:
    before = sorted(server.library.rglob("films/*")) + sorted(server.library.rglob("uploads/*"))
    upload = server.client.post("/api/uploads", json={"name": "soup.mp4", "size": len(content)}).json()["id"]
    answer = server.client.patch(f"/api/uploads/{upload}", content=content, headers={"upload-offset": "0"})
    assert answer.status_code == status, answer.text
    assert answer.json()["subject"] == "soup.mp4"
    assert str(server.library) not in answer.text
    assert sorted(server.library.rglob("films/*")) + sorted(server.library.rglob("uploads/*")) == before
    assert server.client.get(f"/api/uploads/{upload}").status_code == 404


def test_a_damaged_film_is_kept_or_refused_but_never_breaks_the_server(
    server: Served, small_film: Path, tmp_path: Path
) -> None:
    broken = cut(small_film, tmp_path / "cut.mp4", 0.5).read_bytes()
    upload = server.client.post("/api/uploads", json={"name": "cut.mp4", "size": len(broken)}).json()["id"]
    answer = server.client.patch(f"/api/uploads/{upload}", content=broken, headers={"upload-offset": "0"})
    assert answer.status_code == 422
    assert "cut.mp4" in answer.json()["subject"]


def test_hostile_names_are_only_ever_text(server: Served, small_film: Path) -> None:
    data = small_film.read_bytes()
    known = {path for path in server.library.rglob("*") if "films" not in path.parts}
    for name in HOSTILE_NAMES:
        new = json.dumps({"name": name, "size": len(data)}).encode("utf-8", "surrogatepass")
        answer = server.client.post("/api/uploads", content=new, headers={"content-type": "application/json"})
        assert answer.status_code in (201, 422), name
        if answer.status_code == 422:
            continue
        upload = answer.json()["id"]
        shown = answer.json()["name"]
        assert shown.isprintable()
        assert "/" not in shown
        assert "\\" not in shown
        assert (server.library / "uploads" / upload).is_file()
        if name not in SENT:
            assert server.client.delete(f"/api/uploads/{upload}").status_code == 204
            continue
        sent = server.client.patch(f"/api/uploads/{upload}", content=data, headers={"upload-offset": "0"})
        assert sent.status_code == 200, (name, sent.text)
        page = server.client.get(f"/r/{upload}").text
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert {path.name for path in (server.library / "films" / upload).iterdir()} <= {"film.mp4", "pictures"}
        server.client.delete(f"/api/recipes/{upload}")
    assert {path for path in server.library.rglob("*") if "films" not in path.parts} <= known
    assert server.client.delete("/api/bin").json()["count"] == len(SENT)


@pytest.mark.parametrize(
    ("ingredient", "cause"),
    [("refuse", "is not narrated"), ("break", "ZeroDivisionError: made up"), ("crash", "died over it 2 times")],
)
def test_a_job_that_fails_says_why_and_leaves_a_draft(
    server: Served, small_film: Path, ingredient: str, cause: str
) -> None:
    recipe = server.upload(small_film, ingredient)
    whole = server.wait(recipe)
    assert whole["job"]["state"] == "failed"
    assert cause in whole["job"]["error"]["cause"]
    assert whole["job"]["error"]["subject"] == "onion_soup.mp4"
    edit = {"revision": whole["revision"], "title": "By hand", "ingredients": ["onion"]}
    step = {"start": 0, "end": 3, "sentence": "peel the onion"}
    assert server.client.put(f"/api/recipes/{recipe}", json=edit | {"steps": [step]}).json()["recipe"]["steps"]


def test_cancel_stops_the_worker_and_the_next_job_goes_on(server: Served, small_film: Path) -> None:
    slow, waiting = server.upload(small_film, "slow"), server.upload(small_film)
    job = server.wait(slow, "running")["job"]["id"]
    assert server.client.post(f"/api/recipes/{slow}/jobs", json={}).status_code == 409, "it is being written already"
    assert server.client.delete(f"/api/jobs/{job}").json()["state"] == "cancelled"
    assert server.wait(waiting)["job"]["state"] == "done"
    assert server.wait(slow)["job"]["state"] == "cancelled"


def test_progress_comes_as_events(server: Served, small_film: Path) -> None:
    seen = []
    with httpx.stream("GET", f"{server.url}/api/events", timeout=PATIENCE) as news:
        lines = news.iter_lines()
        assert next(lines).startswith("retry:")
        recipe = server.upload(small_film)
        for line in lines:
            if line.startswith("data:"):
                seen.append(json.loads(line[5:]))
                if seen[-1].get("state") == "done":
                    break
    states = [news["state"] for news in seen if news.get("recipe") == recipe]
    assert states[-1] == "done"
    assert states == sorted(states, key=["queued", "running", "done"].index)
    assert {"id": recipe, "revision": 1} in seen or {"id": recipe, "revision": 2} in seen


def test_writing_again_waits_as_a_proposal(server: Served, small_film: Path) -> None:
    recipe = server.upload(small_film)
    whole = server.wait(recipe)
    steps = [
        {"id": mark["id"], "start": step["span"]["start"], "end": step["span"]["end"], "sentence": step["sentence"]}
        for step, mark in zip(whole["recipe"]["steps"], whole["marks"], strict=True)
    ]
    steps[0]["sentence"] = "my words"
    edit = {"revision": whole["revision"], "title": "Mine", "ingredients": ["onion"], "steps": steps}
    assert server.client.put(f"/api/recipes/{recipe}", json=edit).status_code == 200
    assert server.client.put(f"/api/recipes/{recipe}", json=edit).status_code == 409
    assert server.client.post(f"/api/recipes/{recipe}/jobs", json={"ingredients": "leek"}).status_code == 201
    assert server.wait(recipe)["proposal"]
    assert server.wait(recipe)["recipe"]["steps"][0]["sentence"] == "my words"
    proposal = server.client.get(f"/api/recipes/{recipe}/proposal").json()
    assert [change["what"] for change in proposal["changes"]] == ["kept", "changed", "changed", "changed"]
    after = server.client.post(f"/api/recipes/{recipe}/proposal/apply").json()
    assert [step["sentence"] for step in after["recipe"]["steps"]][:2] == [
        "my words",
        "melt the butter in a pan with leek",
    ]
    assert after["recipe"]["ingredients"][0] == "leek"
    assert server.client.get(f"/api/recipes/{recipe}/proposal").status_code == 404
    assert server.client.post(f"/api/recipes/{recipe}/restore", json={"revision": 1}).json()["recipe"]["steps"] == []


def test_recipe_managers_import_by_address(server: Served, written: str) -> None:
    address = f"{server.url}/r/{written}"
    scraped = scrape_html(httpx.get(address).text, org_url=address, supported_only=False)
    assert scraped.title() == "Soup: the/best & more", "this reader leaves markup out"
    assert [line.lower() for line in scraped.ingredients()] == ["2 tbsp butter", "onion"]
    assert len(scraped.instructions_list()) == 4
    assert scraped.image().startswith(f"{server.url}/api/recipes/{written}/pictures/")
    assert httpx.get(scraped.image()).headers["content-type"] == "image/jpeg"


def test_parts_of_the_film_can_be_asked_for(server: Served, written: str, small_film: Path) -> None:
    data = small_film.read_bytes()
    part = server.client.get(f"/api/recipes/{written}/film", headers={"range": "bytes=100-199"})
    assert part.status_code == 206
    assert part.content == data[100:200]
    assert part.headers["content-range"] == f"bytes 100-199/{len(data)}"
    assert server.client.get(f"/api/recipes/{written}/film", headers={"range": "bytes=999999999-"}).status_code == 416


def test_every_format_can_be_downloaded(server: Served, written: str, tmp_path: Path) -> None:
    found = {}
    for entry in server.client.get("/api/formats").json():
        answer = server.client.get(f"/api/recipes/{written}/export/{entry['name']}")
        assert answer.status_code == 200, (entry, answer.text)
        assert "Soup the best b more b" in answer.headers["content-disposition"].replace("%20", " ")
        found[entry["name"]] = answer.content
    (tmp_path / "r.json").write_bytes(found["json"])
    assert len(Recipe.load(tmp_path / "r.json").steps) == 4
    assert len(webvtt.from_buffer(io.StringIO(found["vtt"].decode())).captions) == 4
    with av.open(io.BytesIO(found["mp4"])) as copy:
        assert [chapter["metadata"]["title"].lower() for chapter in copy.chapters()][1] == "chop the onion with butter"
    assert {Path(name).suffix for name in zipfile.ZipFile(io.BytesIO(found["md"])).namelist()} == {".md", ".jpg"}
    assert server.client.get(f"/api/recipes/{written}/export/exe").status_code == 404
    embedded = server.client.get(f"/api/recipes/{written}/export/html", params={"embed": True})
    assert b"data:video/mp4" in embedded.content


def test_corrections_become_an_annotation_file(server: Served, small_film: Path, tmp_path: Path) -> None:
    recipe = server.upload(small_film)
    whole = server.wait(recipe)
    steps = [
        {"id": mark["id"], "start": step["span"]["start"], "end": 9.0, "sentence": step["sentence"], "right": True}
        for step, mark in zip(whole["recipe"]["steps"], whole["marks"], strict=True)
    ]
    edit = {"revision": whole["revision"], "title": "Checked", "ingredients": ["leek"], "steps": steps}
    assert server.client.put(f"/api/recipes/{recipe}", json=edit).status_code == 200
    out = tmp_path / "corrected.json"
    line = ["library", "export", "--library", str(server.library), "--for-training", "--out", str(out)]
    build_app()(line, standalone_mode=False)
    video = read_truth(out)[recipe]
    assert video.sentences[0] == "chop the onion"
    assert video.spans[:, 1].tolist() == [9.0] * 4
    assert video.ingredients == ("leek",)


def test_a_killed_server_takes_its_job_up_again(tmp_path: Path, small_film: Path) -> None:
    with served(tmp_path / "library") as first:
        slow = first.upload(small_film, "slow")
        done = first.upload(small_film)
        first.wait(slow, "running")
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
    with served(tmp_path / "library") as second:
        whole = second.wait(slow, "running")
        assert whole["job"]["error"] is None
        second.client.delete(f"/api/jobs/{whole['job']['id']}")
        assert second.wait(done)["job"]["state"] == "done"
        assert "another cookscribe" in refused(tmp_path / "library")


def refused(library: Path) -> str:
    """What a second server of a library says."""
    command = [sys.executable, "-m", "quick_web.server", str(library)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT / "benchmarks"), *sys.path))}
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment, check=False)
    assert done.returncode != 0
    return done.stderr
