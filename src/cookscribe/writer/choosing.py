"""Which of several sentences is written: one that no cook would laugh at, that other evidence agrees with, and that
together with the others uses up the ingredients.

Whoever gives a list of ingredients says that all of them are used somewhere, and what was heard is mostly used, too. No
single sentence can know where, so the sentences of a film are chosen together, when all of their beams are there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from cookscribe.text.faults import FaultFinder
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.text.tokens import ptb_tokens

STORIES = 50  # recipes that are followed at once when the sentences of a film are chosen together
# How well sentences fit event n of a film by other evidence, to be added to their mean log-probabilities.
Judge = Callable[[int, Sequence[str]], Sequence[float]]


def best_sentence(sentences: Sequence[tuple[str, float]], earlier: Sequence[str], faults: FaultFinder) -> int:
    """Position of the sentence to write: the best one without faults if there is one.

    Args:
        sentences: each with what speaks for it; earlier: the sentences of the recipe so far.
    """
    clean = [n for n, (text, _) in enumerate(sentences) if not faults.of(text, earlier)] or range(len(sentences))
    return max(clean, key=lambda n: sentences[n][1])


@dataclass(frozen=True)
class Naming:
    """What a recipe gains by naming its ingredients.

    Attributes:
        ingredients: given by somebody, or heard.
        each: for every ingredient that a sentence names; first: more, for one that no sentence before it named.
    """

    ingredients: Sequence[str]
    each: float
    first: float


class _Story(NamedTuple):
    """The first sentences of a recipe by their places in their beams, and the ingredients that they name."""

    score: float
    named: frozenset[int]
    places: tuple[int, ...]
    sentences: frozenset[tuple[str, ...]]  # as tokens


def best_story(beams: Sequence[Sequence[tuple[str, float]]], faults: FaultFinder, naming: Naming) -> list[int]:
    """Positions of the sentences to write, one in the beam of every event: those whose scores and gains by naming have
    the highest sum, as far as a beam search over recipes finds them.

    Args:
        beams: for every event some sentences, each with what speaks for it. One with faults is taken only if the event
            has no other.
    """
    matcher = IngredientMatcher(naming.ingredients)
    stories = [_Story(0.0, frozenset(), (), frozenset())]
    for beam in beams:
        said = [tuple(ptb_tokens(text)) for text, _ in beam]
        sound = [not faults.of(text) for text, _ in beam]
        named = [matcher.named(text) for text, _ in beam]
        plain = [score + naming.each * len(names) for (_, score), names in zip(beam, named, strict=True)]
        best: dict[tuple[frozenset[int], int], _Story] = {}
        for story in stories:
            clean = [n for n in range(len(beam)) if sound[n] and said[n] not in story.sentences] or range(len(beam))
            for n in clean:
                all_named = story.named | named[n]
                score = story.score + plain[n] + naming.first * (len(all_named) - len(story.named))
                if (all_named, n) not in best or score > best[all_named, n].score:
                    longer = (*story.places, n), story.sentences | {said[n]}
                    best[all_named, n] = _Story(score, all_named, *longer)
        stories = sorted(best.values(), key=lambda story: -story.score)[:STORIES]
    return list(stories[0].places)
