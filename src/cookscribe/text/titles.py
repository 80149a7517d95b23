"""The name of the dish, where somebody says it: "today we're going to make chicken tikka masala"."""

import re

from cookscribe.text.foods import common_foods
from cookscribe.text.printable import one_line
from cookscribe.text.tokens import word_set

_WHO = r"(?:i|we|i ?'m|we ?'re|i am|we are|i ?'ll|we ?'ll|i will|we will|let ?'s|you)"
_MAKE = r"(?:make|making|cook|cooking|prepare|preparing|bake|baking)"
_SHOW = r"(?:show|teach|showing)\w* (?:you )?(?:guys )?how to"
_LEAD = re.compile(
    rf"\b(?:today,? (?:\w+ ){{0,3}}?{_WHO} (?:\w+ ){{0,5}}?(?:{_MAKE}|doing)"
    rf"|{_WHO} (?:\w+ ){{0,3}}?{_SHOW} {_MAKE}|how to {_MAKE}|{_WHO} (?:going to|gonna) (?:be )?{_MAKE}"
    rf"|today ?'s (?:recipe|dish) is(?: called)?)\s+",
    re.IGNORECASE,
)
_ENDS = word_set(
    "so today i we you this that it is are was on at for to from using because but now if then let let's first here "
    "which the okay ok alright right where when as my your our by like just how guys everyone today's hi hello i'm "
    "we're it's who again or recipe recipes version dish style a an of"
)
_JOINS = word_set("and with in n")
_SKIPPED = word_set(
    "a an and the some my our your their his her these those this very really delicious simple easy quick own perfect "
    "favorite favourite favourites classic amazing wonderful fantastic super actual authentic traditional basic best "
    "homemade great nice good special famous all time absolutely infamous ultimate something little killer"
)
# Alone these are ingredients.
_NOT_ALONE = word_set(
    "chicken egg eggs rice bread cheese masala potato potatoes bean beans shrimp pork beef lamb salmon duck tuna tofu "
    "turkey parmesan noodles pasta thai roast bake roll fry toast bowl loaf mash"
)
_SOON = 900  # characters: who says what the dish is says it at the start
MOST_WORDS = 6


def spoken_title(text: str) -> str | None:
    """The dish that the first words of a film promise, with a capital; None where none is named."""
    text = one_line(text[:_SOON])
    for match in _LEAD.finditer(text):
        if dish := _dish(text[match.end() :].lower()):
            return dish[0].upper() + dish[1:]
    return None


def _dish(text: str) -> str | None:
    """The longest name of a dish that a text begins with: recognised speech goes on without a full stop."""
    words: list[str] = []
    for raw in text.split():
        word = raw.rstrip(".,;:!?")
        if words or word not in _SKIPPED:
            if word in _ENDS and not (words and word in _JOINS):
                break
            words.append(word)
        if word != raw or len(words) == MOST_WORDS:
            break
    while words and (words[-1] in _JOINS or not common_foods().is_dish(words)):
        words.pop()
    return None if len(words) == 1 and words[0] in _NOT_ALONE else " ".join(words) or None
