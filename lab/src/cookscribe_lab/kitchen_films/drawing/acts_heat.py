"""Acts with heat: melting, frying, flipping, boiling, simmering, draining, baking."""

import math
from dataclasses import replace
from functools import lru_cache

from PIL import Image

from cookscribe_lab.kitchen_films.drawing import stage
from cookscribe_lab.kitchen_films.drawing.acts_vessel import hand_in
from cookscribe_lab.kitchen_films.drawing.effects import bubbles, falling, sizzle, steam, stream
from cookscribe_lab.kitchen_films.drawing.foods import whole
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, place, scaled
from cookscribe_lab.kitchen_films.drawing.pieces import piece
from cookscribe_lab.kitchen_films.drawing.scene import Set, ease, in_turn, phase, shows, wave
from cookscribe_lab.kitchen_films.drawing.vessels import colander, lid, vessel
from cookscribe_lab.kitchen_films.food_table import Colour
from cookscribe_lab.kitchen_films.states import Form, Place


@shows("melt")
def melt(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """A block shrinks in its own puddle."""
    thing = scene.vessel
    name = scene.act.items[0]
    melted = phase(done, 0.25, 0.95)
    scene.show(frame, scene.food(scene.after, (*scene.staying, name), {name: max(0.02, melted)}))
    drop = ease(phase(done, 0.0, 0.2))
    size = 1.1 * (1 - 0.85 * melted)
    x, y = thing.cx + 130 * (1 - drop), thing.cy - 8 - 100 * (1 - drop)
    if size > 0.2:
        x += 6 * wave(clock, 0.8) * melted
        centred(frame, scaled(whole(name), round(size * 12) / 12), x, y)
    if done < 0.22:
        scene.grasp.put(frame, x + 40, y)
    else:
        sizzle(frame, thing, 0.6, clock)
        steam(frame, thing.cx, thing.cy - 20, 50, clock, 3)
    if done > 0.3:
        scene.tool("spatula").put(frame, thing.cx + 40 + 34 * wave(clock, 0.6), thing.cy + 16)


def _hot_pan(scene: Set, frame: Image.Image, clock: float) -> None:
    thing = scene.vessel
    sizzle(frame, thing, 0.86, clock)
    steam(frame, thing.cx, thing.cy - 24, 80, clock, 5)


@shows("fry", "sear")
def fry(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """In with it (unless it lies there already), then brown it: pushed about when in pieces, left alone when whole."""
    thing = scene.vessel
    items = scene.act.items
    here = all(scene.before[name].place is scene.act.place for name in items)
    entry = 0.0 if here else 0.32
    if done < entry:
        share = done / entry
        together = scene.before[items[0]].form is not Form.LOOSE or scene.act.action == "sear"
        name, part, shares = (items[0], share, dict.fromkeys(items, share)) if together else in_turn(items, share)
        shares = {**shares, name: 1.0 if part > 0.6 else 0.0}
        scene.arriving(frame, dict.fromkeys(items, shares[name]) if together else shares)
        _hot_pan(scene, frame, clock)
        hand_in(scene, frame, items if together and len(items) > 1 else (name,), part, clock)
        return
    cooked = phase(done, entry + 0.05, 0.95)
    stirred = scene.act.action == "fry"
    _browning(scene, frame, cooked, 0.12 * math.sin(clock * 2.2) if stirred else 0.0)
    _hot_pan(scene, frame, clock)
    if stirred:
        scene.tool("spatula").put(frame, thing.cx + 62 * wave(clock, 0.55), thing.cy + 8 + 20 * wave(clock, 0.8))
    else:
        press = abs(wave(clock, 0.5))
        scene.tool("tongs").put(frame, thing.cx + 46, thing.cy - 6 - 46 * press)


def _browning(scene: Set, frame: Image.Image, share: float, turn: float) -> None:
    """Everything lies in the pan; only the heat still changes."""
    level, step = round(share * 8), round(turn * 24) % 24
    key = ("browning", level, step)
    if key not in scene.kept:
        names = scene.names(scene.after)
        raw = {**scene.after}
        for name in scene.act.items:
            raw[name] = replace(scene.after[name], heat=scene.before[name].heat)
        old, new = scene.food(raw, names, turn=step), scene.food(scene.after, names, turn=step)
        scene.kept[key] = new if old.size != new.size else Image.blend(old, new, level / 8)
    scene.show(frame, scene.kept[key])


@shows("flip")
def flip(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Under with the spatula, up, over, and down on the other side; twice when there is time."""
    thing = scene.vessel
    lift = math.sin(math.pi * phase(done, 0.25, 0.65))
    turned_over = phase(done, 0.3, 0.6)
    names = scene.names(scene.after)
    moving = tuple(name for name in names if name in scene.act.items)
    resting = tuple(name for name in names if name not in moving)
    if resting:
        scene.show(frame, scene.food(scene.after, resting))
    _hot_pan(scene, frame, clock)
    state = scene.before if turned_over < 0.5 else scene.after
    sprite = scene.food(state, moving)
    squeeze = max(0.14, abs(math.cos(math.pi * turned_over)))
    if squeeze < 0.98:
        sprite = scaled(sprite, 1.0, round(squeeze * 12) / 12)
    scene.show(frame, sprite, 14 * lift, -74 * lift)
    x = thing.cx + 150 - 100 * ease(phase(done, 0.0, 0.25)) + 90 * ease(phase(done, 0.75, 1.0))
    scene.tool("spatula").put(frame, x, thing.cy + 26 - 74 * lift + 3 * wave(clock, 1.5))


@shows("boil")
def boil(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Into boiling water; bubbles, steam, a slow spoon."""
    thing = scene.vessel
    items = scene.act.items
    if done < 0.35:
        name, share, shares = in_turn(items, done / 0.35)
        scene.arriving(frame, {**shares, name: phase(share, 0.2, 0.9)})
    else:
        _browning(scene, frame, phase(done, 0.4, 0.95), 0.1 * clock)
    liquid = next((other for other in ("stock", "water") if other in scene.names(scene.before)), "water")
    tone: Colour = (236, 206, 150) if liquid == "stock" else (226, 240, 248)
    bubbles(frame, thing, 0.88, clock, tone)
    steam(frame, thing.cx, thing.cy - 16, 84, clock, 7)
    if done < 0.35:
        name, share, _ = in_turn(items, done / 0.35)
        hand_in(scene, frame, (name,), share, clock)
    else:
        angle = 2 * math.pi * clock * 0.4
        scene.tool("spoon").put(frame, thing.cx + 46 * math.cos(angle), thing.cy + 18 * math.sin(angle))


@shows("simmer")
def simmer(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """The lid goes on, rattles and lets steam out; at the end one looks inside."""
    thing = scene.vessel
    cooked = 0.0 if done < 0.5 else 1.0
    scene.changing(frame, cooked)
    if done < 0.3 or done > 0.85:
        bubbles(frame, thing, 0.85, clock, (240, 220, 190))
    cover = ease(phase(done, 0.08, 0.28)) - ease(phase(done, 0.84, 0.96))
    rattle = 2.5 * wave(clock, 3.3) if cover >= 1 else 0.0
    top = _fitting_lid(thing.rx, thing.ry)
    x, y = thing.cx + 190 * (1 - cover), thing.cy - 14 - 110 * (1 - cover) + rattle
    steam(frame, thing.cx - 70, thing.cy - 10, 30, clock, 3)
    steam(frame, thing.cx + 70, thing.cy - 10, 30, clock + 0.5, 3)
    if cover > 0.02:
        centred(frame, top, x, y)
    if cover < 1 and cover > 0.02:
        scene.grasp.put(frame, x + 14, y - 40)


@lru_cache(maxsize=4)
def _fitting_lid(rx: int, ry: int) -> Sprite:
    return scaled(lid(), (rx + 14) / 138, (ry + 18) / 46)


@shows("drain")
def drain(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Over the sink: the pot tips into the colander, water runs away, the rest is shaken."""
    frame.paste(stage.sink(scene.style))
    x, y = 300.0, 200.0
    if done > 0.72:
        x += 10 * wave(clock, 2.2)
        y -= 16 * ease(phase(done, 0.72, 0.8))
    share = phase(done, 0.15, 0.68)
    pouring = 0.12 < done < 0.7
    if pouring or done > 0.72:
        for k in range(5):
            hole = x - 60 + 30 * k
            stream(frame, (hole, y + 70), (hole, 300), (196, 224, 240), 5 if pouring else 2, clock + k)
    centred(frame, colander(), x, y)
    if share > 0:
        thing = vessel(Place.SMALL_BOWL, scene.style)
        food = scene.food(scene.after, scene.act.items, dict.fromkeys(scene.act.items, share), thing=thing)
        centred(frame, food, x, y - 26)
    if done < 0.74:
        tilt = ease(phase(done, 0.0, 0.2)) * (1 - ease(phase(done, 0.66, 0.74)))
        sprite = _tipped_pot(round(tilt * 5) * 11)
        centred(frame, sprite, 446, 110)
        scene.grasp.put(frame, 500, 96)
        if pouring:
            stream(frame, (372, 110), (x + 10, y - 24), (196, 224, 240), 26, clock)
            item = scene.portion(scene.act.items[0])
            small = [scaled(piece(item.name, item.cut, item.heat, k), 0.8) for k in range(3)]
            small = [scaled(one, min(1.0, 56 / one.width)) for one in small]
            falling(frame, small, (372, 116), (x + 8, y - 20), 16, clock, 6)
    else:
        scene.left_hand.put(frame, x - 118, y - 30)
        scene.hand.put(frame, x + 118, y - 30)
    steam(frame, x, y - 40, 70, clock, 5)


@lru_cache(maxsize=16)
def _tipped_pot(degrees: int) -> Sprite:
    s = Sketch(220, 180)
    for side in (-1, 1):
        outline = [(110 + side * 82, 60), (110 + side * 104, 60), (110 + side * 104, 78), (110 + side * 82, 80)]
        s.line(outline, (46, 46, 50), 9, 3, 0.5)
    s.box(26, 40, 194, 160, (188, 192, 198), 18, 16, 0.5)
    s.ellipse(110, 42, 84, 24, (226, 228, 232), 3, 0.4).ellipse(110, 44, 77, 19, (150, 190, 214), 8, 0.4)
    return s.sprite().rotate(degrees, Image.Resampling.BICUBIC, expand=True)


@shows("bake")
def bake(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Into the oven, wait in its glow, and out again."""
    going_in, coming_out = phase(done, 0.04, 0.26), phase(done, 0.78, 0.97)
    closed = 0.3 < done < 0.74
    door = 0 if closed else 4 if 0.06 < done < 0.26 or done > 0.78 else 2
    frame.paste(stage.oven(scene.style, door))
    inside = ease(going_in) - ease(coming_out)
    size = 1.0 - 0.32 * inside
    x, y = 320.0, 300 - 78 * inside
    tray = _tray_with_food(scene, 0 if done < 0.5 else 1, round(size * 10))
    if closed:
        shimmer = 5 * wave(clock, 1.2)
        centred(frame, tray, x, y)
        centred(frame, _heat_haze(round((clock * 3) % 4)), x, y - 30 + shimmer)
        place(frame, _oven_glass(), 130, 72)
    else:
        centred(frame, tray, x, y)
        mitt = _mitt()
        place(frame, mitt, x + tray.width / 2 - 26, y - 20)
        place(frame, mitt.transpose(Image.Transpose.FLIP_LEFT_RIGHT), x - tray.width / 2 - mitt.width + 26, y - 20)
        if done > 0.78:
            steam(frame, x, y - 20, 90, clock, 6)


def _tray_with_food(scene: Set, baked: int, size: int) -> Sprite:
    key = ("tray", baked, size)
    if key not in scene.kept:
        thing = vessel(Place.TRAY, scene.style)
        picture = thing.sprite.copy()
        state = scene.after if baked else scene.before
        centred(picture, scene.food(state, scene.names(state)), thing.cx - thing.left, thing.cy - thing.top)
        scene.kept[key] = scaled(picture, size / 10 * 0.88, size / 10 * 0.74)
    return scene.kept[key]


@lru_cache(maxsize=4)
def _heat_haze(step: int) -> Sprite:
    s = Sketch(300, 90)
    for k in range(7):
        x = 30 + 40 * k + 6 * math.sin(step * 1.6 + k)
        s.line([(x, 80), (x + 7 * math.sin(step + k), 50), (x, 16)], (255, 220, 150), 6, alpha=150)
    return s.sprite()


@lru_cache(maxsize=1)
def _oven_glass() -> Sprite:
    s = Sketch(380, 256)
    s.box(0, 0, 380, 254, (70, 50, 40), 8, alpha=60)
    s.polygon([(30, 40), (110, 40), (60, 230), (20, 230)], (255, 255, 255), alpha=34)
    return s.line([(40, 10), (340, 10)], (214, 216, 222), 11, 4, 0.5).sprite()


@lru_cache(maxsize=1)
def _mitt() -> Sprite:
    s = Sketch(150, 110)
    s.line([(40, 40), (140, 96)], (196, 50, 44), 52, 16, 0.5)
    s.ellipse(36, 38, 32, 26, (210, 60, 52), 12, 0.5).line([(44, 60), (22, 76)], (210, 60, 52), 20, 7, 0.5)
    return s.line([(84, 50), (104, 92)], (250, 240, 230), 7, 2).sprite()
