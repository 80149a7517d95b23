"""Amounts of ingredients in text, spoken or written: "two tablespoons of soy sauce", "1 1/2 lb beef", "three eggs".

A small grammar: a number, a unit, perhaps "of", and a name. What does not fit it gives nothing; no amount is guessed.
Without a unit, only foods are counted; "a" alone counts nothing ("take an onion" does not say how many there are).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from cookscribe.text.foods import Foods, common_foods
from cookscribe.text.ingredients import canonical
from cookscribe.text.numbers import (
    Piece,
    Quantity,
    Read,
    added_fraction,
    pieces,
    read_number,
    read_quantity,
    split_hundreds,
    word,
)
from cookscribe.text.tokens import word_set

# The short form, then other spellings; plurals and "-ful" are made. Short ones of measures have no plural.
_MEASURES = """
tsp teaspoon tsps teasp, tbsp tablespoon tbsps tbs tbl tblsp, cup, g gram gramme gr gms gm grams, kg kilogram kilo kgs,
mg milligram, ml milliliter millilitre mls mil mils, cl centiliter centilitre, dl deciliter decilitre,
l liter litre ltr, oz ounce ozs, lb pound lbs, pint pt, quart qt, gallon gal
"""
# These hold or are a part of something: an amount only with the food they are of ("cut it into two pieces" is none).
_PORTIONS = """
pinch, dash, handful, clove, slice, piece, strip, stick, can, tin, jar, bottle, box, bag, packet sachet, package pack
pkg, carton, bunch, sprig, stalk, rib, head, knob, splash, drizzle, drop, squeeze, sprinkle, glug, spoon, glass, mug,
bowl, ladle, scoop, cube, block, ball, sheet, fillet filet, rasher, ear, segment, wedge, shot, tub, loaf, bulb, chunk,
spear, leaf
"""
# These may stand after the food: "two garlic cloves".
_PARTS_OF = word_set("clove slice strip stalk rasher")
_UNCHANGED = word_set("tsp tbsp g kg mg ml cl dl l oz lb") | {"fl oz"}
# A larger unit and a smaller one, that are read as one amount where they follow each other; and those that are only
# where somebody says "plus", or "and" of one food.
_SMALLER = {("lb", "oz"): 16, ("kg", "g"): 1000, ("l", "ml"): 1000}
_SPOONS = {("cup", "tbsp"): 16, ("tbsp", "tsp"): 3}
_SIZES = {"inch": "inch", "inches": "inch", "cm": "cm", "centimeter": "cm", "centimetre": "cm"}
# Between number and unit.
_FULL = word_set(
    "heaped heaping level rounded big small large medium good generous full scant packed whole nice more extra "
    "additional thick thin long tall tiny little - rough"
)
_ABOUT = word_set("about around roughly approximately maybe like just probably only say is it's - : , – = x ×")
# Of a name, but not in it.
_DETERMINERS = word_set(
    "the my your our this that these those some any favorite favourite good really nice very like uh um such quality "
    "their his her a an preferred"
)
_BOUNDARY = word_set(
    "and or in into to for then with until till on onto at which so is are was were goes go going gonna will i i'm "
    "i've i'll you you'll we we'll we're it it's they he she if from over about plus also now here here's there right "
    "ok okay because but when while as not each next just of the a an my your some by before after again all both this "
    "that these those be been do does can could should would have has had get got let let's make add put mix stir "
    "whisk pour per more well alright yeah guys than once through"
)
# A number after one of these is no amount: "step two", "cut it into four pieces".
_NUMBERED = word_set("step number chapter part episode tip method day recipe version no page season rule option into")
# Foods that have one form for both numbers, and words that make a tool or a dish of a counted food.
_INVARIANT = word_set("fish shrimp squid asparagus okra lobster crab chicken turkey duck zucchini tortellini salmon")
_OTHER_THING = word_set(
    "dish recipe tree masher peeler press juicer slicer cutter lover wash salad omelette omelet sandwich soup stew "
    "curry farm shop opener basket pan burger"
)


def _table(text: str) -> dict[str, str]:
    """Spelling to short form."""
    found: dict[str, str] = {}
    for entry in text.split(","):
        short, *others = entry.split()
        for name in (short, *others):
            ending = "es" if name.endswith(("s", "sh", "ch", "x")) else "s"
            forms = [name] if name in _UNCHANGED else [name, name + ending, f"{name}ful", f"{name}fuls"]
            found |= dict.fromkeys(forms, short)
    return found


MEASURES = _table(_MEASURES)
PORTIONS = _table(_PORTIONS) | {"loaves": "loaf", "leaves": "leaf", "halves": "half", "t.": "tsp"}


@dataclass(frozen=True)
class AmountMention:
    """An amount in a text.

    Attributes:
        start, stop: the characters from the quantity to the end of the name.
        quantity: how much.
        unit: its short form, "" where pieces are counted; of packages with their size: "(14 oz) can".
        name: of what, as it stands there; "" if that is not said.
        food: whether the name is known to be a food.
    """

    start: int
    stop: int
    quantity: Quantity
    unit: str
    name: str
    food: bool


def unit_word(unit: str, quantity: str) -> str:
    """The unit as it stands after a quantity in figures: "cups" after "2", "cup" after "1/2"."""
    if _is_one(quantity) or not unit or unit in _UNCHANGED:
        return unit
    if unit.endswith(("leaf", "loaf")):
        return unit[:-1] + "ves"
    return unit + ("es" if unit.endswith(("s", "sh", "ch", "x")) else "s")


def amount_line(quantity: str, unit: str, name: str) -> str:
    """As a line of a list of ingredients: "2 tbsp soy sauce", "3 eggs"."""
    counted = name if unit or not quantity else _in_number(name, one=_is_one(quantity))
    return " ".join(filter(None, (quantity, unit_word(unit, quantity), counted)))


def _is_one(quantity: str) -> bool:
    return quantity in ("", "1") or ("/" in quantity and " " not in quantity and "-" not in quantity)


def _in_number(name: str, *, one: bool) -> str:
    """A counted food in the singular or plural, where the rules of English are simple."""
    *before, last = name.split(" ")
    base = canonical(last)
    if one and last in (f"{base}s", f"{base}es"):
        last = base
    elif not one and last == base and last not in _INVARIANT and last.isalpha() and last[-1] != "s":
        last += "es" if last.endswith(("ch", "sh", "x", "tato", "mato")) else "s"
    return " ".join((*before, last))


def find_amounts(text: str, names: Sequence[str] = ()) -> list[AmountMention]:
    """All amounts of a text, in order; `names` are ingredients that are known beside the common foods."""
    return list(_Reader(text, common_foods().with_names(names)).read())


class _Reader:
    def __init__(self, text: str, foods: Foods) -> None:
        self.text, self.foods = text, foods
        self.found: list[Piece] = pieces(text)
        self.words = [piece.text for piece in self.found]

    def read(self) -> Iterator[AmountMention]:
        at = free = 0
        while at < len(self.found):
            stop, mentions = self._at(at, free)
            yield from mentions
            at = stop if stop > at else at + 1
            free = stop if mentions else free

    def _at(self, at: int, free: int) -> tuple[int, list[AmountMention]]:
        """The piece after what begins at one, and the amounts that were read there."""
        quantity = read_quantity(self.found, at)
        if quantity is None or word(self.found, at - 1) in _NUMBERED:
            return at, []
        sized = self._sized(at, quantity)
        if sized:
            return sized
        place = self._past(quantity.stop, _FULL)
        unit, after = self._unit(place)
        if not unit:
            return self._counted(at, quantity)
        quantity, after = self._rest(quantity, after)
        if (smaller := self._smaller(at, quantity, unit, after, free)) is not None:
            quantity, unit, after = smaller
        return self._measured(at, quantity, unit, after, free)

    def _measured(self, at: int, read: Read, unit: str, after: int, free: int) -> tuple[int, list[AmountMention]]:
        if self.words[after : after + 1] == ["each"]:
            listed = [self._mention(at, read, unit, *name) for name in self._names(after + 1)]
            return after, [mention for mention in listed if mention.food]
        linked = word(self.found, after) == "of"
        start, stop, food = self._name(after + linked)
        if stop == start and (before := self._name_before(at, free)):
            mention = self._mention(at, read, unit, *before)
            return after, [replace(mention, start=self.found[before[0]].start, stop=self.found[after - 1].stop)]
        if not food and not linked:
            start = stop = after
        portion = unit not in MEASURES.values()
        if (portion and not food) or (read.bare and stop == start):
            return max(after, read.stop), []
        return max(stop, after), [self._mention(at, read, unit, start, stop, food)]

    def _counted(self, at: int, read: Read) -> tuple[int, list[AmountMention]]:
        """A number of foods, without a unit."""
        nothing: tuple[int, list[AmountMention]] = (read.stop, [])
        if read.bare and read.quantity.least >= 1:
            return nothing
        start = place = read.stop
        while not (length := self.foods.at(self.words, place)):
            if canonical(word(self.found, place)) not in self.foods.before and word(self.found, place) not in _FULL:
                return nothing
            place += 1
        stop = place + length
        name = self.words[place:stop]
        if not self.foods.counts(name) or canonical(word(self.found, stop)) in _OTHER_THING:
            return nothing
        many = read.quantity.vague or (read.quantity.most or read.quantity.least) > 1
        single = canonical(name[-1]) == name[-1] and name[-1] not in _INVARIANT
        if many and single and word(self.found, stop).isalpha() and word(self.found, stop) not in _BOUNDARY:
            return nothing  # "three egg omelette"
        if self.words[stop : stop + 3] == ["at", "a", "time"]:
            return nothing
        while word(self.found, start) in ("-", "more", "extra", "additional", "whole"):
            start += 1
        if stop - start > 1 and (portion := PORTIONS.get(name[-1], "")) in _PARTS_OF:
            mention = self._mention(at, read, portion, start, stop - 1, True)  # "two garlic cloves"
            return stop, [replace(mention, stop=self.found[stop - 1].stop)]
        return stop, [self._mention(at, read, "", start, stop, True)]

    def _sized(self, at: int, read: Read) -> tuple[int, list[AmountMention]] | None:
        """`2 (14 oz) cans tomatoes`, "a two inch piece of ginger", "14-ounce can of beans": packages of a size."""
        inner, place, outer = read, read.stop, Read(Quantity(Fraction(1)), read.stop)
        bracket = word(self.found, place) == "("
        if (split := split_hundreds(self.found, at)) is not None:
            # "two twenty eight ounce cans" are no 228 ounces.
            outer, inner = split
            place = inner.stop
        elif (second := read_quantity(self.found, place + bracket)) is not None:
            inner, place, outer = second, second.stop, read
        place = self._past(place, {"-"})
        size, after = self._unit(place)
        if word(self.found, place) in _SIZES:
            size, after = _SIZES[word(self.found, place)], place + 1
        elif size not in MEASURES.values():
            return None
        after = self._past(after, {"-", ")"})
        package, after = self._unit(after)
        if not size or not package or package in MEASURES.values():
            return None
        start, stop, food = self._name(after + (word(self.found, after) == "of"))
        unit = f"({inner.quantity} {size}) {package}"
        return (stop, [self._mention(at, outer, unit, start, stop, True)]) if food else (after, [])

    def _rest(self, read: Read, after: int) -> tuple[Read, int]:
        """What is said after the unit: "a cup and a half", "a clove or two"."""
        least = read.quantity.least
        if read.quantity.most is None and (more := added_fraction(self.found, after)) is not None:
            return Read(Quantity(least + more.quantity.least), more.stop), more.stop
        if read.quantity.most is None and word(self.found, after) == "or":
            second = read_number(self.found, after + 1)
            next_one = second is not None and not second.bare and second.quantity.least == least + 1
            if second and next_one and not self._unit(self._past(second.stop, _FULL))[0]:
                return Read(Quantity(least, second.quantity.least), second.stop), second.stop
        return read, after

    def _smaller(self, at: int, read: Read, unit: str, after: int, free: int) -> tuple[Read, str, int] | None:
        """`1 lb 8 oz` is 24 oz, "a cup plus two tablespoons" 18 tablespoons."""
        joined = word(self.found, after)
        added = joined == "plus" or (joined == "and" and not self._name_before(at, free))
        if added:
            second = read_quantity(self.found, after + 1)
        else:
            second = read_number(self.found, after + (joined in ("and", ",")))
        if second is None or read.quantity.most is not None or read.quantity.vague or second.quantity.vague:
            return None
        small, stop = self._unit(second.stop)
        size = (_SMALLER | _SPOONS if added else _SMALLER).get((unit, small))
        if size is None:
            return None
        large, least, most = read.quantity.least * size, second.quantity.least, second.quantity.most
        return Read(Quantity(large + least, None if most is None else large + most), stop), small, stop

    def _unit(self, at: int) -> tuple[str, int]:
        """The short form of the unit at a piece, and the piece after it."""
        text = word(self.found, at)
        if text in ("fl", "fluid") and MEASURES.get(word(self.found, self._past(at + 1, {"."}))) == "oz":
            return "fl oz", self._past(at + 1, {"."}) + 1
        if text in ("t", "c") and at and self.words[at - 1][-1:].isdigit():
            # Only where a food follows at once: "2 T soy sauce", "1 c flour"; 180 C is hot.
            large = self.text[self.found[at].start].isupper()
            follows = self._name(self._past(at + 1, {".", "of"}))
            unit = "cup" if text == "c" else "tbsp" if large else "tsp"
            return (unit, self._past(at + 1, {"."})) if follows[2] else ("", at)
        unit = MEASURES.get(text) or PORTIONS.get(text) or ""
        dotted = unit and len(text) < 5 and word(self.found, at + 1) == "." and self._adjoins(at + 1)
        return unit, at + 1 + bool(dotted) if unit else at

    def _past(self, at: int, words: frozenset[str] | set[str]) -> int:
        while word(self.found, at) in words:
            at += 1
        return at

    def _adjoins(self, at: int) -> bool:
        """Whether no blank stands before this piece, and something stands after it."""
        return self.found[at].start == self.found[at - 1].stop and at + 1 < len(self.found)

    def _name(self, at: int) -> tuple[int, int, bool]:
        """Pieces [start, stop) of the name at a place, and whether it is a food; without a food, up to three words."""
        start = self._past(at, _DETERMINERS)
        window = start
        while window < len(self.found) and window < start + 7 and not self._ends_name(window):
            window += 1
        words = self.words[:window]
        for place in range(start, window):
            if length := self.foods.at(words, place):
                return start, place + length, True
        return start, min(window, start + 3), False

    def _ends_name(self, at: int) -> bool:
        text = self.words[at]
        if text == "all" and "purpose" in self.words[at + 1 : at + 3]:
            return False
        if text == "-":
            return not (self._adjoins(at) and self.found[at].stop == self.found[at + 1].start)
        return text in _BOUNDARY or not text[0].isalpha() or read_number(self.found, at) is not None

    def _names(self, at: int) -> Iterator[tuple[int, int, bool]]:
        """The names of a list: "salt, pepper and paprika"."""
        at += word(self.found, at) == "of"
        while True:
            start, stop, food = self._name(at)
            if not food:
                return
            yield start, stop, food
            at = self._past(stop, {",", "and"})
            if at == stop:
                return

    def _name_before(self, at: int, free: int) -> tuple[int, int, bool] | None:
        """The name before a quantity: "butter, about two tablespoons", "soy sauce: 2 tbsp"."""
        stop = at
        while stop > free and self.words[stop - 1] in _ABOUT:
            stop -= 1
        start = stop
        while start > free and stop - start < 4 and not self._ends_name(start - 1):
            start -= 1
        for place in range(start, stop):
            if place + self.foods.at(self.words[:stop], place) == stop:
                while start < place and self.words[start] in _DETERMINERS:
                    start += 1
                return start, stop, True
        return None

    def _mention(self, at: int, read: Read, unit: str, start: int, stop: int, food: bool) -> AmountMention:
        name = self.text[self.found[start].start : self.found[stop - 1].stop] if stop > start else ""
        end = self.found[max(stop, read.stop, at + 1) - 1].stop
        return AmountMention(self.found[at].start, end, read.quantity, unit, name, food)
