"""The selection study's ground on the published files: its baselines, and that words heard say something."""

from pathlib import Path

import numpy as np
import pytest

from cookscribe.learning.datasets.oracle import oracle_labels
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.proposals.plain import suppressed
from cookscribe_lab.studies.selection.scores import score_choice
from cookscribe_lab.studies.selection.words_heard import WordsHeard, moment_labels


def test_baselines_have_their_known_figures(data_folder: Path) -> None:
    data = YouCook2(data_folder)
    candidates = data.candidates()
    truth = {key: video.spans for key, video in data.videos("validation").items()}
    plain = score_choice(truth, {key: suppressed(candidates[key], 0.3).spans for key in truth})
    assert len(plain.stories) == 457
    assert plain.soda_tiou == pytest.approx(37.49, abs=0.005)
    assert plain.within[1] == pytest.approx(39.2, abs=0.05)
    assert plain.within[3] == pytest.approx(78.1, abs=0.05)
    chosen = {}
    for key, spans in truth.items():
        labels = oracle_labels(spans, candidates[key].spans, "paper")
        chosen[key] = candidates[key].spans[labels]
    assert score_choice(truth, chosen).soda_tiou == pytest.approx(56.55, abs=0.005)


def test_words_heard_say_where_steps_are_in_unseen_videos(data_folder: Path) -> None:
    data = YouCook2(data_folder)
    transcripts = data.transcripts()
    heard = WordsHeard.fit(data.videos("training"), transcripts)
    unseen = data.videos("validation")
    true = np.concatenate([moment_labels(video)[:, 0] for video in unseen.values()])
    told = np.concatenate([heard.moments(transcripts.get(k), v.duration)[:, 0] for k, v in unseen.items()])
    silent = np.concatenate([heard.moments(None, video.duration)[:, 0] for video in unseen.values()])
    assert np.corrcoef(told, true)[0, 1] > 0.5
    assert np.corrcoef(told, true)[0, 1] > np.corrcoef(silent, true)[0, 1] + 0.02
