"""Videos as the recipe model sees them: candidates, ingredients and true steps as numbers, padded to batches."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from cookscribe.candidates import Candidates
from cookscribe.learning.datasets.oracle import oracle_labels
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.model.batch import Targets
from cookscribe.model.story_config import Oracle
from cookscribe.model.story_input import Ints
from cookscribe.text.actions import ActionMatcher
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class StoryTruth:
    """What should be chosen and written: T steps that have an oracle candidate.

    Attributes:
        events: (T,) candidate of each step.
        words: per step, word ids with BOS and EOS.
        ingredients, actions: per step, the rows its sentence names.
        word_ingredients, word_actions: per step, pairs (word, row).
        times: (S, 2) borders of all true steps as shares of the video, those without an oracle candidate too.
    """

    events: Ints
    words: tuple[tuple[int, ...], ...]
    ingredients: tuple[tuple[int, ...], ...]
    actions: tuple[tuple[int, ...], ...]
    word_ingredients: tuple[tuple[tuple[int, int], ...], ...]
    word_actions: tuple[tuple[tuple[int, int], ...], ...]
    times: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.words)


def label_story(
    video: AnnotatedVideo,
    candidates: Candidates,
    vocabulary: Vocabulary,
    actions: ActionMatcher,
    oracle: Oracle,
    max_steps: int,
    max_words: int,
) -> StoryTruth:
    """The truth of one video. Steps without an oracle candidate are left out, for nothing shows them."""
    labels = oracle_labels(video.spans, candidates.spans, oracle)
    kept = [t for t in range(len(labels)) if labels[t] >= 0][:max_steps]
    matcher = IngredientMatcher(video.ingredients)
    words, named, done, word_named, word_done = [], [], [], [], []
    for t in kept:
        sentence = video.sentences[t]
        ids = tuple(vocabulary.encode(sentence, max_words + 2))
        ingredient_mentions, action_mentions = matcher.find(sentence), actions.find(sentence)
        words.append(ids)
        named.append(tuple(sorted({mention.ingredient for mention in ingredient_mentions})))
        done.append(tuple(sorted({mention.action for mention in action_mentions})))
        # The vector at position k predicts token k: BOS stands before it, and EOS comes last.
        last = len(ids) - 2
        word_named.append(tuple((k, m.ingredient) for m in ingredient_mentions for k in m.positions if k < last))
        word_done.append(tuple((k, m.action) for m in action_mentions for k in m.positions if k < last))
    return StoryTruth(
        np.asarray(labels[kept], dtype=np.int64),
        tuple(words),
        tuple(named),
        tuple(done),
        tuple(word_named),
        tuple(word_done),
        np.clip(video.spans / candidates.duration, 0.0, 1.0),
    )


def batch_targets(
    truths: Sequence[StoryTruth], ingredients: int, actions: int, device: torch.device | str = "cpu"
) -> Targets:
    """Pad the truths of several videos.

    Args:
        ingredients: M of the batch; actions: R.
    """
    size = len(truths)
    steps = max(len(truth) for truth in truths)
    length = max((len(ids) for truth in truths for ids in truth.words), default=2)
    events = np.full((size, steps), -1, dtype=np.int64)
    words = np.zeros((size, steps, length), dtype=np.int64)
    ingredient_used = np.zeros((size, steps, ingredients), dtype=bool)
    action_used = np.zeros((size, steps, actions), dtype=bool)
    word_ingredient = np.zeros((size, steps, length - 1, ingredients), dtype=bool)
    word_action = np.full((size, steps, length - 1), -1, dtype=np.int64)
    all_steps = max(len(truth.times) for truth in truths)
    true_times = np.zeros((size, all_steps, 2), dtype=np.float32)
    true_mask = np.zeros((size, all_steps), dtype=bool)
    for b, truth in enumerate(truths):
        true_times[b, : len(truth.times)] = truth.times
        true_mask[b, : len(truth.times)] = True
        events[b, : len(truth)] = truth.events + 1
        for t, ids in enumerate(truth.words):
            words[b, t, : len(ids)] = ids
            ingredient_used[b, t, list(truth.ingredients[t])] = True
            action_used[b, t, list(truth.actions[t])] = True
            for k, m in truth.word_ingredients[t]:
                word_ingredient[b, t, k, m] = True
            for k, r in truth.word_actions[t]:
                word_action[b, t, k] = r
    arrays = (events, words, ingredient_used, action_used, word_ingredient, word_action, true_times, true_mask)
    return Targets(*(torch.from_numpy(array).to(device) for array in arrays))
