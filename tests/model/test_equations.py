"""Every equation of sections 4 and 5 against the plain version in `reference.py`."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from cookscribe.model.attention import textual_attention
from cookscribe.model.config import LossConfig
from cookscribe.model.embedding import EventEmbedding, IngredientEncoder, WordEmbedding
from cookscribe.model.heads import Dropout, Heads, sinusoid
from cookscribe.model.losses import LOSSES, StoryLosses, smoothed_nll
from cookscribe.model.memory import MemoryLayer
from cookscribe.model.mixing import MemoryMixing
from cookscribe.model.simulator import VisualSimulator, strongest
from tests.model import reference as ref
from tests.model.examples import SIZES, build, close, inputs_of, numpy_weights, some_videos, targets_of, tiny
from tests.model.reference_story import tell


def plain(module: torch.nn.Module) -> dict[str, np.ndarray]:
    """Double precision, random weights that matter, and the same as arrays."""
    module.double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(std=0.5)
    return {name: value.numpy().copy() for name, value in module.state_dict().items()}


def tensor(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(7)


def test_position_encoding() -> None:
    assert np.allclose(sinusoid(30, 8).numpy(), [ref.position(k, 8) for k in range(30)], atol=1e-5)


@pytest.mark.parametrize("cells", [1, 3])
def test_memory_layer(cells: int) -> None:
    layer = MemoryLayer(8, 2, cells, 0.0, 0.0)
    W = plain(layer)
    x = tensor(1, 5, 8)
    visible = [[0, 2, 4], [1, 2], [0, 1, 2, 3, 4], [3], [4, 0]]
    mask = torch.zeros(1, 1, 5, 5, dtype=torch.bool)
    for i, seen in enumerate(visible):
        mask[0, 0, i, seen] = True
    by_hand = ref.Layer(W, heads=2)
    attended, hidden = by_hand.rows(list(x[0].numpy()), visible)
    mean = sum(hidden) / 5
    memory = by_hand.initial(mean)

    rows = layer.rows(x, mask)
    assert close(rows.attended[0], np.array(attended))
    assert close(rows.hidden[0], np.array(hidden))
    start = layer.initial(rows.hidden.mean(dim=1))
    assert close(start[0], np.array(memory))
    assert close(layer.read(rows, start, mask)[0], np.array(by_hand.read(attended, hidden, memory, visible)))
    counted = torch.tensor([[True, True, False, True, False]])
    expected = by_hand.update(memory, [hidden[i] for i in (0, 1, 3)])
    assert close(layer.update(start, rows.hidden, counted)[0], np.array(expected))


def test_dropout_keeps_the_mean_and_drops_the_share() -> None:
    dropout = Dropout(0.1)
    x = torch.ones(1000, 333)
    out = dropout(x)
    assert math.isclose((out == 0).float().mean().item(), 26 / 256, abs_tol=2e-3)
    assert math.isclose(out.mean().item(), 1.0, abs_tol=2e-3)
    assert len(out.unique()) == 2
    # Neighbours are independent: a byte says nothing about the next one.
    both = ((out[:, 1:] == 0) & (out[:, :-1] == 0)).float().mean().item()
    assert math.isclose(both, (26 / 256) ** 2, abs_tol=1e-3)
    assert dropout.eval()(x) is x
    assert Dropout(0.0)(x) is x


def test_few_to_many_is_ordinary_attention() -> None:
    heads = Heads(8, 2, 0.0)
    plain(heads)
    few, many = tensor(2, 3, 8), tensor(2, 6, 8)
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    query, _, _ = heads.project(few)
    key, value = heads.keys_values(many)
    assert close(heads.few_to_many(few, many, mask), heads.attend(query, key, value, mask[:, None, None, :]))


@pytest.mark.parametrize(
    "choices",
    [
        {"relative": "pairwise"},
        {"relative": "fixed"},
        {"relative": "echr"},
        {"relative": "none", "absolute": True, "scores": True, "stop": "learned"},
        {"relative": "pairwise", "texts": 2},
    ],
)
def test_event_embedding(choices: dict[str, Any]) -> None:
    embedding = EventEmbedding(tiny("b", **choices))
    W = plain(embedding)
    videos = some_videos()
    out = embedding(inputs_of(videos, extra=0))
    for b, video in enumerate(videos):
        expected = np.array(ref.embed_events(W, video))
        # float32 sinusoids inside: compare to their precision
        assert np.allclose(out[b, : len(expected)].detach().numpy(), expected, atol=1e-5)


def test_word_embedding_and_positions_from_the_middle() -> None:
    embedding = WordEmbedding(tiny("b"))
    W = plain(embedding)
    ids = [5, 4, 9]
    expected = [
        ref.perceptron(ref.at(W, "perceptron"), W["table.weight"][word]) + ref.position(k, 8)
        for k, word in enumerate(ids)
    ]
    assert np.allclose(embedding(torch.tensor([ids]))[0].detach().numpy(), expected, atol=1e-6)
    assert close(embedding(torch.tensor([[9]]), first=2)[0, 0], embedding(torch.tensor([ids]))[0, 2])


def test_ingredient_of_several_words_is_their_mean() -> None:
    encoder = IngredientEncoder(tiny("bi"))
    W = plain(encoder)
    out = encoder(torch.tensor([[[3, 5, 0], [4, 0, 0]]]))
    assert close(out[0, 0], ref.encode_ingredient(W, [3, 5]))
    assert close(out[0, 1], ref.encode_ingredient(W, [4]))


@pytest.mark.parametrize("kind", ["paper", "gelu"])
def test_memory_mixing(kind: Any) -> None:
    mixing = MemoryMixing(8, kind)
    W = plain(mixing)
    v, s = tensor(2, 1, 8), tensor(2, 1, 8)
    (mixed_v,), (mixed_s,) = mixing([v], [s])
    for b in range(2):
        expected_v, expected_s = ref.mix(W, v[b, 0].numpy(), s[b, 0].numpy(), kind)
        assert close(mixed_v[b, 0], expected_v)
        assert close(mixed_s[b, 0], expected_s)


def test_separate_memories_are_left_alone() -> None:
    mixing = MemoryMixing(8, "separate")
    v, s = tensor(2, 1, 8), tensor(2, 1, 8)
    assert mixing([v], [s]) == ((v,), (s,))
    assert not list(mixing.parameters())


@pytest.mark.parametrize("states", ["paper", "residual"])
def test_visual_simulator_and_textual_attention(states: Any) -> None:
    simulator = VisualSimulator(tiny(action_states=states))
    W = plain(simulator)
    hidden, ingredients, words = tensor(1, 5, 8), tensor(1, 3, 8), tensor(1, 4, 8)
    mask, ingredient_mask = torch.ones(1, 5, dtype=torch.bool), torch.ones(1, 3, dtype=torch.bool)
    out = simulator(hidden, mask, ingredients, ingredient_mask, simulator.project_actions())
    expected = ref.simulate(W, list(hidden[0].numpy()), list(ingredients[0].numpy()), states == "residual")
    assert close(out.action_events[0], expected["A_hat"])
    assert close(out.ingredient_events[0], expected["G_hat"])
    assert close(out.action_states()[0], expected["A_dot"])
    assert close(out.ingredient_states[0], expected["G"])
    assert close(out.events[0], expected["H"])

    context = textual_attention(words, ingredient_mask, out)
    Z_m, Z_a, U = ref.textual_attention(list(words[0].numpy()), expected["G"], expected["A_dot"])
    assert close(context.ingredients[0], Z_m)
    assert close(context.actions[0], Z_a)
    assert close(context.words[0], U)


def test_strongest_action_has_the_gradient_of_a_maximum() -> None:
    events = torch.rand(2, 5, 4, dtype=torch.float64, requires_grad=True)
    values = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(2, 3, dtype=torch.float64)
    (strongest(events, values) * weights).sum().backward()
    found = events.grad.clone(), values.grad.clone()  # type: ignore[union-attr]
    events.grad = values.grad = None
    ((events @ values).amax(dim=1) * weights).sum().backward()
    assert close(found[0], events.grad)  # type: ignore[arg-type]
    assert close(found[1], values.grad)  # type: ignore[arg-type]


def test_smoothed_nll() -> None:
    logits = tensor(3, 4)
    labels = torch.tensor([2, 0, 1])
    mask = torch.tensor([[True] * 4, [True, True, False, True], [False, True, False, False]])
    values = smoothed_nll(logits.masked_fill(~mask, float("-inf")), labels, 0.1, mask)
    for row in range(3):
        kept = mask[row].numpy()
        p = ref.softmax(logits[row].numpy()[kept])
        label = int(np.flatnonzero(np.flatnonzero(kept) == int(labels[row]))[0])
        expected = ref.smoothed_nll(p, label, 0.1) if len(p) > 1 else 0.0
        assert math.isclose(float(values[row]), expected, rel_tol=1e-5, abs_tol=1e-6)
    assert close(smoothed_nll(logits, labels, 0.0), -logits.float().log_softmax(1)[torch.arange(3), labels])


WHOLE: list[dict[str, Any]] = [
    {"letters": "b"},
    {"letters": "b", "mixing": "gelu", "logits_scale": "sqrt", "absolute": True, "scores": True, "stop": "learned"},
    {"letters": "bi", "mixing": "separate", "output": "transform", "relative": "fixed", "memory_cells": 2},
    {"letters": "bi", "mixing": "reset"},
    {"letters": "bi", "feedback": "choice", "order": "start", "memory_cells": 2},
    {"letters": "biv", "relative": "echr", "ingredient_layers": 2},
    {"letters": "bivt", "text_memory": "eos"},
    {"letters": "bivt", "action_states": "residual", "layers": 1, "mixing": "gelu"},
]


@pytest.mark.parametrize("choices", WHOLE, ids=lambda c: "-".join(str(v) for v in c.values()))
def test_whole_model(choices: dict[str, Any]) -> None:
    """Probabilities of every event and word and all six losses, for a padded batch of unequal videos."""
    config = tiny(**choices)
    model = build(config)
    videos = some_videos(3)
    if config.order == "start":
        for video in videos:
            video.events = list(range(1, len(video.events) + 1))
    outputs = model(inputs_of(videos, extra=1), targets_of(videos, extra=1))
    told = [tell(numpy_weights(model), config, video, 0.1) for video in videos]

    # The model sorts videos by their number of steps and runs step by step; words follow events.
    order = sorted(range(len(videos)), key=lambda i: -len(videos[i].events))
    row = word = 0
    for t in range(max(len(v.events) for v in videos) + 1):
        for i in order:
            if len(videos[i].events) < t:
                continue
            expected = told[i].event_probabilities[t]
            found = outputs.event_logits[row].softmax(-1)
            assert np.allclose(found[: len(expected)].detach().numpy(), expected, atol=1e-5)
            assert found[len(expected) :].sum().item() == 0.0
            row += 1
        for i in order:
            if len(videos[i].events) <= t:
                continue
            before = sum(len(words) - 1 for words in videos[i].words[:t])
            for k in range(len(videos[i].words[t]) - 1):
                found = outputs.word_logits[word].softmax(-1).detach().numpy()
                assert np.allclose(found, told[i].word_probabilities[before + k], atol=1e-5)
                word += 1
    assert row == len(outputs.event_logits)
    assert word == len(outputs.word_logits)

    losses = StoryLosses(LossConfig(event_smoothing=0.1, word_smoothing=0.1))
    terms = losses(outputs)
    assert set(terms) == set(LOSSES)
    for name, (total, divisor) in terms.items():
        assert divisor == len(videos)
        assert math.isclose(total.item(), sum(one.losses[name] for one in told), rel_tol=1e-4, abs_tol=1e-4)


def test_examples_exercise_every_loss() -> None:
    """The comparison above would prove nothing if no label were set."""
    videos = some_videos(3)
    config = tiny("bivt")
    told = [tell(numpy_weights(build(config)), config, video, 0.1) for video in videos]
    for name in LOSSES:
        assert sum(one.losses[name] for one in told) > 0.1, name
    assert SIZES.items() <= config.model_dump().items()
