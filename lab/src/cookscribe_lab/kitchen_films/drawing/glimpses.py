"""Glimpses: the few frames of a drawn video that an encoder looks at, without making the video.

An encoder that looks twice a second sees one frame in five. Drawing and storing the other four only to throw them away
costs more than everything else in training a model on drawn videos. What cannot be left out is the codec: a network
sees the traces that H.264 leaves. So the glimpses go through it, as a film of their own with the settings of the real
one. What an encoder makes of them is not the same, but close (docs/kitchen-videos.md has the figures).
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction

import av
import numpy as np
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame
from PIL import Image

from cookscribe.video import Frame, Size
from cookscribe.video.geometry import upright
from cookscribe.video.writing import encoder_options
from cookscribe_lab.kitchen_films.drawing.film import OPTIONS, Picture, codec
from cookscribe_lab.kitchen_films.drawing.screenplay import FPS, Film
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe

_SLACK = 1e-6  # seconds: borders of frames are sums of tenths


def glimpse_times(duration: float, rate: float) -> list[float]:
    """The moments at which `VideoFile.frames(rate)` looks at a film of this length: middles of slices of 1/rate s."""
    count = max(1, int(np.ceil(duration * rate - 0.5 - _SLACK)))
    return [(index + 0.5) / rate for index in range(count)]


def glimpses(recipe: MadeUpRecipe, picture: Picture, rate: float, size: Size) -> Iterator[Frame]:
    """About the frames that `VideoFile(...).frames(rate, size)` gives for the drawn video of this recipe."""
    film = Film(recipe, picture.width, picture.height)
    times = glimpse_times(recipe.duration, rate)
    numbers = [min(int(time * FPS + _SLACK), len(film) - 1) for time in times]
    pictures = list(film.pictures(sorted(set(numbers))))
    shown = dict(zip(sorted(set(numbers)), compressed(pictures), strict=True))
    images = {number: upright(frame, size, 1.0) for number, frame in shown.items()}
    for time, number in zip(times, numbers, strict=True):
        yield Frame(time, number / FPS, images[number])


def compressed(pictures: Sequence[Image.Image]) -> list[VideoFrame]:
    """The pictures after the codec of drawn videos, in their order."""
    encoder = av.CodecContext.create(codec(), "w")
    assert isinstance(encoder, VideoCodecContext)
    encoder.width, encoder.height = pictures[0].size
    encoder.pix_fmt = "yuv420p"
    encoder.time_base, encoder.framerate = Fraction(1, FPS), Fraction(FPS)
    encoder.thread_count = 1
    encoder.options = encoder_options(codec(), OPTIONS[codec()])
    packets = []
    for number, picture in enumerate(pictures):
        frame = VideoFrame.from_ndarray(np.asarray(picture), format="rgb24")
        frame.pts, frame.time_base = number, Fraction(1, FPS)
        packets += encoder.encode(frame)
    packets += encoder.encode(None)
    decoder = av.CodecContext.create("h264" if codec() == "libx264" else codec(), "r")
    assert isinstance(decoder, VideoCodecContext)
    decoder.thread_count = 1
    decoder.extradata = encoder.extradata
    frames = [frame for packet in packets for frame in decoder.decode(packet)]
    frames += decoder.decode(None)
    return sorted(frames, key=lambda frame: frame.pts or 0)
