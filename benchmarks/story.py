"""Speed and size of the recipe model.

    python benchmarks/story.py [--quick] [--threads 1]

- `decode_speedup`: cached, batched decoding against the released way (one video at a time, the candidates encoded again
  at every step, the whole padded sentence run again for every word); same weights, steps and words.
- `decode_speedup_bfloat16`, `decode_same_sentences_bfloat16`: the same with products in bfloat16, and the share of
  sentences that it leaves as they are.
- `decode_speedup_over_prefixes`: the same against a kinder way that runs only the words so far again.
- `train_speedup`: a training step of `paper-b` (forward, backward, clipping, optimiser, average of the weights), in
  float32 and under bfloat16 autocast, against the plain way of `released_training.py`; recipes of the lengths of
  YouCook2. `loss_curves`: how far the losses of our way lie from the plain way's over some steps without dropout.
- `limits`: GFLOPS of plain products, and the share of them that decoding and training reach.
- training videos per second of `small-b` in float32 and under bfloat16 autocast.
- parameters and forward FLOPs of every preset for one video, counted with the fast path off and the MATH kernel.

Weights and inputs are random: the work does not depend on their values. Times are processor time, so that other work on
the machine disturbs them less. The last line is one JSON object.
"""

from contextlib import nullcontext
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from cookscribe.learning.ema import Average
from cookscribe.model.batch import Inputs, Targets, take
from cookscribe.model.config import BOS, EOS, PAD, UNK, LossConfig, ModelConfig
from cookscribe.model.decoding import DecodingConfig, write_stories
from cookscribe.model.generator import OpenSentence
from cookscribe.model.losses import StoryLosses
from cookscribe.model.memory import MemoryLayer
from cookscribe.model.presets import PRESETS, preset
from cookscribe.model.recipe_model import RecipeModel, State
from cookscribe.story import Story
from frame import finish, options, timed
from released_training import plain_layers, plain_pass

INGREDIENTS = 10
NEVER = -1e4
SAME_LOSS = 0.01  # how far losses may lie apart, as a share, to be those of the same training


def make_inputs(config: ModelConfig, videos: int, events: int) -> Inputs:
    """Random candidates and ingredients."""
    draw = torch.Generator().manual_seed(0)
    start = torch.rand(videos, events, generator=draw).sort(dim=1).values * 0.9
    return Inputs(
        features=torch.randn(videos, events, config.feature_size, generator=draw),
        times=torch.stack((start, start + 0.05), dim=-1),
        scores=torch.rand(videos, events, generator=draw),
        event_mask=torch.ones(videos, events, dtype=torch.bool),
        texts=torch.zeros(videos, events, 0, 0, dtype=torch.long),
        ingredients=torch.randint(1, config.input_words, (videos, INGREDIENTS, 2), generator=draw),
        ingredient_mask=torch.ones(videos, INGREDIENTS, dtype=torch.bool),
    )


def make_targets(config: ModelConfig, videos: int, events: int, steps: int, words: int) -> Targets:
    """Random recipes of equal size."""
    draw = torch.Generator().manual_seed(1)
    ids = torch.randint(4, config.vocabulary_size, (videos, steps, words + 2), generator=draw)
    ids[..., 0], ids[..., -1] = BOS, EOS
    return Targets(
        events=torch.randint(1, events + 1, (videos, steps), generator=draw).sort(dim=1).values,
        words=ids,
        ingredient_used=torch.rand(videos, steps, INGREDIENTS, generator=draw) < 0.2,
        action_used=torch.rand(videos, steps, config.actions, generator=draw) < 0.005,
        word_ingredient=torch.rand(videos, steps, words + 1, INGREDIENTS, generator=draw) < 0.02,
        word_action=torch.full((videos, steps, words + 1), -1),
        true_times=torch.rand(videos, steps, 2, generator=draw).sort(dim=-1).values,
        true_mask=torch.ones(videos, steps, dtype=torch.bool),
    )


def thrown_away(model: RecipeModel, sentence: OpenSentence) -> None:
    """The memories after the sentence, with keys and values of all its rows."""
    for layer, memory, rows in zip(model.generator.layers, sentence.memory, sentence.past, strict=True):
        assert isinstance(layer, MemoryLayer)
        assert rows is not None
        heads = layer.update_attention
        query, _, _ = heads.project(memory)
        seen = heads.attend(query, *heads.keys_values(rows.hidden), None)
        candidate, gate = (layer.update_memory(memory) + layer.update_seen(seen)).chunk(2, dim=-1)
        gate = gate.sigmoid()
        _ = (1 - gate) * candidate.tanh() + gate * memory


@torch.no_grad()
def released_way(model: RecipeModel, inputs: Inputs, steps: int, words: int, padded: bool) -> list[list[list[int]]]:
    """One video at a time; every step encodes the candidates again, every word runs the whole sentence again.

    The released program also works out the memory after the sentence for every word, on a copy, and throws it away.
    """
    stories = []
    for video in range(len(inputs)):
        alone = take(inputs, torch.tensor([video]))
        state, used, story = State(), [], []
        for _ in range(steps):
            encoded = model.encode(alone)
            selection = model.select(encoded, state)
            logits = selection.logits[0].clone()
            logits[[0, *used]] = float("-inf")
            used.append(int(logits.argmax()))
            event = selection.hidden[:, used[-1]]
            tokens = [BOS]
            for _ in range(words):
                sentence = model.open_sentence(encoded, state, event)
                padding = [PAD] * (words + 2 - len(tokens)) if padded else []
                hidden, sentence = model.generator.extend(sentence, torch.tensor([tokens + padding]))
                if padded:
                    thrown_away(model, sentence)
                scores = model.output(hidden)[0, len(tokens) - 1]
                scores[:4] = float("-inf")
                tokens.append(int(scores.argmax()))
            sentence = model.open_sentence(encoded, state, event)
            read = [*tokens, EOS] if model.config.text_memory == "eos" else tokens
            _, sentence = model.generator.extend(sentence, torch.tensor([read]))
            state = model.close_sentence(selection, sentence.finished(), torch.ones(1, len(read), dtype=torch.bool))
            story.append(tokens[1:])
        stories.append(story)
    return stories


def paired(story: Story, other: Story) -> list[tuple[str, str]]:
    """The sentences of two stories, step by step; a step that one of them lacks stands beside nothing."""
    left, right = ([step.sentence for step in one.steps] for one in (story, other))
    return list(zip_longest(left, right, fillvalue=""))


def decoding(quick: bool, limits: dict[str, float]) -> dict[str, Any]:
    """Both ways on the same `paper-b` weights; STOP and EOS are pushed away, so that both do the same work."""
    steps, words, events, batch, alone = (2, 20, 100, 64, 1) if quick else (8, 20, 100, 128, 2)
    torch.manual_seed(0)
    config = preset("paper-b")
    model = RecipeModel(config).eval()
    with torch.no_grad():
        model.output.linear.bias[EOS] = NEVER
        model.output.linear.bias[UNK] = NEVER
    inputs = make_inputs(config, batch, events)
    spans = [np.zeros((events, 2))] * batch
    names = [str(i) for i in range(config.vocabulary_size)]
    settings = DecodingConfig(max_steps=steps, max_words=words, stop_bias=NEVER)
    few = take(inputs, torch.arange(alone))
    write_stories(model, few, spans[:alone], names, settings)
    cached, stories = timed(lambda: write_stories(model, inputs, spans, names, settings))
    with torch.autocast("cpu", torch.bfloat16):
        half, rough = timed(lambda: write_stories(model, inputs, spans, names, settings))
    counter = FlopCounterMode(display=False)
    with sdpa_kernel(SDPBackend.MATH), counter:
        write_stories(model, take(inputs, torch.arange(8)), spans[:8], names, settings)
    work = counter.get_total_flops() / 8 / 1e9
    plain, slow = timed(lambda: released_way(model, few, steps, words, padded=True))
    prefixes, _ = timed(lambda: released_way(model, few, steps, words, padded=False))
    cached, half, plain, prefixes = cached / batch, half / batch, plain / alone, prefixes / alone
    pairs = [pair for story, other in zip(stories, rough, strict=True) for pair in paired(story, other)]
    same = [
        [int(word) for word in step.sentence.split()] == tokens
        for story, expected in zip(stories, slow, strict=False)
        for step, tokens in zip(story.steps, expected, strict=True)
    ]
    return {
        "decode_speedup": plain / cached,
        "decode_speedup_bfloat16": plain / half,
        "decode_speedup_over_prefixes": prefixes / cached,
        "decode_share_of_limit": {
            "float32": work / cached / limits["float32"],
            "bfloat16": work / half / limits["bfloat16"],
        },
        "decode_same_sentences_bfloat16": float(np.mean([left == right for left, right in pairs])),
        "decode_seconds_per_video": {
            "cached_batched": cached,
            "bfloat16": half,
            "released_way": plain,
            "prefixes": prefixes,
        },
        "decode_same_sentences": float(np.mean(same)),
        "decode_size": {"candidates": events, "steps": steps, "words": words, "batch": batch},
    }


def like_youcook2(targets: Targets) -> Targets:
    """The same recipes cut to lengths as they are in YouCook2: 8 of 12 steps and 9 of 20 words on average."""
    draw = torch.Generator().manual_seed(2)
    videos, steps, length = targets.words.shape
    count = torch.randint(4, steps + 1, (videos, 1), generator=draw)
    over = torch.arange(steps) >= count
    events = targets.events.masked_fill(over, -1)
    ends = torch.randint(5, max(6, length * 2 // 3), (videos, steps, 1), generator=draw)
    place = torch.arange(length)
    words = targets.words.masked_fill(place == ends, EOS).masked_fill((place > ends) | over.unsqueeze(-1), PAD)
    return replace(targets, events=events, words=words)


class Trainer:
    """Steps of one training of `paper-b`, in our way or in the plain one."""

    def __init__(self, config: ModelConfig, precision: torch.dtype, plain: bool) -> None:
        torch.manual_seed(0)
        self.model, self.losses = RecipeModel(config), StoryLosses(LossConfig())
        self.precision, self.plain = precision, plain
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=1e-4, weight_decay=0.01, fused=not plain)
        self.average = Average(self.model, 0.9999)
        self.steps = 0

    def step(self, inputs: Inputs, targets: Targets) -> float:
        """One step; returns its loss."""
        self.optimiser.zero_grad(set_to_none=True)
        half = torch.autocast("cpu", self.precision, enabled=self.precision != torch.float32)
        with plain_layers() if self.plain else nullcontext(), half:
            outputs = plain_pass(self.model, inputs, targets) if self.plain else self.model(inputs, targets)
            total = self.losses.total(outputs)
        total.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.steps += 1
        self.average.update(self.steps)
        return float(total.detach())


def product_limits() -> dict[str, float]:
    """GFLOPS of plain products of the model's size, by precision."""
    found = {}
    for name, precision in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        left, right = torch.randn(1024, 768).to(precision), torch.randn(768, 2304).to(precision)
        seconds, _ = timed(lambda left=left, right=right: [torch.mm(left, right) for _ in range(8)], 5)
        found[name] = 8 * 2 * 1024 * 768 * 2304 / seconds / 1e9
    return found


def training_against_plain(quick: bool, limits: dict[str, float]) -> dict[str, Any]:
    """Our training of `paper-b` against the plain way, and both loss curves."""
    # With fewer videos it would be the optimiser that is timed.
    videos, events, steps = (5 if quick else 16), 100, 12
    config = preset("paper-b")
    inputs = make_inputs(config, videos, events)
    targets = like_youcook2(make_targets(config, videos, events, steps, 20))
    ways = (("plain", torch.float32, True), ("float32", torch.float32, False), ("bfloat16", torch.bfloat16, False))
    few = torch.arange(1 if quick else 2)
    seconds = {}
    for name, precision, plain in ways:
        trainer = Trainer(config, precision, plain)
        trainer.step(take(inputs, few), take(targets, few))  # the first step makes the optimiser's state
        seconds[name], _ = timed(lambda trainer=trainer: trainer.step(inputs, targets), 1 if quick else 2)
    counter = FlopCounterMode(display=False)
    with sdpa_kernel(SDPBackend.MATH), counter:
        trainer.step(inputs, targets)
    work = counter.get_total_flops() / 1e9
    still = preset("paper-b", dropout=0.0, attention_dropout=0.0, teacher="oracle")
    curves = {}
    for name, precision, plain in ways:
        trainer = Trainer(still, precision, plain)
        curves[name] = [trainer.step(take(inputs, few), take(targets, few)) for _ in range(2 if quick else 5)]
    expected = np.array(curves.pop("plain"))
    apart = {name: float(np.abs(np.array(curve) / expected - 1).max()) for name, curve in curves.items()}
    assert max(apart.values()) < SAME_LOSS, f"not the same training: losses differ by {apart}"
    return {
        "train_speedup": seconds["plain"] / min(seconds["float32"], seconds["bfloat16"]),
        "train_speedup_by_precision": {name: seconds["plain"] / seconds[name] for name in ("float32", "bfloat16")},
        "train_videos_per_second": {name: videos / value for name, value in seconds.items()},
        "train_share_of_limit": {name: work / seconds[name] / limits[name] for name in ("float32", "bfloat16")},
        "loss_curves": apart,
        "train_size": {"videos": videos, "candidates": events, "most_steps": steps},
    }


def training_speed(name: str, precision: torch.dtype, videos: int, events: int, steps: int, words: int) -> float:
    """Videos per second of forward, backward and optimiser, best of two after a first pass."""
    torch.manual_seed(0)
    config = preset(name)
    model = RecipeModel(config)
    losses = StoryLosses(LossConfig())
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    inputs = make_inputs(config, videos, events)
    targets = make_targets(config, videos, events, steps, words)

    def step() -> None:
        optimiser.zero_grad(set_to_none=True)
        with torch.autocast("cpu", precision, enabled=precision != torch.float32):
            total = losses.total(model(inputs, targets))
        total.backward()
        optimiser.step()

    first, _ = timed(step)
    return videos / (first if first > 20 else min(first, timed(step, 2)[0]))


def training(quick: bool) -> dict[str, float]:
    """Videos per second of the small preset by precision."""
    small = (32, 25, 8, 10)
    return {
        "small-b float32": training_speed("small-b", torch.float32, *small),
        "small-b bfloat16": training_speed("small-b", torch.bfloat16, *((4, 25, 3, 10) if quick else small)),
    }


def sizes(quick: bool) -> dict[str, dict[str, float]]:
    """Parameters and forward GFLOPs per video: 8 steps of 10 words, N = 100 (paper) or 25 (small)."""
    torch.backends.mha.set_fastpath_enabled(False)
    table = {}
    for name in PRESETS:
        config = preset(name)
        model = RecipeModel(config).eval()
        events = 100 if name.startswith("paper") else 25
        steps = 2 if quick else 8
        inputs, targets = make_inputs(config, 1, events), make_targets(config, 1, events, steps, 10)
        counter = FlopCounterMode(display=False)
        with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), counter:
            model(inputs, targets)
        table[name] = {
            "parameters": sum(value.numel() for value in model.parameters()),
            f"forward_gflops_{steps}_steps": counter.get_total_flops() / 1e9,
        }
    return table


def main() -> None:
    arguments = options(__doc__, "smaller sizes, under a minute", threads=1)
    torch.set_num_threads(arguments.threads)
    result: dict[str, Any] = {"benchmark": "story", "threads": arguments.threads, "quick": arguments.quick}
    result["limits"] = limits = product_limits()
    print(", ".join(f"{name} products {value:.0f} GFLOPS" for name, value in limits.items()), flush=True)
    result |= training_against_plain(arguments.quick, limits)
    print(f"training: {result['train_speedup']:.1f} x the plain way", flush=True)
    result |= decoding(arguments.quick, limits)
    print(f"decoding: {result['decode_speedup']:.1f} x the released way", flush=True)
    result["training_videos_per_second"] = training(arguments.quick)
    for name, speed in result["training_videos_per_second"].items():
        print(f"training {name}: {speed:.2f} videos/s", flush=True)
    result["presets"] = sizes(arguments.quick)
    for name, values in result["presets"].items():
        print(name, ", ".join(f"{key} {value:,.3f}" for key, value in values.items()), flush=True)
    finish(**result)


if __name__ == "__main__":
    main()
