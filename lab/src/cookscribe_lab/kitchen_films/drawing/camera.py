"""The camera: shots, cuts and moves over the stage, and the look of the lens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageChops

from cookscribe_lab.kitchen_films.drawing.stage import HEIGHT, WIDTH
from cookscribe_lab.kitchen_films.drawing.style import Style


@dataclass(frozen=True)
class Framing:
    """A part of the stage: centre in stage pixels, and how many times it is enlarged."""

    x: float
    y: float
    zoom: float

    def towards(self, other: Framing, share: float) -> Framing:
        """On the way to another framing."""
        return Framing(
            self.x + (other.x - self.x) * share,
            self.y + (other.y - self.y) * share,
            self.zoom + (other.zoom - self.zoom) * share,
        )

    def box(self) -> tuple[float, float, float, float]:
        """The rectangle on the stage; never outside of it."""
        zoom = max(1.0, self.zoom)
        wide, tall = WIDTH / zoom, HEIGHT / zoom
        left = min(max(self.x - wide / 2, 0.0), WIDTH - wide)
        top = min(max(self.y - tall / 2, 0.0), HEIGHT - tall)
        return left, top, left + wide, top + tall


@dataclass(frozen=True)
class Shot:
    """A camera move from one framing to another; `share` of a scene at which it ends and the next shot cuts in."""

    until: float
    start: Framing
    end: Framing


def shots_of_act(x: float, y: float, length: float, style: Style, rng: np.random.Generator) -> list[Shot]:
    """How an act at (x, y) is filmed: wide, close, or first one and then the other."""

    def wide() -> Framing:
        return Framing(x + rng.uniform(-16, 16), y - 14 + rng.uniform(-8, 8), style.zoom * rng.uniform(1.04, 1.14))

    def close() -> Framing:
        return Framing(x + rng.uniform(-12, 24), y - 26 + rng.uniform(-12, 10), style.zoom * rng.uniform(1.3, 1.55))

    plans = ((wide,), (close,), (wide, close), (close, wide)) if length >= 3 else ((wide,), (close,))
    plan = plans[int(rng.integers(len(plans)))]
    shots = []
    for number, take in enumerate(plan):
        start = take()
        end = Framing(start.x + rng.uniform(-14, 14), start.y + rng.uniform(-6, 6), start.zoom * rng.uniform(0.97, 1.1))
        shots.append(Shot((number + 1) / len(plan), start, end))
    return shots


def shots_of_interlude(kind: str, style: Style, rng: np.random.Generator) -> list[Shot]:
    """Cards stand still, the presenter is nearer or further, tables are panned over."""
    if kind in ("title", "credits"):
        still = Framing(320, 180, 1.0)
        return [Shot(1.0, still, Framing(320, 180, 1.05))]
    if kind in ("talking", "tasting"):
        zoom = style.zoom * rng.uniform(1.0, 1.35)
        return [
            Shot(1.0, Framing(320, 150, zoom), Framing(320 + rng.uniform(-10, 10), 150, zoom * rng.uniform(1.0, 1.06)))
        ]
    if kind == "ingredients":
        return [Shot(1.0, Framing(240, 196, 1.3), Framing(400, 196, 1.3))]
    zoom = rng.uniform(1.1, 1.45)
    return [Shot(1.0, Framing(320, 200, zoom), Framing(320 + rng.uniform(-24, 24), 204, zoom * rng.uniform(1.05, 1.2)))]


class Lens:
    """Makes the picture of a frame: framing, size, colours of the video, darker corners."""

    def __init__(self, style: Style, width: int, height: int) -> None:
        self.size = (width, height)
        self.mirrored = style.mirrored
        levels = np.arange(256, dtype=np.float64)
        curves = [
            np.clip(((levels - 128) * style.contrast + 128 + style.brightness) * tint, 0, 255) for tint in style.tint
        ]
        self._table = [int(value) for curve in curves for value in np.rint(curve)]
        y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
        corners = np.clip(1.06 - 0.16 * (x**2 + y**2), 0, 1)
        self._vignette = Image.fromarray(np.rint(np.repeat(corners[..., None], 3, axis=2) * 255).astype(np.uint8))

    def take(self, frame: Image.Image, framing: Framing, *, readable: bool = False) -> Image.Image:
        """The picture. `readable` keeps writing the right way round."""
        picture = frame.resize(self.size, Image.Resampling.BILINEAR, box=framing.box())
        if self.mirrored and not readable:
            picture = picture.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        return ImageChops.multiply(picture.point(self._table), self._vignette)


def framing_at(shots: list[Shot], share: float) -> Framing:
    """Where the camera is when `share` of the scene is over."""
    begun = 0.0
    for shot in shots:
        if share < shot.until or shot is shots[-1]:
            return shot.start.towards(shot.end, (share - begun) / max(1e-6, shot.until - begun))
        begun = shot.until
    raise AssertionError("there is always a last shot")
