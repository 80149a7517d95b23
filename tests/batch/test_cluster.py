"""The same job on a local Ray of two workers."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import films
from cookscribe.batch.engine import Crew, run
from cookscribe.encoders.jobs import EncodeJob
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import MissingDependencyError


@pytest.fixture(scope="module")
def _local_ray() -> Iterator[None]:
    import ray  # slow to import

    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
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
