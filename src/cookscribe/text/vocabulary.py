"""`Vocabulary`: the words a model may write, and their numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import MOST_DESCRIPTION, read_json, write_json
from cookscribe.text.tokens import ptb_tokens

PAD, BOS, EOS, UNK = range(4)
# The tokenizer turns brackets into `-lsb-`, so no sentence can contain one of these.
SPECIALS = ("[PAD]", "[BOS]", "[EOS]", "[UNK]")
FORMAT = "cookscribe-vocabulary-1"


@dataclass(frozen=True)
class Vocabulary:
    """Words by number; the first four are `SPECIALS`, the others sorted by how often they were seen.

    Attributes:
        words: all words, specials included; a word's position is its number.
    """

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.words[: len(SPECIALS)] != SPECIALS:
            raise BadValueError("vocabulary", f"does not begin with {' '.join(SPECIALS)}")
        if len(set(self.words)) != len(self.words):
            raise BadValueError("vocabulary", "holds a word twice")
        if not all(word and not any(letter in " \t\r\n" for letter in word) for word in self.words):
            raise BadValueError("vocabulary", "holds an empty word or one with a blank")

    @classmethod
    def build(cls, sentences: Iterable[str], min_count: int = 3) -> Self:
        """The words seen at least `min_count` times, most frequent first, equal counts by the alphabet."""
        counts = Counter(token for sentence in sentences for token in ptb_tokens(sentence))
        kept = [word for word, count in counts.items() if count >= min_count]
        return cls(SPECIALS + tuple(sorted(kept, key=lambda word: (-counts[word], word))))

    @cached_property
    def number(self) -> dict[str, int]:
        """Number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self.number

    def encode(self, sentence: str, limit: int | None = None) -> list[int]:
        """BOS, the numbers of the sentence's words (UNK for unknown ones), EOS; at most `limit` numbers in all.

        A sentence that is too long loses its end but keeps its EOS.
        """
        if limit is not None and limit < 2:
            raise BadValueError("vocabulary", f"a sentence needs room for BOS and EOS, got a limit of {limit}")
        words = [self.number.get(token, UNK) for token in ptb_tokens(sentence)]
        return [BOS, *(words if limit is None else words[: limit - 2]), EOS]

    def decode(self, numbers: Sequence[int]) -> str:
        """The words up to the first EOS, joined by blanks; PAD and BOS are left out, UNK stays as `[UNK]`."""
        words: list[str] = []
        for number in numbers:
            if number == EOS:
                break
            if not 0 <= number < len(self.words):
                raise BadValueError("vocabulary", f"has no word number {number}; it holds {len(self.words)}")
            if number not in (PAD, BOS):
                words.append(self.words[number])
        return " ".join(words)

    def save(self, path: Path) -> None:
        """Write as JSON, atomically."""
        write_json(path, {"format": FORMAT, "words": list(self.words)})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote; anything else is a `BadFileError`."""
        data = read_json(path, MOST_DESCRIPTION)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise BadFileError(path, "is not a vocabulary file", f"its format should be {FORMAT}")
        words = data.get("words")
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise BadFileError(path, "holds no list of words")
        try:
            return cls(tuple(words))
        except BadValueError as error:
            raise BadFileError(path, error.cause) from None
