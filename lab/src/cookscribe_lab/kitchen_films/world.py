"""The rules of the simulated kitchen: `problem` says why an act cannot be done in a state, `perform` does it."""

from collections.abc import Iterable
from dataclasses import replace

from cookscribe.errors import BadValueError
from cookscribe_lab.kitchen_films.actions import ACTIONS, Need
from cookscribe_lab.kitchen_films.food_table import FATS, FOODS, WATERS, Kind
from cookscribe_lab.kitchen_films.states import Act, Cut, Form, Heat, ItemState, Place, State


def fresh(names: Iterable[str]) -> dict[str, ItemState]:
    """Every ingredient whole and raw on the counter."""
    return {name: ItemState() for name in names}


def contents(state: State, place: Place) -> tuple[str, ...]:
    """What is at the place, in order of arrival."""
    return tuple(name for name, item in state.items() if item.place is place)


def bases(state: State, place: Place) -> tuple[str, ...]:
    """What can carry other things there: bread, a tortilla, rolled dough."""
    return tuple(
        name
        for name in contents(state, place)
        if ("base" in FOODS[name].abilities and state[name].form in (Form.LOOSE, Form.CLOSED))
        or state[name].form is Form.ROLLED
    )


def problem(state: State, act: Act) -> str:
    """Why the act cannot be done now, in words; "" when it can."""
    action = ACTIONS.get(act.action)
    if action is None:
        return f"no such action: {act.action}"
    if act.place not in action.places:
        return f"one does not {act.action} in the {act.place}"
    if not act.items:
        return "it acts on nothing"
    for name in (*act.items, *act.base):
        if name not in state:
            return f"there is no {name}"
    for name in act.items:
        item, ingredient = state[name], FOODS[name]
        if item.place is Place.SINK:
            return f"the {name} went down the sink"
        if action.able and act.action not in ingredient.abilities:
            return f"{name} cannot be used to {act.action}"
        if action.kinds is not None and ingredient.kind not in action.kinds:
            return f"{name} is no thing to {act.action}"
        if action.stays and item.place is not act.place:
            return f"the {name} is in the {item.place}, not in the {act.place}"
        for found, accepted in ((item.cut, action.cut), (item.heat, action.heat), (item.form, action.form)):
            if accepted is not None and found not in accepted:
                return f"the {name} is {found} already"
    return next((f"{need.value} ({act.place})" for need in sorted(action.needs) if not _met(need, state, act)), "")


def _met(need: Need, state: State, act: Act) -> bool:
    inside = contents(state, act.place)
    match need:
        case Need.CONTENT:
            return bool(inside)
        case Need.SEVERAL:
            return len(inside) >= 2
        case Need.ALL:
            return set(inside) == set(act.items)
        case Need.FAT:
            return any(name in FATS and state[name].heat is not Heat.RAW for name in inside)
        case Need.HOT_WATER:
            return any(name in WATERS and state[name].heat is Heat.HOT for name in inside)
        case Need.WET:
            return any(FOODS[name].kind in (Kind.LIQUID, Kind.SAUCE) or name == "tomatoes" for name in inside)
        case Need.OPEN:
            return not any(
                FOODS[name].kind is Kind.EGG and (state[name].cut, state[name].heat) == (Cut.WHOLE, Heat.RAW)
                for name in inside
            )
        case Need.BASE:
            return bool(act.base) and set(act.base) <= set(bases(state, act.place))
        case Need.COVERED:
            return any(state[name].form in (Form.SPREAD, Form.LAYERED) for name in inside)


def perform(state: State, act: Act) -> dict[str, ItemState]:
    """The state after the act.

    Raises:
        BadValueError: when a precondition does not hold.
    """
    reason = problem(state, act)
    if reason:
        raise BadValueError(f"{act.action} {' '.join(act.items)}", reason)
    action = ACTIONS[act.action]
    after = dict(state)
    for name in act.items:
        item = state[name]
        place = action.leaves or act.place
        moved = place is not item.place
        form = action.form[item.form] if action.form is not None else item.form
        mixture = act.mixture or ("" if form is Form.LOOSE and moved else item.mixture)
        after[name] = ItemState(
            cut=action.cut[item.cut] if action.cut is not None else item.cut,
            heat=action.heat[item.heat] if action.heat is not None else item.heat,
            form=form,
            place=place,
            mixture=mixture,
        )
        if moved:
            after[name] = after.pop(name)
    if act.action == "drain":
        for name in contents(after, Place.POT):
            after[name] = replace(after[name], place=Place.SINK)
    if act.action == "coat":
        for name in act.base:
            after[name] = replace(after[name], place=Place.DISH)
    return after
