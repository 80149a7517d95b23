"""Cooklang: plain paragraphs with `@ingredient{}` and `~{5%minutes}` marked, and the times in comments."""

from __future__ import annotations

import json
import re

from cookscribe.export.clock import clock
from cookscribe.recipe import Recipe
from cookscribe.text.printable import one_line

_DURATION = re.compile(r"\b(\d+(?:\.\d+)?)\s+(seconds?|minutes?|hours?)\b", re.IGNORECASE)


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


def mark_step(sentence: str, ingredients: tuple[str, ...]) -> tuple[str, list[str]]:
    """Mark the first mention of each ingredient, longest name first, and durations.

    Returns the marked text and the ingredients that the sentence does not name.
    """
    text = plain(sentence)
    found: list[tuple[int, int, str]] = []
    unnamed: list[str] = []
    taken = bytearray(len(text))

    def first_free(pattern: re.Pattern[str]) -> re.Match[str] | None:
        return next((match for match in pattern.finditer(text) if not any(taken[match.start() : match.end()])), None)

    def mark(match: re.Match[str], marked: str) -> None:
        taken[match.start() : match.end()] = b"\1" * len(match.group())
        found.append((match.start(), match.end(), marked))

    for ingredient in sorted(dict.fromkeys(ingredients), key=lambda name: (-len(name), name)):
        match = first_free(re.compile(rf"(?<!\w){re.escape(_name(ingredient))}(?!\w)", re.IGNORECASE))
        if match:
            mark(match, f"@{match.group()}{{}}")
        else:
            unnamed.append(ingredient)
    for match in _DURATION.finditer(text):
        if not any(taken[match.start() : match.end()]):
            mark(match, f"~{{{match.group(1)}%{match.group(2).lower()}}}")
    for start, end, marked in sorted(found, reverse=True):
        text = text[:start] + marked + text[end:]
    return text, [name for name in ingredients if name in unnamed]


def to_cooklang(recipe: Recipe) -> str:
    """The recipe as a `.cook` file. Ingredients that no sentence names stand in a first paragraph of their own."""
    # JSON strings are valid YAML, with every quote and line end escaped.
    lines = ["---", f"title: {json.dumps(recipe.title, ensure_ascii=False)}"]
    if recipe.video.url:
        lines.append(f"source: {json.dumps(recipe.video.url, ensure_ascii=False)}")
    if recipe.made_by.simulated:
        lines.append("tags: simulated")
    lines.append("---")
    paragraphs = []
    named: set[str] = set()
    for step in recipe.steps:
        text, unnamed = mark_step(step.sentence, step.ingredients)
        named |= set(step.ingredients) - set(unnamed)
        paragraphs.append(f"{text} -- {clock(step.span.start)}–{clock(step.span.end)}")
    rest = [name for name in dict.fromkeys(recipe.ingredients) if name not in named and _name(name) != "–"]
    if rest:
        paragraphs.insert(0, "Have ready: " + ", ".join(f"@{_name(name)}{{}}" for name in rest) + ".")
    if not recipe.steps:
        paragraphs.append("No steps were found.")
    return "\n".join(lines) + "\n\n" + "\n\n".join(paragraphs) + "\n"
