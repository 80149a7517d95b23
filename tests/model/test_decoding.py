"""Decoding: the cache changes nothing, and the rules of a story hold whatever the weights are."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from cookscribe.model.beyond.ensemble import SentenceContext
from cookscribe.model.beyond.repetition import PastNGrams
from cookscribe.model.config import BOS, EOS, UNK
from cookscribe.model.decoding import NO_CANDIDATES, STOPPED, DecodingConfig, choose_slots
from cookscribe.model.recipe_model import Encoded, RecipeModel, Selection, State
from cookscribe.model.sentences import write_sentences
from tests.model.examples import ACTIONS, NAMES, build, close, inputs_of, random_video, some_videos, stories_of, tiny
from tests.model.recomputation import full_recomputation, log_probabilities

PLAIN_ARGMAX: dict[str, Any] = {"reuse": True, "stop_first": True, "any_word": True}


@pytest.mark.parametrize("members", [0, 1, 2])
@pytest.mark.parametrize("letters", ["b", "bi", "biv", "bivt"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_cached_decoder_gives_the_tokens_of_full_recomputation(letters: str, seed: int, members: int) -> None:
    models = [build(tiny(letters), seed + 100 * number) for number in range(1 + members)]
    _same_as_by_recomputation(models, seed, DecodingConfig(max_steps=4, max_words=6))


@pytest.mark.parametrize("letters", ["b", "bivt"])
@pytest.mark.parametrize("seed", range(4))
def test_plain_argmax_with_the_row_of_eos_in_the_memory(letters: str, seed: int) -> None:
    models = [build(tiny(letters, text_memory="eos"), seed + 100 * number) for number in range(1 + seed % 2)]
    _same_as_by_recomputation(models, seed, DecodingConfig(max_steps=4, max_words=6, **PLAIN_ARGMAX))


def test_plain_argmax_may_say_the_unknown_word_nothing_and_stop_at_once() -> None:
    video = random_video(np.random.default_rng(0), 4, 2, 1)
    model = build(tiny("b"))
    with torch.no_grad():
        model.output.linear.weight.zero_()
        model.output.linear.bias[UNK] = 50.0
    guarded = DecodingConfig(max_steps=2, max_words=3)
    plain = DecodingConfig(max_steps=2, max_words=3, **PLAIN_ARGMAX)
    steps = stories_of(model, [video], DecodingConfig(max_steps=2, max_words=3, any_word=True))[0].steps
    assert steps
    assert {step.sentence for step in steps} == {" ".join([NAMES[UNK]] * 3)}
    assert NAMES[UNK] not in stories_of(model, [video], guarded)[0].steps[0].sentence.split()
    with torch.no_grad():
        model.output.linear.bias[EOS] = 90.0
    assert stories_of(model, [video], DecodingConfig(max_steps=1, any_word=True))[0].steps[0].sentence == ""
    logits = torch.tensor([[5.0, 1.0, 2.0]])
    allowed = torch.ones(1, 3, dtype=torch.bool)
    assert int(choose_slots(logits.clone(), allowed, plain, first=True)[0]) == 0
    assert int(choose_slots(logits.clone(), allowed, guarded, first=True)[0]) == 2


def test_a_recipe_that_was_stopped_at_once_says_so() -> None:
    video = random_video(np.random.default_rng(0), 4, 2, 1)
    model = build(tiny("b"))
    story = stories_of(model, [video], DecodingConfig(stop_first=True, stop_bias=1e3))[0]
    assert (story.steps, story.reason) == ((), STOPPED)


def _same_as_by_recomputation(models: list[RecipeModel], seed: int, config: DecodingConfig) -> None:
    videos = some_videos(seed)
    stories = stories_of(models[0], videos, config, models[1:])
    for video, story in zip(videos, stories, strict=True):
        expected = full_recomputation(models, inputs_of([video]), config, NAMES)
        assert [(s.choice, s.sentence) for s in story.steps] == expected


def one_step(letters: str, seed: int) -> tuple[RecipeModel, Encoded, Selection, Tensor]:
    model = build(tiny(letters), seed)
    video = random_video(np.random.default_rng(seed), 4, 2, 1)
    encoded = model.encode(inputs_of([video]))
    selection = model.select(encoded, State())
    return model, encoded, selection, selection.hidden[:, 2]


@pytest.mark.parametrize("members", [0, 1])
@pytest.mark.parametrize("seed", range(4))
@torch.no_grad()
def test_a_beam_wide_enough_finds_the_best_sentence_of_all(seed: int, members: int) -> None:
    seen = [one_step("bivt", seed), one_step("bivt", seed + 50)][: 1 + members]
    limit, reward = 2, 0.7
    contexts = [
        SentenceContext(model, encoded, selection, model.open_sentence(encoded, State(), event))
        for model, encoded, selection, event in seen
    ]
    written = write_sentences(contexts, limit, beam=80, length_penalty=reward)
    best, best_words = -np.inf, []
    letters = range(4, len(NAMES))
    for words in [[a] for a in letters] + [[a, b] for a in letters for b in letters]:
        each = [
            log_probabilities(model, encoded, State(), selection, 2, [BOS, *words]).exp()
            for model, encoded, selection, _ in seen
        ]
        scores = torch.stack(each).mean(0).log()
        total = sum(float(scores[k, w]) for k, w in enumerate([*words, EOS]))
        if total / (len(words) + 1) ** reward > best:
            best, best_words = total / (len(words) + 1) ** reward, words
    assert written.words == [best_words]
    assert np.isclose(float(written.scores[0]) * (len(best_words) + 1), best * (len(best_words) + 1) ** reward)


@torch.no_grad()
def test_beam_keeps_the_memory_of_the_sentence_it_returns() -> None:
    model, encoded, selection, event = one_step("bi", 3)
    opened = model.open_sentence(encoded, State(), event)
    written = write_sentences([SentenceContext(model, encoded, selection, opened)], 5, beam=4)
    tokens = torch.tensor([[BOS, *written.words[0]]])
    hidden, again = model.generator.extend(opened, tokens)
    expected = model.generator.close(again.finished(), torch.ones_like(tokens, dtype=torch.bool))
    found = model.generator.close(written.finished[0], written.real)
    for a, b in zip(found, expected, strict=True):
        assert close(a, b)
    assert close(written.hidden[:, : tokens.shape[1]], hidden)


@given(
    seed=st.integers(0, 1000),
    letters=st.sampled_from(["b", "bivt"]),
    beam=st.integers(1, 3),
    order=st.sampled_from(["free", "start"]),
    candidates=st.integers(1, 6),
)
@settings(max_examples=25, deadline=None)
def test_rules_of_a_story(seed: int, letters: str, beam: int, order: Any, candidates: int) -> None:
    model = build(tiny(letters), seed)
    video = random_video(np.random.default_rng(seed), candidates, seed % 3, 1)
    config = DecodingConfig(max_steps=5, max_words=4, beam=beam, order=order)
    (story,) = stories_of(model, [video], config, scale=60)
    choices = [step.choice for step in story.steps]
    assert 1 <= len(choices) <= min(5, candidates)
    assert len(set(choices)) == len(choices)
    assert story.reason == ""
    if order == "start":
        assert choices == sorted(choices)
    for step in story.steps:
        words = step.sentence.split(" ")
        assert 1 <= len(words) <= 4
        assert not {"w0", "w1", "w2", "w3"} & set(words)
        assert np.array_equal(step.span, video.times[step.choice] * 60)
        assert step.event_probabilities.shape == (candidates + 1,)
        assert np.isclose(step.event_probabilities.sum(), 1.0)
        assert step.sentence_score < 0
    later = story.steps[1:]
    for number, step in enumerate(later, 1):
        assert all(step.event_probabilities[c + 1] == 0 for c in choices[:number])


def test_video_without_candidates_says_why() -> None:
    model = build(tiny("bivt"))
    with_events = random_video(np.random.default_rng(0), 3, 2, 1)
    without = random_video(np.random.default_rng(0), 3, 2, 1)
    without.features, without.times = without.features[:0], without.times[:0]
    without.scores, without.texts = without.scores[:0], without.texts[:0]
    stories = stories_of(model, [without, with_events], DecodingConfig())
    assert stories[0].steps == ()
    assert stories[0].reason == NO_CANDIDATES
    assert stories[1].steps
    (alone,) = stories_of(model, [without], DecodingConfig())
    assert alone.reason == NO_CANDIDATES


def test_stop_ends_the_story_but_not_before_its_first_step() -> None:
    logits = torch.tensor([[5.0, 1.0, 2.0]])
    allowed = torch.ones(1, 3, dtype=torch.bool)
    choice, probabilities = choose_slots(logits, allowed, DecodingConfig(), first=True)
    assert choice.tolist() == [2]
    assert close(probabilities[0], logits[0].softmax(-1))
    assert choose_slots(logits, allowed, DecodingConfig(), first=False)[0].tolist() == [0]
    assert choose_slots(logits, allowed, DecodingConfig(stop_bias=-4.0), first=False)[0].tolist() == [2]


def test_an_event_is_chosen_again_only_where_that_is_allowed() -> None:
    model = build(tiny("b"))
    video = random_video(np.random.default_rng(0), 2, 0, 1)
    endless = {"max_steps": 4, "max_words": 2, "stop_bias": -1e4}
    for reuse, steps in ((False, 2), (True, 4)):
        config = DecodingConfig(reuse=reuse, **endless)
        (story,) = stories_of(model, [video], config)
        assert len(story.steps) == steps


def test_a_planned_story_keeps_the_borders_if_asked() -> None:
    model = build(tiny("b", planner=True))
    video = random_video(np.random.default_rng(0), 4, 0, 1)
    for refine in (True, False):
        config = DecodingConfig(max_words=2, selection="chain", refine=refine)
        (story,) = stories_of(model, [video], config, scale=60)
        own = [np.array_equal(step.span, video.times[step.choice] * 60) for step in story.steps]
        assert own
        assert all(own) != refine


def test_evidence_has_the_sizes_of_the_video() -> None:
    videos = some_videos(4)
    config = DecodingConfig(max_steps=2, max_words=4)
    for letters, present in (("b", False), ("bi", False), ("biv", True), ("bivt", True)):
        model = build(tiny(letters))
        stories = stories_of(model, videos, config)
        for video, story in zip(videos, stories, strict=True):
            for step in story.steps:
                if not present:
                    assert step.actions is step.ingredients is step.change is None
                    continue
                assert step.actions.shape == (ACTIONS,)
                assert step.ingredients.shape == step.change.shape == (len(video.ingredients),)
                assert ((step.ingredients >= 0) & (step.ingredients <= 1)).all()
                assert (step.change > 0).all()


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_no_run_of_words_is_said_twice_in_a_recipe(size: int, seed: int) -> None:
    model, videos = build(tiny("bi"), seed), some_videos(seed)

    def told(no_repeat_ngram: int) -> list[list[tuple[str, ...]]]:
        config = DecodingConfig(max_steps=4, max_words=5, stop_bias=-1e4, no_repeat_ngram=no_repeat_ngram)
        stories = stories_of(model, videos, config)
        return [[(*step.sentence.split(), "end") for step in story.steps] for story in stories]

    def repeated(stories: list[list[tuple[str, ...]]]) -> int:
        runs = [
            [{sentence[k : k + size] for k in range(max(1, len(sentence) - size + 1))} for sentence in story]
            for story in stories
        ]
        return sum(len(later & earlier) for story in runs for n, later in enumerate(story) for earlier in story[:n])

    # A sentence at its limit must end, whatever was said before: only there a run may come back.
    assert repeated(told(size)) <= repeated(told(0))
    free = [s for story in told(size) for s in story if len(s) <= 5]
    assert len(free) == len(set(free))


def test_past_ngrams_know_runs_and_whole_short_sentences() -> None:
    said = PastNGrams(3)
    said.add([7, 8, 9])
    said.add([5])
    assert said.after([4, 7, 8]) == {9}
    assert said.after([8, 9]) == {EOS}
    assert said.after([5]) == {EOS}
    assert said.after([7]) == said.after([4, 5]) == set()
