"""Finding ingredients in sentences: whole names, other numbers ("leaves" / "leaf"), and parts ("cheese").

Positions are those of `ptb_tokens(sentence)`, the tokens every other part of the program sees.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from cookscribe.text.tokens import ptb_tokens, word_set

# Words of a name that do not identify an ingredient when they stand alone: "white", "sauce", "powder", "pieces".
_TOO_GENERAL = word_set(
    """
    a an and of the in with for to or
    white black red green yellow brown golden purple pink dark light pale
    fresh dried dry frozen canned raw cooked ready whole half large small medium big thin thick fine finely coarse
    baby young old new hot cold warm cool sweet sour bitter spicy mild salty salted unsalted plain pure extra virgin
    heavy low high fat free lean skim skimmed full reduced fatty skinless boneless organic natural italian french
    chinese japanese korean indian thai greek english american mexican spanish
    ground chopped minced sliced diced grated shredded crushed melted smoked roasted toasted peeled mashed beaten
    pickled boiled fried baked grilled steamed marinated prepared mixed granulated powdered shelled stuffed cured
    all-purpose purpose self-raising instant quick regular different other some more few one two three four five
    sauce paste powder mix mixture mixed piece slice strip stick cube chunk clove leaf seed flake crumb sheet sprig
    stalk bunch head cup can bag bowl packet tablespoon teaspoon spoon pinch handful bit round ring ball cut
    juice oil spring summer roll wrap stir fry cook boil bake roast add boiling cooking frying baking
    flavor flavored style type kind food ingredient stuff thing topping filling dressing seasoning liquid
    """
)
# After one of these the word before it names something else: "chicken" in "chicken stock" is not the chicken.
_MAKES_ANOTHER_THING = word_set(
    "stock broth sauce paste powder soup juice oil vinegar puree cream milk butter flour seed ketchup noodle roll wine"
)
_IRREGULAR = {
    "leaves": "leaf", "loaves": "loaf", "halves": "half", "calves": "calf", "knives": "knife", "wolves": "wolf",
    "geese": "goose", "teeth": "tooth", "fungi": "fungus", "cacti": "cactus", "anchovie": "anchovy",
}  # fmt: skip


def too_general(word: str) -> bool:
    """Whether a canonical word says nothing when it stands alone: "white", "powder", "piece"."""
    return word in _TOO_GENERAL


@lru_cache(maxsize=1 << 16)
def canonical(word: str) -> str:
    """One spelling for both numbers of a noun: equal for "tomato" and "tomatoes", "cookie" and "cookies".

    It is a key for comparing, not always a word ("quiche" gives "quich"); adjectives and misspellings pass through.
    """
    word = _IRREGULAR.get(word, word)
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 3 and word.endswith("ie"):  # chilies, chilli, cookie, berries: one ending for all
        return word[:-2] + "y"
    if len(word) > 3 and word.endswith("i"):
        return word[:-1] + "y"
    if len(word) > 3 and word.endswith(("oe", "she", "che", "xe", "sse", "zze")):
        return word[:-1]
    return word


@dataclass(frozen=True)
class IngredientMention:
    """An ingredient named in a sentence.

    Attributes:
        ingredient: its position in the list that was asked for.
        positions: the tokens that name it.
        whole: True when the whole name stands there, False when only a part of it does.
    """

    ingredient: int
    positions: tuple[int, ...]
    whole: bool


class IngredientMatcher:
    """Finds the ingredients of one recipe in its sentences.

    Whole names come first and longer ones win: in "beef stock" there is no "beef" if both are listed. What is left may
    be a part of a name. A part counts when it says which ingredient is meant: not "white" or "sauce" alone, not a word
    that two ingredients share ("oil" for olive and sesame oil), and not a word that something else is made of
    ("chicken" in "chicken stock" for chicken breast).

    Args:
        ingredients: the names, as they are written in the list.
        partial: look for parts of names too.
    """

    def __init__(self, ingredients: Sequence[str], *, partial: bool = True) -> None:
        self.partial = partial
        # A list may hold a name twice, or in both numbers: all of its positions are reported.
        self._owners: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for position, name in enumerate(ingredients):
            words = tuple(canonical(token) for token in ptb_tokens(name))
            if words:
                self._owners[words].append(position)
        self._by_first: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        self._by_part: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for words in self._owners:
            self._by_first[words[0]].append(words)
            for word in dict.fromkeys(words):
                self._by_part[word].append(words)

    def find(self, sentence: str) -> tuple[IngredientMention, ...]:
        """All mentions, in order of their first token (several ingredients may share one, if listed twice)."""
        tokens = [canonical(token) for token in ptb_tokens(sentence)]
        taken: dict[int, tuple[str, ...]] = {}
        spans: list[tuple[int, int, tuple[str, ...], bool]] = []
        for start, name in self._whole_names(tokens):
            stop = start + len(name)
            if not any(place in taken for place in range(start, stop)):
                taken.update(dict.fromkeys(range(start, stop), name))
                spans.append((start, stop, name, True))
        if self.partial:
            spans += self._parts(tokens, taken)
        mentions = [
            IngredientMention(position, tuple(range(start, stop)), whole)
            for start, stop, name, whole in spans
            for position in self._owners[name]
        ]
        return tuple(sorted(mentions, key=lambda mention: (mention.positions, mention.ingredient)))

    def named(self, sentence: str) -> frozenset[int]:
        """Positions of the ingredients that the sentence names."""
        return frozenset(mention.ingredient for mention in self.find(sentence))

    def _whole_names(self, tokens: list[str]) -> list[tuple[int, tuple[str, ...]]]:
        """Start and name of every whole name, longest first."""
        found = [
            (start, name)
            for start, token in enumerate(tokens)
            for name in self._by_first.get(token, ())
            if tuple(tokens[start : start + len(name)]) == name
        ]
        return sorted(found, key=lambda item: (-len(item[1]), item[0]))

    def _parts(
        self, tokens: list[str], taken: dict[int, tuple[str, ...]]
    ) -> list[tuple[int, int, tuple[str, ...], bool]]:
        found: list[tuple[int, int, tuple[str, ...], bool]] = []
        start = 0
        while start < len(tokens):
            stop, owners = self._longest_part(tokens, start, taken)
            if owners:
                part = tokens[start:stop]
                # "chicken" is rather the fried chicken (its last word) than the chicken breast.
                heads = [name for name in owners if name[-1] in part]
                meant = heads if heads else owners
                other_thing = stop < len(tokens) and tokens[stop] in _MAKES_ANOTHER_THING and stop not in taken
                if len(meant) == 1 and not other_thing and not _TOO_GENERAL.issuperset(part):
                    found.append((start, stop, meant[0], False))
            start = max(stop, start + 1)
        return found

    def _longest_part(
        self, tokens: list[str], start: int, taken: dict[int, tuple[str, ...]]
    ) -> tuple[int, list[tuple[str, ...]]]:
        """The longest run of free tokens that are all words of one name, and the names it may belong to."""
        stop, owners = start, [] if start in taken else list(self._by_part.get(tokens[start], ()))
        best = owners
        while owners:
            best, stop = owners, stop + 1
            if stop >= len(tokens) or stop in taken:
                break
            owners = [name for name in owners if tokens[stop] in name]
        return stop, best
