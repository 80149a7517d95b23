"""Painting small pictures (sprites): smooth edges by supersampling, volume by light on a blurred outline.

Everything is measured in stage pixels; a `Sketch` works at three times that size and is reduced at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

from cookscribe_lab.kitchen_films.food_table import Colour

Point = tuple[float, float]
Sprite = Image.Image  # RGBA, at stage size

SUPER = 3
_LIGHT = (-0.55, -0.83)  # from the upper left


def smooth(points: Sequence[Point], steps: int = 8) -> list[Point]:
    """A closed curve through the points (Catmull-Rom)."""
    corners = np.asarray(points, dtype=np.float64)
    before, here, after, beyond = (np.roll(corners, shift, axis=0) for shift in (1, 0, -1, -2))
    curve = []
    for t in np.linspace(0.0, 1.0, steps, endpoint=False):
        curve.append(
            0.5
            * (
                2 * here
                + (after - before) * t
                + (2 * before - 5 * here + 4 * after - beyond) * t**2
                + (3 * here - before - 3 * after + beyond) * t**3
            )
        )
    return [(float(x), float(y)) for x, y in np.stack(curve, axis=1).reshape(-1, 2)]


def around(cx: float, cy: float, offsets: Sequence[Point]) -> list[Point]:
    """An outline given by how far its points lie from a centre."""
    return [(cx + x, cy + y) for x, y in offsets]


def wobbly(
    cx: float, cy: float, rx: float, ry: float, rng: np.random.Generator, amount: float = 0.12, corners: int = 9
) -> list[Point]:
    """The outline of something roughly round."""
    angles = np.linspace(0.0, 2 * math.pi, corners, endpoint=False) + rng.uniform(0, 0.4)
    radii = 1.0 + rng.uniform(-amount, amount, corners)
    return [
        (cx + rx * float(r) * math.cos(a), cy + ry * float(r) * math.sin(a)) for a, r in zip(angles, radii, strict=True)
    ]


def spots(
    cx: float, cy: float, rx: float, ry: float, count: int, rng: np.random.Generator, reach: float = 1.0
) -> Iterator[Point]:
    """Chance places inside an ellipse, up to `reach` of the way to its edge; each is drawn when it is asked for."""
    for _ in range(count):
        a, r = rng.uniform(0, 2 * math.pi), math.sqrt(rng.uniform()) * reach
        yield cx + rx * r * math.cos(a), cy + ry * r * math.sin(a)


class Sketch:
    """A sprite in the making."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGBA", (width * SUPER, height * SUPER))

    # -- shapes: each is filled with a colour, and shaded when it has a `bevel` (width of the rounded edge)

    def ellipse(
        self, cx: float, cy: float, rx: float, ry: float, colour: Colour, bevel: float = 0, strength: float = 0.5,
        alpha: int = 255,
    ) -> Sketch:  # fmt: skip
        """An ellipse around a centre."""
        part = _Part(self, (cx - rx, cy - ry, cx + rx, cy + ry), bevel)
        part.draw.ellipse(part.box(cx - rx, cy - ry, cx + rx, cy + ry), fill=255)
        return self._fill(part, colour, bevel, strength, alpha)

    def polygon(
        self, points: Sequence[Point], colour: Colour, bevel: float = 0, strength: float = 0.5, alpha: int = 255
    ) -> Sketch:
        """A polygon with sharp corners."""
        part = _Part(self, _bounds(points), bevel)
        part.draw.polygon(part.points(points), fill=255)
        return self._fill(part, colour, bevel, strength, alpha)

    def blob(
        self, points: Sequence[Point], colour: Colour, bevel: float = 0, strength: float = 0.5, alpha: int = 255
    ) -> Sketch:
        """A rounded shape: a smooth curve through the points."""
        return self.polygon(smooth(points), colour, bevel, strength, alpha)

    def box(
        self, left: float, top: float, right: float, bottom: float, colour: Colour, radius: float = 0,
        bevel: float = 0, strength: float = 0.5, alpha: int = 255,
    ) -> Sketch:  # fmt: skip
        """A rectangle with rounded corners."""
        part = _Part(self, (left, top, right, bottom), bevel)
        part.draw.rounded_rectangle(part.box(left, top, right, bottom), radius=radius * SUPER, fill=255)
        return self._fill(part, colour, bevel, strength, alpha)

    def line(
        self, points: Sequence[Point], colour: Colour, width: float, bevel: float = 0, strength: float = 0.5,
        alpha: int = 255,
    ) -> Sketch:  # fmt: skip
        """A line with round ends and joints."""
        left, top, right, bottom = _bounds(points)
        half = width / 2 + 1
        part = _Part(self, (left - half, top - half, right + half, bottom + half), bevel)
        part.draw.line(part.points(points), fill=255, width=max(1, round(width * SUPER)), joint="curve")
        for x, y in (points[0], points[-1]):
            part.draw.ellipse(part.box(x - width / 2, y - width / 2, x + width / 2, y + width / 2), fill=255)
        return self._fill(part, colour, bevel, strength, alpha)

    def dots(
        self, rng: np.random.Generator, count: int, size: float, colours: Sequence[Colour], inside: bool = True
    ) -> Sketch:
        """Specks at chance places, by default only where something is painted already."""
        layer = Image.new("RGBA", self.image.size)
        draw = ImageDraw.Draw(layer)
        for _ in range(count):
            x, y = rng.uniform(0, self.image.width), rng.uniform(0, self.image.height)
            radius = size * SUPER * rng.uniform(0.5, 1.0)
            colour = colours[int(rng.integers(len(colours)))]
            draw.ellipse([x - radius, y - radius * 0.8, x + radius, y + radius * 0.8], fill=(*colour, 255))
        if inside:
            layer.putalpha(ImageChops.multiply(layer.getchannel("A"), self.image.getchannel("A")))
        self.image.alpha_composite(layer)
        return self

    def grain(self, rng: np.random.Generator, amount: float) -> Sketch:
        """Fine roughness of the surface."""
        noise = np.clip(128 + rng.normal(0.0, amount, (self.height, self.width)), 0, 255).astype(np.uint8)
        grey = Image.fromarray(noise).resize(self.image.size, Image.Resampling.NEAREST)
        rough = ImageChops.add(self.image.convert("RGB"), Image.merge("RGB", (grey, grey, grey)), 1, -128)
        rough.putalpha(self.image.getchannel("A"))
        self.image = rough
        return self

    def sprite(self) -> Sprite:
        """The finished picture at stage size."""
        return self.image.reduce(SUPER)

    def _fill(self, part: _Part, colour: Colour, bevel: float, strength: float, alpha: int) -> Sketch:
        if part.is_empty:
            return self
        layer = lit(part.mask, colour, bevel, strength) if bevel else Image.new("RGB", part.mask.size, colour)
        mask = part.mask if alpha == 255 else part.mask.point([value * alpha // 255 for value in range(256)])
        layer.putalpha(mask)
        self.image.alpha_composite(layer, (part.left, part.top))
        return self


def _bounds(points: Sequence[Point]) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


class _Part:
    """The mask of one shape, only as large as the shape and its rounded edge."""

    def __init__(self, sketch: Sketch, bounds: tuple[float, float, float, float], bevel: float) -> None:
        margin = round(bevel * 1.5) + 1
        # Whole stage pixels, so that the reduced mask of `lit` fits exactly.
        left, top = max(0, math.floor(bounds[0]) - margin), max(0, math.floor(bounds[1]) - margin)
        right = min(sketch.width, math.ceil(bounds[2]) + margin)
        bottom = min(sketch.height, math.ceil(bounds[3]) + margin)
        self.is_empty = right <= left or bottom <= top
        self.left, self.top = left * SUPER, top * SUPER
        size = (1, 1) if self.is_empty else ((right - left) * SUPER, (bottom - top) * SUPER)
        self.mask = Image.new("L", size)
        self.draw = ImageDraw.Draw(self.mask)

    def points(self, points: Sequence[Point]) -> list[Point]:
        return [(x * SUPER - self.left, y * SUPER - self.top) for x, y in points]

    def box(self, left: float, top: float, right: float, bottom: float) -> list[float]:
        return [left * SUPER - self.left, top * SUPER - self.top, right * SUPER - self.left, bottom * SUPER - self.top]


def lit(mask: Image.Image, colour: Colour, bevel: float, strength: float) -> Image.Image:
    """The colour under light from the upper left, as if the mask were a cushion with an edge `bevel` wide.

    Light changes slowly over a surface: it is worked out at stage size and enlarged. The outline stays sharp.
    """
    padded = ImageOps.expand(mask.reduce(SUPER), border=2)
    height = np.asarray(padded.filter(ImageFilter.GaussianBlur(bevel)), dtype=np.float32) / 255.0
    down, right = np.gradient(height)
    slope = (right * _LIGHT[0] + down * _LIGHT[1]) * bevel * 2.2
    shade = (1.0 + strength * np.clip(-slope, -1.0, 1.0))[2:-2, 2:-2, None]
    pixels = np.asarray(colour, dtype=np.float32) * shade + np.clip(shade - 1.0, 0.0, None) * 90.0
    small = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
    return small.resize(mask.size, Image.Resampling.BILINEAR)


def patched(
    sprite: Sprite, colour: Colour, share: float, rng: np.random.Generator, size: float = 5.0, amount: float = 0.5
) -> Sprite:
    """Patches of another colour (what a hot pan leaves): about `amount` of the surface, `share` strong."""
    rows, columns = max(2, round(sprite.height / size)), max(2, round(sprite.width / size))
    noise = Image.fromarray(rng.normal(0.0, 1.0, (rows, columns)).astype(np.float32))
    blurred = np.asarray(noise.resize(sprite.size, Image.Resampling.BICUBIC))
    limit = np.quantile(blurred, 1.0 - amount)
    weight = np.clip((blurred - limit) / (blurred.std() + 1e-6) + 0.5, 0.0, 1.0)[..., None] * share
    pixels = np.asarray(sprite).astype(np.float32)
    pixels[..., :3] = pixels[..., :3] * (1 - weight) + np.asarray(colour, dtype=np.float32) * weight
    return Image.fromarray(pixels.astype(np.uint8), "RGBA")


def turned(sprite: Sprite, degrees: float) -> Sprite:
    """Rotated against the clock about its centre."""
    return sprite.rotate(degrees, Image.Resampling.BICUBIC, expand=True)


def scaled(sprite: Sprite, factor_x: float, factor_y: float | None = None) -> Sprite:
    """Resized."""
    factor_y = factor_x if factor_y is None else factor_y
    size = (max(1, round(sprite.width * factor_x)), max(1, round(sprite.height * factor_y)))
    return sprite.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)


def shadow(width: int, height: int, blur: float = 6.0, strength: int = 90) -> Sprite:
    """A soft shadow in the shape of an ellipse."""
    margin = round(blur * 2)
    image = Image.new("L", (width + 2 * margin, height + 2 * margin))
    ImageDraw.Draw(image).ellipse([margin, margin, margin + width, margin + height], fill=strength)
    result = Image.new("RGBA", image.size)
    result.putalpha(image.filter(ImageFilter.GaussianBlur(blur)))
    return result


def place(target: Image.Image, sprite: Sprite, left: float, top: float) -> None:
    """Paste at a position that may lie partly outside; onto RGB (a frame) or RGBA (another sprite)."""
    x, y = round(left), round(top)
    if target.mode == "RGB":
        target.paste(sprite, (x, y), sprite)
        return
    box = (max(0, -x), max(0, -y), min(sprite.width, target.width - x), min(sprite.height, target.height - y))
    if box[2] > box[0] and box[3] > box[1]:
        target.alpha_composite(sprite, (x + box[0], y + box[1]), box)


def centred(target: Image.Image, sprite: Sprite, x: float, y: float) -> None:
    """Paste with the sprite's centre at (x, y)."""
    place(target, sprite, x - sprite.width / 2, y - sprite.height / 2)
