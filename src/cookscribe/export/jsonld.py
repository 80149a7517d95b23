"""schema.org Recipe as JSON-LD, the form recipe managers and search engines read.

Steps are flat `HowToStep`s: recipe managers turn sections into bogus steps. Each step is also a `Clip` of the video.
"""

import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from cookscribe.export.wording import heading, ingredient_lines, serving_words, step_facts
from cookscribe.recipe import Recipe
from cookscribe.text.printable import full_sentence


def moment_url(recipe: Recipe, seconds: float) -> str:
    """A link to a moment of the video: YouTube's own `t` parameter there, a media fragment elsewhere."""
    url = recipe.video.url
    if not url:
        return f"{quote(recipe.video.name)}#t={seconds:g}"
    if "youtube." in url or "youtu.be" in url:
        return f"{url}{'&' if '?' in url else '?'}t={int(seconds)}s"
    return f"{url}#t={seconds:g}"


def as_document(recipe: Recipe, pictures: Sequence[str | None] = ()) -> dict[str, Any]:
    """The JSON-LD document as a dictionary. `pictures` holds a file name or address (or None) for each step."""
    clips, steps = [], []
    for number, step in enumerate(recipe.steps, 1):
        text = full_sentence(step.sentence)
        if facts := step_facts(step):
            text += f" ({', '.join(facts)})"
        clip = {
            "@type": "Clip",
            "name": heading(step.sentence),
            "startOffset": step.span.start,
            "endOffset": step.span.end,
            "url": moment_url(recipe, step.span.start),
        }
        clips.append(clip)
        how_to: dict[str, Any] = {
            "@type": "HowToStep",
            "position": number,
            # The beginning of the text: recipe managers take a name of its own for one more step.
            "name": clip["name"],
            "text": text,
            "url": clip["url"],
            "video": clip,
        }
        if number <= len(pictures) and pictures[number - 1]:
            how_to["image"] = pictures[number - 1]
        steps.append(how_to)
    title = recipe.title
    document: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "Recipe",
        "name": title,
        "recipeIngredient": [line for lines in ingredient_lines(recipe).values() for line in lines],
        "recipeInstructions": steps,
        "video": {
            "@type": "VideoObject",
            "name": title,
            "description": title,
            "duration": f"PT{recipe.video.duration:.3f}S",
            "contentUrl": recipe.video.url or quote(recipe.video.name),
            "hasPart": clips,
        },
    }
    if recipe.servings is not None:
        document["recipeYield"] = f"{serving_words(recipe.servings)} servings"
    if recipe.total_time is not None:
        # A duration has no ranges; of a range, the longer time is safe to plan with.
        document["totalTime"] = _duration(recipe.total_time.most or recipe.total_time.seconds)
    images = [picture for picture in pictures if picture]
    if images:
        document["image"] = images
        document["video"]["thumbnailUrl"] = images[-1]
    if recipe.made_by.simulated:
        document["keywords"] = "simulated"
    return document


def _duration(seconds: float) -> str:
    """ISO 8601: `PT1H30M`."""
    whole = round(seconds)
    parts = ((whole // 3600, "H"), (whole // 60 % 60, "M"), (whole % 60, "S"))
    return "PT" + ("".join(f"{number}{unit}" for number, unit in parts if number) or "0S")


def to_jsonld(recipe: Recipe, pictures: Sequence[str | None] = ()) -> str:
    """The document as text, safe to stand inside a `<script>` element too."""
    text = json.dumps(as_document(recipe, pictures), indent=1, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n"
