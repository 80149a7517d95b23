"""Ingredients as people write them, a line each ("2 tbsp butter"), and as names and amounts of the document."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from cookscribe.errors import BadValueError
from cookscribe.export.wording import ingredient_lines
from cookscribe.recipe import MOST_AMOUNTS, Amount, CueEvidence, Recipe
from cookscribe.scribe import clean_ingredients
from cookscribe.text.amounts import find_amounts
from cookscribe.text.printable import one_line

MOST_CHARACTERS = 20_000


class IngredientLine(BaseModel):
    """A line of the list: the ingredient's name, the whole line, and where its amount was heard or read."""

    name: str
    line: str
    origin: CueEvidence | None = None


def shown_lines(recipe: Recipe) -> list[IngredientLine]:
    """The list as people see it."""
    origins = {amount.line: amount.origin for amount in reversed(recipe.amounts)}
    return [
        IngredientLine(name=name, line=line, origin=origins.get(line))
        for name, lines in ingredient_lines(recipe).items()
        for line in lines
    ]


def pasted(text: str) -> list[str]:
    """The lines of a pasted list, with or without bullets.

    Commas separate, too, but not in one of several lines that begins with an amount: there they tell how something is
    prepared.
    """
    if len(text) > MOST_CHARACTERS:
        raise BadValueError("ingredients", f"{len(text)} characters", "give a list of names")
    found: list[str] = []
    lines = [one_line(raw).lstrip("-*•– ") for raw in text.splitlines() if raw.strip()]
    for line in lines:
        whole = len(lines) > 1 and _amount(line) is not None and len(find_amounts(line)) == 1
        found += [line] if whole else map(one_line, line.split(","))
    return [line for line in found if line]


def read_lines(lines: Iterable[str], known: Sequence[Amount] = ()) -> tuple[tuple[str, ...], tuple[Amount, ...]]:
    """Names and amounts of some lines; an amount that is known keeps where it was heard.

    Raises:
        BadValueError: more or longer names than any recipe has.
    """
    before = {amount.line: amount for amount in reversed(known)}
    names: list[str] = []
    amounts: list[Amount] = []
    for line in filter(None, map(one_line, lines)):
        amount = before.get(line) or _amount(line)
        names.append(line if amount is None else amount.ingredient)
        if amount is not None:
            amounts.append(amount)
    return tuple(clean_ingredients(names)), tuple(dict.fromkeys(amounts))[:MOST_AMOUNTS]


def joined(given: Sequence[Amount], written: Recipe) -> tuple[Amount, ...]:
    """The amounts a person gave, and for other ingredients those the model found."""
    names = {amount.ingredient for amount in given}
    own = [amount for amount in given if amount.ingredient in written.ingredients]
    return (*own, *(amount for amount in written.amounts if amount.ingredient not in names))[:MOST_AMOUNTS]


def _amount(line: str) -> Amount | None:
    """The amount with which a line begins; what follows a comma is how it is prepared, and no part of the name."""
    found = find_amounts(line)
    if not found or found[0].start != 0 or not found[0].name:
        return None
    return Amount(ingredient=found[0].name, quantity=str(found[0].quantity), unit=found[0].unit)
