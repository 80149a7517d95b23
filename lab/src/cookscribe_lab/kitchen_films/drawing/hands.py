"""Hands, and hands that hold a tool. Every picture knows the point that does the work."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image

from cookscribe_lab.kitchen_films.drawing.colours import lighter
from cookscribe_lab.kitchen_films.drawing.paint import Point, Sketch, Sprite, around, place, scaled, smooth, turned
from cookscribe_lab.kitchen_films.food_table import Colour

WOODEN: Colour = (196, 148, 92)
METAL: Colour = (206, 210, 216)
HANDLE: Colour = (52, 46, 44)
SIZE = 1.25  # of hands on the stage


@dataclass(frozen=True)
class Held:
    """A picture and its working point (in the picture): the edge of a knife, the wires of a whisk."""

    sprite: Sprite
    x: float
    y: float

    def put(self, target: Image.Image, x: float, y: float) -> None:
        """Draw with the working point at (x, y)."""
        place(target, self.sprite, x - self.x, y - self.y)

    def turned(self, degrees: float) -> Held:
        """Rotated against the clock; the working point goes along."""
        sprite = turned(self.sprite, degrees)
        angle = math.radians(-degrees)
        dx, dy = self.x - self.sprite.width / 2, self.y - self.sprite.height / 2
        x = sprite.width / 2 + dx * math.cos(angle) - dy * math.sin(angle)
        y = sprite.height / 2 + dx * math.sin(angle) + dy * math.cos(angle)
        return Held(sprite, x, y).trimmed()

    def scaled(self, factor: float) -> Held:
        """Larger or smaller."""
        return Held(scaled(self.sprite, factor), self.x * factor, self.y * factor).trimmed()

    def trimmed(self) -> Held:
        """Without empty margins, which cost time in every frame."""
        left, top, right, bottom = self.sprite.getbbox() or (0, 0, 1, 1)
        return Held(self.sprite.crop((left, top, right, bottom)), self.x - left, self.y - top)

    def mirrored(self) -> Held:
        """Left for right."""
        return Held(self.sprite.transpose(Image.Transpose.FLIP_LEFT_RIGHT), self.sprite.width - self.x, self.y)


def _arm(s: Sketch, wrist: Point, elbow: Point, skin: Colour, sleeve: Colour) -> None:
    """Forearm with a sleeve from the wrist to outside of the picture."""
    wx, wy = wrist
    ex, ey = elbow
    cuff = (wx + (ex - wx) * 0.3, wy + (ey - wy) * 0.3)
    s.line([wrist, (wx + (ex - wx) * 0.6, wy + (ey - wy) * 0.6)], skin, 40, 13, 0.5)
    s.line([cuff, elbow], sleeve, 58, 17, 0.5)


def _fist(s: Sketch, x: float, y: float, skin: Colour) -> None:
    """Fingers closed around something; knuckles to the left."""
    for k in range(4):
        fy = y - 19 + k * 12.5
        s.line([(x - 17 + abs(k - 1.5) * 2.4, fy), (x + 7, fy + 1)], skin, 14.5, 5, 0.5)
    s.line([(x + 14, y - 20), (x - 6, y - 27)], lighter(skin, 0.06), 13, 5, 0.5)


def _palm(s: Sketch, x: float, y: float, skin: Colour) -> None:
    s.blob(around(x, y, [(-10, -24), (22, -24), (38, -8), (38, 16), (16, 30), (-10, 26)]), skin, 9, 0.5)


def _shaft_tool(tool: str, s: Sketch, tip: Point, hand: Point) -> None:
    """The long tools, from working end to handle."""
    (tx, ty), (hx, hy) = tip, hand
    dx, dy = hx - tx, hy - ty
    length = math.hypot(dx, dy)
    ux, uy = dx / length, dy / length
    nx, ny = -uy, ux

    def along(t: float, side: float = 0.0) -> Point:
        return (tx + ux * t + nx * side, ty + uy * t + ny * side)

    match tool:
        case "spoon":
            s.line([along(20), along(length + 16)], WOODEN, 11, 4, 0.5)
            bowl = [(-14, -5), (2, -21), (30, -13), (40, 0), (30, 13), (2, 21), (-14, 5)]
            s.blob([along(*point) for point in bowl], WOODEN, 8, 0.5)
        case "spatula":
            s.line([along(30), along(length + 16)], (58, 58, 62), 10, 4, 0.5)
            s.polygon([along(-10, -30), along(-12, 30), along(36, 22), along(42, 0), along(36, -22)], METAL, 5, 0.4)
            for side in (-12, 0, 12):
                s.line([along(2, side), along(24, side * 0.8)], (120, 124, 130), 4)
        case "whisk":
            for side in (-24, -14, 0, 14, 24):
                wire = [along(72), along(34, side), along(-6, side * 0.6), along(-12, 0), along(34, side)]
                s.line(smooth(wire, 5)[:24], METAL, 2.8, 1, 0.5)
                s.line([along(72), along(36, side), along(4, side), along(-10, side * 0.3)], METAL, 2.8, 1, 0.5)
            s.line([along(70), along(length + 18)], (150, 154, 160), 14, 5, 0.5)
        case "masher":
            s.line([along(14, -6), along(length + 16)], (70, 70, 76), 12, 4, 0.5)
            s.line([along(0, -36), along(0, 36)], METAL, 12, 4, 0.5)
            for side in (-24, -8, 8, 24):
                s.line([along(-8, side), along(8, side)], (140, 144, 150), 6, 2, 0.4)
        case "butter knife":
            s.blob([along(-42, -2), along(-20, -11), along(40, -9), along(44, 8), along(-20, 9)], METAL, 4, 0.5)
            s.line([along(40), along(length + 16)], HANDLE, 15, 5, 0.5)
        case "tongs":
            for side in (-16, 16):
                s.line([along(-6, side * 0.6), along(60, side), along(length + 20, side * 0.3)], METAL, 9, 3, 0.5)
                s.ellipse(*along(-6, side * 0.7), 10, 9, (70, 74, 80), 4, 0.5)
        case "peeler":
            s.line([along(34), along(length + 14)], (206, 66, 50), 16, 6, 0.5)
            s.line([along(0, -22), along(0, 22)], METAL, 9, 3, 0.5)
            s.line([along(0, -22), along(38, -4)], METAL, 5, 2).line([along(0, 22), along(38, 4)], METAL, 5, 2)
        case "ladle" | _:
            s.line([along(20), along(length + 16)], (120, 124, 130), 8, 3, 0.5)
            s.ellipse(*along(0), 32, 21, METAL, 9, 0.5).ellipse(*along(0, 0), 25, 14, (120, 124, 130), 6, 0.4)


@lru_cache(maxsize=128)
def holding(tool: str, skin: Colour, sleeve: Colour) -> Held:
    """A right hand with a long tool; the working end is at the lower left, the arm leaves to the right."""
    s = Sketch(460, 330)
    tip, hand = (70.0, 262.0), (182.0, 96.0)
    _arm(s, (hand[0] + 34, hand[1] + 14), (450, 190), skin, sleeve)
    _palm(s, hand[0] + 6, hand[1], skin)
    _shaft_tool(tool, s, tip, hand)
    _fist(s, hand[0] + 8, hand[1] + 4, skin)
    return Held(s.sprite(), *tip).scaled(SIZE)


@lru_cache(maxsize=32)
def with_knife(skin: Colour, sleeve: Colour) -> Held:
    """A hand with a kitchen knife; the working point is the middle of the edge.

    It is held as over a board, edge down to the left: the arm comes from the lower right and leaves the board in view.
    """
    s = Sketch(470, 240)
    _arm(s, (262, 84), (460, 190), skin, sleeve)
    _palm(s, 226, 66, skin)
    s.polygon([(16, 74), (60, 44), (190, 40), (190, 88), (100, 92)], METAL, 5, 0.45)
    s.line([(24, 76), (100, 90), (190, 86)], lighter(METAL, 0.6), 2)
    s.box(184, 46, 262, 78, HANDLE, 10, 7, 0.5)
    for x in (204, 226, 248):
        s.ellipse(x, 61, 3, 3, (170, 172, 176))
    _fist(s, 226, 64, skin)
    return Held(s.sprite(), 100, 92).scaled(SIZE).turned(-36)


@lru_cache(maxsize=32)
def open_hand(skin: Colour, sleeve: Colour) -> Held:
    """A hand palm down, fingers to the left; the working point is under the fingers."""
    s = Sketch(440, 220)
    _arm(s, (164, 82), (430, 168), skin, sleeve)
    for k, reach in enumerate((42, 56, 58, 46)):
        y = 52 + k * 15
        s.line([(112, y + 4), (112 - reach, y - 4 + k * 3)], skin, 16, 6, 0.5)
    s.line([(128, 96), (84, 122)], skin, 16, 6, 0.5)
    s.blob([(98, 44), (140, 42), (176, 66), (176, 100), (136, 112), (100, 106)], skin, 11, 0.5)
    return Held(s.sprite(), 76, 78).scaled(SIZE)


@lru_cache(maxsize=32)
def pinching(skin: Colour, sleeve: Colour) -> Held:
    """A hand with the fingertips together, pointing down; the working point is below the tips."""
    s = Sketch(420, 210)
    _arm(s, (148, 62), (410, 120), skin, sleeve)
    s.blob([(84, 30), (124, 24), (158, 44), (158, 80), (120, 92), (84, 78)], skin, 11, 0.5)
    for x0, x1 in ((86, 66), (98, 74), (110, 80)):
        s.line([(x0, 58), (x1 - 6, 92), (x1 - 2, 122)], skin, 15, 6, 0.5)
    s.line([(122, 78), (104, 104), (84, 126)], lighter(skin, 0.05), 15, 6, 0.5)
    return Held(s.sprite(), 76, 134).scaled(SIZE)


@lru_cache(maxsize=32)
def grasping(skin: Colour, sleeve: Colour) -> Held:
    """A hand that holds something flat or round between thumb and fingers, at its left; that thing goes there."""
    s = Sketch(420, 200)
    _arm(s, (150, 80), (410, 140), skin, sleeve)
    s.blob([(96, 40), (134, 36), (168, 60), (168, 98), (132, 110), (96, 98)], skin, 11, 0.5)
    for k, reach in enumerate((34, 44, 42)):
        s.line([(108, 46 + k * 13), (108 - reach * 0.6, 38 + k * 13), (108 - reach, 52 + k * 12)], skin, 16, 6, 0.5)
    s.line([(120, 100), (88, 108), (64, 96)], lighter(skin, 0.05), 16, 6, 0.5)
    return Held(s.sprite(), 56, 76).scaled(SIZE)


@lru_cache(maxsize=32)
def pressing(skin: Colour, sleeve: Colour) -> tuple[Held, Held]:
    """Left and right hand from the lower corners, palms down."""
    right = open_hand(skin, sleeve).turned(-48)
    return right.mirrored(), right
