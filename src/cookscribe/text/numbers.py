"""Numbers in English text, spoken and written: "two hundred and fifty", "1 1/2", "three quarters", "2-3", "a couple".

A text is cut into pieces (words, figures, signs) that know their place in it. Nothing is guessed: what is no number
gives None, and words that may be one only in company ("a", "half") are left to the caller's grammar.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

# Half-and-half is a food, not a number.
_PIECE = re.compile(
    r"(?i:half[- ]and[- ]half\b)|\d+(?:[.,]\d+)*(?:/\d+)?|[¼½¾⅐-⅞]|°|º|[^\W\d_]+(?:['’.][^\W\d_]+)*|[^\w\s]|_"
)
_ONE_TO_NINETEEN = """
one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_ONES = {name: number for number, name in enumerate(_ONE_TO_NINETEEN.split(), 1)}
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_PARTS = {
    "half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "eighth": 8, "eighths": 8,
}  # fmt: skip
_FIRST = {*_ONES, *_TENS, "a", "an", "another", "half", "quarter", "couple", "dozen", "hundred", "thousand", "between"}
FEW = "a few"  # said without a number


@dataclass(frozen=True)
class Piece:
    """A word in lower case, a figure or a sign, and the characters [start, stop) of the text that it is."""

    text: str
    start: int
    stop: int


@dataclass(frozen=True)
class Quantity:
    """How much: from `least` to `most` (None: no range); `vague` holds words that stand for no number ("a few")."""

    least: Fraction
    most: Fraction | None = None
    vague: str = ""

    def __str__(self) -> str:
        """In figures: "2", "1 1/2", "2-3"."""
        if self.vague:
            return self.vague
        return figures(self.least) + ("" if self.most is None else f"-{figures(self.most)}")


@dataclass(frozen=True)
class Read:
    """A quantity that was read, and the piece after it. `bare` numbers are "a" or "half": words of many meanings."""

    quantity: Quantity
    stop: int
    bare: bool = False


def pieces(text: str) -> list[Piece]:
    """The words, figures and signs of a text."""
    found = [Piece(match.group().lower(), match.start(), match.end()) for match in _PIECE.finditer(text)]
    return [replace(piece, text="half-and-half") if " and " in piece.text else piece for piece in found]


def figures(value: Fraction) -> str:
    """`3`, `1 1/2`, `2/3`; a decimal number where cooks do not use the fraction."""
    if value.denominator in (2, 3, 4, 8):
        whole, rest = divmod(value, 1)
        return f"{whole} {rest}" if whole else str(rest)
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"


def word(found: Sequence[Piece], at: int) -> str:
    """The piece at a place; empty before the first and after the last one."""
    return found[at].text if 0 <= at < len(found) else ""


def read_quantity(found: Sequence[Piece], at: int) -> Read | None:
    """The number or range that begins at a piece."""
    if (text := word(found, at)) not in _FIRST and not text[:1].isnumeric():
        return None
    if word(found, at) == "between" and (low := read_number(found, at + 1)) and word(found, low.stop) == "and":
        high = read_number(found, low.stop + 1)
        return _joined(low, high) if high else None
    first = read_number(found, at)
    if first is None or first.quantity.vague:
        return first
    connector = word(found, first.stop)
    if connector in ("to", "or", "-", "–", "—"):
        second = read_number(found, first.stop + 1)
        if second and (ranged := _joined(first, second)):
            return ranged
    elif word(found, at) in _ONES and _ONES.get(connector) == first.quantity.least + 1:
        # "three four potatoes"
        return Read(Quantity(first.quantity.least, Fraction(_ONES[connector])), first.stop + 1)
    return first


def _joined(low: Read, high: Read) -> Read | None:
    if high.quantity.vague or high.quantity.least <= low.quantity.least:
        return None
    return Read(Quantity(low.quantity.least, high.quantity.least), high.stop)


def read_number(found: Sequence[Piece], at: int) -> Read | None:
    """The number that begins at a piece, with its fraction."""
    text, after = word(found, at), word(found, at + 1)
    if text in ("a", "an", "another"):
        if after == "few":
            return Read(Quantity(Fraction(0), vague=FEW), at + 2)
        if after == "couple":
            return Read(Quantity(Fraction(2)), at + 2 + (word(found, at + 2) == "of"))
        if after == "dozen":
            return Read(Quantity(Fraction(12)), at + 2)
        if after in ("hundred", "thousand"):
            return _whole(found, at + 1)
        if after in _PARTS and (inner := _part(found, at + 1, 1)):
            return inner
        return Read(Quantity(Fraction(1)), at + 1, bare=True)
    if text in ("half", "quarter"):
        if text == "half" and after == "a" and word(found, at + 2) == "dozen":
            return Read(Quantity(Fraction(6)), at + 3)
        return _part(found, at, 1)
    if text == "couple":
        return Read(Quantity(Fraction(2)), at + 1 + (after == "of"))
    if text == "dozen":
        return Read(Quantity(Fraction(12)), at + 1)
    whole = _whole(found, at)
    if whole is None:
        return None
    return _with_fraction(found, whole)


def _with_fraction(found: Sequence[Piece], whole: Read) -> Read:
    value, stop = whole.quantity.least, whole.stop
    after = word(found, stop)
    hyphen = after == "-"
    if value.denominator == 1:
        fraction = _figure(word(found, stop + hyphen))
        if fraction is not None and 0 < fraction < 1 and word(found, stop + hyphen)[:1] != "0":
            return Read(Quantity(value + fraction), stop + hyphen + 1)
        if word(found, stop + hyphen) in _PARTS and 0 < value < 8:
            named = _part(found, stop + hyphen, int(value))
            if named:
                return named
        if after == "dozen":
            return Read(Quantity(value * 12), stop + 1)
        rest = added_fraction(found, stop)
        if rest:
            return Read(Quantity(value + rest.quantity.least), rest.stop)
    return whole


def added_fraction(found: Sequence[Piece], at: int) -> Read | None:
    """What is added after a number or a unit: "and a half", "and three quarters", "-and-a-half"."""
    at += word(found, at) == "-"
    if word(found, at) not in ("and", "&"):
        return None
    at += 1
    at += word(found, at) == "-"
    if word(found, at) in ("a", "an"):
        at += 1
        at += word(found, at) == "-"
        return _part(found, at, 1, article=False) if word(found, at) in _PARTS else None
    if word(found, at) in ("half", "quarter"):
        return _part(found, at, 1, article=False)
    if (count := _ONES.get(word(found, at), 0)) and word(found, at + 1) in _PARTS:
        return _part(found, at + 1, count, article=False)
    value = _figure(word(found, at))
    return Read(Quantity(value), at + 1) if value is not None and 0 < value < 1 else None


def _part(found: Sequence[Piece], at: int, count: int, *, article: bool = True) -> Read | None:
    """`count` halves, thirds ... of one; "of a" and "a" after them belong to them. "half the" is no number."""
    value = Fraction(count, _PARTS[word(found, at)])
    if value >= 1:
        return None
    stop = at + 1
    if article:
        if word(found, stop) == "of" and word(found, stop + 1) in ("a", "an"):
            stop += 2
        elif word(found, stop) in ("a", "an") and word(found, stop + 1) not in _PARTS:
            stop += 1
        elif word(found, stop) in ("of", "the", "my", "your", "this", "that", "these", "those", "our"):
            return None
    return Read(Quantity(value), stop, bare=True)


def _whole(found: Sequence[Piece], at: int) -> Read | None:
    """Figures or number words; "three fifty" is 350, "one point five" 1.5."""
    text = word(found, at)
    value = _figure(text)
    if value is not None:
        scale = {"hundred": 100, "thousand": 1000}.get(word(found, at + 1))
        return Read(Quantity(value * scale), at + 2) if scale else Read(Quantity(value), at + 1)
    total, stop = _below_hundred(found, at)
    if stop == at and text not in ("hundred", "thousand"):
        return None
    total = 1 if stop == at else total
    if word(found, stop) == "point" and word(found, stop + 1) in _ONES:
        return Read(Quantity(total + Fraction(_ONES[word(found, stop + 1)], 10)), stop + 2)
    for name, size in (("thousand", 1000), ("hundred", 100)):
        if word(found, stop) == name:
            total, stop = total * size, stop + 1
            joined = stop + (word(found, stop) == "and")
            rest, end = _below_hundred(found, joined)
            if end > joined and (joined == stop or word(found, end) not in _PARTS):
                total, stop = total + rest, end
            return Read(Quantity(Fraction(total)), stop)
    if 1 <= total <= 9 and word(found, stop) in _TENS:
        rest, stop = _below_hundred(found, stop)
        return Read(Quantity(Fraction(total * 100 + rest)), stop)
    return Read(Quantity(Fraction(total)), stop)


def split_hundreds(found: Sequence[Piece], at: int) -> tuple[Read, Read] | None:
    """The two numbers of "two twenty eight", where they are said to be two."""
    ones = _ONES.get(word(found, at), 0)
    if not 1 <= ones <= 9 or word(found, at + 1) not in _TENS:
        return None
    rest, stop = _below_hundred(found, at + 1)
    return Read(Quantity(Fraction(ones)), at + 1), Read(Quantity(Fraction(rest)), stop)


def _below_hundred(found: Sequence[Piece], at: int) -> tuple[int, int]:
    text = word(found, at)
    if text in _TENS:
        hyphen = word(found, at + 1) == "-"
        ones = _ONES.get(word(found, at + 1 + hyphen), 0)
        if 0 < ones < 10:
            return _TENS[text] + ones, at + 2 + hyphen
        return _TENS[text], at + 1
    return (_ONES[text], at + 1) if text in _ONES else (0, at)


def _figure(text: str) -> Fraction | None:
    """`2`, `1.5`, `1,5`, `1,000`, `3/4` or `¾`."""
    if len(text) == 1 and not text.isdigit():
        value = unicodedata.numeric(text, None) if unicodedata.category(text) == "No" else None
        return None if value is None else Fraction(value).limit_denominator(10)
    if not text[:1].isdigit() or not text.isascii() or len(text) > 12:
        return None
    if "/" in text:
        top, bottom = text.split("/")
        return Fraction(int(top), int(bottom)) if top.isdigit() and int(bottom) else None
    if re.fullmatch(r"\d{1,3}(,\d{3})+", text):
        return Fraction(int(text.replace(",", "")))
    return Fraction(text.replace(",", ".")) if re.fullmatch(r"\d+([.,]\d+)?", text) else None
