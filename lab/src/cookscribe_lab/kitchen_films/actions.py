"""The actions of the simulated kitchen as data: which states each accepts, what it makes of them, what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from cookscribe_lab.kitchen_films.food_table import Kind
from cookscribe_lab.kitchen_films.states import Cut, Form, Heat, Place


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
        tool: what the hand holds.
        places: where it can happen.
        cut, heat, form: accepted states and what becomes of them; a state that is no key is refused, None accepts all
            and changes nothing.
        able: every item must have the ability of the action's name.
        stays: items must already be at the place (otherwise they are brought there).
        leaves: items end at this place instead of where the action happens.
        kinds: accepted kinds of items, None for all.
        needs: conditions on the vessel, judged before the act.
    """

    tool: str
    places: frozenset[Place]
    cut: Mapping[Cut, Cut] | None = None
    heat: Mapping[Heat, Heat] | None = None
    form: Mapping[Form, Form] | None = None
    able: bool = False
    stays: bool = False
    leaves: Place | None = None
    kinds: frozenset[Kind] | None = None
    needs: frozenset[Need] = frozenset()


def _to(target: Cut, *sources: Cut) -> dict[Cut, Cut]:
    return dict.fromkeys(sources, target)


def _heat(target: Heat, *sources: Heat) -> dict[Heat, Heat]:
    return dict.fromkeys(sources, target)


def _form(target: Form, *sources: Form) -> dict[Form, Form]:
    return dict.fromkeys(sources, target)


_P = Place
_BOARD = frozenset({_P.BOARD})
_BOWLS = frozenset({_P.BOWL, _P.SMALL_BOWL})
_HOB = frozenset({_P.PAN, _P.POT})
_OPEN_VESSELS = _BOWLS | _HOB | {_P.TRAY, _P.BLENDER}
_FOUNDATIONS = frozenset({_P.BOARD, _P.PLATE, _P.TRAY, _P.SURFACE})
_ALL_CUTS = {cut: cut for cut in Cut}
_ALL_HEATS = {heat: heat for heat in Heat}
_COOKABLE = (Heat.RAW, Heat.HOT, Heat.MELTED)
_WHOLE_CONTENT = frozenset({Need.ALL, Need.SEVERAL, Need.OPEN})
_SPRINKLED = frozenset({Kind.POWDER, Kind.HERB, Kind.DAIRY, Kind.VEGETABLE, Kind.FRUIT})

ACTIONS: dict[str, Action] = {
    # on the board
    "peel": Action("peeler", _BOARD, cut=_to(Cut.PEELED, Cut.WHOLE), able=True),
    "slice": Action("knife", _BOARD, cut=_to(Cut.SLICED, Cut.WHOLE, Cut.PEELED), able=True),
    "chop": Action("knife", _BOARD, cut=_to(Cut.CHOPPED, Cut.WHOLE, Cut.PEELED, Cut.SLICED), able=True),
    "grate": Action("grater", _BOARD, cut=_to(Cut.GRATED, Cut.WHOLE, Cut.PEELED), able=True),
    # into a vessel
    "crack": Action(
        "hand", _BOWLS | {_P.PAN}, cut=_to(Cut.CRACKED, Cut.WHOLE), heat=_heat(Heat.RAW, Heat.RAW), able=True
    ),
    "add": Action("hand", _OPEN_VESSELS | {_P.PLATE}),
    "pour": Action("jug", _OPEN_VESSELS | {_P.PLATE, _P.GLASS}),
    "season": Action("shaker", _OPEN_VESSELS | _FOUNDATIONS, able=True, needs=frozenset({Need.CONTENT})),
    "sprinkle": Action("hand", _OPEN_VESSELS | _FOUNDATIONS, kinds=_SPRINKLED, needs=frozenset({Need.CONTENT})),
    "squeeze": Action(
        "hand", _OPEN_VESSELS | {_P.PLATE}, cut=_to(Cut.SQUEEZED, Cut.WHOLE), able=True, needs=frozenset({Need.CONTENT})
    ),
    # mixing
    "whisk": Action(
        "whisk",
        _BOWLS,
        cut=_ALL_CUTS | {Cut.CRACKED: Cut.BEATEN},
        form=_form(Form.MIXED, Form.LOOSE, Form.MIXED),
        stays=True,
        needs=frozenset({Need.ALL, Need.OPEN}),
    ),
    "mix": Action(
        "spoon",
        _BOWLS,
        cut=_ALL_CUTS | {Cut.CRACKED: Cut.BEATEN},
        form=_form(Form.MIXED, Form.LOOSE, Form.MIXED, Form.BLENDED),
        stays=True,
        needs=_WHOLE_CONTENT,
    ),
    "toss": Action(
        "servers",
        frozenset({_P.BOWL}),
        form=_form(Form.MIXED, Form.LOOSE, Form.MIXED),
        stays=True,
        needs=_WHOLE_CONTENT,
    ),
    "stir": Action(
        "spoon",
        _HOB,
        cut=_ALL_CUTS | {Cut.CRACKED: Cut.BEATEN},
        form=_form(Form.MIXED, Form.LOOSE, Form.MIXED, Form.COATED, Form.SHAPED, Form.BLENDED),
        stays=True,
        needs=_WHOLE_CONTENT,
    ),
    "mash": Action(
        "masher",
        _BOWLS | {_P.POT},
        cut=_to(Cut.MASHED, Cut.WHOLE, Cut.PEELED, Cut.SLICED, Cut.CHOPPED),
        able=True,
        stays=True,
    ),
    "blend": Action(
        "blender",
        frozenset({_P.BLENDER}),
        form=_form(Form.BLENDED, Form.LOOSE, Form.MIXED),
        stays=True,
        needs=_WHOLE_CONTENT,
    ),
    # dough and shapes
    "knead": Action(
        "hands",
        frozenset({_P.BOWL}),
        form=_form(Form.KNEADED, Form.MIXED),
        stays=True,
        leaves=_P.SURFACE,
        needs=_WHOLE_CONTENT,
    ),
    "roll": Action("rolling pin", frozenset({_P.SURFACE}), form=_form(Form.ROLLED, Form.KNEADED), stays=True),
    "shape": Action(
        "hands",
        frozenset({_P.BOWL}),
        form=_form(Form.SHAPED, Form.MIXED),
        stays=True,
        leaves=_P.TRAY,
        needs=_WHOLE_CONTENT,
    ),
    "coat": Action("hand", frozenset({_P.DISH}), form=_form(Form.COATED, Form.LOOSE, Form.COATED)),
    # heat
    "heat": Action("bottle", _HOB, heat=_heat(Heat.HOT, Heat.RAW), able=True),
    "melt": Action("hand", _HOB, heat=_heat(Heat.MELTED, Heat.RAW), able=True),
    "fry": Action(
        "spatula",
        frozenset({_P.PAN}),
        heat=_heat(Heat.FRIED, Heat.RAW, Heat.BOILED),
        able=True,
        needs=frozenset({Need.FAT}),
    ),
    "sear": Action("tongs", frozenset({_P.PAN}), heat=_heat(Heat.SEARED, Heat.RAW), needs=frozenset({Need.FAT})),
    "flip": Action("spatula", frozenset({_P.PAN}), heat=_heat(Heat.FRIED, Heat.SEARED), stays=True),
    "boil": Action(
        "spoon", frozenset({_P.POT}), heat=_heat(Heat.BOILED, Heat.RAW), able=True, needs=frozenset({Need.HOT_WATER})
    ),
    "simmer": Action(
        "lid",
        _HOB,
        heat=_ALL_HEATS | _heat(Heat.BOILED, *_COOKABLE, Heat.SEARED),
        stays=True,
        needs=frozenset({Need.ALL, Need.SEVERAL, Need.OPEN, Need.WET}),
    ),
    "drain": Action("colander", frozenset({_P.POT}), heat=_heat(Heat.BOILED, Heat.BOILED), stays=True, leaves=_P.BOWL),
    "bake": Action(
        "oven",
        frozenset({_P.TRAY}),
        heat=_ALL_HEATS | _heat(Heat.BAKED, *_COOKABLE),
        stays=True,
        needs=frozenset({Need.ALL, Need.OPEN}),
    ),
    "toast": Action("toaster", _BOARD, heat=_heat(Heat.TOASTED, Heat.RAW), able=True),
    # putting together
    "spread": Action(
        "butter knife", _FOUNDATIONS, form=_form(Form.SPREAD, Form.LOOSE, Form.MIXED), needs=frozenset({Need.BASE})
    ),
    "layer": Action("hand", _FOUNDATIONS, form=_form(Form.LAYERED, *Form), needs=frozenset({Need.BASE})),
    "close": Action(
        "hands", _FOUNDATIONS, form=_form(Form.CLOSED, Form.LOOSE), stays=True, needs=frozenset({Need.COVERED})
    ),
    "wrap": Action(
        "hands",
        _FOUNDATIONS,
        form=_form(Form.CLOSED, Form.LOOSE),
        able=True,
        stays=True,
        needs=frozenset({Need.COVERED}),
    ),
    "divide": Action("knife", _FOUNDATIONS, form=_form(Form.PORTIONED, *Form), stays=True, needs=frozenset({Need.ALL})),
    # away
    "remove": Action("spatula", _OPEN_VESSELS, stays=True, leaves=_P.DISH),
    "serve": Action("spoon", _OPEN_VESSELS | _FOUNDATIONS, stays=True, leaves=_P.PLATE, needs=frozenset({Need.ALL})),
}
