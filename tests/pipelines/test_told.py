"""What a film tells beside its steps, and where it was heard or read."""

import numpy as np
import pytest

from cookscribe.bundle import find_bundle
from cookscribe.cues import Cue, Cues
from cookscribe.pipelines.base import Draft
from cookscribe.pipelines.told import listen_to, of_steps, without_the_dish
from cookscribe.recipe import Recipe, Span, Video
from cookscribe.scribe import assemble
from cookscribe.senses.transcripts import Transcript
from cookscribe.story import StoryStep

TALK = (
    (2.0, "hi everybody today we're going to make chicken fried rice it serves four people"),
    (20.0, "so you heat two tablespoons"),
    (24.0, "of vegetable oil in a wok and crack in three eggs"),
    (50.0, "add two cups of cooked rice and fry it for about five minutes"),
    (80.0, "then one and a half tablespoons of soy sauce and a pinch of white pepper"),
    (110.0, "put it in the oven at 350 degrees Fahrenheit for ten to twelve minutes"),
    (140.0, "it's ready in half an hour thanks for watching"),
)


@pytest.fixture(scope="module")
def cues() -> Cues:
    heard = Transcript.from_segments((start, start + 10.0, text) for start, text in TALK).cues()
    read = (
        Cue(Span(start=81.0, end=86.0), "read", "1 1/2 tbsp soy sauce", 0.9),
        Cue(Span(start=90.0, end=94.0), "read", "Gochugaru 2 tsp", 0.9),
        Cue(Span(start=95.0, end=98.0), "read", "Grandma's Kitchen", 0.9),
    )
    return heard + read


def step(start: float, end: float, sentence: str) -> StoryStep:
    return StoryStep(0, np.array([start, end]), sentence, np.array([0.5, 0.5]), 0.0)


@pytest.fixture(scope="module")
def recipe(cues: Cues) -> Recipe:
    steps = (
        step(20, 40, "heat oil and crack the eggs"),
        step(50, 70, "fry the rice"),
        step(78, 100, "add soy sauce"),
        step(112, 125, "bake it in the oven"),
    )
    draft = Draft(steps, [0.5] * 4, None, (), ["rice", "egg"], ["fry"], cues=cues)
    video = Video(name="film_7.mp4", duration=160.0)
    return assemble(draft, find_bundle("youcook2-speech").config, video, None, listed=False)


def test_amounts_are_told_once_with_where_they_were_found(recipe: Recipe) -> None:
    lines = {amount.line: amount.origin for amount in recipe.amounts}
    assert list(lines) == [
        "2 tbsp vegetable oil",
        "3 eggs",
        "2 cups rice",
        "1 1/2 tbsp soy sauce",
        "1 pinch white pepper",
        "2 tsp gochugaru",
    ]
    assert recipe.ingredients == ("rice", "egg", "vegetable oil", "soy sauce", "white pepper", "gochugaru")
    oil, rare = lines["2 tbsp vegetable oil"], lines["2 tsp gochugaru"]
    # Said over two phrases.
    assert oil.text == "two tablespoons of vegetable oil"
    assert 20 < oil.span.start < oil.span.end < 30
    assert (rare.source, rare.span.start) == ("read", 90.0)


def test_steps_have_their_timers_and_temperatures(recipe: Recipe) -> None:
    assert [[(timer.seconds, timer.most) for timer in step.timers] for step in recipe.steps] == [
        [], [(300, None)], [], [(600, 720)],
    ]  # fmt: skip
    assert [(heat.degrees, heat.scale) for heat in recipe.steps[3].temperatures] == [(350, "F")]


def test_servings_total_time_and_title(recipe: Recipe) -> None:
    assert (recipe.servings.people, recipe.total_time.seconds, recipe.title) == (4, 1800, "Chicken fried rice")


def test_a_given_list_and_title_stay_as_they_are(cues: Cues) -> None:
    draft = Draft((), (), None, (), ["soy sauce", "egg"], [], cues=cues)
    config, video = find_bundle("youcook2-speech").config, Video(name="film_7.mp4", duration=160.0)
    recipe = assemble(draft, config, video, "Rice", listed=True)
    assert recipe.ingredients == ("soy sauce", "egg")
    assert [amount.line for amount in recipe.amounts] == ["3 eggs", "1 1/2 tbsp soy sauce"]
    assert recipe.title == "Rice"
    assert {cue.source for cue in recipe.evidence.cues} == {"heard", "read"}


def test_yolks_are_no_eggs_and_nothing_is_counted_that_is_not_told() -> None:
    said = Cues((Cue(Span(start=0, end=5), "heard", "beat two egg yolks and stir in some flour and the eggs"),))
    told = listen_to(said, ["eggs", "flour"], listed=False)
    assert [amount.line for amount in told.amounts] == []
    assert told.ingredients == ("eggs", "flour")


def test_words_without_times_give_amounts_but_no_timers() -> None:
    text = "add two cups of flour and bake it for ten minutes at 200 degrees"
    told = listen_to(Transcript.from_text(text, 60.0).cues(), [], listed=False)
    assert [amount.line for amount in told.amounts] == ["2 cups flour"]
    assert of_steps(told.timers, [Span(start=0, end=60)], 5) == [()]


def test_a_film_that_tells_nothing() -> None:
    assert listen_to(Cues(), ["salt"], listed=False).ingredients == ("salt",)


@pytest.mark.parametrize(
    ("title", "heard", "kept"),
    [
        ("Grandmother's Tomato Soup", ("tomato", "soup", "salt"), ("tomato", "salt")),
        ("Chicken fried rice", ("rice", "chicken"), ("rice", "chicken")),
        ("Fruit salads", ("salad", "fruit salad"), ("fruit salad",)),
        ("Soup.mp4", ("soup",), ("soup",)),
        ("Meatball sub", ("soup", "pizza"), ("soup", "pizza")),
    ],
)
def test_a_dish_is_no_ingredient_of_itself(title: str, heard: tuple[str, ...], kept: tuple[str, ...]) -> None:
    assert without_the_dish(listen_to(Cues(), heard, listed=False), title) == kept


def test_what_is_measured_or_given_stays_an_ingredient(recipe: Recipe) -> None:
    said = Cues((Cue(Span(start=0, end=5), "heard", "pour in two cups of soup"),))
    told = listen_to(said, ["soup"], listed=False)
    assert without_the_dish(told, "Casserole soup") == ("soup",)
    draft = Draft((), (), None, (), ["soup"], [], cues=said)
    config = find_bundle("youcook2-speech").config
    assert assemble(draft, config, recipe.video, "Soup", listed=True).ingredients == ("soup",)
