"""Where food comes from on its way into a vessel: tilted dishes, bottles, pieces in the air."""

from functools import lru_cache

from cookscribe_lab.kitchen_films.drawing.containers import container, jug_of, little_dish
from cookscribe_lab.kitchen_films.drawing.contents import Portion
from cookscribe_lab.kitchen_films.drawing.paint import Sprite, scaled, turned
from cookscribe_lab.kitchen_films.drawing.pieces import VARIANTS, piece
from cookscribe_lab.kitchen_films.food_table import FOODS, Kind
from cookscribe_lab.kitchen_films.states import Form


@lru_cache(maxsize=96)
def tilted(items: tuple[Portion, ...], degrees: int) -> Sprite:
    """A dish (or the package of a powder or sauce) being emptied to the left."""
    first = items[0]
    packed = FOODS[first.name].kind in (Kind.POWDER, Kind.SAUCE) and first.form is Form.LOOSE
    return turned(container(first.name) if packed and len(items) == 1 else little_dish(items), degrees)


def small(item: Portion) -> list[Sprite]:
    """Pieces in flight."""
    sprites = [piece(item.name, item.cut, item.heat, k) for k in range(VARIANTS)]
    return [scaled(sprite, min(1.0, 60 / sprite.width)) for sprite in sprites]


@lru_cache(maxsize=96)
def pourer(items: tuple[Portion, ...], degrees: int) -> Sprite:
    first = items[0]
    loose = len(items) == 1 and FOODS[first.name].kind in (Kind.LIQUID, Kind.SAUCE) and first.form is Form.LOOSE
    sprite = container(first.name) if loose else jug_of(items)
    return turned(scaled(sprite, 1.15), degrees)
