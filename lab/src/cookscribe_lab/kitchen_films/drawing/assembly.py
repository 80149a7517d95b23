"""Things put together on a base: sandwiches, burgers, wraps, pizzas; and the one entrance to every picture of food."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from PIL import Image

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing.colours import CHAR, darker, lighter, palette
from cookscribe_lab.kitchen_films.drawing.contents import Portion, blend_colour, flat_disc, paint_contents, scatter
from cookscribe_lab.kitchen_films.drawing.groceries import slice_of_bread
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, patched, place, scaled, wobbly
from cookscribe_lab.kitchen_films.food_table import FOODS, Colour
from cookscribe_lab.kitchen_films.states import Cut, Form, Heat

_DOUGH = frozenset({"flour", "water", "salt", "sugar"})


@lru_cache(maxsize=160)
def picture_of(items: tuple[Portion, ...], rx: int, ry: int, seed: int, turn: int = 0) -> Sprite:
    """Any food in an opening of half axes `rx` and `ry`; see `contents.paint_contents` for the arguments."""
    cut_up = any(item.form is Form.PORTIONED for item in items)
    items = tuple(_before_cutting(item) for item in items)
    put_together = any(item.form in (Form.SPREAD, Form.LAYERED, Form.CLOSED) for item in items)
    bases = [item for item in items if _is_base(item)]
    if bases and (put_together or all(FOODS[item.name].kind == "bread" for item in items)):
        sprite = _assembled(items, rx, ry, seed)
    else:
        sprite = paint_contents(items, rx, ry, seed, turn)
    return _parted(sprite) if cut_up else sprite


def _before_cutting(item: Portion) -> Portion:
    """Cutting a dish up does not change what its parts look like."""
    if item.form is not Form.PORTIONED:
        return item
    if item.mixture == "cake":
        return replace(item, form=Form.MIXED)
    if FOODS[item.name].kind == "bread":
        return replace(item, form=Form.CLOSED)
    if item.mixture == "pizza" and item.name in _DOUGH:
        return replace(item, form=Form.ROLLED)
    spread = item.is_fluid or item.name in ("butter", "mayonnaise", "mustard", "ketchup", "tomato sauce")
    return replace(item, form=Form.SPREAD if spread else Form.LAYERED)


def _is_base(item: Portion) -> bool:
    return item.form is Form.ROLLED or ("base" in FOODS[item.name].abilities and not item.coat)


def _parted(sprite: Sprite) -> Sprite:
    """Cut through the middle and pulled apart a little."""
    gap = 12
    middle = sprite.width // 2
    result = Image.new("RGBA", (sprite.width + gap, sprite.height))
    place(result, sprite.crop((0, 0, middle, sprite.height)), 0, 0)
    place(result, sprite.crop((middle, 0, sprite.width, sprite.height)), middle + gap, 5)
    return result


def _assembled(items: Sequence[Portion], rx: int, ry: int, seed: int) -> Sprite:
    """Base, spreads, layers, and the lid if it is closed."""
    layer = Image.new("RGBA", (2 * (rx + 26), 2 * (ry + 40)))
    cx, cy = layer.width / 2, layer.height / 2
    rng = generator("assembly", seed)
    base = next(item for item in items if _is_base(item))
    kind = base.name if base.form is not Form.ROLLED else "dough"
    closed = base.form is Form.CLOSED
    reach_x, reach_y = rx * 0.84, ry * 0.84
    heat = base.heat
    if kind == "dough":
        dough = [item for item in items if item.form is Form.ROLLED]
        centred(layer, flat_disc(rx, ry, blend_colour([*dough, Portion("noodles")]), heat, rng), cx, cy)
    elif kind == "tortilla":
        centred(layer, _tortilla(rx, ry, heat), cx, cy)
    elif kind == "buns":
        reach_x, reach_y = rx * 0.55, ry * 0.62
        centred(layer, _bun_half(rx, ry, heat), cx, cy + 8)
    else:
        reach_x, reach_y = ry * 0.95, ry * 0.8
        centred(layer, _bread(ry, heat), cx, cy)
    spreads: dict[str, list[Portion]] = {}
    for item in items:
        if item.form is Form.SPREAD:
            spreads.setdefault(item.mixture or item.name, []).append(item)
    for members in spreads.values():
        amount = max(item.amount for item in members)
        centred(layer, _spread(reach_x * 0.9, reach_y * 0.9, blend_colour(members), amount, seed), cx, cy)
        lumps = [replace(item, form=Form.MIXED) for item in members if not item.is_fluid and item.cut is not Cut.WHOLE]
        if lumps:
            scatter(layer, lumps, reach_x * 0.8, reach_y * 0.75, seed, True)
    if any(item.form is Form.LAYERED and item.mixture == "patties" for item in items):
        centred(layer, _patty(reach_x, reach_y), cx, cy - 4)
    on_top = [item for item in items if item.form in (Form.LAYERED, Form.LOOSE) and not _is_base(item)]
    on_top = [item for item in on_top if item.mixture != "patties" and not item.is_fluid]
    if on_top:
        scatter(layer, [replace(item, form=Form.MIXED) for item in on_top], reach_x * 0.86, reach_y * 0.8, seed, True)
    sprite = patched(layer, CHAR, 0.35, rng, 8.0, 0.25) if heat is Heat.BAKED else layer
    return _closed(sprite, kind, heat, rx, ry) if closed else sprite


def _bread(ry: int, heat: Heat) -> Sprite:
    return scaled(slice_of_bread(palette("bread", heat)), ry * 2.1 / 108)


def _tortilla(rx: int, ry: int, heat: Heat) -> Sprite:
    p = palette("tortilla", heat)
    s = Sketch(2 * rx, 2 * ry)
    s.ellipse(rx, ry, rx * 0.92, ry * 0.92, p.skin, 4, 0.3)
    return s.dots(generator("tortilla"), 60, 5, [darker(p.skin, 0.12), p.mark]).sprite()


def _bun_half(rx: int, ry: int, heat: Heat) -> Sprite:
    p = palette("buns", heat)
    s = Sketch(2 * rx, 2 * ry)
    s.ellipse(rx, ry + 12, rx * 0.68, ry * 0.72, p.skin, 8, 0.4)
    return s.ellipse(rx, ry, rx * 0.66, ry * 0.68, p.flesh, 4, 0.25).sprite()


def _patty(reach_x: float, reach_y: float) -> Sprite:
    rng = generator("patty")
    s = Sketch(round(2 * reach_x) + 8, round(2 * reach_y) + 16)
    cx, cy = s.width / 2, s.height / 2
    s.ellipse(cx, cy + 6, reach_x * 0.95, reach_y * 0.9, (62, 34, 20))
    s.blob(wobbly(cx, cy, reach_x * 0.95, reach_y * 0.9, rng, 0.04), (112, 64, 38), 7, 0.5)
    return s.dots(rng, 90, 3, [(84, 46, 28), (138, 84, 52)]).sprite()


@lru_cache(maxsize=128)
def _spread(reach_x: float, reach_y: float, colour: Colour, amount: float, seed: int) -> Sprite:
    """Something smeared on; it covers the base from left to right as it is being spread."""
    rng = generator("spread", seed)
    s = Sketch(round(2 * reach_x) + 4, round(2 * reach_y) + 4)
    cx, cy = s.width / 2, s.height / 2
    s.blob(wobbly(cx, cy, reach_x * 0.92, reach_y * 0.9, rng, 0.06, 12), colour, 5, 0.35)
    for k in range(6):
        y = cy + reach_y * (-0.6 + 0.24 * k)
        half = reach_x * 0.7 * (1 - abs(y - cy) / reach_y) + 8
        s.line([(cx - half, y + 3), (cx, y - 3), (cx + half, y + 2)], lighter(colour, 0.25), 2.4, alpha=150)
    sprite = s.sprite()
    if amount < 1:
        window = Image.new("L", sprite.size)
        window.paste(255, (0, 0, max(1, round(sprite.width * amount)), sprite.height))
        sprite = Image.composite(sprite, Image.new("RGBA", sprite.size), window)
    return sprite


def _closed(filled: Sprite, kind: str, heat: Heat, rx: int, ry: int) -> Sprite:
    """The lid on a sandwich or bun, or the roll of a tortilla."""
    result = Image.new("RGBA", filled.size)
    cx, cy = result.width / 2, result.height / 2
    if kind == "tortilla":
        p = palette("tortilla", heat)
        s = Sketch(2 * rx, 2 * ry)
        s.line([(rx * 0.42, ry * 1.1), (rx * 1.58, ry * 0.9)], p.skin, ry * 0.78, ry * 0.26, 0.5)
        s.dots(generator("roll"), 36, 5, [darker(p.skin, 0.1), p.mark])
        s.line([(rx * 0.3, ry * 1.28), (rx * 1.5, ry * 1.1)], darker(p.skin, 0.25), 2)
        middle = (round(cx - rx * 0.4), round(cy - ry * 0.4), round(cx + rx * 0.4), round(cy + ry * 0.4))
        inside = scaled(filled.crop(middle), 0.3, 0.62)
        centred(result, s.sprite(), cx, cy)
        centred(result, inside, cx - rx * 0.86, cy + ry * 0.12)
        return result
    place(result, filled, 0, 8)
    if kind == "buns":
        p = palette("buns", heat)
        s = Sketch(2 * rx, 2 * ry)
        dome = [(0.34, 1.04), (0.42, 0.5), (1.0, 0.24), (1.58, 0.5), (1.66, 1.04), (1.0, 1.24)]
        s.blob([(rx * x, ry * y) for x, y in dome], p.skin, 18, 0.5)
        seeds = generator("sesame")
        for _ in range(22):
            s.ellipse(rx + seeds.uniform(-0.4, 0.4) * rx, ry * seeds.uniform(0.4, 0.95), 3, 2, p.mark)
        centred(result, s.sprite(), cx, cy - 20)
    else:
        centred(result, _bread(ry, heat), cx - 3, cy - 12)
        if heat in (Heat.SEARED, Heat.FRIED):
            result = patched(result, CHAR, 0.3, generator("toasted"), 6.0, 0.3)
    return result
