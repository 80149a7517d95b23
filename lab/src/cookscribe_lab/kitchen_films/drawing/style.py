"""The style of one video: whose kitchen, which crockery, what light, which camera."""

from dataclasses import dataclass
from typing import TypeVar

from cookscribe.seeds import generator
from cookscribe_lab.kitchen_films.food_table import Colour

Choice = TypeVar("Choice")

_TABLES = ("wood", "planks", "marble", "slate", "laminate", "cloth")
_TABLE_COLOURS: dict[str, tuple[Colour, ...]] = {
    "wood": ((186, 138, 88), (150, 102, 60), (214, 174, 122)),
    "planks": ((170, 122, 78), (128, 90, 62), (206, 178, 142)),
    "marble": ((232, 230, 226), (214, 214, 218)),
    "slate": ((74, 78, 84), (92, 88, 86)),
    "laminate": ((196, 214, 206), (224, 208, 188), (178, 196, 214)),
    "cloth": ((226, 218, 214), (214, 224, 230)),
}
_SKINS: tuple[Colour, ...] = ((244, 204, 172), (224, 172, 132), (176, 120, 82), (122, 80, 54), (250, 218, 196))
_SLEEVES: tuple[Colour, ...] = (
    (60, 90, 140), (150, 50, 60), (240, 240, 240), (70, 110, 80), (50, 50, 58), (200, 150, 60), (120, 80, 140),
)  # fmt: skip
_HAIRS: tuple[Colour, ...] = ((48, 34, 28), (96, 62, 38), (196, 154, 88), (150, 70, 40), (150, 150, 152), (24, 22, 24))
_WALLS: tuple[Colour, ...] = (
    (226, 222, 212), (190, 208, 214), (206, 220, 196), (236, 214, 190), (176, 184, 196), (222, 200, 200),
)  # fmt: skip
_APRONS: tuple[Colour, ...] = ((245, 245, 245), (40, 44, 52), (176, 44, 50), (58, 96, 74), (222, 176, 60))
_CROCKERY: tuple[Colour, ...] = (
    (244, 244, 240), (126, 168, 196), (168, 196, 160), (228, 190, 120), (206, 120, 100), (196, 202, 208),
)  # fmt: skip
_PANS: tuple[Colour, ...] = ((44, 46, 50), (58, 52, 50), (150, 40, 36), (40, 66, 90))
_BOARDS: tuple[Colour, ...] = ((206, 160, 104), (172, 120, 72), (224, 196, 150), (236, 236, 232))


@dataclass(frozen=True)
class Style:
    """Everything that stays the same throughout one video.

    `tint` multiplies red, green and blue; `brightness` is added (in 0..255); `contrast` multiplies the distance from
    middle grey; `zoom` is the camera's habit; `mirrored` shows a left-handed cook.
    """

    table: str
    table_colour: Colour
    wall: Colour
    skin: Colour
    sleeve: Colour
    hair: Colour
    hair_cut: int
    apron: Colour
    bowl: Colour
    plate: Colour
    pan: Colour
    board: Colour
    tint: tuple[float, float, float]
    brightness: float
    contrast: float
    zoom: float
    mirrored: bool
    seed: int


def style_of(seed: int, number: int) -> Style:
    """The style of one video of a collection."""
    rng = generator("style", seed, number)

    def one(options: tuple[Choice, ...]) -> Choice:
        return options[int(rng.integers(len(options)))]

    table = one(_TABLES)
    warmth = float(rng.normal(0.0, 0.035))
    return Style(
        table=table,
        table_colour=one(_TABLE_COLOURS[table]),
        wall=one(_WALLS),
        skin=one(_SKINS),
        sleeve=one(_SLEEVES),
        hair=one(_HAIRS),
        hair_cut=int(rng.integers(4)),
        apron=one(_APRONS),
        bowl=one(_CROCKERY),
        plate=one(_CROCKERY),
        pan=one(_PANS),
        board=one(_BOARDS),
        tint=(1.0 + warmth, 1.0, 1.0 - warmth),
        brightness=float(rng.normal(0.0, 8.0)),
        contrast=float(rng.uniform(0.9, 1.08)),
        zoom=float(rng.uniform(1.0, 1.12)),
        mirrored=bool(rng.random() < 0.5),
        seed=int(rng.integers(2**31)),
    )
