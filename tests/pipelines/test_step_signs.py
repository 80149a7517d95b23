"""Signs of right steps: what was said against what is told."""

import math
from pathlib import Path

import numpy as np
import pytest

from cookscribe.candidates import Candidates
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.pipelines.step_signs import CONFIDENCE, SIGNS, StepConfidence, step_signs
from cookscribe.pipelines.transcript_reader import TranscriptReader
from cookscribe.senses.transcripts import Transcript
from cookscribe.senses.word_space import PADDING, UNKNOWN, WordSpace
from cookscribe.story import StoryStep

WORDS = (PADDING, UNKNOWN, "chop", "onions", "onion", "fry", "rice", "butter")
NAMES = ("butter", "onion", "red rice", "rice")
SPACE = WordSpace(WORDS, np.ones((len(WORDS), 64), dtype=np.float32), np.ones(len(WORDS), dtype=np.float32))


def test_signs_of_a_step_that_was_said_and_of_one_that_was_not() -> None:
    said = Transcript.from_segments([(10.0, 11.0, "chop onions"), (80.0, 81.0, "rice")])
    events = Candidates(np.array([[9.0, 12.0], [40.0, 50.0]]), np.array([0.5, 0.2]), 100.0)
    told = ("chop the onion with butter", "fry the rice")
    steps = [StoryStep(n, events.spans[n], text, np.zeros(3), -1.0) for n, text in enumerate(told)]
    first, second = step_signs(steps, events, SPACE.heard(said), TranscriptReader(SPACE, NAMES))
    # Of chop, onion and butter two are said; "onions" counts.
    assert first.tolist() == pytest.approx([0.0, 2 / 3, math.log(4), -1.0, 0.5])
    # Rice is said elsewhere.
    assert second.tolist() == pytest.approx([math.log(0.2 / 0.8), 0.0, math.log(3), -1.0, 0.5])
    assert step_signs((), events, SPACE.heard(said), TranscriptReader(SPACE, NAMES)).shape == (0, len(SIGNS))


def test_confidence_is_kept_with_the_bundle(tmp_path: Path) -> None:
    signs = np.array([[0.4, 0.5, 1.0, -1.0, 2.0]])
    assert StepConfidence.of(tmp_path)(signs) == pytest.approx([1 / (1 + math.exp(-0.4))]), "the overlap alone"
    StepConfidence(weights=(0.0, 2.0, 1.0, 1.0), shift=-2.0).save(tmp_path / CONFIDENCE)
    assert StepConfidence.of(tmp_path)(signs) == pytest.approx([1 / (1 + math.e)])
    signs[0, -1] = 0.0
    assert StepConfidence.of(tmp_path)(signs) == pytest.approx([1 / (1 + math.e) / 3]), "no ingredient is said"
    (tmp_path / CONFIDENCE).write_text('{"weights": [1, 2], "shift": 0}')
    with pytest.raises((BadFileError, BadValueError)):
        StepConfidence.of(tmp_path)
