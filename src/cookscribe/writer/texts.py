"""Evidence and sentences as tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from cookscribe.writer.evidence import EventEvidence, FilmEvidence, event_lines, header, sentence_line

if TYPE_CHECKING:
    from tokenizers import Tokenizer

START = "<|endoftext|>"  # between two texts, as in the model's own training
END = "\n"  # of a sentence


def padded(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """(B, T) token numbers of B rows, the shorter ones padded on the right, and where there are tokens."""
    tokens = torch.zeros(len(rows), max(len(row) for row in rows), dtype=torch.long)
    mask = torch.zeros_like(tokens, dtype=torch.bool)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = torch.tensor(row)
        mask[number, : len(row)] = True
    return tokens, mask


@dataclass(frozen=True)
class Encoder:
    """Turns lines into token numbers with the tokenizer of the language model."""

    tokenizer: Tokenizer

    def tokens(self, text: str) -> list[int]:
        """Of any text; what looks like a special token is text, too."""
        found: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return found

    @property
    def start(self) -> int:
        """Number of the token before a text."""
        number = self.tokenizer.token_to_id(START)
        return 0 if number is None else int(number)

    @property
    def end(self) -> int:
        """Number of the token that ends a sentence."""
        return self.tokens(END)[0]

    def beginning(self, film: FilmEvidence) -> list[int]:
        """Tokens before the first event."""
        return [self.start, *self.tokens(header(film))]

    def event(self, film: FilmEvidence, number: int) -> list[int]:
        """Tokens of an event (from 0) up to its sentence."""
        return self.tokens(event_lines(film.events[number], number + 1, len(film.events)))

    def sentence(self, text: str) -> list[int]:
        """Tokens of a sentence with its end."""
        return self.tokens(sentence_line(text))

    def told(self, film: FilmEvidence, sentences: Sequence[str], last: int) -> list[int]:
        """The beginning of a film and the last of the sentences written so far, without their evidence."""
        tokens = self.beginning(film)
        for number in range(max(0, len(sentences) - last), len(sentences)):
            tokens += self.tokens(event_lines(EventEvidence(), number + 1, len(film.events)))
            tokens += self.sentence(sentences[number])
        return tokens

    def story(self, film: FilmEvidence, sentences: Sequence[str]) -> tuple[list[int], list[bool]]:
        """A whole film with its sentences, and which tokens are those of sentences."""
        tokens = self.beginning(film)
        written = [False] * len(tokens)
        for number, sentence in enumerate(sentences):
            event, said = self.event(film, number), self.sentence(sentence)
            tokens += event + said
            written += [False] * len(event) + [True] * len(said)
        return tokens, written
