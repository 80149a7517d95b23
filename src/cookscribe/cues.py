"""`Cue`: a piece of timed text that a sense took from a film, and all of a film's cues in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cookscribe.recipe import Source, Span


@dataclass(frozen=True)
class Cue:
    """What one sense says about a stretch of the film.

    Attributes:
        span: when, in seconds.
        source: "heard" (speech or subtitles), "read" (text on the screen) or "seen" (things and actions).
        text: in words, e.g. what was said, the line that was shown, or "chopped onion".
        confidence: how likely it is right, 0 to 1.
    """

    span: Span
    source: Source
    text: str
    confidence: float = 1.0


@dataclass(frozen=True)
class Cues:
    """The cues of one film, in order of their start."""

    cues: tuple[Cue, ...] = ()

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.cues, key=lambda cue: (cue.span.start, cue.span.end)))
        object.__setattr__(self, "cues", ordered)

    def __iter__(self) -> Iterator[Cue]:
        return iter(self.cues)

    def __len__(self) -> int:
        return len(self.cues)

    def __add__(self, other: Iterable[Cue]) -> Cues:
        return Cues((*self.cues, *other))

    def near(self, span: Span, before: float = 0.0, after: float = 0.0) -> Cues:
        """The cues that touch the span, or the seconds before and after it."""
        start, end = span.start - before, span.end + after
        return Cues(tuple(cue for cue in self.cues if cue.span.end >= start and cue.span.start <= end))

    def of(self, source: Source) -> Cues:
        """The cues of one sense."""
        return Cues(tuple(cue for cue in self.cues if cue.source == source))
