"""The actions of the simulated kitchen as data: which states each accepts, what it makes of them, what it needs."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from cookscribe_lab.kitchen_films.food_table import Kind
from cookscribe_lab.kitchen_films.states import Cut, Form, Heat, Place

State = TypeVar("State", Cut, Heat, Form)


class Need(StrEnum):
    """What an action asks of the vessel it happens in."""

    CONTENT = "something must be in it already"
    SEVERAL = "at least two ingredients must be in it"
    ALL = "the act must name everything in it"
    FAT = "hot fat must be in it"
    HOT_WATER = "hot water must be in it"
    WET = "something liquid must be in it"
    OPEN = "no uncracked egg may be in it"
    BASE = "a base to put things on must be in it"
    COVERED = "something must lie on the base"


@dataclass(frozen=True)
class Action:
    """Preconditions and effects of an action.

    Attributes:
        places: where it can happen.
        cut, heat, form: accepted states and what becomes of them; a state that is no key is refused, None accepts all
            and changes nothing.
        able: every item must have the ability of the action's name.
        stays: items must already be at the place (otherwise they are brought there).
        leaves: items end at this place instead of where the action happens.
        kinds: accepted kinds of items, None for all.
        needs: conditions on the vessel, judged before the act.
    """

    places: frozenset[Place]
    cut: Mapping[Cut, Cut] | None = None
    heat: Mapping[Heat, Heat] | None = None
    form: Mapping[Form, Form] | None = None
    able: bool = False
    stays: bool = False
    leaves: Place | None = None
    kinds: frozenset[Kind] | None = None
    needs: tuple[Need, ...] = ()


def _to(target: State, *sources: State) -> dict[State, State]:
    return dict.fromkeys(sources, target)


_P = Place
_BOARD, _BOWL, _PAN, _POT, _TRAY, _BLENDER, _SURFACE, _DISH = (
    frozenset({place}) for place in (_P.BOARD, _P.BOWL, _P.PAN, _P.POT, _P.TRAY, _P.BLENDER, _P.SURFACE, _P.DISH)
)
_BOWLS = frozenset({_P.BOWL, _P.SMALL_BOWL})
_HOB = frozenset({_P.PAN, _P.POT})
_OPEN_VESSELS = _BOWLS | _HOB | {_P.TRAY, _P.BLENDER}
_FOUNDATIONS = frozenset({_P.BOARD, _P.PLATE, _P.TRAY, _P.SURFACE})
_BEATEN = {cut: cut for cut in Cut} | {Cut.CRACKED: Cut.BEATEN}
_MASHED = _to(Cut.MASHED, Cut.WHOLE, Cut.PEELED, Cut.SLICED, Cut.CHOPPED)
_TOSSED = _to(Form.MIXED, Form.LOOSE, Form.MIXED)
_MIXED = _TOSSED | _to(Form.MIXED, Form.BLENDED)
_STIRRED = _MIXED | _to(Form.MIXED, Form.COATED, Form.SHAPED)
_ALL_HEATS = {heat: heat for heat in Heat}
_COOKABLE = (Heat.RAW, Heat.HOT, Heat.MELTED)
_SIMMERED = _ALL_HEATS | _to(Heat.BOILED, *_COOKABLE, Heat.SEARED)
_WHOLE_CONTENT = (Need.ALL, Need.SEVERAL, Need.OPEN)
_SPRINKLED = frozenset({Kind.POWDER, Kind.HERB, Kind.DAIRY, Kind.VEGETABLE, Kind.FRUIT})

ACTIONS: dict[str, Action] = {
    # on the board
    "peel": Action(_BOARD, cut=_to(Cut.PEELED, Cut.WHOLE), able=True),
    "slice": Action(_BOARD, cut=_to(Cut.SLICED, Cut.WHOLE, Cut.PEELED), able=True),
    "chop": Action(_BOARD, cut=_to(Cut.CHOPPED, Cut.WHOLE, Cut.PEELED, Cut.SLICED), able=True),
    "grate": Action(_BOARD, cut=_to(Cut.GRATED, Cut.WHOLE, Cut.PEELED), able=True),
    # into a vessel
    "crack": Action(_BOWLS | {_P.PAN}, cut=_to(Cut.CRACKED, Cut.WHOLE), heat=_to(Heat.RAW, Heat.RAW), able=True),
    "add": Action(_OPEN_VESSELS | {_P.PLATE}),
    "pour": Action(_OPEN_VESSELS | {_P.PLATE, _P.GLASS}),
    "season": Action(_OPEN_VESSELS | _FOUNDATIONS, able=True, needs=(Need.CONTENT,)),
    "sprinkle": Action(_OPEN_VESSELS | _FOUNDATIONS, kinds=_SPRINKLED, needs=(Need.CONTENT,)),
    "squeeze": Action(_OPEN_VESSELS | {_P.PLATE}, cut=_to(Cut.SQUEEZED, Cut.WHOLE), able=True, needs=(Need.CONTENT,)),
    # mixing
    "whisk": Action(_BOWLS, cut=_BEATEN, form=_TOSSED, stays=True, needs=(Need.ALL, Need.OPEN)),
    "mix": Action(_BOWLS, cut=_BEATEN, form=_MIXED, stays=True, needs=_WHOLE_CONTENT),
    "toss": Action(_BOWL, form=_TOSSED, stays=True, needs=_WHOLE_CONTENT),
    "stir": Action(_HOB, cut=_BEATEN, form=_STIRRED, stays=True, needs=_WHOLE_CONTENT),
    "mash": Action(_BOWLS | {_P.POT}, cut=_MASHED, able=True, stays=True),
    "blend": Action(_BLENDER, form=_to(Form.BLENDED, Form.LOOSE, Form.MIXED), stays=True, needs=_WHOLE_CONTENT),
    # dough and shapes
    "knead": Action(_BOWL, form=_to(Form.KNEADED, Form.MIXED), stays=True, leaves=_P.SURFACE, needs=_WHOLE_CONTENT),
    "roll": Action(_SURFACE, form=_to(Form.ROLLED, Form.KNEADED), stays=True),
    "shape": Action(_BOWL, form=_to(Form.SHAPED, Form.MIXED), stays=True, leaves=_P.TRAY, needs=_WHOLE_CONTENT),
    "coat": Action(_DISH, form=_to(Form.COATED, Form.LOOSE, Form.COATED)),
    # heat
    "heat": Action(_HOB, heat=_to(Heat.HOT, Heat.RAW), able=True),
    "melt": Action(_HOB, heat=_to(Heat.MELTED, Heat.RAW), able=True),
    "fry": Action(_PAN, heat=_to(Heat.FRIED, Heat.RAW, Heat.BOILED), able=True, needs=(Need.FAT,)),
    "sear": Action(_PAN, heat=_to(Heat.SEARED, Heat.RAW), needs=(Need.FAT,)),
    "flip": Action(_PAN, heat=_to(Heat.FRIED, Heat.SEARED), stays=True),
    "boil": Action(_POT, heat=_to(Heat.BOILED, Heat.RAW), able=True, needs=(Need.HOT_WATER,)),
    "simmer": Action(_HOB, heat=_SIMMERED, stays=True, needs=(*_WHOLE_CONTENT, Need.WET)),
    "drain": Action(_POT, heat=_to(Heat.BOILED, Heat.BOILED), stays=True, leaves=_P.BOWL),
    "bake": Action(_TRAY, heat=_ALL_HEATS | _to(Heat.BAKED, *_COOKABLE), stays=True, needs=(Need.ALL, Need.OPEN)),
    "toast": Action(_BOARD, heat=_to(Heat.TOASTED, Heat.RAW), able=True),
    # putting together
    "spread": Action(_FOUNDATIONS, form=_to(Form.SPREAD, Form.LOOSE, Form.MIXED), needs=(Need.BASE,)),
    "layer": Action(_FOUNDATIONS, form=_to(Form.LAYERED, *Form), needs=(Need.BASE,)),
    "close": Action(_FOUNDATIONS, form=_to(Form.CLOSED, Form.LOOSE), stays=True, needs=(Need.COVERED,)),
    "wrap": Action(_FOUNDATIONS, form=_to(Form.CLOSED, Form.LOOSE), able=True, stays=True, needs=(Need.COVERED,)),
    "divide": Action(_FOUNDATIONS, form=_to(Form.PORTIONED, *Form), stays=True, needs=(Need.ALL,)),
    # away
    "remove": Action(_OPEN_VESSELS, stays=True, leaves=_P.DISH),
    "serve": Action(_OPEN_VESSELS | _FOUNDATIONS, stays=True, leaves=_P.PLATE, needs=(Need.ALL,)),
}
