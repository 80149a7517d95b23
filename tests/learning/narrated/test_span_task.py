"""The finder of spans learns where steps are, from the words that are said in them."""

from pathlib import Path

import numpy as np

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.narrated.span_task import train_spans
from cookscribe.proposals.spans import load_finder
from cookscribe.senses.transcripts import Transcript
from cookscribe.track import FeatureTrack


def _video(number: int) -> tuple[AnnotatedVideo, FeatureTrack, Transcript]:
    """Every second a word, "boil" in a step and "well" elsewhere; the track says nothing."""
    rng = np.random.default_rng(number)
    duration = 100.0
    starts = np.sort(rng.choice(9, 3, replace=False)) * 10.0
    spans = np.stack([starts, starts + 10.0], axis=1)
    times = np.arange(0.5, duration, 1.0)
    inside = ((times[:, None] >= spans[:, 0]) & (times[:, None] < spans[:, 1])).any(axis=1)
    said = Transcript.from_segments(
        (t, t + 0.1, "boil" if here else "well") for t, here in zip(times, inside, strict=True)
    )
    track = FeatureTrack(times, np.zeros((len(times), 2), dtype=np.float32), "made up", duration)
    return AnnotatedVideo(f"v{number:02d}", duration, spans, ("boil it",) * 3), track, said


def test_learns_where_steps_are_and_keeps_folds_apart(tmp_path: Path) -> None:
    made = [_video(number) for number in range(20)]
    videos = {video.id: video for video, _, _ in made}
    tracks = {video.id: track for video, track, _ in made}
    transcripts = {video.id: said for video, _, said in made}
    changes = {"bins": 20, "longest": 6, "width": 16, "dropout": 0.0}
    found = train_spans(
        videos,
        tracks,
        transcripts,
        tmp_path,
        parts=2,
        changes=changes,
        training={"epochs": 15, "batch_size": 4, "evaluate_every": 15},
        quiet=True,
    )
    assert set(found) == set(videos)
    video, track, said = _video(99)
    events = load_finder(tmp_path).find(track, said)
    assert abs(len(events) - 3) <= 1
    covered = (
        sum(max(0.0, min(b, d) - max(a, c)) for a, b in events.spans.tolist() for c, d in video.spans.tolist())
        / (events.spans[:, 1] - events.spans[:, 0]).sum()
    )
    assert covered > 0.7
