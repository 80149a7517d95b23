"""Ingredient F1: does the predicted recipe name the ingredients that the true recipe names?

An ingredient of the video's own list is named when the list's name, its other number or an unmistakable part of it
("cheese" for "parmesan cheese") stands in a sentence. Beyond the own list, a recipe also names every ingredient of any
other video's list whose whole name stands in words not taken yet: otherwise a wrong ingredient would cost nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cookscribe.errors import BadValueError
from cookscribe.evaluation.events import Video
from cookscribe.evaluation.localisation import f1_score
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.validation import bare_ids


@dataclass(frozen=True)
class IngredientScore:
    """Pooled over all videos that have an ingredient list, as fractions."""

    precision: float
    recall: float
    f1: float


def ingredient_score(videos: Sequence[Video], ingredients: Mapping[str, Sequence[str]]) -> IngredientScore:
    """Score the ingredients named.

    Args:
        videos: aligned videos.
        ingredients: ingredient list by bare video id. Videos without one are left out.

    Raises:
        BadValueError: no video has a list.
    """
    bare = bare_ids(video.id for video in videos)
    listed = [(video, ingredients[bare[video.id]]) for video in videos if bare[video.id] in ingredients]
    if not listed:
        raise BadValueError("ingredients", "not one video of the truth has an ingredient list")
    every_name = list(dict.fromkeys(name for _, names in listed for name in names))
    anywhere = IngredientMatcher(every_name, partial=False)
    hits = guessed = wanted = 0
    for video, names in listed:
        own = IngredientMatcher(names)
        true = _named(video.truth.sentences, own, anywhere)
        predicted = _named(video.predicted.sentences if video.predicted is not None else (), own, anywhere)
        hits += len(true & predicted)
        guessed += len(predicted)
        wanted += len(true)
    precision = hits / guessed if guessed else 0.0
    recall = hits / wanted if wanted else 0.0
    return IngredientScore(precision, recall, f1_score(precision, recall))


def _named(sentences: Sequence[str], own: IngredientMatcher, anywhere: IngredientMatcher) -> frozenset[tuple[str, int]]:
    found: set[tuple[str, int]] = set()
    for sentence in sentences:
        mentions = own.find(sentence)
        taken = {place for mention in mentions for place in mention.positions}
        found |= {("own", mention.ingredient) for mention in mentions}
        found |= {
            ("other", mention.ingredient) for mention in anywhere.find(sentence) if taken.isdisjoint(mention.positions)
        }
    return frozenset(found)
