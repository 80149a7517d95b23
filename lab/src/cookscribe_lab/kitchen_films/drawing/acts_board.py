"""Acts on the cutting board: peeling, slicing, chopping, grating, toasting."""

import math
from functools import lru_cache

from PIL import Image

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing.colours import palette
from cookscribe_lab.kitchen_films.drawing.contents import Portion
from cookscribe_lab.kitchen_films.drawing.foods import whole
from cookscribe_lab.kitchen_films.drawing.groceries import slice_of_bread
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, place, scaled
from cookscribe_lab.kitchen_films.drawing.pieces import VARIANTS, piece
from cookscribe_lab.kitchen_films.drawing.scene import Set, ease, in_turn, phase, shows, wave
from cookscribe_lab.kitchen_films.states import Cut, Heat

_SIZE = 1.75  # of a whole ingredient on the board


@lru_cache(maxsize=128)
def _on_board(name: str, heat: Heat, peeled: bool) -> Sprite:
    sprite = whole(name, heat, peeled)
    return scaled(sprite, min(_SIZE, 230 / sprite.width, 165 / sprite.height))


def _body(scene: Set, name: str) -> Sprite:
    item = scene.before[name]
    return _on_board(name, item.heat, item.cut is Cut.PEELED)


@lru_cache(maxsize=1024)
def _cut_piece(name: str, cut: Cut, heat: Heat, variant: int) -> Sprite:
    """Pieces lie close to the camera on the board."""
    return scaled(piece(name, cut, heat, variant), 1.25)


def _pieces(frame: Image.Image, item: Portion, count: int, seed: int, left: float, right: float) -> None:
    """`count` cut pieces between two x, further ones first."""
    rng = generator("cut pieces", seed, item.name)
    spots = [(rng.uniform(136, 252), rng.uniform(0, 1), k) for k in range(count)]
    for y, x, k in sorted(spots):
        sprite = _cut_piece(item.name, item.cut, item.heat, k % VARIANTS)
        centred(frame, sprite, left + (right - left) * x, y)


@shows("slice", "chop")
def cut_up(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """The knife goes from right to left; what it leaves lies on its right."""
    name, share, _ = in_turn(scene.act.items, done)
    item = scene.portion(name, scene.after)
    body = _body(scene, name)
    left, top = 236 - body.width / 2, 208 - body.height / 2
    if scene.before[name].cut is Cut.SLICED:
        share_left = 0.0
        _pieces(frame, scene.portion(name), round(14 * (1 - share)), scene.seed + 1, 200, 300)
    else:
        share_left = 1 - share
        keep = max(1, round(body.width * share_left))
        place(frame, body.crop((0, 0, keep, body.height)), left, top)
    edge = left + body.width * share_left
    full = 44 if item.cut is Cut.CHOPPED else 20
    _pieces(frame, item, round(full * share), scene.seed, min(edge + 40, 300), 500)
    scene.left_hand.put(frame, left - 4 + min(24.0, body.width * share_left * 0.2), 214)
    quick = 2.6 if item.cut is Cut.CHOPPED else 1.7
    lift = abs(wave(clock, quick / 2)) * 44
    knife = scene.knife
    knife.put(frame, edge + 22 + (wave(clock, 0.7) * 10 if item.cut is Cut.CHOPPED else 0), 246 - lift)


@shows("peel")
def peel(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """The peeler runs along; bare flesh spreads behind it and peel piles up."""
    name, share, _ = in_turn(scene.act.items, done)
    item = scene.before[name]
    skinned, bare = _on_board(name, item.heat, False), _on_board(name, item.heat, True)
    left, top = 320 - skinned.width / 2, 208 - skinned.height / 2
    border = round(skinned.width * share)
    place(frame, bare.crop((0, 0, max(1, border), bare.height)), left, top)
    if border < skinned.width:
        place(frame, skinned.crop((border, 0, skinned.width, skinned.height)), left + border, top)
    rng = generator("peel", scene.seed)
    for k in range(round(9 * share)):
        centred(frame, _strip(name, k % 3), 150 + rng.uniform(-26, 44), 250 + rng.uniform(-40, 22))
    scene.left_hand.put(frame, left - 14, 214)
    stroke = (clock * 1.3) % 1.0
    scene.tool("peeler").put(
        frame, left + skinned.width * (0.85 - 0.7 * ease(stroke)), 206 - 14 * math.sin(stroke * math.pi)
    )


@lru_cache(maxsize=64)
def _strip(name: str, variant: int) -> Sprite:
    rng = generator("strip", name, variant)
    p = palette(name)
    s = Sketch(64, 40)
    points = [(8 + 8 * k, 20 + 8 * math.sin(k * 1.1 + float(rng.uniform(0, 3)))) for k in range(7)]
    return s.line(points, p.flesh, 9, 2).line([(x, y - 2) for x, y in points], p.skin, 7, 3, 0.5).sprite()


@lru_cache(maxsize=1)
def _grater() -> Sprite:
    s = Sketch(150, 210)
    s.line([(52, 26), (60, 8), (92, 8), (100, 26)], (60, 60, 64), 11, 4, 0.5)
    s.polygon([(46, 24), (106, 24), (134, 196), (18, 196)], (196, 200, 206), 7, 0.5)
    s.polygon([(106, 24), (118, 34), (148, 190), (134, 196)], (140, 144, 150), 4, 0.4)
    for row in range(9):
        for column in range(6):
            half = 24 + row * 3.6
            x = 76 - half + column * half * 0.4
            s.ellipse(x, 48 + row * 16, 3.6, 2.8, (84, 88, 94), 1.5, 0.6)
    return s.sprite()


@shows("grate")
def grate(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Up and down a box grater, with a growing pile below."""
    name, share, _ = in_turn(scene.act.items, done)
    item = scene.portion(name, scene.after)
    rng = generator("gratings", scene.seed)
    spots = sorted((rng.normal(262, 13), rng.normal(300, 64), k) for k in range(34))
    chosen = [spot for k, spot in enumerate(spots) if (k * 7) % 34 < round(34 * share)]
    for y, x, k in chosen:
        centred(frame, _cut_piece(name, item.cut, item.heat, k % VARIANTS), x, y)
    centred(frame, _grater(), 300, 176)
    for y, x, k in chosen[::3]:
        centred(frame, _cut_piece(name, item.cut, item.heat, (k + 2) % VARIANTS), 0.7 * x + 90, min(y + 16, 286))
    body = _body(scene, name)
    size = 0.62 * (1 - 0.45 * share)
    y = 164 + 46 * wave(clock, 1.5)
    centred(frame, scaled(body, round(size * 16) / 16), 306, y)
    scene.grasp.put(frame, 326, y - 4)
    scene.left_hand.put(frame, 262, 92)


@lru_cache(maxsize=2)
def _toaster(glow: bool) -> tuple[Sprite, Sprite]:
    """Back and front of a toaster, so that bread can stand between."""
    back, front = Sketch(280, 200), Sketch(280, 200)
    back.box(20, 40, 260, 80, (70, 74, 80), 16, 5, 0.5)
    back.box(44, 52, 236, 66, (255, 150, 50) if glow else (24, 24, 26), 6)
    front.box(14, 66, 266, 186, (196, 60, 52), 22, 14, 0.5)
    front.box(236, 96, 250, 150, (60, 60, 64), 5).box(
        228, 140 if glow else 96, 262, 154 if glow else 110, (40, 40, 44), 5, 4, 0.5
    )
    front.line([(40, 88), (190, 88)], (240, 150, 140), 5, alpha=120)
    return back.sprite(), front.sprite()


@shows("toast")
def toast(scene: Set, frame: Image.Image, clock: float, done: float) -> None:
    """Slices go down pale and come up brown."""
    down, up = phase(done, 0.1, 0.3), phase(done, 0.76, 0.82)
    inside = down >= 1 and up < 1
    back, front = _toaster(inside)
    centred(frame, back, 320, 190)
    bread = _toast_slice(up > 0)
    sunk = 64 * ease(down) * (1 - up) + (2 * wave(clock, 4) if inside else 0)
    for x in (282, 352):
        centred(frame, bread, x, 112 + sunk)
    centred(frame, front, 320, 190)
    if done < 0.34:
        scene.hand.put(frame, 380 + 30 * done, 70 + sunk)
    elif up > 0:
        scene.grasp.put(frame, 380, 110 - 30 * phase(done, 0.88, 1.0))


@lru_cache(maxsize=2)
def _toast_slice(brown: bool) -> Sprite:
    return slice_of_bread(palette("bread", Heat.TOASTED if brown else Heat.RAW))
