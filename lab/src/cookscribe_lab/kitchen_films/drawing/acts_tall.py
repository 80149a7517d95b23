"""The blender and the glass: tall vessels, seen from the side."""

from functools import lru_cache

from PIL import Image

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing.contents import blend_colour
from cookscribe_lab.kitchen_films.drawing.effects import falling, stream
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, place, scaled
from cookscribe_lab.kitchen_films.drawing.pieces import VARIANTS
from cookscribe_lab.kitchen_films.drawing.scene import Set, ease, in_turn, phase, shows, wave
from cookscribe_lab.kitchen_films.drawing.sources import pourer, small, tilted
from cookscribe_lab.kitchen_films.food_table import FOODS, Kind
from cookscribe_lab.kitchen_films.states import Form, Place


def _column(scene: Set, share_after: float, level: float, clock: float, spin: bool) -> Sprite:
    """What is in a blender or a glass, seen through the side."""
    glass = scene.act.place is Place.GLASS
    step = int(clock * 10) % 6 if spin else 0
    key = ("column", glass, round(share_after * 4), round(level * 8), step)
    if key in scene.kept:
        return scene.kept[key]
    top, bottom, high = (52.0, 40.0, 196) if glass else (64.0, 52.0, 198)
    inside = [scene.portion(name, scene.after) for name in scene.names(scene.after)]
    fluids = [item for item in inside if item.is_fluid or item.form is Form.BLENDED]
    y0 = 204 - high * 0.86 * level
    half = top + (bottom - top) * (y0 / 204)
    s = Sketch(140, 210)
    is_smooth = share_after > 0.2 or glass
    if is_smooth or fluids:
        colour, shade = (blend_colour(inside), 255) if is_smooth else (blend_colour(fluids), 200)
        outline = [(70 - half, y0), (70 + half, y0), (70 + bottom, 204), (70 - bottom, 204)]
        s.polygon(outline, colour, 8, 0.35, alpha=shade).ellipse(70, y0, half, 12, colour, 3, 0.4, alpha=shade)
    layer = s.sprite()
    if share_after < 0.75 and not glass:
        rng = generator("column", scene.seed, step)
        before = [scene.portion(name) for name in scene.names(scene.before)]
        solid = [item for item in before or inside if not item.is_fluid and FOODS[item.name].kind is not Kind.POWDER]
        for k in range(round(22 * level * (1 - share_after)) if solid else 0):
            sprite = small(solid[k % len(solid)])[k % VARIANTS]
            x, y = rng.uniform(28, 112), rng.uniform(min(max(40.0, y0), 186.0), 194)
            centred(layer, scaled(sprite, 0.85), x, y)
    if spin:
        swirl = Sketch(140, 210)
        for k in range(5):
            y = y0 + 18 + k * 30 + 6 * wave(clock + k, 1.3)
            swirl.line([(34, y), (70, y + 9), (106, y - 3)], (255, 255, 255), 3, alpha=110)
        layer.alpha_composite(swirl.sprite())
    scene.kept[key] = layer
    return layer


def _fill(scene: Set, frame: Image.Image, column: Sprite, shake: float = 0.0) -> None:
    thing = scene.vessel
    # The food first, then the glass over it, so that it is seen through the glass.
    centred(frame, column, thing.cx + shake, thing.cy + 100)
    place(frame, _veil(scene), thing.left + shake, thing.top)


def _veil(scene: Set) -> Sprite:
    """The glass wall, thin enough to see what is behind."""
    if ("veil",) not in scene.kept:
        wall = scene.vessel.sprite.copy()
        thin = [round(value * 0.35) if value < 215 else value for value in range(256)]
        wall.putalpha(wall.getchannel("A").point(thin))
        scene.kept["veil",] = wall
    return scene.kept["veil",]


def pour(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Pour into the glass or the blender."""
    items = tuple(scene.portion(name) for name in scene.act.items)
    there = len(scene.names(scene.before)) / max(1, len(scene.names(scene.after)))
    level = there * 0.7 + (1 - there * 0.7) * phase(done, 0.2, 0.93)
    _fill(scene, frame, _column(scene, 0.0, level, clock, False))
    thing = scene.vessel
    tilt = round(ease(phase(done, 0.0, 0.25)) * 6) * 11
    sprite = pourer(items, tilt)
    x, y = thing.cx + 118.0, 62.0
    centred(frame, sprite, x, y)
    scene.grasp.put(frame, x + 34, y + 2)
    if 0.2 < done < 0.93:
        stream(frame, (x - sprite.width * 0.42, y - 8), (thing.cx, thing.cy + 60.0), blend_colour(items), 12, clock)


def add(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Pieces into the blender."""
    there = len(scene.names(scene.before)) / max(1, len(scene.names(scene.after)))
    level = 0.75 * (there + (1 - there) * phase(done, 0.15, 0.95))
    _fill(scene, frame, _column(scene, 0.0, level, clock, False))
    thing = scene.vessel
    name, share, _ = in_turn(scene.act.items, done)
    item = scene.portion(name)
    x, y = thing.cx + 112.0, 56.0
    centred(frame, tilted((item,), 44), x, y)
    scene.grasp.put(frame, x + 52, y + 4)
    if share > 0.1:
        falling(frame, small(item), (x - 56, y + 20), (thing.cx, thing.cy + 110.0), 16, clock)


@shows("blend")
def blend(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """The jar trembles, pieces become a cream; a hand on the lid."""
    shake = 2.2 * wave(clock, 4.7)
    _fill(scene, frame, _column(scene, phase(done, 0.1, 0.7), 0.82, clock, True), shake)
    thing = scene.vessel
    place(frame, _jar_lid(), thing.cx - 76 + shake, thing.cy - 34)
    scene.hand.put(frame, thing.cx + 14 + shake, thing.cy - 26)


@lru_cache(maxsize=1)
def _jar_lid() -> Sprite:
    s = Sketch(152, 60)
    return s.ellipse(76, 34, 70, 20, (40, 42, 46), 6, 0.5).box(52, 8, 100, 34, (54, 56, 62), 8, 5, 0.5).sprite()
