"""Made-up recipes as YouCook2's reader reads them."""

from pathlib import Path

from cookscribe.learning.datasets.root import YouCook2
from cookscribe_lab.kitchen_films.recipes import make_recipes
from tests.command import run_command


def test_the_reader_of_youcook2_finds_the_recipes_again(tmp_path: Path) -> None:
    assert "simulated" in run_command("kitchen", "annotations", "--count", "30", "--out", tmp_path)
    made = {recipe.id: recipe.annotated() for recipe in make_recipes(0, 30)}
    read = {split: YouCook2(tmp_path).videos(split) for split in ("training", "validation")}
    assert len(read["training"]) > len(read["validation"]) > 0
    for split, videos in read.items():
        for key, video in videos.items():
            assert (video.split, video.sentences, video.ingredients) == (
                split, made[key].sentences, made[key].ingredients,
            )  # fmt: skip
            assert video.spans.tolist() == made[key].spans.tolist()
    assert sum(map(len, read.values())) == sum(video.split in read for video in made.values())
