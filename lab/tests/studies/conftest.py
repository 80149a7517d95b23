"""One made-up YouCook2 folder, ready-made candidates and one folder of finished parts for all studies' smoke runs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cookscribe.candidates import Candidates
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.proposals.store import write_candidate_store
from cookscribe_lab.studies.core.registry import ALWAYS, Study, StudyOptions, find_study
from tests.command import invoke
from tests.learning.made_up_youcook2 import write_folder

# The difficulty of features and candidates is what this study is about, so it always makes its own.
MAKES_ITS_OWN = {"noise": {"features", "candidates"}}
# Who is given the true events needs no candidates.
OF_CANDIDATES = {"events", "candidates", "proposal_epochs"}


class RecordedOptions(StudyOptions):
    """Options that know which of them were read."""

    def __getattribute__(self, name: str) -> object:
        found = object.__getattribute__(self, "__dict__")
        if name in found:
            found.setdefault("_read", set()).add(name)
        return object.__getattribute__(self, name)


@pytest.fixture(autouse=True)
def _options_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run of a study in these tests reads exactly the options that its command offers."""
    plain = Study.run

    def run(study: Study, options: StudyOptions) -> str:
        recorded = RecordedOptions(**vars(options))
        text = plain(study, recorded)
        read = vars(recorded)["_read"] - MAKES_ITS_OWN.get(study.name, set())
        wanted = set(study.options) - (OF_CANDIDATES if options.true_events else set())
        assert read | set(ALWAYS) == wanted, f"study {study.name} reads {sorted(read)}"
        return text

    monkeypatch.setattr(Study, "run", run)


@dataclass(frozen=True)
class Bench:
    """Where the smoke runs stand: the folders, and the way to run a study by its command."""

    data: Path
    candidates: Path
    work: Path
    results: Path

    def options(self, study: str, **changes: object) -> StudyOptions:
        """As the command would give them."""
        given = {"data": self.data, "out": self.results / study, "seeds": 1, "smoke": True, "meteor": False}
        return StudyOptions(**(given | {"candidates": self.candidates, "work": self.work} | changes))  # type: ignore[arg-type]

    def run(self, study: str, *more: str, ready: bool = True) -> str:
        """`cookscribe study NAME --smoke`; returns what it printed."""
        given = {"data": self.data, "work": self.work, "out": self.results / study}
        if ready:
            given["candidates"] = self.candidates
        offered = [f"--{name}={path}" for name, path in given.items() if name in find_study(study).options]
        return invoke("study", study, "--smoke", *offered, *more).stdout

    def content(self, study: str) -> dict[str, Any]:
        """What the study wrote as JSON."""
        return json.loads((self.results / study / f"{study}.json").read_text())


def noisy_candidates(data: Path, count: int) -> dict[str, dict[str, Candidates]]:
    """By split and video: the true steps, moved a little, and random events; captions say what is done somewhere."""
    found: dict[str, dict[str, Candidates]] = {}
    for split in ("training", "validation"):
        for key, video in YouCook2(data).videos(split).items():
            rng = np.random.default_rng(int(key.removeprefix("video")))
            steps = video.spans + rng.normal(0, 2, video.spans.shape)
            other = rng.uniform(0, video.duration, (count - len(steps), 2))
            spans = np.sort(np.clip(np.concatenate([steps, other]), 0, video.duration), axis=1)
            scores = np.concatenate([rng.uniform(0.4, 0.9, len(steps)), rng.uniform(0.1, 0.5, len(other))])
            captions = tuple(video.sentences[n % len(video.sentences)] for n in range(count))
            found.setdefault(split, {})[key] = Candidates(
                spans, scores, video.duration, captions, rng.uniform(-9, -3, count), count=len(steps)
            )
    return found


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Shared by all: what one study trained, another finds again."""
    root = tmp_path_factory.mktemp("studies")
    data = write_folder(root / "youcook2", training=16, validation=6)
    for count in (25, 50):
        for split, candidates in noisy_candidates(data, count).items():
            write_candidate_store(
                root / "candidates" / f"{split}_n{count}.safetensors", candidates, {"out_of_fold": 16}
            )
    return Bench(data, root / "candidates", root / "work", root / "results")


@pytest.fixture
def no_training(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it, and every further training is a failure."""

    def forbid() -> None:
        def refuse(*_: object, **__: object) -> None:
            raise AssertionError("trained again")

        monkeypatch.setattr("cookscribe_lab.studies.core.variants.train_story", refuse)
        monkeypatch.setattr("cookscribe_lab.studies.core.comparable.train_proposals", refuse)

    return forbid
