"""The parts of a recipe in words for people: lines of ingredients, times, temperatures and servings."""

from cookscribe.recipe import CueEvidence, Recipe, Servings, Step, Temperature, Timer


def heading(sentence: str) -> str:
    """A sentence as the title of a chapter: with a capital."""
    return sentence[:1].upper() + sentence[1:]


def ingredient_lines(recipe: Recipe) -> dict[str, list[str]]:
    """Ingredient by ingredient its lines in a list: one for each amount ("2 tbsp soy sauce"), or the name alone."""
    lines: dict[str, list[str]] = {name: [] for name in recipe.ingredients}
    for amount in recipe.amounts:
        if amount.ingredient in lines and amount.line not in lines[amount.ingredient]:
            lines[amount.ingredient].append(amount.line)
    return {name: found or [name] for name, found in lines.items()}


def step_facts(step: Step) -> dict[str, CueEvidence | None]:
    """The times and temperatures told during a step that its sentence does not say itself, and where they were told."""
    if not step.timers and not step.temperatures:
        return {}
    from cookscribe.text.facts import find_durations, find_heats

    said = {(found.seconds, found.most) for found in find_durations(step.sentence)}
    hot = {(found.degrees, found.most) for found in find_heats(step.sentence)}
    facts = {time_words(timer): timer.origin for timer in step.timers if (timer.seconds, timer.most) not in said}
    heats = [heat for heat in step.temperatures if (heat.degrees, heat.most) not in hot]
    return facts | {heat_words(heat): heat.origin for heat in heats}


def recipe_facts(recipe: Recipe) -> dict[str, CueEvidence | None]:
    """Servings and total time, as far as they were told, and where."""
    facts = {}
    if recipe.servings is not None:
        facts[f"Serves {serving_words(recipe.servings)}"] = recipe.servings.origin
    if recipe.total_time is not None:
        facts[f"Takes {time_words(recipe.total_time)}"] = recipe.total_time.origin
    return facts


def serving_words(servings: Servings) -> str:
    """`4` or `4-6`."""
    return str(servings.people) if servings.most is None else f"{servings.people}-{servings.most}"


def time_words(timer: Timer) -> str:
    """`5 minutes`, `5-7 minutes` or `1 hour 30 minutes`."""
    numbers, unit = time_parts(timer.seconds, timer.most)
    if timer.most is None and timer.seconds > 3600 and timer.seconds % 3600:
        return _hours_and_minutes(timer.seconds)
    return f"{numbers} {unit}"


def time_parts(seconds: float, most: float | None = None) -> tuple[str, str]:
    """A number, or a range, and the unit of time that suits it: ("5-7", "minutes"), ("1.5", "hours")."""
    ends = [seconds] + ([] if most is None else [most])
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        # Halves of an hour are said in hours, of a minute in minutes.
        if size == 1 or (max(ends) >= size and all(end * 2 % size == 0 for end in ends)):
            numbers = "-".join(f"{end / size:.6g}" for end in ends)
            return numbers, unit if numbers == "1" else f"{unit}s"
    raise AssertionError


def _hours_and_minutes(seconds: float) -> str:
    whole = round(seconds)
    pieces = ((whole // 3600, "hour"), (whole // 60 % 60, "minute"), (whole % 60, "second"))
    return " ".join(f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in pieces if number)


def heat_words(temperature: Temperature) -> str:
    """`180 °C`, `350-375 °F`, or `350°` where nobody said of which scale."""
    most = "" if temperature.most is None else f"-{temperature.most:g}"
    return f"{temperature.degrees:g}{most}" + (f" °{temperature.scale}" if temperature.scale else "°")


def told_facts(recipe: Recipe) -> tuple[tuple[str, ...], tuple[str, ...], dict[int, tuple[str, ...]]]:
    """The ingredients with their amounts, what the film tells of the whole dish, and of each step by its number."""
    listed = tuple(" + ".join(lines) for lines in ingredient_lines(recipe).values())
    steps = {number: tuple(step_facts(step)) for number, step in enumerate(recipe.steps, 1)}
    return listed, tuple(recipe_facts(recipe)), steps
