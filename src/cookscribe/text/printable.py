"""Text from outside, made safe to show: file names, subtitles, edited recipes and error messages may hold anything.

What a terminal would obey (escape codes, control characters), what turns a line around (bidirectional marks) and what
is no text at all (halves of surrogate pairs) reaches neither a screen nor a file.
"""

import re
from unicodedata import category

# A body never holds the beginning of another code: so each is looked at once, however many are left open.
_ESCAPE_CODES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9b-\x9f]*(?:\x07|\x1b\\|\x9c)"  # window titles, links
    r"|\x1b[ -/]*[0-~]"
)
_JOINERS = "\u200c\u200d"  # they shape Persian and Hindi words, and hold emoji together


def printable(text: str) -> str:
    """The text without anything that is not shown; blanks stay as they are, so that a file's name is still its name."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _shown(c) for c in _ESCAPE_CODES.sub("", text))


def one_line(text: str) -> str:
    """The printable text with every run of blanks and line ends as one blank, none at its ends."""
    return " ".join(printable(text).split())


def _shown(character: str) -> str:
    kind = category(character)
    if kind == "Cs":
        return "\N{REPLACEMENT CHARACTER}"
    if kind == "Cf":
        return character if character in _JOINERS else ""
    return " "


def full_sentence(sentence: str) -> str:
    """With a capital and a full stop, as people read it; documents keep the words as the model wrote them."""
    ended = sentence.rstrip("\"')]”’").endswith((".", "!", "?", "…", ":", ";"))
    return sentence[:1].upper() + sentence[1:] + ("" if ended else ".")
