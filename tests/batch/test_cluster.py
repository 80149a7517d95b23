"""The same job on a local Ray of two workers."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import films
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
    quiet = {"include_dashboard": False, "logging_level": "ERROR", "log_to_driver": False}
    ray.init(num_cpus=2, num_gpus=1, _system_config={"worker_niceness": 0}, **quiet)
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
def test_dead_and_hanging_actors_are_replaced_and_some_get_a_gpu() -> None:
    crew = Crew("ray", workers=2, timeout=8.0, gpu_workers=1)
    outcomes = {o.item: o for o in run(pool_work.visible_setup, ["exit", "hang", *"abcd"], crew)}
    kinds = {item: outcome.kind for item, outcome in outcomes.items()}
    assert kinds == {"exit": "crashed", "hang": "late"} | dict.fromkeys("abcd", "done")
    assert "took longer than 8 s" in str(outcomes["hang"].error)
    assert {outcome.result for outcome in outcomes.values()} == {"0", "", None}
    assert outcomes["a"].worker


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
