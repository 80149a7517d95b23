"""METEOR's paraphrase table, cut down to the entries that the captions at hand can use.

The program reads all 5.3 million entries of its table before it answers, which costs it 8 to 10 seconds of processor
time, and then looks up a few thousand. An entry matters only if every word of both its phrases stands in the captions.
So the table is kept once in a compact form in the user's cache, the entries that matter are taken out of it in a
fraction of a second, and the program reads these alone: its answers are the same, digit for digit.
"""

import gzip
import re
import struct
import sys
import zipfile
from array import array
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cookscribe.errors import BadFileError
from cookscribe.files import replacing, user_cache

_PROBABILITY = b"1"  # the program asks for one and does not use it
# Runs of letters and digits. The program also splits captions at marks, at some points and before an apostrophe.
_RUNS = re.compile(r"\w+")


class ParaphraseTable(NamedTuple):
    """The table as numbers, in the order of the file.

    Attributes:
        words: the words of all phrases.
        content: (N,) words of phrase after phrase, as places in `words`.
        start: (P,) where each phrase begins in `content`.
        left, right: (E,) the phrases of each entry.
    """

    words: list[str]
    content: NDArray[np.uint16]
    start: NDArray[np.uint32]
    left: NDArray[np.uint32]
    right: NDArray[np.uint32]

    def entries(self, vocabulary: set[str]) -> bytes:
        """The entries that use words of the vocabulary and marks alone, in the form of METEOR's table."""
        known = np.array([word in vocabulary or not any(letter.isalnum() for letter in word) for word in self.words])
        usable = np.logical_and.reduceat(known[self.content], self.start)
        kept = np.flatnonzero(usable[self.left] & usable[self.right])
        ends = np.append(self.start[1:], len(self.content))
        phrases = {
            phrase: " ".join(self.words[word] for word in self.content[self.start[phrase] : ends[phrase]])
            for phrase in np.unique(np.concatenate([self.left[kept], self.right[kept]])).tolist()
        }
        lines = [
            b"%s\n%s\n%s\n" % (_PROBABILITY, phrases[left].encode(), phrases[right].encode())
            for left, right in zip(self.left[kept].tolist(), self.right[kept].tolist(), strict=True)
        ]
        return gzip.compress(b"".join(lines), compresslevel=1)


def possible_words(captions: Iterable[str]) -> set[str]:
    """All words that METEOR can make of the captions, and some that it cannot."""
    found: set[str] = set()
    for word in {word for caption in captions for word in caption.lower().split()}:
        found.add(word)
        if not (word.isascii() and word.isalnum()):
            for run in _RUNS.findall(word):
                found |= {run, f"'{run}", f"{run}.", *run.split("_")}
            found.add(word.rstrip(".,"))
    return found


def paraphrase_table(source: Path) -> ParaphraseTable | None:
    """The table of METEOR's file, from the cache if it is there; None if no copy can be kept."""
    with source.open("rb") as file:
        file.seek(-8, 2)
        checksum, size = struct.unpack("<II", file.read(8))  # of the contents, as gzip writes them at its end
    copy = user_cache() / "meteor" / f"paraphrases-{checksum:08x}-{size}.npz"
    with suppress(OSError, ValueError, KeyError, zipfile.BadZipFile):
        return _read(copy)
    if sys.stderr.isatty():
        print("keeping METEOR's paraphrase table in a compact form, once: some 15 seconds", file=sys.stderr)
    table = _compact(source)
    try:
        with replacing(copy) as temporary:
            arrays = table._asdict() | {"words": np.frombuffer("\n".join(table.words).encode(), dtype=np.uint8)}
            np.savez(temporary, **arrays)
    except BadFileError:
        return None  # each run would have to make the copy again, and the program is quicker at that
    return table


def _read(copy: Path) -> ParaphraseTable:
    with np.load(copy, allow_pickle=False) as arrays:
        words = arrays["words"].tobytes().decode().split("\n")
        return ParaphraseTable(words, *(arrays[name] for name in ("content", "start", "left", "right")))


def _compact(source: Path) -> ParaphraseTable:
    """Read METEOR's file: a probability and two phrases, a line each, for every entry."""
    phrases: dict[str, int] = {}
    sides = array("I"), array("I")
    with gzip.open(source, "rt", encoding="utf-8", newline="\n") as lines:
        for _ in lines:
            for side in sides:
                side.append(phrases.setdefault(next(lines).rstrip("\n"), len(phrases)))
    words: dict[str, int] = {}
    content, start = array("H"), array("I")
    for phrase in phrases:
        start.append(len(content))
        content.extend(words.setdefault(word, len(words)) for word in phrase.split(" "))
    return ParaphraseTable(
        list(words),
        np.frombuffer(content, dtype=np.uint16),
        np.frombuffer(start, dtype=np.uint32),
        np.frombuffer(sides[0], dtype=np.uint32),
        np.frombuffer(sides[1], dtype=np.uint32),
    )
