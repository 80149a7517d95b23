"""Drafts that the writer learns to correct, from a made-up dataset."""

from pathlib import Path
from typing import Any

import pytest

from cookscribe.errors import BadFileError
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.folds import read_folds
from cookscribe.learning.narrated.build_bundle import SpeechFolder
from cookscribe.learning.narrated.run import Narrated, SpeechRun, train_writer
from cookscribe.learning.writer import drafts
from cookscribe.learning.writer.examples import WriterAugmentation, drafted_versions
from cookscribe.learning.writer.run import read_examples
from tests.learning.made_up_youcook2 import write_folder

RUN = SpeechRun(
    model={"width": 32, "heads": 2, "dropout": 0.0},
    training={"epochs": 2, "batch_size": 4, "learning_rate": 0.01, "evaluate_every": 2},
    reward={"epochs": 0},
    min_count=1,
)


def test_a_draft_is_by_a_model_that_did_not_see_the_video(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = YouCook2(write_folder(tmp_path / "data", training=12, validation=1))
    speech = SpeechFolder(data, tmp_path / "models", RUN, {"epochs": 1}, quiet=True)
    learnt_from: dict[Path, set[str]] = {}

    def watched(run: SpeechRun, material: Narrated, out: Path, *rest: Any, **options: Any) -> Any:
        learnt_from[out] = set(material.videos)
        return train_writer(run, material, out, *rest, **options)

    monkeypatch.setattr(drafts, "train_writer", watched)
    examples, choices = read_examples(data, speech.out_of_fold), WriterAugmentation()
    path = tmp_path / "drafts.json"
    found = drafts.write_drafts(speech, examples, choices, path)
    of_video = read_folds(speech.out / "seed-0")
    narrated = {one.truth.id: one for one in examples if len(one.words)}
    assert set(found) == set(narrated) == set(of_video)
    for key, versions in found.items():
        assert key not in learnt_from[of_video[key]]
        drawn = drafted_versions(narrated[key], choices)
        assert [len(lines) for lines in versions] == [len(version.steps) for version in drawn]
    monkeypatch.setattr(drafts, "train_writer", lambda *_, **__: pytest.fail("trained again"))
    assert drafts.write_drafts(speech, examples, choices, path) == found
    path.write_text("[]")
    with pytest.raises(BadFileError, match="made anew"):
        drafts.read_drafts(path)
