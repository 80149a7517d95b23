"""Acts that put things together or away: dough, spreads, layers, wraps, coats, cutting up and serving."""

import math
from functools import lru_cache

from PIL import Image

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing.assembly import picture_of
from cookscribe_lab.kitchen_films.drawing.colours import mixed
from cookscribe_lab.kitchen_films.drawing.contents import Portion, blend_colour, coated, dough_ball, portions
from cookscribe_lab.kitchen_films.drawing.effects import sprinkled, steam
from cookscribe_lab.kitchen_films.drawing.hands import Held, pressing
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, scaled, turned
from cookscribe_lab.kitchen_films.drawing.pieces import is_big, piece
from cookscribe_lab.kitchen_films.drawing.scene import Set, ease, in_turn, phase, shows, wave
from cookscribe_lab.kitchen_films.drawing.vessels import vessel
from cookscribe_lab.kitchen_films.food_table import Colour
from cookscribe_lab.kitchen_films.states import Form, Place


def _pressing(scene: Set) -> tuple[Held, Held]:
    return pressing(scene.style.skin, scene.style.sleeve)


def _dough_colour(scene: Set) -> Colour:
    return mixed(blend_colour(portions(scene.before, scene.act.items)), (234, 206, 150), 0.4)


@lru_cache(maxsize=64)
def _dough(colour: Colour, wide: int, tall: int) -> Sprite:
    return dough_ball(wide, tall, colour, False, generator("kneaded"))


@shows("knead", on=Place.SURFACE)
def knead(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Both hands push the dough away and fold it back."""
    push = (wave(clock, 0.8) + 1) / 2
    wide, tall = 170 + round(4 * push) * 12, 128 - round(4 * push) * 8
    centred(frame, _dough(_dough_colour(scene), wide, tall), 320, 204 - 16 * push)
    left, right = _pressing(scene)
    left.put(frame, 268, 236 - 30 * push + 5 * done)
    right.put(frame, 372, 236 - 30 * push + 5 * done)


@lru_cache(maxsize=1)
def _rolling_pin() -> Sprite:
    s = Sketch(420, 64)
    s.line([(20, 32), (400, 32)], (150, 100, 56), 20, 7, 0.5)
    return s.line([(86, 32), (334, 32)], (206, 160, 104), 46, 15, 0.5).sprite()


@shows("roll")
def roll(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """The pin goes to and fro and the ball becomes a sheet."""
    share = ease(phase(done, 0.05, 0.9))
    ball = _dough(_dough_colour(scene), 130, 96)
    sheet = scene.food(scene.after, scene.act.items)
    if share < 0.35:
        centred(frame, scaled(ball, 1 + 0.5 * round(share * 12) / 12, 1 - 0.3 * round(share * 12) / 12), 320, 214)
    else:
        factor = 0.72 + 0.4 * round((share - 0.35) / 0.65 * 8) / 8
        centred(frame, scaled(sheet, factor), 320, 214)
    y = 206 + 62 * wave(clock, 0.75)
    centred(frame, _rolling_pin(), 320, y)
    scene.left_hand.put(frame, 130, y - 2)
    scene.hand.put(frame, 512, y - 2)


@shows("shape", on=Place.TRAY)
def shape(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Palms form one piece after the other; they gather on the tray."""
    tray = vessel(Place.TRAY, scene.style)
    food = scene.food(scene.after, scene.act.items, thing=tray)
    # Pieces appear from left to right as they are made.
    ready = round(6 * done) / 6
    if ready > 0:
        part = food.crop((0, 0, max(1, round(food.width * ready)), food.height))
        frame.paste(part, (round(tray.cx - food.width / 2), round(tray.cy - food.height / 2)), part)
    colour = blend_colour(portions(scene.before, scene.act.items))
    squash = 1 + 0.16 * wave(clock, 1.3)
    x, y = 326.0, 118.0
    scene.left_hand.put(frame, x - 58 * squash, y - 10 + 8 * wave(clock, 1.3))
    scene.hand.put(frame, x + 58 * squash, y - 10 - 8 * wave(clock, 1.3))
    centred(frame, _lump(colour, round(50 * squash), round(44 / squash)), x, y)


@lru_cache(maxsize=64)
def _lump(colour: Colour, wide: int, tall: int) -> Sprite:
    s = Sketch(2 * wide + 4, 2 * tall + 4)
    return s.ellipse(wide + 2, tall + 2, wide, tall, colour, 13, 0.5).sprite()


@shows("coat")
def coat(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Down into flour, egg or crumbs, over, and up with a coat on."""
    thing = scene.vessel
    base = scene.act.base
    dip = portions(scene.before, base)
    scene.show(frame, picture_of(dip, thing.rx, thing.ry, scene.seed))
    name, _, _ = in_turn(scene.act.items, done)
    worn = "breadcrumbs" if "breadcrumbs" in base else "flour" if "flour" in base else "eggs"
    cycle = (done * 3) % 1.0
    depth = math.sin(math.pi * cycle)
    dressed = done > 0.4
    if dressed:
        item = portions(scene.after, (name,), coat=worn)[0]
    else:
        item = scene.portion(name)
    sprite = _dipped(item, int(done * 3) % 2)
    x, y = thing.cx + 14 * wave(clock, 0.9), thing.cy - 74 + 66 * depth
    centred(frame, sprite, x, y)
    scene.grasp.put(frame, x + sprite.width * 0.3, y - 6)
    if worn != "eggs" and dressed:
        tone: Colour = (250, 248, 242) if worn == "flour" else (222, 176, 104)
        sprinkled(frame, (x, y + 20), thing.cy + 20, 50, [tone], clock, 2.2)


@lru_cache(maxsize=128)
def _dipped(item: Portion, side: int) -> Sprite:
    big = is_big(item.name, item.cut) or item.name == "bread"
    sprite = scaled(coated(item, 0), 1.15 if big else 2.0)
    return turned(sprite, 8 - 16 * side)


@shows("spread")
def spread(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """A blade to and fro; the cover grows from left to right."""
    thing = scene.vessel
    items = scene.act.items
    share = phase(done, 0.12, 0.92)
    if share > 0:
        scene.show(frame, scene.food(scene.after, (*scene.staying, *items), dict.fromkeys(items, share)))
    else:
        scene.show(frame, scene.food(scene.before, scene.staying))
    reach = thing.ry * 0.9 if any(name in ("bread", "buns") for name in scene.act.base) else thing.rx * 0.75
    x = thing.cx - reach + 2 * reach * share
    scene.tool("butter knife").put(frame, x + 14, thing.cy + thing.ry * 0.5 * wave(clock, 1.3))


@shows("layer")
def layer(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """A hand brings piece after piece."""
    thing = scene.vessel
    items = scene.act.items
    name, share, shares = in_turn(items, done)
    together = bool(scene.before[items[0]].mixture)
    landed = {one: phase(done, 0.15, 0.95) for one in items} if together else {**shares, name: phase(share, 0.1, 0.95)}
    coming = {one: amount for one, amount in landed.items() if amount > 0.06}
    scene.show(frame, scene.food(scene.after, (*scene.staying, *coming), coming))
    trip = (clock * 0.9) % 1.0
    reach = ease(min(1.0, trip * 2)) if trip < 0.5 else 1 - ease((trip - 0.5) * 2)
    x = thing.cx + 170 - 150 * reach
    y = thing.cy - 90 + 84 * reach
    if trip < 0.52:
        centred(frame, _in_hand(scene.portion(name)), x - 8, y + 4)
    scene.grasp.put(frame, x + 12, y)


@lru_cache(maxsize=256)
def _in_hand(item: Portion) -> Sprite:
    if item.mixture == "patties":
        return _lump((112, 64, 38), 62, 40)
    sprite = piece(item.name, item.cut, item.heat, 1)
    return scaled(sprite, min(1.6, 96 / sprite.width))


@shows("close", "wrap")
def close(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """The other half comes down; a tortilla is folded from both sides."""
    thing = scene.vessel
    name = scene.act.items[0]
    shut = done > 0.55
    state = scene.after if shut else scene.before
    scene.show(frame, scene.food(state))
    down = ease(phase(done, 0.1, 0.55))
    away = ease(phase(done, 0.7, 1.0))
    if name == "tortilla":
        left, right = _pressing(scene)
        gap = 120 - 74 * down + 70 * away + 4 * wave(clock, 1.2)
        left.put(frame, thing.cx - gap, thing.cy + 14)
        right.put(frame, thing.cx + gap, thing.cy + 14)
        return
    y = thing.cy - 130 + 118 * down - 110 * away
    if not shut:
        top = picture_of((Portion(name, form=Form.LOOSE, heat=scene.before[name].heat),), thing.rx, thing.ry, 1)
        centred(frame, top, thing.cx, y)
    scene.left_hand.put(frame, thing.cx - 78 - 60 * away, y + 6)
    scene.hand.put(frame, thing.cx + 78 + 60 * away, y + 6)


@shows("divide")
def divide(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """One long cut through the dish; the halves part."""
    thing = scene.vessel
    scene.show(frame, scene.food(scene.after if done > 0.8 else scene.before))
    share = phase(done, 0.05, 0.8)
    y = thing.cy - thing.ry * 0.8 + thing.ry * 1.7 * share
    scene.left_hand.put(frame, thing.cx - thing.rx * 0.9, thing.cy + 10)
    scene.knife.put(frame, thing.cx + 6 + 16 * wave(clock, 1.4), min(y + 12, 290) - 16 * abs(wave(clock, 1.4)))


@shows("remove")
def remove(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """The spatula carries it out of the vessel, off to the side."""
    thing = scene.vessel
    items = scene.act.items
    left = 1 - done
    scene.show(frame, scene.food(scene.before, (*scene.staying, *items), dict.fromkeys(items, left)))
    if thing.hob:
        steam(frame, thing.cx, thing.cy - 20, 60, clock, 4)
    trip = (clock * 0.7) % 1.0
    out = ease(trip)
    x, y = thing.cx + 250 * out, thing.cy - 110 * math.sin(math.pi * out * 0.7)
    centred(frame, _in_hand(scene.portion(items[0])), x, y - 12)
    scene.tool("spatula").put(frame, x, y)


@shows("serve", on=Place.PLATE)
def serve(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Spoon after spoon from the vessel onto a plate."""
    plate = vessel(Place.PLATE, scene.style)
    items = tuple(name for name in scene.names(scene.after, Place.PLATE))
    single = any(scene.after[name].form in (Form.CLOSED, Form.LAYERED, Form.SHAPED, Form.ROLLED) for name in items) or (
        scene.act.mixture in ("pancake", "omelette", "sandwich")
    )
    share = phase(done, 0.15, 0.9)
    trip = (clock * 0.8) % 1.0
    if single:
        share = 1.0 if done > 0.5 else 0.0
        reach = ease(phase(done, 0.05, 0.5))
        trip = 0.49 if done < 0.5 else 0.8
    else:
        reach = ease(min(1.0, trip * 2)) if trip < 0.5 else 1 - ease((trip - 0.5) * 2)
    if share > 0:
        food = scene.food(scene.after, items, dict.fromkeys(items, max(share, 0.13)), thing=plate)
        centred(frame, food, plate.cx, plate.cy)
        steam(frame, plate.cx, plate.cy - 30, 70, clock, 3)
    away = ease(phase(done, 0.55, 0.95)) if single else 0.0
    x = plate.cx + 190 - 180 * reach + 190 * away
    y = plate.cy - 112 + 100 * reach - 90 * away
    if trip < 0.52 and items:
        load = picture_of(
            portions(scene.after, items), 80 if not single else plate.rx, 44 if not single else plate.ry, scene.seed
        )
        centred(frame, load, x, y - 10)
    scene.tool("spatula" if single else "spoon").put(frame, x + 10, y + 8)
