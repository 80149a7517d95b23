"""What is wrong with a sentence of a recipe, as far as a program can tell: faults that no cook would write."""

from collections.abc import Iterable, Sequence

from cookscribe.text.actions import ActionMatcher
from cookscribe.text.ingredients import canonical
from cookscribe.text.tokens import ptb_tokens, word_set

TWICE, AGAIN, NO_VERB = "names a thing twice", "repeats a sentence", "has no verb"

# Words that may come twice: little words, amounts, and parts that many things have.
_LITTLE = word_set(
    """
    a an the this that these those it its them they their both each all some any other another one two three four five
    and or then with without in into on onto of off to from for by at as up down out over under until till while when
    if is are be been being not no more much very well so again too than there here around about after before through
    together aside side top bottom inside half piece pieces slice slices cup cups minute minutes second seconds
    hour hours degree degrees inch inches time times little bit small large big medium high low hot cold heat same
    """
)


class FaultFinder:
    """Finds the faults of sentences.

    Args:
        verbs: the actions that make a command.
    """

    def __init__(self, verbs: Sequence[str]) -> None:
        self._actions = ActionMatcher(verbs)

    def of(self, sentence: str, earlier: Iterable[str] = ()) -> tuple[str, ...]:
        """The faults of a sentence that follows the `earlier` ones of its recipe."""
        tokens = ptb_tokens(sentence)
        mentions = self._actions.find(sentence)
        acting = {place for mention in mentions for place in mention.positions}
        words = [canonical(token) for token in tokens]
        named = [word.isalpha() and word not in _LITTLE and place not in acting for place, word in enumerate(words)]
        # "fish sauce and soy sauce" are two things, "sauce and soy sauce" is hardly meant.
        kinds: dict[str, list[str]] = {}
        for place, word in enumerate(words):
            if named[place]:
                kinds.setdefault(word, []).append(words[place - 1] if place and named[place - 1] else "")
        faults = []
        if any("" in before or len(set(before)) < len(before) for before in kinds.values() if len(before) > 1):
            faults.append(TWICE)
        if tokens in [ptb_tokens(other) for other in earlier]:
            faults.append(AGAIN)
        if not mentions:
            faults.append(NO_VERB)
        return tuple(faults)


def faulty_share(recipes: Iterable[Sequence[str]], verbs: Sequence[str]) -> float:
    """Share of the sentences of all recipes that have a fault, 0 to 1; 0 without sentences."""
    finder = FaultFinder(verbs)
    found = [bool(finder.of(text, recipe[:n])) for recipe in recipes for n, text in enumerate(recipe)]
    return sum(found) / len(found) if found else 0.0
