"""How well ingredient and action matching agree with published labels, and where they do not.

The published SVPC labels are word matching themselves: an ingredient is marked where its name is a *substring* of the
sentence ("oil" in "boil"), the actions of the train file include nouns ("oil", "pepper"), and those of the val and test
files leave out many verbs. Agreement with them is no measure of truth, so the kinds of disagreement are reported too.
The tagged phrases of the ingredient annotations are a second reference for actions, made independently of SVPC.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.svpc import AlignedVideo
from cookscribe.learning.datasets.youcook2 import Tag
from cookscribe.text.actions import ActionMatcher
from cookscribe.text.inflection import verb_forms
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.text.tokens import ptb_tokens

ACTION_TAGS = frozenset({"Ac", "Ac2", "Af"})


@dataclass
class Agreement:
    """Counts of (step, name) pairs.

    Attributes:
        steps: number of sentences.
        both: pairs that were found and are labelled.
        only_found, only_labelled: kinds of disagreement with their counts.
        examples: (kind, name, sentence) of every disagreement.
    """

    steps: int = 0
    both: int = 0
    only_found: Counter[str] = field(default_factory=Counter)
    only_labelled: Counter[str] = field(default_factory=Counter)
    examples: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of the found pairs that are labelled."""
        return self.both / max(self.both + self.only_found.total(), 1)

    @property
    def recall(self) -> float:
        """Share of the labelled pairs that were found."""
        return self.both / max(self.both + self.only_labelled.total(), 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        return 2 * self.precision * self.recall / max(self.precision + self.recall, 1e-12)

    def _differ(self, counts: Counter[str], kind: str, name: str, sentence: str) -> None:
        counts[kind] += 1
        self.examples.append((kind, name, sentence))


def measure_ingredients(videos: Iterable[AlignedVideo], *, partial: bool = True) -> Agreement:
    """Ingredient matching against the alignments of SVPC files."""
    result = Agreement()
    for aligned in videos:
        names = aligned.video.ingredients
        matcher = IngredientMatcher(names, partial=partial)
        for sentence, row in zip(aligned.video.sentences, aligned.alignment, strict=True):
            mentions = matcher.find(sentence)
            whole = {mention.ingredient for mention in mentions if mention.whole}
            found = {mention.ingredient for mention in mentions}
            labelled = {position for position, mark in enumerate(row) if mark}
            taken = {place for mention in mentions for place in mention.positions}
            result.steps += 1
            result.both += len(found & labelled)
            for position in sorted(found - labelled):
                kind = "other number" if position in whole else "part of the name"
                result._differ(result.only_found, kind, names[position], sentence)
            for position in sorted(labelled - found):
                kind = _why_not_found(names[position], sentence, taken)
                result._differ(result.only_labelled, kind, names[position], sentence)
    return result


def _why_not_found(name: str, sentence: str, taken: set[int]) -> str:
    tokens, words = ptb_tokens(sentence), ptb_tokens(name)
    starts = [i for i in range(len(tokens)) if words and tokens[i : i + len(words)] == words]
    if not starts:
        return "inside another word"
    return "inside a longer name" if any(i in taken for i in starts) else "other"


def measure_actions(videos: Iterable[AlignedVideo], verbs: Sequence[str]) -> Agreement:
    """Action matching against the actions of SVPC files."""
    matcher, result = ActionMatcher(verbs), Agreement()
    for aligned in videos:
        for sentence, numbers in zip(aligned.video.sentences, aligned.action_ids, strict=True):
            _compare(result, matcher, sentence, set(numbers))
    return result


def measure_actions_by_tags(
    videos: Iterable[tuple[AnnotatedVideo, Sequence[Sequence[Tag]]]], verbs: Sequence[str]
) -> Agreement:
    """Action matching against phrases tagged as actions; the first listed verb of a phrase is its action."""
    matcher, result = ActionMatcher(verbs), Agreement()
    by_form: dict[str, int] = {}
    for number, verb in enumerate(verbs):
        for form in verb_forms(verb):
            by_form.setdefault(form, number)
    for video, tags in videos:
        for sentence, phrases in zip(video.sentences, tags, strict=True):
            labelled: set[int] = set()
            for phrase in phrases:
                if phrase.label in ACTION_TAGS:
                    labelled |= set([by_form[word] for word in phrase.text.split() if word in by_form][:1])
            _compare(result, matcher, sentence, labelled)
    return result


def _compare(result: Agreement, matcher: ActionMatcher, sentence: str, labelled: set[int]) -> None:
    found = matcher.named(sentence)
    result.steps += 1
    result.both += len(found & labelled)
    for number in sorted(found - labelled):
        result._differ(result.only_found, matcher.verbs[number], matcher.verbs[number], sentence)
    for number in sorted(labelled - found):
        result._differ(result.only_labelled, matcher.verbs[number], matcher.verbs[number], sentence)
