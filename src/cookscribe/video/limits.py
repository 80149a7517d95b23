"""`Limits`: how big a film may be before it is refused. A video is untrusted input."""

from __future__ import annotations

from pydantic import Field

from cookscribe.config import Config


class Limits(Config):
    """What is refused before (or at the latest while) decoding. Every limit can be raised by whoever trusts the file.

    Attributes:
        max_pixels: width x height of a frame; the default holds 4K film, upright or not (a decoder may keep 17).
        max_seconds: length of the film.
        max_streams: video, sound, subtitle and data streams together.
        max_frames_per_second: more frames than this per second of film is a bomb, not a film.
        stall_seconds: decoding that brings nothing new for so long is given up.
    """

    max_pixels: int = Field(default=4096 * 2304, gt=0)
    max_seconds: float = Field(default=6 * 3600.0, gt=0)
    max_streams: int = Field(default=32, gt=0)
    max_frames_per_second: float = Field(default=500.0, gt=0)
    stall_seconds: float = Field(default=60.0, gt=0)
