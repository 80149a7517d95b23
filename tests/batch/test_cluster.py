"""The same job on a local Ray of two workers."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import films
from cookscribe.batch import cluster
from cookscribe.batch.engine import Crew, run
from cookscribe.batch.films import films_of
from cookscribe.batch.report import Report
from cookscribe.batch.run import Job
from cookscribe.encoders.jobs import EncodeJob
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import MissingDependencyError
from tests.batch import pool_work, scribes


@pytest.fixture(scope="module")
def _local_ray() -> Iterator[None]:
    import ray  # slow to import

    # The GPU is Ray's word for it only; what a worker sees is tested, not what it computes.
    cluster._join(ray, Crew("ray", workers=2, gpu_workers=1))
    yield
    ray.shutdown()


@pytest.mark.usefixtures("_local_ray")
def test_ray_gives_what_one_process_gives(tmp_path: Path) -> None:
    paths = [films.plain(tmp_path / f"film-{n}.mp4", 1.0 + n, sound=False) for n in range(3)]
    bad = tmp_path / "bad.mp4"
    bad.write_text("not a film")
    job = EncodeJob("effnet", tmp_path / "ray")
    outcomes = {o.item.stem: o for o in run(job, [*paths, bad], Crew("ray", workers=2))}
    kinds = {name: outcome.kind for name, outcome in outcomes.items()}
    assert kinds == dict.fromkeys(("film-0", "film-1", "film-2"), "done") | {"bad": "refused"}
    assert "is not a film" in str(outcomes["bad"].error)
    # Missing weights stop the run: no film can be done.
    with pytest.raises(MissingDependencyError, match="milnce weights"):
        list(run(EncodeJob("milnce", tmp_path / "none"), paths, Crew("ray", workers=2)))
    # In this process, without any engine: the same rows.
    alone = EncodeJob("effnet", tmp_path / "alone")
    work = alone()
    for path in paths:
        work(path, lambda _: None)
        ours, theirs = (FeatureStore(folder).read(path.stem) for folder in (alone.out, job.out))
        np.testing.assert_array_equal(ours.times, theirs.times)
        np.testing.assert_allclose(ours.values, theirs.values, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("_local_ray")
def test_dead_and_hanging_actors_are_replaced() -> None:
    outcomes = {o.item: o for o in run(pool_work.setup, ["exit", "hang", *"abcd"], Crew("ray", workers=2, timeout=8.0))}
    kinds = {item: outcome.kind for item, outcome in outcomes.items()}
    assert kinds == {"exit": "crashed", "hang": "late"} | dict.fromkeys("abcd", "done")
    assert "took longer than 8 s" in str(outcomes["hang"].error)
    assert outcomes["a"].worker.endswith(f":{outcomes['a'].result}")


@pytest.mark.usefixtures("_local_ray")
@pytest.mark.parametrize("engine", ["local", "ray"])
def test_some_workers_get_a_gpu_and_the_others_see_none(engine: str, tmp_path: Path) -> None:
    crew = Crew(engine, workers=2, gpu_workers=1)
    outcomes = list(run(pool_work.visible_setup, [str(tmp_path)] * 2, crew))
    assert sorted(str(outcome.result) for outcome in outcomes) == ["", "0"]


@pytest.mark.usefixtures("_local_ray")
def test_films_on_ray_are_done_once_though_a_worker_dies(tmp_path: Path) -> None:
    place, out = tmp_path / "films", tmp_path / "out"
    place.mkdir()
    film = films.plain(place / "good-0.mp4", 0.5, sound=False).read_bytes()
    for name in ("good-1", "good-2", "once-1", "bad-1"):
        (place / f"{name}.mp4").write_bytes(film)
    with Job(scribes.marked_job(out, formats=("json",))) as job:
        job.manifest.add(films_of(str(place), out))
        job.work(Crew("ray", workers=2, timeout=60.0), Report())
        assert job.manifest.counts == {"waiting": 0, "running": 0, "done": 4, "failed": 1, "aside": 0}
        assert [(Path(one.path).stem, one.kind, one.tries) for one in job.manifest.failures()] == [
            ("bad-1", "refused", 1)
        ]
    assert sorted(path.name[:6] for path in (out / "files").glob("*/*")) == ["good-0", "good-1", "good-2", "once-1"]


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("The actor died because its node has died. Node Id: 1f", "lost"),
        ("The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker ...", "crashed"),
    ],
)
def test_a_machine_that_is_gone_is_no_fault_of_the_film(told: str, kind: str) -> None:
    worker = cluster._Actor.__new__(cluster._Actor)
    worker.crash = RuntimeError(told)
    found = worker.died()
    assert found is not None
    assert found[0] == kind
