"""Ingredient F1: does the predicted recipe name the ingredients that the true recipe names?

An ingredient of the video's own list is named when the list's name, its other number or an unmistakable part of it
("cheese" for "parmesan cheese") stands in a sentence. Beyond the own list, a recipe also names every ingredient of any
other video's list whose whole name stands in words not taken yet: otherwise a wrong ingredient would cost nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    hits, guessed, wanted = (int(total) for total in ingredient_counts(videos, ingredients).sum(axis=0))
    precision = hits / guessed if guessed else 0.0
    recall = hits / wanted if wanted else 0.0
    return IngredientScore(precision, recall, f1_score(precision, recall))


def ingredient_counts(videos: Sequence[Video], ingredients: Mapping[str, Sequence[str]]) -> NDArray[np.int64]:
    """(V, 3) ingredients that both recipes of a video name, that the predicted one names, that the true one names.

    Args:
        videos, ingredients: as of `ingredient_score`; videos without a list have zeros.
    """
    bare = bare_ids(video.id for video in videos)
    listed = {n: ingredients[bare[video.id]] for n, video in enumerate(videos) if bare[video.id] in ingredients}
    if not listed:
        raise BadValueError("ingredients", "not one video of the truth has an ingredient list")
    every_name = list(dict.fromkeys(name for names in listed.values() for name in names))
    anywhere = IngredientMatcher(every_name, partial=False)
    counts = np.zeros((len(videos), 3), dtype=np.int64)
    for n, names in listed.items():
        own, video = IngredientMatcher(names), videos[n]
        true = _named(video.truth.sentences, own, anywhere)
        predicted = _named(video.predicted.sentences if video.predicted is not None else (), own, anywhere)
        counts[n] = len(true & predicted), len(predicted), len(true)
    return counts


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
