"""The words that sight learns: foods and tools that annotators marked, and cooking verbs, if there are enough."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cookscribe.learning.datasets.root import YouCook2
from cookscribe.senses.sight import Kind
from cookscribe.text.actions import ActionMatcher, packaged_verbs
from cookscribe.text.ingredients import IngredientMatcher, canonical, too_general
from cookscribe.text.tokens import ptb_tokens, word_set

# Marked as foods or tools, but nothing that one can see by itself.
_NO_THINGS = word_set(
    """
    it them top side edge everything ingredient heat center bottom line stir both all rest surface other each they
    this that these those inside outside half end middle gra fat sheet mixture
    """
)
# General words that are foods all the same when they stand alone.
_FOODS = word_set("sauce seed filling dressing oil juice roll")
# Verbs of which a picture says nothing.
_NOT_SEEN = word_set("let use keep set turn prepare")
LEAST_MARKED = 20  # times marked in all training sentences


def sight_words(data: YouCook2, sentences: Sequence[str], least: int) -> tuple[tuple[str, ...], tuple[Kind, ...]]:
    """Words and their kinds: those that at least `least` of the sentences of stills name."""
    marked: dict[str, Counter[tuple[str, ...]]] = {"F": Counter(), "T": Counter()}
    spelt: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    tags = data.tags()
    for video_id in data.videos("training"):
        for tag in (tag for step in tags.get(video_id, ()) for tag in step if tag.label in marked):
            tokens = ptb_tokens(tag.text.lower())
            for length in range(1, min(2, len(tokens)) + 1):
                key = tuple(canonical(token) for token in tokens[-length:])
                marked[tag.label][key] += 1
                spelt[key][" ".join(tokens[-length:])] += 1
    things: dict[str, Kind] = {}
    for key in sorted(spelt):
        food, tool = marked["F"][key], marked["T"][key]
        general = len(key) == 1 and too_general(key[0]) and key[0] not in _FOODS
        if max(food, tool) >= LEAST_MARKED and not _NO_THINGS & set(key) and not (general and food > tool):
            same = " ".join(key)
            things[same if same in spelt[key] else spelt[key].most_common(1)[0][0]] = "food" if food > tool else "tool"
    verbs = [verb for verb in packaged_verbs() if verb not in _NOT_SEEN]
    words = (*things, *verbs)
    actions: list[Kind] = ["action"] * len(verbs)
    kinds = (*things.values(), *actions)
    often = named_words(words, kinds, sentences).sum(axis=0) >= least
    kept = [n for n, enough in enumerate(often) if enough]
    return tuple(words[n] for n in kept), tuple(kinds[n] for n in kept)


def named_words(words: Sequence[str], kinds: Sequence[Kind], sentences: Sequence[str]) -> NDArray[np.float32]:
    """(S, W) 1 where a sentence names a word; of foods and tools the longest name counts."""
    things = [n for n, kind in enumerate(kinds) if kind != "action"]
    verbs = [n for n, kind in enumerate(kinds) if kind == "action"]
    matcher = IngredientMatcher([words[n] for n in things], partial=False)
    actions = ActionMatcher([words[n] for n in verbs])
    named = np.zeros((len(sentences), len(words)), dtype=np.float32)
    for row, sentence in enumerate(sentences):
        named[row, [things[n] for n in matcher.named(sentence)]] = 1.0
        named[row, [verbs[n] for n in actions.named(sentence)]] = 1.0
    return named
