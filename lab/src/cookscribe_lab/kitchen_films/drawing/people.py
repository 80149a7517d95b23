"""The presenter: a cook in an apron whose mouth, eyes and hands move."""

import math
from functools import lru_cache

from PIL import Image

from cookscribe_lab.kitchen_films.drawing import stage
from cookscribe_lab.kitchen_films.drawing.colours import darker, lighter, mixed
from cookscribe_lab.kitchen_films.drawing.hands import Held, holding, open_hand
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, place
from cookscribe_lab.kitchen_films.drawing.style import Style

_CX = 320


@lru_cache(maxsize=4)
def _body(style: Style) -> Sprite:
    s = Sketch(360, 230)
    outline = [(20, 230), (30, 110), (90, 58), (150, 40), (210, 40), (270, 58), (330, 110), (340, 230)]
    s.blob(outline, style.sleeve, 22, 0.5)
    s.box(148, 0, 212, 62, style.skin, 20, 10, 0.5)
    s.blob([(146, 46), (180, 76), (214, 46), (200, 40), (180, 56), (160, 40)], lighter(style.sleeve, 0.35), 3)
    s.polygon([(112, 110), (248, 110), (268, 230), (92, 230)], style.apron, 10, 0.35)
    s.line([(116, 112), (134, 54)], style.apron, 12, 4).line([(244, 112), (226, 54)], style.apron, 12, 4)
    return s.box(140, 168, 220, 214, darker(style.apron, 0.12), 8, 4, 0.3).sprite()


@lru_cache(maxsize=4)
def _head(style: Style) -> Sprite:
    """Head and hair without eyes and mouth; 220 by 240 pixels, the face centred at (110, 132)."""
    s = Sketch(220, 250)
    hair = style.hair
    if style.hair_cut == 0:  # long
        outline = [(30, 110), (44, 40), (110, 14), (176, 40), (190, 110), (196, 214), (150, 226), (70, 226), (24, 214)]
        s.blob(outline, hair, 16, 0.5)
    elif style.hair_cut == 3:  # bun
        s.ellipse(110, 26, 32, 26, hair, 12, 0.5)
    s.ellipse(44, 138, 13, 20, style.skin, 6, 0.5).ellipse(176, 138, 13, 20, style.skin, 6, 0.5)
    outline = [(48, 120), (54, 70), (110, 46), (166, 70), (172, 120), (160, 178), (110, 212), (60, 178)]
    s.blob(outline, style.skin, 22, 0.45)
    if style.hair_cut == 2:  # a toque
        outline = [(44, 92), (34, 30), (74, 6), (110, 0), (146, 6), (186, 30), (176, 92), (110, 80)]
        s.blob(outline, (246, 246, 244), 14, 0.4)
        s.box(46, 70, 174, 104, (236, 236, 234), 8, 6, 0.4)
    else:
        outline = [(42, 124), (44, 66), (110, 26), (176, 66), (178, 124), (160, 86), (124, 74), (84, 82), (60, 92)]
        s.blob(outline, hair, 12, 0.5)
    for side in (-1, 1):
        s.line([(110 + side * 44, 108), (110 + side * 18, 104)], darker(hair, 0.1), 6, 2)
        s.ellipse(110 + side * 42, 158, 14, 9, mixed(style.skin, (230, 90, 80), 0.35), alpha=120)
    s.line([(110, 124), (104, 150), (114, 152)], darker(style.skin, 0.22), 4, 1)
    return s.sprite()


@lru_cache(maxsize=64)
def _eyes(closed: bool, look: int) -> Sprite:
    s = Sketch(110, 34)
    for side in (-1, 1):
        x = 55 + side * 30
        if closed:
            s.line([(x - 12, 17), (x, 21), (x + 12, 17)], (60, 44, 40), 3.4)
        else:
            s.ellipse(x, 17, 13, 11, (252, 252, 252), 3, 0.2).ellipse(x + look * 3, 18, 6.5, 7.5, (70, 50, 40), 2)
            s.ellipse(x + look * 3 - 2, 15, 2, 2.2, (255, 255, 255))
    return s.sprite()


@lru_cache(maxsize=16)
def _mouth(opened: int) -> Sprite:
    s = Sketch(80, 52)
    if opened == 0:
        s.line([(16, 20), (28, 27), (40, 29), (52, 27), (64, 20)], (168, 66, 60), 5, 1)
    else:
        s.ellipse(40, 24, 20 + 2 * opened, 5 + 4.4 * opened, (150, 50, 50), 3, 0.4)
        s.ellipse(40, 26, 16 + 2 * opened, 3 + 3.8 * opened, (84, 22, 26)).box(
            26, 17 - opened, 54, 21, (250, 248, 244), 3
        )
        if opened > 1:
            s.ellipse(40, 32, 10, 4, (214, 104, 104))
    return s.sprite()


# How far the mouth is open, eight times a second: syllables, not a metronome.
_SYLLABLES = (2, 1, 3, 0, 2, 3, 1, 0, 3, 2, 1, 2, 0, 1, 3, 1, 0, 0, 2, 3, 2, 1, 0, 2)


def _person(frame: Image.Image, style: Style, clock: float, mouth: int, lean: float) -> None:
    bob = 3 * math.sin(clock * 2.3)
    place(frame, _body(style), _CX - 180, 190 + bob * 0.3)
    x, y = _CX + lean, 118 + bob
    centred(frame, _head(style), x, y)
    blink = (clock * 0.37) % 1.0 < 0.06
    centred(frame, _eyes(blink, round(math.sin(clock * 0.8))), x, y + 2)
    centred(frame, _mouth(mouth), x, y + 56)


def _fronted(frame: Image.Image, style: Style) -> None:
    """The edge of the counter in front of the presenter."""
    table = stage.counter(style).crop((0, 120, stage.WIDTH, 176))
    frame.paste(table, (0, stage.HEIGHT - 50))


def talking(style: Style, clock: float, seed: int) -> Image.Image:
    """The presenter explains, with a hand."""
    frame = stage.room(style).copy()
    mouth = _SYLLABLES[(int(clock * 8) + seed) % len(_SYLLABLES)]
    _person(frame, style, clock, mouth, 6 * math.sin(clock * 0.9))
    _fronted(frame, style)
    swing = math.sin(clock * 2.1 + seed)
    right, left, _ = _hands(style)
    right.put(frame, _CX + 96, 262 + 18 * swing)
    if seed % 2:
        left.put(frame, _CX - 96, 266 - 18 * swing)
    return frame


def tasting(style: Style, clock: float, done: float) -> Image.Image:
    """A spoon goes to the mouth; then a smile."""
    frame = stage.room(style).copy()
    near = math.sin(math.pi * min(1.0, done / 0.7))
    mouth = 3 if 0.25 < done < 0.5 else 0
    if 0.5 <= done < 0.75:
        mouth = 1 + int(clock * 4) % 2
    _person(frame, style, clock, mouth, 0.0)
    _fronted(frame, style)
    _, _, spoon = _hands(style)
    spoon.put(frame, _CX + 120 - 116 * near, 250 - 78 * near)
    return frame


@lru_cache(maxsize=16)
def _hands(style: Style) -> tuple[Held, Held, Held]:
    """The right and the left hand that explain, and the one with the tasting spoon."""
    right = open_hand(style.skin, style.sleeve).turned(-70)
    return right, right.mirrored(), holding("spoon", style.skin, style.sleeve).turned(-72)
