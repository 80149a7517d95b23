"""Made-up recipes in the layout of YouCook2's annotations, so that studies run on what may be shown."""

from collections.abc import Iterable
from pathlib import Path

from cookscribe.files import write_json
from cookscribe.learning.datasets.root import FILES
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe


def write_youcook2_folder(recipes: Iterable[MadeUpRecipe], folder: Path) -> int:
    """Write the two annotation files; returns how many recipes they hold. Those for testing are left out."""
    database = {}
    for recipe in recipes:
        video = recipe.annotated()
        if video.split not in ("training", "validation"):
            continue
        database[video.id] = {
            "duration": video.duration,
            "subset": video.split,
            "recipe_type": "0",
            "annotations": [
                {"segment": span, "id": number, "sentence": text}
                for number, (span, text) in enumerate(zip(video.spans.tolist(), video.sentences, strict=True))
            ],
            "ingredients": list(video.ingredients),
        }
    for name in ("annotations", "ingredients"):
        write_json(folder / FILES[name], {"simulated": True, "database": database})
    return len(database)
