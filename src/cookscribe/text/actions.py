"""Finding actions in sentences: each verb of a list, in any form, but not the nouns that are spelt like it.

Recipe sentences are commands without commas ("add oil salt and pepper then fry the rice"), so a tagger trained on news
text is of little help. The rules below decide by form and by the words beside it. `cookscribe data matching` measures
them. Positions are those of `ptb_tokens(sentence)`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from cookscribe.errors import BadFileError
from cookscribe.files import read_json
from cookscribe.text.inflection import Form, verb_forms
from cookscribe.text.tokens import ptb_tokens, word_set

# Foods and things first, verbs seldom: "add oil and salt", but "oil the pan".
_MOSTLY_NOUNS = word_set(
    """
    oil salt pepper water flour butter bread sugar powder paste seed cream spice batter ring shell skin bone stem film
    string cap sand face lard zest stuff pickle fillet pit core scale lace wax patch quarter cube stud husk puree
    skewer spoon ladle pin line tape funnel pinch dash dot sheet plate bowl dish bottle can bag cup juice sauce ice
    scallop squash shower flood perch wedge strip knot loop pile mound heap pump pipe drill saw rake wind glaze frost
    """
)
# States first: "until brown", "pat dry", but "brown the meat", "leave it to cool".
_MOSTLY_STATES = word_set("thin smooth light brown crisp dirty narrow level clear empty open dry warm cool round clean")
# Both in turn: "turn the heat off", "heat the oil"; "egg roll", "roll the dough".
_SOMETIMES_NOUNS = word_set(
    """
    heat grill roll mix cover slice top toast roast stew coat steam dress form set cut fry blend bake drop dip spray
    wrap split stick press pat brush barbecue mash whisk peel crack marinade garnish layer shape dice mince stretch
    taste rub rest stack
    """
)
# A command or an infinitive may follow these.
_BEFORE_VERB = word_set(
    "and then to or & also now first next finally not n't just gently slowly carefully quickly let it them"
)
# An object or what else follows a verb, hardly ever a noun.
_AFTER_VERB = word_set(
    """
    the a an it them its this that these those both each all some everything another every one two three four half
    well up out off down in into on onto over together with until till for thoroughly gently again aside evenly around
    to by lightly properly occasionally constantly continuously continously nicely finely slightly and thinly
    """
)
# After these stands a noun: "the mix", "on top", "of oil", "medium heat".
_BEFORE_NOUN = word_set(
    """
    the a an this that these those its his her their your my some any each every both another other more less no
    of on in at from with without into onto over under by for about as than like
    high low medium hot cold warm little large small big thin thick one two three four five six half
    """
)
# "to a boil", "give it a stir", "the cut meat": after an article too, something is done.
_ACTION_EVEN_AS_NOUN = word_set("boil simmer stir toss rinse shake cut beat")
_DETERMINERS = word_set("the a an it them both each all")
# Dishes: here the second word is never a verb.
_DISHES = {("egg", "roll"), ("spring", "roll"), ("sushi", "roll"), ("sausage", "roll"), ("french", "toast")}
# "baking sheet", "frying pan": the -ing form says what a thing is for.
_AFTER_PURPOSE = word_set(
    """
    sheet sheets pan pans tray trays dish dishes board boards pin pins bowl bowls plate plates powder soda spoon knife
    rack racks stone paper oil spray wine cream sauce liquid time machine stick sticks jar container iron surface bag
    basket pot tin tins fork brush potatoes apples sugar vessel bottle
    """
)
_ING_NOUNS = word_set(
    "dressing seasoning stuffing topping filling frosting coating icing casing serving pudding string spring ring "
    "stockings toppings seasonings fillings dressings wrapping rising lining shortening clotting"
)


@dataclass(frozen=True)
class ActionMention:
    """An action named in a sentence.

    Attributes:
        action: position of the verb in the action list.
        positions: the tokens that name it (two for "stir fry").
    """

    action: int
    positions: tuple[int, ...]


class ActionMatcher:
    """Finds the actions of a list in sentences.

    Args:
        verbs: the action list in base form; hyphenated verbs are also found as two words.
    """

    def __init__(self, verbs: Sequence[str]) -> None:
        self.verbs = tuple(verbs)
        # First token of a form -> (all tokens, verb, kind), longest first.
        self._forms: dict[str, list[tuple[tuple[str, ...], int, Form]]] = defaultdict(list)
        for number, verb in enumerate(self.verbs):
            for form, kind in verb_forms(verb).items():
                for tokens in {(form,), tuple(form.split("-"))}:
                    self._forms[tokens[0]].append((tokens, number, kind))
        for entries in self._forms.values():
            # Of equal spellings the base form comes first: "ground" is rather to ground, if that is listed, than grind.
            entries.sort(key=lambda entry: (-len(entry[0]), list(Form).index(entry[2]), entry[1]))

    def find(self, sentence: str) -> tuple[ActionMention, ...]:
        """All mentions in order; a token belongs to one mention at most."""
        tokens = ptb_tokens(sentence)
        mentions: list[ActionMention] = []
        place = 0
        while place < len(tokens):
            found = self._at(tokens, place)
            if found is not None:
                mentions.append(found)
            place = found.positions[-1] + 1 if found is not None else place + 1
        return tuple(mentions)

    def named(self, sentence: str) -> frozenset[int]:
        """Numbers of the actions that the sentence names."""
        return frozenset(mention.action for mention in self.find(sentence))

    def _at(self, tokens: list[str], place: int) -> ActionMention | None:
        for form, number, kind in self._forms.get(tokens[place], ()):
            stop = place + len(form)
            if tuple(tokens[place:stop]) == form and _is_verb(tokens, place, stop, self.verbs[number], kind):
                return ActionMention(number, tuple(range(place, stop)))
        return None


def _is_verb(tokens: list[str], place: int, stop: int, verb: str, kind: Form) -> bool:
    """Does the form at [place, stop) stand there as a verb?"""
    before = tokens[place - 1] if place else ""
    after = tokens[stop] if stop < len(tokens) else ""
    if kind is Form.PAST:
        return True
    if kind is Form.ING:
        return after not in _AFTER_PURPOSE and tokens[place] not in _ING_NOUNS
    if kind is Form.THIRD:
        # In commands a third person is rare, and "slices", "leaves", "rings" are things.
        return verb not in _MOSTLY_NOUNS and verb not in _SOMETIMES_NOUNS and verb != "leave"
    if verb in _MOSTLY_NOUNS:
        return not place or (before in _BEFORE_VERB and after in _DETERMINERS)
    if verb in _MOSTLY_STATES:
        left_to_be = place >= 2 and tokens[place - 2] == "let" and before in _DETERMINERS
        return not place or before == "to" or left_to_be or (before in _BEFORE_VERB and after in _DETERMINERS)
    if before in _BEFORE_NOUN or (before, verb) in _DISHES:
        return verb in _ACTION_EVEN_AS_NOUN
    if verb in _SOMETIMES_NOUNS:
        return not place or before in _BEFORE_VERB or before.endswith("ly") or after in _AFTER_VERB or not after
    return True


def read_action_list(path: Path) -> tuple[str, ...]:
    """Read a JSON list of verbs, each once; a verb's position is its number."""
    verbs = read_json(path)
    if not isinstance(verbs, list) or not verbs or not all(isinstance(verb, str) and verb.strip() for verb in verbs):
        raise BadFileError(path, "is not a list of verbs")
    if len(set(verbs)) != len(verbs):
        raise BadFileError(path, "names a verb twice")
    return tuple(verbs)


def packaged_verbs() -> tuple[str, ...]:
    """The cooking verbs that come with the program, for data without an action list of its own."""
    lines = resources.files("cookscribe.text").joinpath("verbs.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
