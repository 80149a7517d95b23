"""Markdown: title, ingredients, numbered steps with times, a picture each when there are pictures."""

import re
from collections.abc import Sequence

from cookscribe.export.clock import clock
from cookscribe.export.wording import ingredient_lines, recipe_facts, step_facts
from cookscribe.recipe import Recipe
from cookscribe.text.printable import full_sentence, one_line


def escape_markdown(text: str) -> str:
    """One line in which nothing is markup: also `<`, because Markdown passes HTML through."""
    text = re.sub(r"([\\`*_{}\[\]()#+!|~>-])", r"\\\1", one_line(text))
    return text.replace("&", "&amp;").replace("<", "&lt;")


def to_markdown(recipe: Recipe, pictures: Sequence[str | None] = ()) -> str:
    """The recipe as Markdown. `pictures` holds a relative file name (or None) for each step."""
    lines = [f"# {escape_markdown(recipe.title)}", ""]
    if recipe.made_by.simulated:
        lines += ["*simulated*", ""]
    if facts := recipe_facts(recipe):
        lines += [escape_markdown(" · ".join(facts)), ""]
    if recipe.ingredients:
        listed = (line for found in ingredient_lines(recipe).values() for line in found)
        lines += ["## Ingredients", "", *(f"- {escape_markdown(line)}" for line in listed), ""]
    lines += ["## Steps", ""]
    for number, step in enumerate(recipe.steps, 1):
        times = f"{clock(step.span.start)}–{clock(step.span.end)}"
        lines.append(f"{number}. **{times}** {escape_markdown(full_sentence(step.sentence))}")
        if facts := step_facts(step):
            lines[-1] += f" ({escape_markdown(', '.join(facts))})"
        picture = pictures[number - 1] if number <= len(pictures) else None
        if picture:
            lines += ["", f"   ![step {number}]({picture})", ""]
    if not recipe.steps:
        lines.append("No steps were found.")
    if recipe.warnings:
        lines += ["", "## Notes", "", *(f"- {escape_markdown(text)}" for text in recipe.warnings)]
    source = f"Written from {escape_markdown(recipe.video.name)} ({clock(recipe.video.duration)})"
    if recipe.made_by.model:
        source += f" by {escape_markdown(recipe.made_by.program)}, model {escape_markdown(recipe.made_by.model)}"
    return "\n".join([*lines, "", "---", "", source + "."]) + "\n"
