"""Amounts in text: what cooks say, what stands on screens, and that nothing is made up."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cookscribe.text.amounts import MEASURES, PORTIONS, amount_line, find_amounts
from cookscribe.text.facts import find_durations, find_heats, find_people
from cookscribe.text.foods import common_foods
from cookscribe.text.ingredients import canonical
from cookscribe.text.numbers import Quantity, figures

PHRASES = Path(__file__).with_name("spoken_amounts.txt")


def phrases() -> list[tuple[str, list[str]]]:
    lines = [line for line in PHRASES.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    pairs = [line.split(" | ") for line in lines]
    return [(text, [] if wanted == "-" else wanted.split("; ")) for text, wanted in pairs]


def test_spoken_phrases() -> None:
    right = named = total = invented = traps = 0
    for text, wanted in phrases():
        found = find_amounts(text)
        measures = [f"{mention.quantity} {mention.unit or '_'} " for mention in found]
        good = len(found) == len(wanted) and all(map(str.startswith, wanted, measures))
        full = [measure + mention.name for measure, mention in zip(measures, found, strict=True)]
        if not wanted:
            traps += 1
            invented += len(found)
        else:
            total += 1
            right += good
            named += full == wanted
        if full != wanted:
            print(f"{text!r}: {full}, wanted {wanted}")
    print(f"{right / total:.1%} of {total} amounts and units right, {named / total:.1%} with their names")
    print(f"{invented} amounts invented in {traps} traps")
    assert total + traps >= 200
    assert right / total >= 0.95
    assert invented == 0


def read(text: str) -> list[str]:
    return [f"{mention.quantity} {mention.unit or '_'} {mention.name}" for mention in find_amounts(text)]


WRITTEN = {
    "2 tbsp soy sauce": "2 tbsp soy sauce",
    "2 Tbsp. Soy Sauce": "2 tbsp Soy Sauce",
    "1 1/2 lb beef": "1 1/2 lb beef",
    "1½ cups flour": "1 1/2 cup flour",
    "¼ tsp salt": "1/4 tsp salt",
    "200g butter": "200 g butter",
    "500ml milk": "500 ml milk",
    "Salt - 1 tsp": "1 tsp Salt",
    "Soy sauce: 2 tbsp": "2 tbsp Soy sauce",
    "2-3 cloves garlic, minced": "2-3 clove garlic",
    "2 (14 oz) cans tomatoes": "2 (14 oz) can tomatoes",
    "1 T. sesame oil": "1 tbsp sesame oil",
    "2 c flour": "2 cup flour",
    "4 fl oz cream": "4 fl oz cream",
    "1,000 g potatoes": "1000 g potatoes",
    "1,5 l water": "1 1/2 l water",
    "3 large eggs": "3 _ large eggs",
    "all-purpose flour 2 cups": "2 cup all-purpose flour",
    "2 cups all-purpose flour": "2 cup all-purpose flour",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_lines_as_they_stand_on_screens(text: str) -> None:
    assert read(text) == [WRITTEN[text]]


def test_an_ingredient_that_only_the_recipe_knows_is_counted() -> None:
    assert find_amounts("two idlis on a plate") == []
    assert [mention.name for mention in find_amounts("two idlis on a plate", ["idlis"])] == ["idlis"]


def test_a_mention_says_where_it_stands() -> None:
    text = "so butter about two tablespoons and then 3 eggs, beaten"
    first, second = find_amounts(text)
    assert text[first.start : first.stop] == "butter about two tablespoons"
    assert text[second.start : second.stop] == "3 eggs"


def test_counted_foods_stand_in_their_number() -> None:
    lines = [amount_line("3", "", "egg"), amount_line("1", "", "eggs"), amount_line("2", "", "tomato")]
    assert [*lines, amount_line("2", "", "chicken")] == ["3 eggs", "1 egg", "2 tomatoes", "2 chicken"]


def test_what_is_not_said_has_no_name() -> None:
    assert read("add another two tablespoons") == ["2 tbsp "]


numbers = st.one_of(
    st.integers(1, 999).map(Fraction),
    st.builds(
        lambda whole, part: whole + part, st.integers(0, 9), st.sampled_from([1, 2, 3]).map(lambda n: n / Fraction(4))
    ),
    st.sampled_from([Fraction(1, 3), Fraction(2, 3), Fraction(1, 8), Fraction(5, 2)]),
    st.decimals("0.1", "99.9", places=1).map(Fraction),
)
units = st.sampled_from(sorted(set(MEASURES.values()) | set(PORTIONS.values()) - {"leaf", "fillet", "rib", "half"}))
foods = st.sampled_from(sorted(" ".join(words) for words in common_foods().other if words[0] not in PORTIONS))


@given(numbers, numbers, st.booleans(), units | st.just("(14 oz) can"), foods)
def test_a_line_that_is_written_is_read_as_what_it_was(
    first: Fraction, second: Fraction, ranged: bool, unit: str, food: str
) -> None:
    least, most = min(first, second), max(first, second)
    quantity = Quantity(least, most if ranged and figures(least) != figures(most) else None)
    (mention,) = find_amounts(amount_line(str(quantity), unit, food))
    assert (str(mention.quantity), mention.unit, mention.name) == (str(quantity), unit, food)


counted = st.sampled_from(sorted(" ".join(words) for words in common_foods().counted if words[0] not in PORTIONS))


@given(st.integers(1, 99), counted)
def test_a_counted_line_is_read_as_what_it_was(number: int, food: str) -> None:
    (mention,) = find_amounts(amount_line(str(number), "", food))
    words = [canonical(word) for word in f"{mention.name} {mention.unit}".split()]
    assert (str(mention.quantity), words) == (str(number), [canonical(word) for word in food.split()])


PARTS = "a an and of half cup two 1 / 1/2 - – ( ) tbsp egg to 3 ½ , . oz can inch 350 ° C minutes hour serves"


@given(st.lists(st.sampled_from(PARTS.split(" ")), max_size=12), st.sampled_from(["", " "]))
def test_any_text_is_read_without_an_error(parts: list[str], blank: str) -> None:
    text = blank.join(parts)
    for find in (find_amounts, find_durations, find_heats, find_people):
        for found in find(text):
            assert 0 <= found.start < found.stop <= len(text)


DURATIONS: dict[str, tuple[float, float | None] | None] = {
    "cook for about five minutes": (300, None),
    "wait half an hour": (1800, None),
    "an hour and a half": (5400, None),
    "one and a half hours": (5400, None),
    "1 hour and 20 minutes": (4800, None),
    "bake 1 h 30 min.": (5400, None),
    "45 seconds to a minute": (45, 60),
    "for a minute or two": (60, 120),
    "a couple of minutes": (120, None),
    "between ten and fifteen minutes": (600, 900),
    "for another three to four minutes": (180, 240),
    "twenty-five minutes": (1500, None),
    "marinate it for two days": (172800, None),
    "until golden brown": None,
    "I'll show you in a minute": None,
    "give me a second": None,
    "stir every two minutes": None,
    "I did this five minutes ago": None,
    "a few minutes": None,
    "now the second one": None,
    "one day I will": None,
}


@pytest.mark.parametrize("text", DURATIONS)
def test_durations(text: str) -> None:
    wanted = DURATIONS[text]
    assert [(found.seconds, found.most) for found in find_durations(text)] == ([] if wanted is None else [wanted])


def test_all_of_the_time_is_told_from_that_of_a_step() -> None:
    total = ["ready in 20 minutes", "a thirty minute meal", "it takes an hour in total", "Total time: 45 min"]
    steps = ["bake for 20 minutes", "prep time: 10 minutes", "boil it 30 minutes, then add salt"]
    assert [found.total for text in (*total, *steps) for found in find_durations(text)] == [True] * 4 + [False] * 3


HEATS: dict[str, list[tuple[float, float | None, str | None]]] = {
    "at 350 degrees Fahrenheit": [(350, None, "F")],
    "180°C": [(180, None, "C")],
    "bake at 375F": [(375, None, "F")],
    "200 C / 400 F": [(200, None, "C"), (400, None, "F")],
    "preheat the oven to three fifty": [(350, None, None)],
    "turn the oven to 180 degrees": [(180, None, None)],
    "between 160 and 165 degrees": [(160, 165, None)],
    "a 350-degree oven": [(350, None, None)],
    "turn it 180 degrees": [],
    "2 c flour": [],
    "in the oven at 200 grams": [],
    "medium heat": [],
}


@pytest.mark.parametrize("text", HEATS)
def test_temperatures(text: str) -> None:
    assert [(found.degrees, found.most, found.scale) for found in find_heats(text)] == HEATS[text]


PEOPLE: dict[str, tuple[int, int | None] | None] = {
    "this serves four to six people": (4, 6),
    "feeds 6": (6, None),
    "makes four servings": (4, None),
    "enough for two people": (2, None),
    "Servings: 4": (4, None),
    "this will serve about eight": (8, None),
    "serve it with two eggs": None,
    "serve four at a time": None,
    "two people asked me": None,
    "serve hot": None,
    "makes twelve cookies": None,
}


@pytest.mark.parametrize("text", PEOPLE)
def test_servings(text: str) -> None:
    wanted = PEOPLE[text]
    assert [(found.people, found.most) for found in find_people(text)] == ([] if wanted is None else [wanted])
