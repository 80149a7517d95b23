"""How well ingredient and action matching agree with published labels.

The published SVPC labels are word matching themselves: an ingredient is marked where its name is a *substring* of the
sentence ("oil" in "boil"), the actions of the train file include nouns ("oil", "pepper"), and those of the val and test
files leave out many verbs. Agreement with them is no measure of truth. The tagged phrases of the ingredient annotations
are a second reference for actions, made independently of SVPC.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

import numpy as np

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.svpc import AlignedVideo
from cookscribe.learning.datasets.youcook2 import Tag
from cookscribe.text.actions import ActionMatcher
from cookscribe.text.inflection import verb_forms
from cookscribe.text.ingredients import IngredientMatcher

ACTION_TAGS = frozenset({"Ac", "Ac2", "Af"})


@dataclass(frozen=True)
class Agreement:
    """Numbers of sentences, and of (sentence, name) pairs: found, labelled, and both."""

    steps: int
    found: int
    labelled: int
    both: int

    @property
    def precision(self) -> float:
        """Share of the found pairs that are labelled."""
        return self.both / max(self.found, 1)

    @property
    def recall(self) -> float:
        """Share of the labelled pairs that were found."""
        return self.both / max(self.labelled, 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        return 2 * self.both / max(self.found + self.labelled, 1)


def _agreement(pairs: Iterable[tuple[Set[int], Set[int]]]) -> Agreement:
    """Of what is found and what is labelled in each sentence."""
    counts = [(len(found), len(labelled), len(found & labelled)) for found, labelled in pairs]
    return Agreement(len(counts), *(sum(column) for column in zip(*counts, strict=True)) if counts else (0, 0, 0))


def measure_ingredients(videos: Iterable[AlignedVideo], *, partial: bool = True) -> Agreement:
    """Ingredient matching against the alignments of SVPC files."""
    matchers = ((one, IngredientMatcher(one.video.ingredients, partial=partial)) for one in videos)
    return _agreement(
        (matcher.named(sentence), set(np.flatnonzero(row).tolist()))
        for aligned, matcher in matchers
        for sentence, row in zip(aligned.video.sentences, aligned.alignment, strict=True)
    )


def measure_actions(videos: Iterable[AlignedVideo], verbs: Sequence[str]) -> Agreement:
    """Action matching against the actions of SVPC files."""
    matcher = ActionMatcher(verbs)
    return _agreement(
        (matcher.named(sentence), set(numbers))
        for aligned in videos
        for sentence, numbers in zip(aligned.video.sentences, aligned.action_ids, strict=True)
    )


def measure_actions_by_tags(
    videos: Iterable[tuple[AnnotatedVideo, Sequence[Sequence[Tag]]]], verbs: Sequence[str]
) -> Agreement:
    """Action matching against phrases tagged as actions; the first listed verb of a phrase is its action."""
    matcher = ActionMatcher(verbs)
    by_form: dict[str, int] = {}
    for number, verb in enumerate(verbs):
        for form in verb_forms(verb):
            by_form.setdefault(form, number)

    def labelled(phrases: Sequence[Tag]) -> set[int]:
        known = ([by_form[word] for word in phrase.text.split() if word in by_form] for phrase in phrases)
        return {verbs[0] for verbs, phrase in zip(known, phrases, strict=True) if verbs and phrase.label in ACTION_TAGS}

    return _agreement(
        (matcher.named(sentence), labelled(phrases))
        for video, tags in videos
        for sentence, phrases in zip(video.sentences, tags, strict=True)
    )
