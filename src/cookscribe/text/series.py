"""Commas in a series of ingredients: "add salt, pepper and sugar", where a model writes "add salt pepper and sugar"."""

from collections.abc import Sequence

from cookscribe.text.foods import common_foods
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.text.tokens import ptb_tokens

_LAST = 3  # words behind "and" among which the last ingredient of a series begins: "and some grated cheese"


def with_commas(sentence: str, ingredients: Sequence[str]) -> str:
    """The sentence with commas between ingredients that stand side by side before an "and" with another one.

    Only whole names count, of which the longest is taken: "soy sauce" stays one. A sentence that has marks of its own
    stays as it is.
    """
    words = sentence.split()
    if "and" not in words or ptb_tokens(sentence) != words or "," in sentence:
        return sentence
    found = IngredientMatcher(ingredients, partial=False).find(sentence)
    # A name that is listed twice is found twice.
    places = sorted({(mention.positions[0], mention.positions[-1] + 1) for mention in found})
    starts = {start for start, _ in places}
    series: list[tuple[int, int]] = []
    for start, stop in places:
        series = [*series, (start, stop)] if series and series[-1][1] == start else [(start, stop)]
        goes_on = words[stop : stop + 1] == ["and"] and not starts.isdisjoint(range(stop + 1, stop + 1 + _LAST))
        if len(series) > 1 and goes_on and not _is_food(words, series[0][0] - 1):
            for _, end in series[:-1]:
                words[end - 1] += ","
    return " ".join(words)


def _is_food(words: Sequence[str], place: int) -> bool:
    """Whether one more thing stands here that is not among the ingredients: where it ends, nobody knows."""
    return place >= 0 and common_foods().at(words, place) > 0
