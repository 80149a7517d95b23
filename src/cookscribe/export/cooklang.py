"""Cooklang: plain paragraphs with `@ingredient{}` and `~{5%minutes}` marked, and the times in comments."""

import json
import re
from collections.abc import Mapping

from cookscribe.export.clock import clock
from cookscribe.export.wording import heat_words, serving_words, time_parts, time_words
from cookscribe.recipe import Amount, Recipe
from cookscribe.text.facts import find_durations
from cookscribe.text.printable import full_sentence, one_line


def plain(text: str) -> str:
    """Text without Cooklang's own signs: they have no escape that every reader knows, so look-alikes replace them."""
    text = one_line(text)
    for sign, other in (("@", "＠"), ("#", "＃"), ("~", "∼"), ("{", "("), ("}", ")"), ("\\", "/")):
        text = text.replace(sign, other)
    # Comments, and metadata or section lines, would swallow the sentence.
    text = re.sub(r"-{2,}", "–", text)
    text = text.replace("[-", "(").replace("-]", ")")
    return re.sub(r"^[=>-]+\s*", "", text) or "–"


def _name(text: str) -> str:
    return re.sub(r"[(){}%]", " ", plain(text)).strip() or "–"


def mark_step(
    sentence: str, ingredients: tuple[str, ...], amounts: Mapping[str, Amount] | None = None
) -> tuple[str, list[str]]:
    """Mark the first mention of each ingredient, longest name first, with its amount, and durations.

    Returns the marked text and the ingredients that the sentence does not name.
    """
    text = plain(full_sentence(sentence))
    found: list[tuple[int, int, str]] = []
    unnamed: list[str] = []
    taken = bytearray(len(text))

    def first_free(pattern: re.Pattern[str]) -> re.Match[str] | None:
        return next((match for match in pattern.finditer(text) if not any(taken[match.start() : match.end()])), None)

    def mark(start: int, end: int, marked: str) -> None:
        taken[start:end] = b"\1" * (end - start)
        found.append((start, end, marked))

    for ingredient in sorted(dict.fromkeys(ingredients), key=lambda name: (-len(name), name)):
        match = first_free(re.compile(rf"(?<!\w){re.escape(_name(ingredient))}(?!\w)", re.IGNORECASE))
        if match:
            mark(*match.span(), f"@{match.group()}{{{_quantity((amounts or {}).get(ingredient))}}}")
        else:
            unnamed.append(ingredient)
    for duration in find_durations(text):
        if not any(taken[duration.start : duration.stop]):
            mark(duration.start, duration.stop, _timer(duration.seconds, duration.most))
    for start, end, marked in sorted(found, reverse=True):
        text = text[:start] + marked + text[end:]
    return text, [name for name in ingredients if name in unnamed]


def _quantity(amount: Amount | None) -> str:
    """`2%tbsp` between the braces; empty where nothing was told."""
    if amount is None or not amount.quantity:
        return ""
    return "%".join(filter(None, (_name(amount.quantity), amount.unit and _name(amount.unit))))


def _timer(seconds: float, most: float | None) -> str:
    numbers, unit = time_parts(seconds, most)
    return f"~{{{numbers}%{unit}}}"


def _amounts_of_steps(recipe: Recipe) -> list[dict[str, Amount]]:
    """For each step the amounts that belong into it: each stands where its ingredient is named, nearest to its words.

    The amount of an ingredient that no sentence names stands in none of them.
    """
    placed: list[dict[str, Amount]] = [{} for _ in recipe.steps]
    named = [set(step.ingredients) - set(mark_step(step.sentence, step.ingredients)[1]) for step in recipe.steps]
    for amount in recipe.amounts:
        time = 0.0 if amount.origin is None else amount.origin.span.start
        free = [n for n, names in enumerate(named) if amount.ingredient in names and amount.ingredient not in placed[n]]
        if free:
            placed[min(free, key=lambda n: abs(recipe.steps[n].span.start - time))][amount.ingredient] = amount
    return placed


def to_cooklang(recipe: Recipe) -> str:
    """The recipe as a `.cook` file. Ingredients that no sentence names stand in a first paragraph of their own."""
    # JSON strings are valid YAML, with every quote and line end escaped.
    lines = ["---", f"title: {json.dumps(recipe.title, ensure_ascii=False)}"]
    if recipe.video.url:
        lines.append(f"source: {json.dumps(recipe.video.url, ensure_ascii=False)}")
    if recipe.servings is not None:
        lines.append(f'servings: "{serving_words(recipe.servings)}"')
    if recipe.total_time is not None:
        lines.append(f'time required: "{time_words(recipe.total_time)}"')
    if recipe.made_by.simulated:
        lines.append("tags: simulated")
    lines.append("---")
    paragraphs = []
    placed = _amounts_of_steps(recipe)
    named: set[str] = set()
    for step, amounts in zip(recipe.steps, placed, strict=True):
        text, unnamed = mark_step(step.sentence, step.ingredients, amounts)
        named |= set(step.ingredients) - set(unnamed)
        said = {(found.seconds, found.most) for found in find_durations(step.sentence)}
        timers = [_timer(timer.seconds, timer.most) for timer in step.timers if (timer.seconds, timer.most) not in said]
        facts = timers + list(map(heat_words, step.temperatures))
        text += f" ({', '.join(facts)})" if facts else ""
        paragraphs.append(f"{text} -- {clock(step.span.start)}–{clock(step.span.end)}")
    in_steps = {id(amount) for amounts in placed for amount in amounts.values()}
    left = [
        amount for amount in recipe.amounts if id(amount) not in in_steps and amount.ingredient in recipe.ingredients
    ]
    rest = [f"@{_name(amount.ingredient)}{{{_quantity(amount)}}}" for amount in left if _name(amount.ingredient) != "–"]
    told = named | {amount.ingredient for amount in left}
    for name in dict.fromkeys(recipe.ingredients):
        if name not in told and _name(name) != "–":
            rest.append(f"@{_name(name)}{{}}")
    if rest:
        paragraphs.insert(0, f"Have ready: {', '.join(rest)}.")
    if not recipe.steps:
        paragraphs.append("No steps were found.")
    return "\n".join(lines) + "\n\n" + "\n\n".join(paragraphs) + "\n"
