"""The pages: small HTML documents that the modules in `assets/` bring to life; all text in them is escaped.

`/r/ID` holds the recipe itself, readable without a script, and its schema.org description: a recipe manager imports it
by its address.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files

from cookscribe.export.clock import clock
from cookscribe.export.jsonld import to_jsonld
from cookscribe.export.wording import ingredient_lines
from cookscribe.recipe import Recipe
from cookscribe.text.printable import full_sentence, one_line

ASSET_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


@cache
def assets() -> dict[str, tuple[bytes, str, str]]:
    """Content, type and tag of every file the pages load, by name. What is not in this table is not served."""
    found = {}
    for item in files("cookscribe.web").joinpath("assets").iterdir():
        ending = f".{item.name.rpartition('.')[2]}"
        if ending in ASSET_TYPES:
            data = item.read_bytes()
            found[item.name] = (data, ASSET_TYPES[ending], f'"{hashlib.sha256(data).hexdigest()[:16]}"')
    return found


def _text(value: str) -> str:
    return escape(one_line(value), quote=True)


def page(title: str, script: str, body: str, head: str = "") -> str:
    """A whole document; `script` is the module that runs it, `body` and `head` are escaped already."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#faf8f4">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#171513">
<title>{_text(title)}</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="manifest" href="/assets/app.webmanifest">
<link rel="stylesheet" href="/assets/base.css">
<link rel="stylesheet" href="/assets/{script}.css">
<script type="module" src="/assets/{script}.js"></script>
{head}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
{body}
</body>
</html>
"""


def shelf_page(*, binned: bool = False) -> str:
    """The shelf, or the bin."""
    mark = ' data-bin="yes"' if binned else ""
    return page(
        "Bin · cookscribe" if binned else "cookscribe",
        "shelf",
        f'<main id="main"{mark}><noscript><p class="plain">This page needs JavaScript.</p></noscript></main>',
    )


def recipe_page(identity: str, recipe: Recipe, address: str, pictures: Sequence[str | None], poster: str) -> str:
    """A recipe; `address` is that of the page, `pictures` those of the steps, all absolute."""
    shown = recipe.model_copy(update={"video": recipe.video.model_copy(update={"url": f"{address}/film"})})
    found = [*pictures] if any(pictures) else []
    head = (
        f'<link rel="canonical" href="{_text(address)}">\n<meta property="og:title" content="{_text(recipe.title)}">\n'
        f'<meta property="og:image" content="{_text(poster)}">\n'
        f'<script type="application/ld+json">\n{to_jsonld(shown, found)}</script>\n'
    )
    ingredients = "".join(f"<li>{_text(line)}</li>" for lines in ingredient_lines(recipe).values() for line in lines)
    steps = "".join(
        f'<li><a href="{_text(address)}/film#t={step.span.start:g}">{clock(step.span.start)}</a> '
        f"{_text(full_sentence(step.sentence))}</li>"
        for step in recipe.steps
    )
    body = (
        f'<main id="main" data-recipe="{_text(identity)}"><noscript><article class="plain">'
        f"<h1>{_text(recipe.title)}</h1>"
        f"<h2>Ingredients</h2><ul>{ingredients}</ul><h2>Steps</h2><ol>{steps}</ol></article></noscript></main>"
    )
    return page(f"{recipe.title} · cookscribe", "recipe", body, head)
