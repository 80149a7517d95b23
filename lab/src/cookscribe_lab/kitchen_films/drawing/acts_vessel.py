"""Acts over a vessel: adding, pouring, heating what was poured, sprinkling, squeezing, cracking."""

import math
from functools import lru_cache

from PIL import Image

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing import acts_tall
from cookscribe_lab.kitchen_films.drawing.colours import palette
from cookscribe_lab.kitchen_films.drawing.containers import shaker
from cookscribe_lab.kitchen_films.drawing.contents import Portion, blend_colour
from cookscribe_lab.kitchen_films.drawing.effects import bubbles, falling, sprinkled, steam, stream
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, scaled, turned, wobbly
from cookscribe_lab.kitchen_films.drawing.pieces import is_big, piece
from cookscribe_lab.kitchen_films.drawing.scene import Set, ease, in_turn, phase, shows, wave
from cookscribe_lab.kitchen_films.drawing.sources import pourer, small, tilted
from cookscribe_lab.kitchen_films.food_table import FOODS, WATERS, Kind
from cookscribe_lab.kitchen_films.states import Cut, Form, Place


def hand_in(scene: Set, frame: Image.Image, names: tuple[str, ...], share: float, clock: float) -> None:
    """Put loose things into the vessel: big ones are laid in by hand, small ones slide from a dish."""
    thing = scene.vessel
    item = scene.portion(names[0])
    if len(names) == 1 and is_big(item.name, item.cut):
        drop = ease(phase(share, 0.0, 0.55))
        x, y = thing.cx + 150 * (1 - drop), max(70, thing.cy - 130) + (thing.cy - max(70, thing.cy - 130)) * drop - 10
        if share < 0.6:
            sprite = _carried(item)
            centred(frame, sprite, x, y)
            scene.grasp.put(frame, x + sprite.width * 0.34, y - 4)
        elif share < 0.95:
            away = phase(share, 0.6, 0.95)
            scene.grasp.put(frame, thing.cx + 60 + 320 * away, thing.cy - 20 - 60 * away)
        return
    x, y = thing.cx + 96.0, max(66.0, thing.cy - 112.0)
    tilt = 20 + round(ease(phase(share, 0.0, 0.3)) * 5) * 6
    items = tuple(scene.portion(name) for name in names)
    centred(frame, tilted(items, tilt), x, y + 3 * wave(clock, 2.5))
    scene.grasp.put(frame, x + 52, y + 4 + 3 * wave(clock, 2.5))
    if 0.1 < share < 0.97:
        start, end = (x - 58, y + 28), (thing.cx - 6.0, thing.cy - 4.0)
        if FOODS[item.name].kind is Kind.POWDER:
            sprinkled(frame, start, end[1], 16, [palette(item.name).skin, palette(item.name).mark], clock, 3.4)
        elif item.is_fluid:
            stream(frame, start, end, item.colour, 15, clock)
        else:
            falling(frame, [sprite for one in items for sprite in small(one)[:3]], start, end, 34, clock)


@lru_cache(maxsize=256)
def _carried(item: Portion) -> Sprite:
    return scaled(piece(item.name, item.cut, item.heat, 0), 1.05)


@shows("add")
def add(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """One ingredient after the other; a mixture all at once."""
    if scene.act.place is Place.BLENDER:
        acts_tall.add(scene, frame, clock, done)
        return
    items = scene.act.items
    mixture = scene.before[items[0]].mixture
    if mixture and scene.before[items[0]].form is not Form.LOOSE:
        scene.arriving(frame, dict.fromkeys(items, ease(phase(done, 0.2, 0.95))))
        hand_in(scene, frame, items, done, clock)
        return
    name, share, shares = in_turn(items, done)
    big = is_big(name, scene.before[name].cut)
    landed = (1.0 if share > 0.58 else 0.0) if big else phase(share, 0.15, 0.95)
    scene.arriving(frame, {**shares, name: landed})
    if scene.vessel.hob:
        steam(frame, scene.vessel.cx, scene.vessel.cy - 20, 60, clock, 3)
    hand_in(scene, frame, (name,), share, clock)


def pour_in(scene: Set, frame: Image.Image, items: tuple[Portion, ...], share: float, clock: float, thin: bool) -> None:
    """Tilt a bottle or a jug over the vessel."""
    thing = scene.vessel
    bottle = items[0].name in ("oil", "soy sauce", "vinegar") and len(items) == 1
    tilt = round(ease(phase(share, 0.0, 0.25)) * (1 - ease(phase(share, 0.92, 1.0))) * 6) * (18 if bottle else 11)
    sprite = pourer(items, tilt)
    x, y = thing.cx + 86.0 + (10 if bottle else 0), max(72.0, thing.cy - 118.0)
    centred(frame, sprite, x, y)
    scene.grasp.put(frame, x + 30, y + 2)
    if 0.2 < share < 0.93:
        reach = sprite.width * (0.46 if bottle else 0.42)
        end = (thing.cx + 14 * wave(clock, 0.5), thing.cy + 2.0)
        stream(frame, (x - reach, y + (26 if bottle else -12)), end, blend_colour(items), 7 if thin else 13, clock)


@shows("pour")
def pour(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """A stream from bottle, jug or bowl."""
    if scene.act.place in (Place.GLASS, Place.BLENDER):
        acts_tall.pour(scene, frame, clock, done)
        return
    items = scene.act.items
    if scene.before[items[0]].form is not Form.LOOSE or scene.before[items[0]].cut is Cut.BEATEN:
        scene.arriving(frame, dict.fromkeys(items, phase(done, 0.2, 0.95)))
        pour_in(scene, frame, tuple(scene.portion(name) for name in items), done, clock, False)
        return
    name, share, shares = in_turn(items, done)
    scene.arriving(frame, {**shares, name: phase(share, 0.2, 0.93)})
    thin = name in ("oil", "soy sauce", "vinegar", "honey")
    pour_in(scene, frame, (scene.portion(name),), share, clock, thin)


@shows("heat")
def heat(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Pour first, then wait: oil shimmers, water begins to boil."""
    thing = scene.vessel
    items = scene.act.items
    scene.arriving(frame, dict.fromkeys(items, phase(done, 0.08, 0.4)))
    if done > 0.45:
        hot = phase(done, 0.45, 0.9)
        if items[0] in WATERS or items[0] in ("milk", "cream"):
            if hot > 0.3:
                bubbles(frame, thing, 0.9, clock, palette(items[0]).flesh)
            steam(frame, thing.cx, thing.cy - 10, 70, clock, 2 + round(4 * hot))
        else:
            steam(frame, thing.cx, thing.cy - 10, 60, clock, 2 + round(2 * hot))
            for k in range(5):
                a = k * 1.3 + clock * 1.1
                x, y = thing.rx * 0.42 * math.cos(a), thing.ry * 0.42 * math.sin(a * 1.1)
                centred(frame, _gleam(), thing.cx + x, thing.cy + y)
    if done < 0.46:
        poured = tuple(scene.portion(name) for name in items)
        pour_in(scene, frame, poured, phase(done, 0.0, 0.45), clock, items[0] == "oil")


@lru_cache(maxsize=1)
def _gleam() -> Sprite:
    return Sketch(40, 14).ellipse(20, 7, 18, 4, (255, 250, 210), alpha=150).sprite()


@shows("season")
def season(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """A shaker over the food."""
    thing = scene.vessel
    name, share, shares = in_turn(scene.act.items, done)
    scene.arriving(frame, {**shares, name: phase(share, 0.15, 0.95)})
    shake = 7 * wave(clock, 2.6)
    x, y = thing.cx + 30 + 34 * wave(clock, 0.35), max(78.0, thing.cy - 104.0) + shake
    p = palette(name)
    sprinkled(frame, (x - 14, y + 50), thing.cy + 6, 34, [p.skin, p.mark], clock, 2.8)
    centred(frame, _upside_down(name), x, y)
    scene.grasp.put(frame, x + 26, y - 4)


@lru_cache(maxsize=16)
def _upside_down(name: str) -> Sprite:
    return turned(scaled(shaker(name), 1.2), 160)


@shows("sprinkle")
def sprinkle(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """From the fingertips."""
    thing = scene.vessel
    name, share, shares = in_turn(scene.act.items, done)
    scene.arriving(frame, {**shares, name: phase(share, 0.1, 0.95)})
    x, y = thing.cx + 20 + 60 * wave(clock, 0.4), max(120.0, thing.cy - 62.0) + 4 * wave(clock, 3)
    item = scene.portion(name)
    if FOODS[name].kind is Kind.POWDER:
        p = palette(name)
        sprinkled(frame, (x, y), thing.cy + 8, 30, [p.skin, p.mark], clock, 3.0)
    else:
        bits = [scaled(sprite, min(1.0, 34 / sprite.width)) for sprite in small(_loose(item))]
        falling(frame, bits, (x, y), (x - 6, thing.cy + 4.0), 44, clock, 10)
    scene.pinch.put(frame, x, y)


def _loose(item: Portion) -> Portion:
    """Herbs are sprinkled leaf by leaf."""
    if item.cut is Cut.WHOLE and FOODS[item.name].kind is Kind.HERB:
        return Portion(item.name, Cut.CHOPPED, item.heat)
    return item


@lru_cache(maxsize=8)
def _lemon_half(squash: int) -> Sprite:
    p = palette("lemon")
    s = Sketch(84, 70)
    s.ellipse(42, 34, 32 - 2 * squash, 25 + squash, p.skin, 7, 0.4).ellipse(
        40, 36, 26 - 2 * squash, 20 + squash, p.mark, 3, 0.3
    )
    for k in range(8):
        a = k * math.pi / 4
        s.line([(40, 36), (40 + (22 - 2 * squash) * math.cos(a), 36 + (17 + squash) * math.sin(a))], p.skin, 2)
    return s.sprite()


@shows("squeeze")
def squeeze(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Half a lemon in the fist; it drips."""
    thing = scene.vessel
    scene.show(frame, scene.food(scene.before, scene.staying))
    press = round((wave(clock, 0.9) + 1) * 2)
    x, y = thing.cx + 16.0, max(84.0, thing.cy - 92.0) - 60 * (1 - ease(phase(done, 0.0, 0.15)))
    centred(frame, _lemon_half(press), x, y)
    scene.grasp.put(frame, x + 22, y - 8)
    if press >= 2:
        stream(frame, (x - 4, y + 28), (x - 10, thing.cy + 4.0), palette("lemon").flesh, 6, clock)
    falling(frame, [_drop()], (x, y + 24), (thing.cx, thing.cy), 40, clock, 6)


@lru_cache(maxsize=1)
def _drop() -> Sprite:
    return Sketch(10, 12).ellipse(5, 6, 3.2, 4.4, palette("lemon").skin, 1.5, 0.5).sprite()


@lru_cache(maxsize=1)
def _egg_parts() -> tuple[Sprite, Sprite, Sprite, Sprite]:
    """A whole egg, the two shells, and what falls out."""
    p = palette("eggs")
    egg = Sketch(58, 70)
    egg.blob([(29, 4), (43, 14), (52, 38), (44, 58), (29, 66), (14, 58), (6, 38), (15, 14)], p.skin, 11, 0.4)
    shells = []
    for side in (-1, 1):
        s = Sketch(58, 46)
        outside = [(-22, 22), (-18, 38), (0, 42), (20, 36), (24, 18), (0, 26)]
        inside = [(-22, 22), (-12, 15), (0, 24), (12, 13), (24, 18), (0, 30)]
        s.blob([(29 + side * x, y) for x, y in outside], p.skin, 7, 0.4)
        s.polygon([(29 + side * x, y) for x, y in inside], (250, 246, 238))
        shells.append(s.sprite())
    content = Sketch(52, 70)
    content.blob(wobbly(26, 35, 20, 32, generator("egg white"), 0.1), (250, 250, 242), 5, 0.2, alpha=190)
    content.ellipse(26, 44, 14, 13, p.mark, 6, 0.4)
    return egg.sprite(), shells[0], shells[1], content.sprite()


@shows("crack")
def crack(scene: Set, frame: Image.Image, _clock: float, done: float) -> None:
    """Three eggs: tap, open, fall."""
    thing = scene.vessel
    position = min(done, 0.999) * 3
    index, share = int(position), position - int(position)
    scene.arriving(frame, {"eggs": (index + (1.0 if share > 0.85 else 0.0)) / 3})
    egg, shell_left, shell_right, inside = _egg_parts()
    x, y = thing.cx + 8.0, max(78.0, thing.cy - 86.0)
    if share < 0.42:
        tap = abs(math.sin(share / 0.42 * 2 * math.pi)) * 26
        centred(frame, egg, x + 60 - tap * 0.4, y + 12 + tap)
        scene.grasp.put(frame, x + 82 - tap * 0.4, y + 8 + tap)
        return
    opened = phase(share, 0.42, 0.6)
    fall = phase(share, 0.5, 0.88)
    if share < 0.88:
        centred(frame, inside, x, y + 16 + (thing.cy - y - 20) * fall**1.5)
    spread = 14 + 34 * opened
    scene.left_hand.put(frame, x - spread - 14, y - 6)
    scene.grasp.put(frame, x + spread + 16, y - 6)
    centred(frame, turned(shell_left, round(opened * 4) * 12), x - spread, y)
    centred(frame, turned(shell_right, -round(opened * 4) * 12), x + spread, y)
