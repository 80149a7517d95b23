"""Every way of mixing: whisking, stirring, tossing, mashing."""

import math

from PIL import Image

from cookscribe_lab.kitchen_films.drawing.effects import steam
from cookscribe_lab.kitchen_films.drawing.foods import has_body
from cookscribe_lab.kitchen_films.drawing.paint import centred
from cookscribe_lab.kitchen_films.drawing.scene import Set, phase, shows, wave
from cookscribe_lab.kitchen_films.drawing.sources import small
from cookscribe_lab.kitchen_films.states import Place


@shows("whisk", "mix", "stir")
def stir_round(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Round and round, until one thing has become of many."""
    thing = scene.vessel
    whisk = scene.act.action == "whisk"
    speed = 1.5 if whisk else 0.75
    turn = clock * speed * 0.5
    scene.changing(frame, phase(done, 0.1, 0.9), turn)
    if thing.hob:
        steam(frame, thing.cx, thing.cy - 20, 70, clock, 4)
    elif scene.act.place in (Place.BOWL, Place.SMALL_BOWL):
        scene.left_hand.put(frame, thing.cx - thing.rx - 6, thing.cy + 14)
    angle = 2 * math.pi * clock * speed
    x = thing.cx + thing.rx * 0.42 * math.cos(angle)
    y = thing.cy + thing.ry * 0.42 * math.sin(angle)
    scene.tool("whisk" if whisk else "spoon").put(frame, x, y)


@shows("toss")
def toss(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Two servers lift and drop; leaves fly."""
    thing = scene.vessel
    scene.changing(frame, phase(done, 0.1, 0.9), clock * 0.25)
    lift = (wave(clock, 0.9) + 1) / 2
    solid = [name for name in scene.act.items if has_body(name) and not scene.portion(name).is_fluid]
    sprites = [sprite for name in solid[:3] for sprite in small(scene.portion(name))[:2]]
    if sprites:
        for k in range(8):
            height = abs(math.sin(clock * 5.6 + k * 0.8)) * 70
            centred(frame, sprites[k % len(sprites)], thing.cx + 88 * math.sin(k * 2.1), thing.cy - 10 - height)
    spoon = scene.tool("spoon")
    spoon.put(frame, thing.cx + 36 + 30 * lift, thing.cy + 6 - 46 * lift)
    spoon.mirrored().put(frame, thing.cx - 36 - 30 * lift, thing.cy + 6 - 46 * lift)


@shows("mash")
def mash(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Down and up with the masher, here and there."""
    thing = scene.vessel
    scene.changing(frame, phase(done, 0.15, 0.9))
    beat = clock * 1.5
    lift = abs(math.sin(math.pi * beat)) * 62
    spot = int(beat)
    x = thing.cx + thing.rx * 0.4 * math.sin(spot * 2.4)
    y = thing.cy + thing.ry * 0.3 * math.cos(spot * 1.7)
    scene.left_hand.put(frame, thing.cx - thing.rx - 6, thing.cy + 14)
    scene.tool("masher").put(frame, x, y - lift)
