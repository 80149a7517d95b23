"""The shipped bundles write the recipes they have always written: drawn films, and films with subtitles.

`golden_recipes.json` holds start, end, sentence and confidence of every step, as they were before the code was
rearranged. Run this file to write it anew after a model was trained anew.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import cookscribe
from cookscribe.recipe import Recipe
from cookscribe.video.writing import write_video
from cookscribe_lab.kitchen_films.drawing.film import Picture, draw_video
from cookscribe_lab.kitchen_films.recipes import MadeUpRecipe, make_recipe

GOLDEN = Path(__file__).with_name("golden_recipes.json")
SEED, DRAWN = 6100, (0, 1)
NARRATED = {
    "pancakes": (
        "hello everybody today we make pancakes for the whole family",
        "crack two eggs into a large bowl and pour in the milk",
        "now add the flour the sugar and a pinch of salt and whisk it until it is smooth",
        "melt a spoon of butter in a hot frying pan",
        "ladle some of the batter into the pan and let it set",
        "when you see bubbles flip the pancake over and brown the other side",
        "put them on a plate and pour maple syrup over them",
        "thanks for watching and see you next week",
    ),
    "curry": (
        "we start by chopping two onions and four cloves of garlic",
        "heat the oil in a heavy pot and fry the cumin seeds until they crackle",
        "add the onions and cook them slowly until they are golden brown",
        "stir in the ginger garlic paste the turmeric and the chili powder",
        "drop in the chicken pieces and fry them for five minutes",
        "pour in the tomatoes and a cup of water cover it and let it simmer",
        "finish it with some cream and fresh coriander and serve it with rice",
    ),
    "sandwich": (
        "slice the tomatoes and tear the lettuce into pieces",
        "fry the bacon in a dry pan until it is crisp",
        "toast the bread and spread mayonnaise on both slices",
        "lay the lettuce the tomato and the bacon on the bread",
        "put the other slice on top and cut it in half",
    ),
}
SECONDS_A_LINE = 15


def drawn_film(number: int, folder: Path) -> tuple[MadeUpRecipe, Path]:
    made_up = make_recipe(SEED, number, "testing", tempo=8)
    return made_up, draw_video(made_up, folder / f"golden-{number}.mp4", Picture(180))


def narrated_film(name: str, folder: Path) -> Path:
    """A dark film with subtitles beside it, a line every quarter of a minute."""
    lines = NARRATED[name]
    dark = np.zeros((32, 48, 3), dtype=np.uint8)
    film = write_video(folder / f"{name}.mp4", [(float(n), dark) for n in range(SECONDS_A_LINE * len(lines))], rate=1.0)
    cues = ["WEBVTT", ""]
    for number, line in enumerate(lines):
        start, end = SECONDS_A_LINE * number + 2, SECONDS_A_LINE * number + 10
        cues += [f"{start // 60:02d}:{start % 60:02d}.000 --> {end // 60:02d}:{end % 60:02d}.000", line, ""]
    film.with_suffix(".vtt").write_text("\n".join(cues))
    return film


def steps_of(recipe: Recipe) -> list[list[float | str | None]]:
    return [[step.span.start, step.span.end, step.sentence, step.confidence] for step in recipe.steps]


def write_all(folder: Path) -> dict[str, list[list[float | str | None]]]:
    """The recipes of all films, by a name for each; by the recipe models, because the language model may choose other
    words on other processors."""
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cookscribe.pipelines.speech.installed_writer", lambda _: (None, ""))
        watching, listening = cookscribe.load("kitchen"), cookscribe.load("youcook2-speech")
        for number in DRAWN:
            made_up, film = drawn_film(number, folder)
            found[f"drawn {number}, with its list"] = steps_of(watching.write(film, made_up.names))
            found[f"drawn {number}"] = steps_of(watching.write(film))
        for name in NARRATED:
            film = narrated_film(name, folder)
            found[name] = steps_of(listening.write(film))
            found[f"{name}, with a list"] = steps_of(listening.write(film, ["butter", "salt", "bread", "chicken"]))
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[float | str | None]]]:
    return write_all(tmp_path_factory.mktemp("golden"))


GOLDEN_RECIPES: dict[str, Sequence[Sequence[float | str]]] = json.loads(GOLDEN.read_text())


@pytest.mark.parametrize("name", sorted(GOLDEN_RECIPES))
def test_a_shipped_bundle_writes_the_same_recipe(name: str, written: dict[str, list[list[float | str | None]]]) -> None:
    now, before = written[name], GOLDEN_RECIPES[name]
    assert [step[2] for step in now] == [step[2] for step in before]
    # Processors round differently.
    for place, most in ((0, 0.05), (1, 0.05), (3, 0.01)):
        assert [step[place] for step in now] == pytest.approx([step[place] for step in before], abs=most)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        rounded = {
            name: [[round(part, 4) if isinstance(part, float) else part for part in step] for step in steps]
            for name, steps in write_all(Path(scratch)).items()
        }
    GOLDEN.write_text(json.dumps(rounded, indent=None).replace("]], ", "]],\n") + "\n")
