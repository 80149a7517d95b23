"""What lies in a vessel or on a plate: liquids, pastes, heaps, pieces and doughs, painted from the typed states."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageFilter

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.drawing.colours import GOLD, darker, lighter, mixed, palette
from cookscribe_lab.kitchen_films.drawing.foods import has_body
from cookscribe_lab.kitchen_films.drawing.paint import Sketch, Sprite, centred, patched, scaled, spots, wobbly
from cookscribe_lab.kitchen_films.drawing.pieces import VARIANTS, is_big, piece
from cookscribe_lab.kitchen_films.food_table import FOODS, Colour, Kind
from cookscribe_lab.kitchen_films.states import Cut, Form, Heat, ItemState, State

TURNS = 24  # positions of a full turn when something is stirred

_FILLING = frozenset({"water", "stock", "milk", "cream", "tomato sauce"})
_BASES = frozenset({"rice", "pasta", "noodles"})


@dataclass(frozen=True)
class Portion:
    """One ingredient as it is seen: its state, how much of it is there (0 to 1) and what it is coated with."""

    name: str
    cut: Cut = Cut.WHOLE
    heat: Heat = Heat.RAW
    form: Form = Form.LOOSE
    mixture: str = ""
    amount: float = 1.0
    coat: str = ""

    @property
    def is_fluid(self) -> bool:
        """Whether it flows or is soft: a liquid, beaten egg, melted butter, mash, a sauce."""
        if self.form is Form.BLENDED or self.cut in (Cut.BEATEN, Cut.MASHED, Cut.SQUEEZED) or self.heat is Heat.MELTED:
            return True
        return FOODS[self.name].kind in (Kind.LIQUID, Kind.SAUCE) and self.form is not Form.SHAPED

    @property
    def colour(self) -> Colour:
        """What it dyes a mixture with."""
        p = palette(self.name, self.heat if self.heat is not Heat.FRIED else Heat.SEARED)
        if self.cut in (Cut.BEATEN, Cut.CRACKED):
            return mixed(p.mark, (255, 236, 150), 0.5)
        return p.flesh


def portions(
    state: State, names: Sequence[str], amounts: dict[str, float] | None = None, coat: str = ""
) -> tuple[Portion, ...]:
    """The named ingredients of a state as portions; amounts are rounded so that pictures can be kept."""
    rows = []
    for name in names:
        item = state[name]
        amount = round((amounts or {}).get(name, 1.0) * 8) / 8
        if amount > 0:
            worn = (coat or _coat(state)) if item.form is Form.COATED else ""
            rows.append(Portion(name, item.cut, item.heat, item.form, item.mixture, amount, worn))
    return tuple(rows)


def _coat(state: State) -> str:
    """What coated things wear: the last of breadcrumbs, egg and flour that is out."""
    out = [name for name in ("breadcrumbs", "eggs", "flour") if name in state and state[name].place == "dish"]
    return out[0] if out else "flour"


def blend_colour(items: Sequence[Portion]) -> Colour:
    """The colour of a mixture: the mean of its parts by bulk."""
    weights = np.array([FOODS[item.name].bulk * max(item.amount, 0.05) for item in items])
    colours = np.array([item.colour for item in items], dtype=np.float64)
    red, green, blue = (colours * weights[:, None]).sum(axis=0) / weights.sum()
    return (round(red), round(green), round(blue))


# -- soft things


def fluid(
    rx: float, ry: float, colour: Colour, level: float, rng: np.random.Generator, smooth_surface: bool = True
) -> Sprite:
    """The surface of a liquid (or, rough, of a paste) that fills `level` of the opening."""
    width, height = round(2 * rx), round(2 * ry)
    s = Sketch(width, height)
    reach = 0.55 + 0.43 * level
    if smooth_surface:
        s.ellipse(rx, ry, rx * reach, ry * reach, colour, 7, 0.25)
        x, y = rx - rx * 0.35 * reach, ry - ry * 0.4 * reach
        s.ellipse(x, y, rx * 0.3 * reach, ry * 0.12 * reach, lighter(colour, 0.5), alpha=120)
    else:
        s.blob(wobbly(rx, ry, rx * reach, ry * reach, rng, 0.05, 12), colour, 9, 0.35)
        for _ in range(22):
            a, r = rng.uniform(0, 2 * math.pi), math.sqrt(rng.uniform()) * 0.8 * reach
            x, y = rx + rx * r * math.cos(a), ry + ry * r * math.sin(a)
            lump = wobbly(x, y, rx * 0.16, ry * 0.15, rng, 0.2)
            s.blob(lump, mixed(colour, lighter(colour, 0.4), rng.uniform(0, 0.4)), 5, 0.4)
    return s.sprite()


def puddle(rx: float, ry: float, colour: Colour, amount: float, rng: np.random.Generator) -> Sprite:
    """A little liquid on the bottom: oil, melted butter, a dash of sauce."""
    s = Sketch(round(2 * rx), round(2 * ry))
    reach = 0.35 + 0.4 * amount
    s.blob(wobbly(rx, ry, rx * reach, ry * reach, rng, 0.12, 11), colour, 4, 0.3, alpha=205)
    for _ in range(5):
        a = rng.uniform(0, 2 * math.pi)
        x, y = rx + rx * (reach + 0.1) * math.cos(a), ry + ry * (reach + 0.1) * math.sin(a)
        s.ellipse(x, y, 5, 3.4, colour, 2, 0.3, alpha=205)
    return s.ellipse(rx * 0.8, ry * 0.75, rx * 0.16, ry * 0.07, (255, 255, 255), alpha=150).sprite()


def heap(rx: float, ry: float, colour: Colour, amount: float, rng: np.random.Generator) -> Sprite:
    """A mound of powder."""
    s = Sketch(round(2 * rx), round(2 * ry))
    size = 0.35 + 0.4 * amount
    s.blob(wobbly(rx, ry + 4, rx * size, ry * size, rng, 0.05, 12), darker(colour, 0.08), 12, 0.4)
    s.blob(wobbly(rx, ry - 6, rx * size * 0.6, ry * size * 0.55, rng, 0.08, 10), colour, 12, 0.35)
    return s.grain(rng, 5).sprite()


def dough_ball(rx: float, ry: float, colour: Colour, rough: bool, rng: np.random.Generator) -> Sprite:
    """A lump of dough or of minced meat."""
    s = Sketch(round(2 * rx), round(2 * ry))
    s.blob(wobbly(rx, ry, rx * 0.72, ry * 0.8, rng, 0.12 if rough else 0.03, 11), colour, 16, 0.45)
    if rough:
        for x, y in spots(rx, ry, rx, ry, 16, rng, 0.55):
            lump = wobbly(x, y, rx * 0.14, ry * 0.14, rng, 0.25)
            s.blob(lump, mixed(colour, darker(colour, 0.15), rng.uniform()), 5, 0.45)
    return s.sprite()


def flat_disc(rx: float, ry: float, colour: Colour, heat: Heat, rng: np.random.Generator) -> Sprite:
    """A pancake, an omelette or rolled dough, in the colour that heat gave it."""
    s = Sketch(round(2 * rx), round(2 * ry))
    edge = mixed(colour, GOLD, 0.75) if heat in (Heat.SEARED, Heat.FRIED, Heat.BAKED) else darker(colour, 0.1)
    s.blob(wobbly(rx, ry + 3, rx * 0.84, ry * 0.84, rng, 0.03, 12), darker(edge, 0.2), 2, 0.3)
    s.blob(wobbly(rx, ry, rx * 0.84, ry * 0.84, rng, 0.03, 12), edge, 5, 0.3)
    middle = mixed(colour, GOLD, 0.6) if heat in (Heat.FRIED, Heat.BAKED) else colour
    s.blob(wobbly(rx, ry, rx * 0.74, ry * 0.72, rng, 0.04, 12), middle, 7, 0.2)
    sprite = s.sprite()
    if heat in (Heat.FRIED, Heat.BAKED):
        sprite = patched(sprite, (150, 84, 30), 0.6, rng, 9.0, 0.45)
    return sprite


def shaped(rx: float, ry: float, colour: Colour, mixture: str, heat: Heat, rng: np.random.Generator) -> Sprite:
    """Patties, balls or cookies in two rows."""
    s = Sketch(round(2 * rx), round(2 * ry))
    done = heat in (Heat.SEARED, Heat.FRIED, Heat.BAKED, Heat.BOILED)
    tone = mixed(colour, (150, 88, 40) if mixture == "cookies" else (92, 50, 26), 0.5) if done else colour
    if heat is Heat.SEARED:
        tone = mixed(colour, tone, 0.5)
    places = [(-0.5, -0.32), (0.03, -0.42), (0.54, -0.3), (-0.5, 0.34), (0.02, 0.4), (0.52, 0.36)]
    if mixture == "patties":
        places = [(-0.42, -0.1), (0.42, -0.05), (0.0, 0.3)]
    for x, y in places:
        size = 0.36 if mixture == "patties" else 0.23
        cx, cy = rx + rx * x, ry + ry * y
        tall = 1.0 if mixture == "meatballs" else 0.72
        s.ellipse(cx, cy + 4, rx * size, rx * size * tall, darker(tone, 0.35))
        s.blob(wobbly(cx, cy, rx * size, rx * size * tall, rng, 0.05), tone, 9 if mixture == "meatballs" else 5, 0.5)
        for _ in range(6):
            dx, dy = rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.6)
            speck = (70, 40, 24) if mixture == "cookies" else mixed(tone, (255, 240, 230), 0.4)
            s.ellipse(cx + rx * size * dx, cy + rx * size * tall * dy, 2.6, 2.2, speck, 1)
    return s.sprite()


# -- the whole picture


def _spots(count: int, spread: float, rng: np.random.Generator) -> list[tuple[float, float]]:
    """(radius, angle) of `count` places that fill a disc evenly, shaken a little."""
    order = rng.permutation(count)
    golden = math.pi * (3 - math.sqrt(5))
    return [
        (
            spread * math.sqrt((k + 0.5) / count) * float(rng.uniform(0.9, 1.0)),
            k * golden + float(rng.uniform(-0.2, 0.2)),
        )
        for k in order
    ]


def _count(item: Portion, sorts: int, area: float) -> int:
    if is_big(item.name, item.cut):
        return 1
    kind = FOODS[item.name].kind
    if kind is Kind.POWDER or kind is Kind.HERB:
        full = 14.0
    elif item.cut is Cut.CRACKED:
        full = 3.0 * sorts
    elif item.name in _BASES:
        full = 22.0 * sorts  # rice and noodles lie below and between everything else
    elif item.cut is Cut.SLICED:
        full = 20.0
    else:
        full = 36.0
    return max(1, round(full * area * item.amount / max(1.0, sorts * 0.8)))


def scatter(
    layer: Image.Image, items: Sequence[Portion], rx: float, ry: float, seed: int, stirred: bool, turn: float = 0.0
) -> None:
    """Pieces of all items: stirred ones all over, others each in a corner of its own, spices over everything.

    Where the pieces of one item fall does not depend on the others, so that nothing jumps when something is added.
    """
    area = rx * ry / (110.0 * 62.0)
    main = [item for item in items if FOODS[item.name].kind not in (Kind.POWDER, Kind.HERB)]
    drawn: list[tuple[int, float, float, Sprite]] = []  # what lies below first, then what lies further away
    for item in items:
        count = _count(item, max(1, len(main)), area)
        alone = stirred or item not in main or len(main) == 1
        spread = 0.82 if alone else 0.5
        angle = 2 * math.pi * main.index(item) / max(2, len(main)) + 0.6 if item in main else 0.0
        cx, cy = (0.0, 0.0) if alone else (0.42 * math.cos(angle), 0.42 * math.sin(angle))
        if is_big(item.name, item.cut):
            spread = 0.0 if len(main) == 1 else 0.15
        for k, (radius, direction) in enumerate(_spots(count, spread, generator("scatter", seed, item.name))):
            x, y = cx + radius * math.cos(direction), cy + radius * math.sin(direction)
            if turn:
                r, a = math.hypot(x, y), math.atan2(y, x) + turn * (1.25 - 0.5 * math.hypot(x, y))
                x, y = r * math.cos(a), r * math.sin(a)
            sprite = coated(item, k % VARIANTS)
            if is_big(item.name, item.cut):
                fit = min(1.3, rx * (1.5 if alone else 1.0) / sprite.width, ry * 1.7 / sprite.height)
                sprite = scaled(sprite, fit)
            drawn.append((0 if item.name in _BASES and stirred else 1, y, x, sprite))
    for _, y, x, sprite in sorted(drawn, key=lambda row: row[:3]):
        centred(layer, sprite, layer.width / 2 + rx * x, layer.height / 2 + ry * y)


@lru_cache(maxsize=512)
def coated(item: Portion, variant: int) -> Sprite:
    """A piece with its coat of flour, egg or breadcrumbs."""
    sprite = piece(item.name, item.cut, item.heat, variant)
    if not item.coat or not has_body(item.name):
        return sprite
    rng = generator("coat", item.coat, variant)
    colour, share = {
        "flour": ((248, 246, 240), 0.8), "eggs": ((250, 206, 84), 0.7), "breadcrumbs": ((222, 168, 92), 0.95),
    }.get(item.coat, ((248, 246, 240), 0.8))  # fmt: skip
    if item.heat in (Heat.SEARED, Heat.FRIED):
        colour = mixed(colour, (160, 88, 26), 0.55)
    sprite = patched(sprite, colour, share, rng, 4.0, 0.95)
    if item.coat == "breadcrumbs":
        pixels = np.asarray(sprite).astype(np.float32)
        pixels[..., :3] += rng.normal(0, 16, (*pixels.shape[:2], 1))
        sprite = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8), "RGBA")
    return sprite


def _soft_layer(items: Sequence[Portion], rx: float, ry: float, rng: np.random.Generator) -> list[Sprite]:
    """Everything that is not pieces: what was mixed into one mass, then loose liquids and heaps."""
    layers = [puddle(rx, ry, item.colour, item.amount, rng) for item in items if _is_fat(item.name, item)]
    masses: dict[str, list[Portion]] = {}
    for item in items:
        if item.form in (Form.MIXED, Form.BLENDED, Form.KNEADED, Form.ROLLED, Form.SHAPED):
            masses.setdefault(item.mixture, []).append(item)
    for mixture, members in masses.items():
        sprite = _mass(mixture, members, rx, ry, rng)
        if sprite is not None:
            layers.append(sprite)
    loose = [item for item in items if item.form in (Form.LOOSE, Form.COATED) and not _is_fat(item.name, item)]
    for item in loose:
        kind = FOODS[item.name].kind
        if item.is_fluid and (item.name in _FILLING or item.cut is Cut.BEATEN):
            layers.append(fluid(rx, ry, item.colour, item.amount, rng))
        elif item.cut is Cut.MASHED:
            layers.append(fluid(rx, ry, item.colour, 0.7 * item.amount, rng, smooth_surface=False))
        elif item.name in ("mayonnaise", "mustard", "ketchup"):
            layers.append(heap(rx * 0.9, ry * 0.9, item.colour, 0.5 * item.amount, rng))
        elif item.is_fluid:
            layers.append(puddle(rx, ry, item.colour, item.amount, rng))
        elif kind is Kind.POWDER and item.name in ("flour", "sugar", "breadcrumbs"):
            share = 0.6 if item.name == "sugar" else 1.0
            layers.append(heap(rx, ry, palette(item.name).skin, item.amount * share, rng))
    return layers


def _is_fat(name: str, seen: Portion | ItemState) -> bool:
    """Fat that was put in to fry in: it stays below whatever follows."""
    return name in ("oil", "butter") and seen.heat is not Heat.RAW and seen.form is Form.LOOSE


def without_fat(state: State, names: Sequence[str]) -> tuple[str, ...]:
    """What is served: the fat that things were fried in stays in the pan, if there is anything else."""
    return tuple(name for name in names if not _is_fat(name, state[name])) or tuple(names)


def _mass(mixture: str, members: Sequence[Portion], rx: float, ry: float, rng: np.random.Generator) -> Sprite | None:
    """The soft part of a mixture, or None when it is only pieces (a salad)."""
    names = {item.name for item in members}
    form, heat = members[0].form, members[0].heat
    soft = [
        item for item in members if item.is_fluid or FOODS[item.name].kind is Kind.POWDER or item.name == "ground beef"
    ]
    colour = blend_colour(soft or members)
    if "flour" in names and form is not Form.BLENDED:
        colour = mixed(colour, (234, 206, 150), 0.4)
    cooked = next((item.heat for item in members if item.heat in (Heat.SEARED, Heat.FRIED, Heat.BAKED)), heat)
    if form is Form.SHAPED:
        return shaped(rx, ry, colour, mixture, cooked, rng)
    if form is Form.ROLLED:
        return flat_disc(rx, ry, colour, cooked, rng)
    if form is Form.KNEADED:
        return dough_ball(rx, ry, colour, False, rng)
    if mixture == "dough" or mixture == "meat mixture":
        return dough_ball(rx, ry, colour, True, rng)
    if form is Form.BLENDED:
        return fluid(rx, ry, blend_colour(members), 1.0, rng)
    if mixture in ("pancake", "omelette", "cake") or (mixture == "egg mixture" and cooked is not Heat.RAW):
        return flat_disc(rx, ry, colour, cooked, rng)
    if any(item.cut is Cut.MASHED for item in members):
        return fluid(rx, ry, blend_colour(members), 0.85, rng, smooth_surface=False)
    if names & {"mayonnaise"} or mixture == "scrambled eggs":
        return fluid(rx, ry, colour, 0.75, rng, smooth_surface=False)
    filling = [item for item in soft if item.name in _FILLING or item.cut is Cut.BEATEN or item.name == "flour"]
    if filling:
        return fluid(rx, ry, colour, 0.55 + 0.4 * min(1.0, len(filling) / 2), rng)
    if mixture == "dressing":
        return fluid(rx, ry, colour, 0.6, rng)
    return puddle(rx, ry, colour, 0.6, rng) if any(item.is_fluid for item in soft) else None


@lru_cache(maxsize=64)
def _soft_picture(items: tuple[Portion, ...], rx: int, ry: int, seed: int) -> Sprite:
    """Liquids, heaps and doughs, which look the same however far they are stirred round."""
    rng = generator("contents", seed, rx)
    margin = 26
    layer = Image.new("RGBA", (2 * (rx + margin), 2 * (ry + margin)))
    for soft in _soft_layer(items, rx, ry, rng):
        centred(layer, soft, layer.width / 2, layer.height / 2)
    return layer


def paint_contents(items: tuple[Portion, ...], rx: int, ry: int, seed: int, turn: int = 0) -> Sprite:
    """The contents of an opening.

    Args:
        items: in order of arrival.
        rx, ry: half axes of the opening, in stage pixels.
        seed: where pieces fall.
        turn: 0 to `TURNS` - 1, how far it has been stirred round.
    """
    layer = _soft_picture(items, rx, ry, seed).copy()
    visible = [item for item in items if _in_pieces(item)]
    solid = [item for item in visible if FOODS[item.name].kind not in (Kind.POWDER, Kind.HERB)]
    stirred = bool(solid) and all(item.form is not Form.LOOSE for item in solid)
    if visible:
        scatter(layer, visible, rx * 0.92, ry * 0.88, seed, stirred, 2 * math.pi * turn / TURNS)
    layer.putalpha(ImageChops.multiply(layer.getchannel("A"), _opening_mask(layer.width, layer.height, rx, ry)))
    return layer


def _in_pieces(item: Portion) -> bool:
    """Whether pieces of it can be told apart in the picture."""
    if item.is_fluid or item.form in (Form.BLENDED, Form.KNEADED, Form.ROLLED, Form.SHAPED, Form.SPREAD, Form.LAYERED):
        return False
    kind = FOODS[item.name].kind
    soft_base = item.form is Form.MIXED and item.mixture in ("dough", "meat mixture", "batter", "cake", "pancake")
    if item.name in ("flour", "sugar", "breadcrumbs", "ground beef", "butter") and (item.form is Form.MIXED):
        return item.name == "ground beef" and not soft_base
    if kind is Kind.POWDER:
        return item.name not in ("flour", "sugar", "breadcrumbs") and item.form is Form.LOOSE
    return item.cut is not Cut.CRACKED or item.form is Form.LOOSE


@lru_cache(maxsize=64)
def _opening_mask(width: int, height: int, rx: int, ry: int) -> Image.Image:
    """Nothing sticks out of the vessel at the lower edge; heaps may rise a little above the upper one."""
    mask = Image.new("L", (width, height))
    draw = ImageDraw.Draw(mask)
    cx, cy = width / 2, height / 2
    draw.ellipse([cx - rx, cy - ry, cx + rx, cy + ry], fill=255)
    draw.ellipse([cx - rx * 0.9, cy - ry - 14, cx + rx * 0.9, cy + ry * 0.5], fill=255)
    return mask.filter(ImageFilter.GaussianBlur(1.2))
