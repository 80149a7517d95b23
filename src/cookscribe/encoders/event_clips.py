"""Events by their own clips: a network looks once at frames spread over each event, as the paper's event encoder does.

The other way, the mean of the windows of a track inside an event, needs no second pass over the film
(`FeatureTrack.over`).
"""

import numpy as np
from numpy.typing import NDArray

from cookscribe.encoders.base import Progress, silent
from cookscribe.encoders.windows import WindowEncoder
from cookscribe.video import Size, VideoFile, ahead


def clip_moments(start: float, end: float, count: int) -> NDArray[np.float64]:
    """(count,) seconds: the middles of equal slices of the event."""
    moments: NDArray[np.float64] = start + (end - start) * (np.arange(count) + 0.5) / count
    return moments


def encode_events(
    encoder: WindowEncoder, video: VideoFile, spans: NDArray[np.floating], progress: Progress = silent
) -> NDArray[np.float32]:
    """(N, width): one row per event, from as many frames as a window of the encoder has.

    One pass over the film; the frames of an event are kept until it is complete. An event shorter than a window
    repeats frames.

    Args:
        spans: (N, 2) seconds.
    """
    borders = np.asarray(spans, dtype=np.float64).reshape(-1, 2)
    moments = [clip_moments(start, end, encoder.window) for start, end in borders.tolist()]
    clips: dict[int, list[NDArray[np.uint8]]] = {event: [] for event in range(len(moments))}
    rows = np.zeros((len(moments), encoder.width), dtype=np.float32)
    half = 0.5 / encoder.rate
    image: NDArray[np.uint8] | None = None
    for frame in ahead(video.frames(encoder.rate, Size.square(encoder.side)), depth=2 * encoder.stride):
        image = frame.image
        for event in list(clips):
            clip, wanted = clips[event], moments[event]
            clip += [image] * int(np.searchsorted(wanted, frame.time + half, side="right") - len(clip))
            if len(clip) == encoder.window:
                rows[event] = encoder.features(np.stack(clips.pop(event))[None])[0]
        progress(frame.time)
        if not clips:
            break
    for event, clip in clips.items():
        # The film ended before the event did.
        assert image is not None
        rows[event] = encoder.features(np.stack(clip + [image] * (encoder.window - len(clip)))[None])[0]
    return rows
