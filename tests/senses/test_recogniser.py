"""Long sound is listened to in pieces."""

import numpy as np
import pytest

from cookscribe.senses.recogniser import SOUND_RATE, pieces

PIECE = 30.0  # seconds; ten times shorter than in use


def test_long_sound_is_cut_where_it_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cookscribe.senses.recogniser.PIECE", PIECE)
    random = np.random.default_rng(0)
    length = round(2.4 * PIECE * SOUND_RATE)
    sound = random.normal(0, 0.2, length).astype(np.float32)
    quiet = round((PIECE - 7.0) * SOUND_RATE)
    sound[quiet : quiet + SOUND_RATE] *= 0.01
    blocks = (sound[start : start + 50_000] for start in range(0, length, 50_000))
    made = list(pieces(blocks))
    assert [start for start, _ in made] == sorted(start for start, _ in made)
    np.testing.assert_array_equal(np.concatenate([samples for _, samples in made]), sound)
    assert made[1][0] == pytest.approx(PIECE - 6.5, abs=0.5)
    assert all(len(samples) <= PIECE * SOUND_RATE for _, samples in made)
    assert list(pieces(iter(()))) == []
