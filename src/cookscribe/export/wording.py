"""The parts of a recipe in words for people: sentences, lines of ingredients, times, temperatures and servings.

The document keeps the sentences as the model wrote them; a capital and a full stop belong to what people read.
"""

from __future__ import annotations

from cookscribe.recipe import Recipe, Servings, Step, Temperature, Timer

_ENDS = (".", "!", "?", "…", ":", ";")


def heading(sentence: str) -> str:
    """A sentence as the title of a chapter: with a capital."""
    return sentence[:1].upper() + sentence[1:]


def full_sentence(sentence: str) -> str:
    """With a capital and a full stop."""
    ended = sentence.rstrip("\"')]”’").endswith(_ENDS)
    return heading(sentence) + ("" if ended else ".")


def ingredient_lines(recipe: Recipe) -> dict[str, list[str]]:
    """Ingredient by ingredient its lines in a list: one for each amount ("2 tbsp soy sauce"), or the name alone."""
    lines: dict[str, list[str]] = {name: [] for name in recipe.ingredients}
    for amount in recipe.amounts:
        if amount.ingredient in lines and amount.line not in lines[amount.ingredient]:
            lines[amount.ingredient].append(amount.line)
    return {name: found or [name] for name, found in lines.items()}


def step_facts(step: Step) -> list[str]:
    """The times and temperatures told during a step."""
    return [*map(time_words, step.timers), *map(heat_words, step.temperatures)]


def recipe_facts(recipe: Recipe) -> list[str]:
    """Servings and total time, as far as they were told."""
    facts = [] if recipe.servings is None else [f"Serves {serving_words(recipe.servings)}"]
    return facts if recipe.total_time is None else [*facts, f"Takes {time_words(recipe.total_time)}"]


def serving_words(servings: Servings) -> str:
    """`4` or `4-6`."""
    return str(servings.people) if servings.most is None else f"{servings.people}-{servings.most}"


def time_words(timer: Timer) -> str:
    """`5 minutes`, `5-7 minutes` or `1 hour 30 minutes`."""
    size, unit = _one_unit(timer)
    if size:
        most = None if timer.most is None else timer.most / size
        numbers = f"{timer.seconds / size:g}" + ("" if most is None else f"-{most:g}")
        return f"{numbers} {unit}" + ("" if numbers == "1" else "s")
    ends = (timer.seconds,) if timer.most is None else (timer.seconds, timer.most)
    return " to ".join(map(_parts, ends))


def _one_unit(timer: Timer) -> tuple[int, str]:
    """The largest unit in which the ends are whole numbers; (0, "") where several units read better."""
    ends = [timer.seconds] + ([] if timer.most is None else [timer.most])
    for size, unit in ((3600, "hour"), (60, "minute"), (1, "second")):
        if all(end % size == 0 for end in ends) and (max(ends) >= size or size == 1):
            large = max(ends) / size > 120 and size < 3600
            return (0, "") if large else (size, unit)
    return 1, "second"


def _parts(seconds: float) -> str:
    whole = round(seconds)
    pieces = ((whole // 3600, "hour"), (whole // 60 % 60, "minute"), (whole % 60, "second"))
    return " ".join(f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in pieces if number)


def heat_words(temperature: Temperature) -> str:
    """`180 °C`, `350-375 °F`, or `350°` where nobody said of which scale."""
    most = "" if temperature.most is None else f"-{temperature.most:g}"
    return f"{temperature.degrees:g}{most}" + (f" °{temperature.scale}" if temperature.scale else "°")
