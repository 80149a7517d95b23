"""Copied words: the equations against plain numpy loops, and the cache against full computation."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from cookscribe.errors import BadValueError
from cookscribe.model.batch import Inputs, take
from cookscribe.model.config import BOS, UNK, LossConfig, ModelConfig
from cookscribe.model.decoding import DecodingConfig, write_stories
from cookscribe.model.losses import StoryLosses
from cookscribe.model.recipe_model import RecipeModel, State
from tests.model import reference as ref
from tests.model.examples import INPUT_WORDS, WORDS, build, close, inputs_of, some_videos, targets_of, tiny
from tests.model.examples import NAMES as WRITTEN
from tests.model.recomputation import full_recomputation

PLACES = 4
NAMES = [*WRITTEN, *(f"read{i}" for i in range(INPUT_WORDS))]


def copying_model(letters: str = "b", seed: int = 0, layers: int = 0) -> RecipeModel:
    """Words 2 and 3 that are read are words 5 and 6 of the vocabulary; all others are beyond it."""
    model = build(tiny(letters, copying=True, copy_places=PLACES, copy_layers=layers, word_vector_size=6), seed)
    model.copying.set_copies([-1, -1, 5, 6, *[-1] * (INPUT_WORDS - 4)])
    return model


def with_copy_words(inputs: Inputs, seed: int = 0, longest: int = 5) -> Inputs:
    rng = np.random.default_rng(seed)
    batch, count = inputs.event_mask.shape
    words = np.stack(
        [rng.integers(1, INPUT_WORDS, (batch, count, longest)), rng.integers(0, PLACES, (batch, count, longest))], -1
    )
    lengths = rng.integers(0, longest + 1, (batch, count))
    words[..., 0][np.arange(longest) >= lengths[..., None]] = 0
    return replace(inputs, copy_words=torch.from_numpy(words))


def normalised(row: np.ndarray, weights: dict[str, np.ndarray], name: str) -> np.ndarray:
    """LayerNorm of one row."""
    row = (row - row.mean()) / np.sqrt(row.var() + 1e-5)
    return row * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def numpy_layer(rows: list[np.ndarray], weights: dict[str, np.ndarray], heads: int) -> list[np.ndarray]:
    """A `SourceLayer` with loops; only real words are given."""
    phrases = []
    for k, row in enumerate(rows):
        total = weights["phrase.bias"].copy()
        for offset in range(-2, 3):
            if 0 <= k + offset < len(rows):
                total += weights["phrase.weight"][:, :, offset + 2] @ rows[k + offset]
        phrases.append(normalised(row + ref.gelu(total), weights, "phrase_norm"))
    seen = [ref.attend(ref.at(weights, "attention"), row, phrases, heads) for row in phrases]
    output = ref.at(weights, "output")
    return [normalised(a + ref.linear(output, b), weights, "norm") for a, b in zip(phrases, seen, strict=True)]


def numpy_copying(
    model: RecipeModel, output: np.ndarray, words: np.ndarray
) -> tuple[np.ndarray, float, dict[int, float]]:
    """Context, gate and copy distribution of one output vector, (d,), with loops; words are (W, 2)."""
    copying = model.copying
    weights = {name: value.detach().numpy() for name, value in copying.state_dict().items()}
    real = [(int(w), int(p)) for w, p in words if w != 0]
    width = len(output)
    if not real:
        return np.zeros(width), 1.0, {}
    size = weights["table.weight"].shape[1]
    summed = [weights["table.weight"][w] + weights["place.weight"][p] for w, p in real]
    rows = []
    for k, row in enumerate(summed):
        before = summed[k - 1] if k else np.zeros(size)
        behind = summed[k + 1] if k + 1 < len(summed) else np.zeros(size)
        row = row + weights["neighbours"][0] * before + weights["neighbours"][1] * behind
        rows.append(normalised(row, weights, "norm"))
    for number in range(len(copying.layers)):
        rows = numpy_layer(rows, ref.at(weights, f"layers.{number}"), copying.heads)
    query = ref.linear(ref.at(weights, "query"), output)
    keys, values = ([ref.linear(ref.at(weights, name), row) for row in rows] for name in ("key", "value"))
    part = width // copying.heads
    context, mean = np.zeros(width), np.zeros(len(rows))
    for head in range(copying.heads):
        cut = slice(head * part, (head + 1) * part)
        scores = np.array([query[cut] @ key[cut] for key in keys]) / np.sqrt(part)
        attention = ref.softmax(scores)
        mean += attention / copying.heads
        context[cut] = sum(a * value[cut] for a, value in zip(attention, values, strict=True))
    joined = np.concatenate([output, context])
    gate = 1 / (1 + np.exp(-(weights["gate.weight"][0] @ joined + weights["gate.bias"][0])))
    copies: dict[int, float] = {}
    for (word, _), share in zip(real, mean, strict=True):
        said = int(weights["copies"][word])
        copies[said] = copies.get(said, 0.0) + share
    return context, float(gate), copies


@pytest.mark.parametrize(("letters", "layers"), [("b", 0), ("bivt", 0), ("b", 1), ("b", 2)])
@pytest.mark.parametrize("seed", [0, 1])
@torch.no_grad()
def test_probabilities_are_those_of_the_equations(letters: str, layers: int, seed: int) -> None:
    model = copying_model(letters, seed, layers)
    inputs = with_copy_words(inputs_of(some_videos(seed)), seed)
    encoded = model.encode(inputs)
    selection = model.select(encoded, State())
    slots = torch.tensor([2, 1, 3])
    sentence = model.open_sentence(encoded, State(), selection.hidden[torch.arange(3), slots], slots)
    hidden, sentence = model.generator.extend(sentence, torch.tensor([[BOS, 5, 7]] * 3))
    found = model.word_scores(hidden, encoded, selection, sentence).exp()
    context = model.context(hidden, encoded, selection)
    for b in range(3):
        for k in range(3):
            seen, gate, copies = numpy_copying(model, hidden[b, k].numpy(), inputs.copy_words[b, slots[b] - 1].numpy())
            plain = hidden[b, k] if context is None else context.words[b, k]
            spoken = model.output(torch.cat((plain, torch.from_numpy(seen)))).softmax(-1).numpy()
            expected = np.concatenate([gate * spoken, np.zeros(INPUT_WORDS)])
            for word, share in copies.items():
                expected[word] += (1 - gate) * share
            assert np.isclose(expected.sum(), 1.0)
            assert np.allclose(found[b, k].numpy(), np.maximum(expected, 1e-9), atol=1e-7)


@torch.no_grad()
def test_training_sees_the_same_probabilities() -> None:
    """The sentence loss of a batch is that of the words one by one, copied ones and unsayable ones among them."""
    model = copying_model()
    videos = some_videos(2)
    for video in videos:
        # One word that can only be copied in every sentence; where it cannot, it is the unknown word.
        video.words = [[BOS, WORDS + 4, *line[1:]] for line in video.words]
    inputs, targets = with_copy_words(inputs_of(videos), 2), targets_of(videos)
    losses = StoryLosses(LossConfig(word_smoothing=0.0))
    total = float(losses(model(inputs, targets))["sentence"][0])
    expected, copied = 0.0, 0
    for b, video in enumerate(videos):
        one = take(inputs, torch.tensor([b]))
        encoded, state = model.encode(one), State()
        for slot, words in zip(video.events, video.words, strict=True):
            selection = model.select(encoded, state)
            slots = torch.tensor([slot])
            sentence = model.open_sentence(encoded, state, selection.hidden[:, slot], slots)
            fed = [word if word < WORDS else UNK for word in words[:-1]]
            hidden, sentence = model.generator.extend(sentence, torch.tensor([fed]))
            scores = model.word_scores(hidden, encoded, selection, sentence)[0]
            for k, word in enumerate(words[1:]):
                possible = 4 in one.copy_words[0, slot - 1, :, 0].tolist()
                said = word if word < WORDS or possible else UNK
                copied += word >= WORDS and possible
                expected -= float(scores[k, said])
            state = model.close_sentence(selection, sentence.finished(), torch.ones(1, len(fed), dtype=torch.bool))
    assert 0 < copied < sum(len(video.words) for video in videos)
    assert np.isclose(total, expected, rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
@torch.no_grad()
def test_cached_decoding_writes_what_full_computation_writes(seed: int) -> None:
    model = copying_model("b", seed)
    videos = some_videos(seed)
    inputs = with_copy_words(inputs_of(videos), seed)
    config = DecodingConfig(max_steps=3, max_words=6)
    stories = write_stories(model, inputs, [video.times for video in videos], NAMES, config)
    for b, (video, story) in enumerate(zip(videos, stories, strict=True)):
        alone = with_copy_words(inputs_of([video]), seed)
        count = len(video.times)
        alone = replace(alone, copy_words=inputs.copy_words[b : b + 1, :count])
        expected = full_recomputation([model], alone, config, NAMES)
        assert [(step.choice, step.sentence) for step in story.steps] == expected


@torch.no_grad()
def test_words_beyond_the_vocabulary_are_written() -> None:
    model = copying_model()
    model.copying.gate.bias.fill_(-50.0)  # always copy
    inputs = inputs_of(some_videos(0)[:1])
    words = torch.zeros(1, 4, 1, 2, dtype=torch.long)
    words[..., 0] = 8
    config = DecodingConfig(max_words=2, selection="all")
    (story,) = write_stories(model, replace(inputs, copy_words=words), [np.zeros((4, 2))], NAMES, config)
    assert [step.choice for step in story.steps] == [0, 1, 2, 3]
    assert {step.sentence.split()[0] for step in story.steps} == {"read8"}


@pytest.mark.parametrize("layers", [0, 1])
@torch.no_grad()
def test_padding_does_not_matter(layers: int) -> None:
    model = copying_model(layers=layers)
    inputs = with_copy_words(inputs_of(some_videos(1)), 1)
    assert inputs.copy_words is not None
    longer = torch.cat((inputs.copy_words, torch.zeros_like(inputs.copy_words)), dim=2)
    targets = targets_of(some_videos(1))
    losses = StoryLosses(LossConfig())
    assert close(losses.total(model(inputs, targets)), losses.total(model(replace(inputs, copy_words=longer), targets)))


def test_a_model_that_copies_must_be_given_words() -> None:
    with pytest.raises(BadValueError, match="none to copy"):
        copying_model().encode(inputs_of(some_videos(0)))
    with pytest.raises(BadValueError, match="teacher"):
        ModelConfig.parse({"copying": True, "teacher": "gumbel"}, "config")
    with pytest.raises(BadValueError, match="multiple of heads"):
        ModelConfig.parse({"copy_layers": 1, "word_vector_size": 50}, "config")


@pytest.mark.parametrize("beam", [1, 3])
@torch.no_grad()
def test_a_copied_word_is_not_said_again_and_again(beam: int) -> None:
    model = copying_model(seed=1)
    model.copying.gate.bias.fill_(-50.0)  # always copy, although there are only two words
    inputs = inputs_of(some_videos(1)[:1])
    words = torch.zeros(1, inputs.event_mask.shape[1], 2, 2, dtype=torch.long)
    words[..., 0] = torch.tensor([7, 8])
    spans = [np.zeros((words.shape[1], 2))]

    def said(once: int, ngram: int = 0, again: tuple[int, ...] = ()) -> list[str]:
        config = DecodingConfig(
            max_words=5, selection="all", beam=beam, no_repeat_from=once, no_repeat_ngram=ngram, may_repeat=again
        )
        (story,) = write_stories(model, replace(inputs, copy_words=words), spans, NAMES, config)
        return [step.sentence for step in story.steps]

    assert any(len(set(line.split())) < len(line.split()) for line in said(0))
    assert all(len(set(line.split())) == len(line.split()) for line in said(4))
    assert said(4, again=tuple(range(4, len(NAMES)))) == said(0)
    # With a beam, too, no sentence is told twice.
    assert len(set(said(4, 2))) == len(said(4, 2))
