"""Times, temperatures and servings in text: "for about five minutes", "350 degrees Fahrenheit", "serves four to six".

As with amounts, what does not fit the small grammar gives nothing: "in a minute" is no time to cook, "every two
minutes" no duration, and "until golden" has no number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from cookscribe.text.numbers import Piece, Quantity, Read, added_fraction, pieces, read_quantity, word
from cookscribe.text.tokens import word_set

_SECONDS = {
    spelling: size
    for size, spellings in (
        (1, "second seconds sec secs"),
        (60, "minute minutes min mins"),
        (3600, "hour hours hr hrs"),
        (86400, "day days"),
    )
    for spelling in spellings.split()
}
_ABOUT = word_set("about around roughly approximately maybe like another good just at least only full solid the a")
_BETWEEN = word_set("more good full extra additional solid whole -")
# "a minute" and "one day" are mostly figures of speech; after these words they are meant.
_MEANT = word_set("for about another least to around roughly minutes over takes take")
_PEOPLE = word_set("people persons person servings serving portions portion guests adults")
_SCALES: dict[str, Literal["C", "F"]] = {
    "f": "F", "fahrenheit": "F", "farenheit": "F", "c": "C", "celsius": "C", "centigrade": "C", "celcius": "C",
}  # fmt: skip
# Angles are said in degrees too; a temperature of these figures follows one of these words.
_ANGLES = (45, 90, 180, 360)
_HEATED = word_set("to at of on oven reaches reach is about around until preheat preheated heat heated temperature and")
_HOTTEST = 700
_TOTAL_BEFORE = ("total", "ready in", "done in", "table in", "start to finish", "altogether", "overall", "all in all")
_TOTAL_AFTER = ("total", "in total", "altogether", "all together", "from start", "start to finish", "all in all")
_MEAL = word_set("meal recipe dinner dish lunch breakfast supper")


@dataclass(frozen=True)
class Duration:
    """Characters [start, stop) of a text, seconds (`most` in a range), and whether all of the cooking is meant."""

    start: int
    stop: int
    seconds: float
    most: float | None
    total: bool


@dataclass(frozen=True)
class Heat:
    """Characters [start, stop) of a text, degrees (`most` in a range), and the scale if it is said."""

    start: int
    stop: int
    degrees: float
    most: float | None
    scale: Literal["C", "F"] | None


@dataclass(frozen=True)
class People:
    """Characters [start, stop) of a text, and for how many people the food is (`most` in a range)."""

    start: int
    stop: int
    people: int
    most: int | None


@lru_cache(maxsize=4096)
def find_durations(text: str) -> tuple[Duration, ...]:
    """All durations of a text, in order."""
    return tuple(_durations(text, pieces(text)))


def _durations(text: str, found: Sequence[Piece]) -> Iterator[Duration]:
    at = 0
    while at < len(found):
        read = _duration(found, at)
        if read is None:
            at += 1
            continue
        seconds, stop = read
        start, end = found[at].start, found[stop - 1].stop
        if not _figurative(found, at, stop):
            most = None if seconds.most is None else float(seconds.most)
            yield Duration(start, end, float(seconds.least), most, _is_total(text, found, start, stop))
        at = stop


def _duration(found: Sequence[Piece], at: int) -> tuple[Quantity, int] | None:
    """Seconds, and the piece after them; "one hour 20 minutes" and "45 seconds to a minute" are one."""
    first = _simple(found, at)
    if first is None:
        return None
    quantity, stop, size = first
    joined = stop + (word(found, stop) in ("and", ","))
    more = _simple(found, joined)
    if more and more[2] < size and quantity.most is None and word(found, joined) not in ("a", "an"):
        rest = more[0]
        most = None if rest.most is None else quantity.least + rest.most
        return Quantity(quantity.least + rest.least, most), more[1]
    if word(found, stop) in ("to", "or", "-", "–") and quantity.most is None:
        higher = _simple(found, stop + 1)
        if higher and higher[0].most is None and higher[0].least > quantity.least:
            return Quantity(quantity.least, higher[0].least), higher[1]
    return quantity, stop


def _simple(found: Sequence[Piece], at: int) -> tuple[Quantity, int, int] | None:
    """A number and a unit of time: seconds, the piece after, and the size of the unit."""
    read = read_quantity(found, at)
    if read is None or read.quantity.vague:
        return None
    place = read.stop
    while word(found, place) in _BETWEEN:
        place += 1
    unit = word(found, place)
    size = {"h": 3600, "s": 1}.get(unit, 0) if word(found, place - 1)[-1:].isdigit() else 0
    size = _SECONDS.get(unit, size)
    if not size:
        return None
    stop = place + 1
    stop += word(found, stop) == "." and len(unit) <= 4 and stop + 1 < len(found)
    quantity = read.quantity
    if (more := added_fraction(found, stop)) is not None and quantity.most is None:
        quantity, stop = Quantity(quantity.least + more.quantity.least), more.stop
    elif word(found, stop) == "or" and word(found, stop + 1) == "two" and quantity == Quantity(Fraction(1)):
        quantity, stop = Quantity(Fraction(1), Fraction(2)), stop + 2
    most = None if quantity.most is None else quantity.most * size
    return Quantity(quantity.least * size, most), stop, size


def _figurative(found: Sequence[Piece], at: int, stop: int) -> bool:
    """Whether no time to cook is meant: "in a minute", "the second", "every two minutes", "five minutes ago"."""
    before, unit = word(found, at - 1), word(found, stop - 1)
    if before in ("every", "last", "each", "first", "within") or word(found, stop) in ("ago", "old", "video", "videos"):
        return True
    if word(found, at) in ("a", "an", "one", "another") and stop == at + 2:
        if unit in ("second", "sec"):
            return True
        if unit in ("minute", "min", "day"):
            return before not in _MEANT
    return unit in ("day", "days") and before not in ("for", "to", "about", "or", "least")


def _is_total(text: str, found: Sequence[Piece], start: int, stop: int) -> bool:
    """Whether the words around say that the whole recipe takes so long."""
    before = text[max(0, start - 40) : start].lower()
    after = text[found[stop - 1].stop :][:30].lower().lstrip()
    if "prep" in before or "cook time" in before:
        return False
    said = any(words in before[-24:] for words in _TOTAL_BEFORE) or after.startswith(_TOTAL_AFTER)
    return said or word(found, stop) in _MEAL


@lru_cache(maxsize=4096)
def find_heats(text: str) -> tuple[Heat, ...]:
    """All temperatures of a text, in order."""
    found = pieces(text)
    heats, at = [], 0
    while at < len(found):
        read = read_quantity(found, at)
        heat = None if read is None or read.bare or read.quantity.vague else _heat(text, found, at, read)
        if heat is not None:
            heats.append(heat)
        at = max(at + 1, read.stop if read else 0)
    return tuple(heats)


def _heat(text: str, found: Sequence[Piece], at: int, read: Read) -> Heat | None:
    least, most = read.quantity.least, read.quantity.most
    if max(least, most or 0) > _HOTTEST:
        return None
    stop = read.stop + (word(found, read.stop) == "-")
    marked = word(found, stop) in ("degrees", "degree", "deg", "°", "º")
    stop += marked
    scale = _SCALES.get(word(found, stop))
    letter = len(word(found, stop)) == 1
    if letter and not marked and text[found[stop].start].islower():
        scale = None  # "2 c" is two cups
    if scale is not None:
        stop += 1
    elif marked:
        if least in _ANGLES and word(found, at - 1) not in _HEATED:
            return None
    else:
        # "Set the oven to 350": said of an oven only.
        near = [word(found, place) for place in range(max(0, at - 5), at)]
        follows = word(found, stop)
        if "oven" not in near or near[-1] not in ("to", "at") or least < 100 or follows[:1].isdigit():
            return None
        if follows in _SECONDS or follows in ("g", "grams", "ml"):
            return None
    high = None if most is None else float(most)
    return Heat(found[at].start, found[stop - 1].stop, float(least), high, scale)


def find_people(text: str) -> list[People]:
    """For how many people the food is said to be, in order."""
    found = pieces(text)
    result: list[People] = []
    for at in range(len(found)):
        if (people := _served(found, at)) is not None and (not result or people.start >= result[-1].stop):
            result.append(people)
    return result


def _served(found: Sequence[Piece], at: int) -> People | None:
    """`serves four`, "feeds 4 to 6", "enough for two people", "makes 4 servings", "servings: 4"."""
    verb, place = word(found, at), at + 1
    if word(found, place) == "for" and verb in ("enough", "serving", "recipe"):
        verb, place = "for", place + 1
    while word(found, place) in _ABOUT or word(found, place) in (":", "up", "to"):
        place += 1
    read = read_quantity(found, place)
    if read is None or read.bare or read.quantity.vague:
        return None
    stop, told = read.stop, False
    while word(found, stop) in ("hungry", "to", "hearty", "generous"):
        stop += 1
    if word(found, stop) in _PEOPLE:
        stop, told = stop + 1, True
    else:
        stop = read.stop
    willing = word(found, at - 1) in ("will", "can", "should", "to", "could")
    alone = verb in ("serves", "feeds", "servings", "serving") or (verb in ("serve", "feed") and willing)
    if not (alone or (told and verb in ("for", "makes", "make", "yields", "serve", "feed", "about"))):
        return None
    least, most = read.quantity.least, read.quantity.most
    if least.denominator != 1 or not 1 <= least <= 1000 or (most is not None and most.denominator != 1):
        return None
    return People(found[at].start, found[stop - 1].stop, int(least), None if most is None else int(most))
