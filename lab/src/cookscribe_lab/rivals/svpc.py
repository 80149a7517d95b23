"""SVPC (Nishimura et al., 2021) on true events, with its original visual simulator.

At every event the *action selector* says how likely each verb is (sigmoids), the *ingredient selector* which ones are
touched: those it finds now, those of the step before, or none, a choice of three; the *updater* moves the touched
ingredients' vectors towards what the actions make of them, by a gate. A decoder writes from frames, ingredients and
actions, and may copy words of the ingredient list (pointer-generator). The *textual re-simulator* must find the same
actions and ingredients in what is written.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.evaluation.events import Events
from cookscribe.learning.loop import Term
from cookscribe.text.vocabulary import BOS, EOS, PAD, UNK, Vocabulary
from cookscribe_lab.rivals.base import Rival, RivalConfig, entrance, sentences_of
from cookscribe_lab.rivals.decoder import SentenceDecoder
from cookscribe_lab.rivals.video_data import LONGEST, RivalVideo, padded, stacked


class State(NamedTuple):
    """After an event: (B, M, d) ingredients, (B, M) how far each was touched."""

    ingredients: Tensor
    touched: Tensor


class Step(NamedTuple):
    """Logits of (B, R) actions and (B, M) chances of ingredients; (B, S, d) rows for the decoder, (B, S) their mask."""

    actions: Tensor
    ingredients: Tensor
    memory: Tensor
    mask: Tensor


class Simulator(nn.Module):
    """Action selector, ingredient selector, updater; `about` is whatever tells what is done, frames or words."""

    def __init__(self, config: RivalConfig) -> None:
        super().__init__()
        width = config.width
        self.actions = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, config.actions))
        self.verbs = nn.Embedding(config.actions, width)
        self.query = nn.Linear(2 * width, width)
        self.choice = nn.Linear(2 * width, 3)
        self.change = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU())

    def forward(self, about: Tensor, state: State, real: Tensor) -> tuple[Tensor, Tensor, Tensor, State]:
        """(B, d) and the state before to action logits, action vector (B, d), touched (B, M) and the state after."""
        logits = self.actions(about)
        likely = logits.sigmoid()
        done = likely @ self.verbs.weight / likely.sum(dim=1, keepdim=True).clamp(min=1.0)
        both = torch.cat([about, done], dim=1)
        found = torch.einsum("bd,bmd->bm", self.query(both), state.ingredients).sigmoid() * real
        now, before, _ = self.choice(both).softmax(dim=1).unbind(dim=1)
        touched = now[:, None] * found + before[:, None] * state.touched
        changed = self.change(torch.cat([state.ingredients, done[:, None].expand_as(state.ingredients)], dim=2))
        new = touched[..., None] * changed + (1 - touched[..., None]) * state.ingredients
        return logits, done, touched, State(new, touched)


class Svpc(Rival):
    """The whole model."""

    weights: Mapping[str, float] = {"words": 1.0, "actions": 1.0, "ingredients": 1.0, "resimulated": 1.0}
    presegmented = True

    def __init__(self, config: RivalConfig) -> None:
        super().__init__(config)
        width = config.width
        self.entrance = entrance(config.feature_size, width)
        self.events = nn.GRU(width, width, batch_first=True)
        self.decoder = SentenceDecoder(config.words, width, config.heads, config.layers, config.dropout)
        self.names = nn.Linear(width, width)
        self.simulator, self.resimulator = Simulator(config), Simulator(config)
        self.copy, self.gate = nn.Linear(width, width), nn.Linear(width, 1)

    def start(self, videos: Sequence[RivalVideo]) -> tuple[Tensor, Tensor, State, Tensor, Tensor]:
        """Encoded frames (B, T, CLIP, d), event vectors (B, T, d), the first state, (B, M) mask, (B, M, W) names."""
        clips, mask = stacked([video.clips for video in videos], self.device)
        frames = self.entrance(clips)
        events, _ = self.events(frames.mean(dim=2) * mask[..., None])
        longest = max((len(name) for video in videos for name in video.names), default=1)
        count = max(1, *(len(video.names) for video in videos))
        names = torch.zeros(len(videos), count, longest, dtype=torch.long)
        for b, video in enumerate(videos):
            for m, name in enumerate(video.names):
                names[b, m, : len(name)] = torch.tensor(name)
        names = names.to(self.device)
        real = (names != PAD).any(dim=2)
        words = (names != PAD).unsqueeze(-1).to(frames.dtype)
        mean = (self.decoder.table(names) * words).sum(dim=2) / words.sum(dim=2).clamp(min=1)
        ingredients = self.names(mean) * real[..., None]
        return frames, events, State(ingredients, torch.zeros_like(real, dtype=frames.dtype)), real, names

    def step(self, frames: Tensor, event: Tensor, state: State, real: Tensor) -> tuple[Step, State]:
        """One event: (B, CLIP, d) frames and its (B, d) vector."""
        actions, done, touched, state = self.simulator(event, state, real)
        memory = torch.cat([frames, (event + done)[:, None], state.ingredients], dim=1)
        seen = torch.ones(frames.shape[0], frames.shape[1] + 1, dtype=torch.bool, device=frames.device)
        return Step(actions, touched, memory, torch.cat([seen, real], dim=1)), state

    def word_chances(self, hidden: Tensor, state: State, real: Tensor, names: Tensor) -> Tensor:
        """(B, W, words): spoken from the vocabulary or copied from the list, as a gate decides."""
        spoken = self.decoder.output(hidden).softmax(dim=-1)
        scores = torch.einsum("bwd,bmd->bwm", self.copy(hidden), state.ingredients)
        look = scores.masked_fill(~real[:, None], torch.finfo(scores.dtype).min).softmax(dim=-1) * real[:, None]
        known = (names != PAD).to(hidden.dtype)
        share = look[..., None] * (known / known.sum(dim=2, keepdim=True).clamp(min=1))[:, None]
        copied = torch.zeros_like(spoken).scatter_add(
            2, names.flatten(1)[:, None].expand(-1, hidden.shape[1], -1), share.flatten(2)
        )
        gate = self.gate(hidden).sigmoid() * real.any(dim=1)[:, None, None]
        mixed: Tensor = (1 - gate) * spoken + gate * copied
        return mixed

    def losses(self, videos: Sequence[RivalVideo]) -> Mapping[str, Term]:
        """Words, actions and ingredients of all true events; what is written is simulated again."""
        frames, events, state, real, names = self.start(videos)
        nothing = frames.sum() * 0.0
        sums = dict.fromkeys(self.weights, nothing)
        counts = dict.fromkeys(self.weights, 0)
        told_state = state
        for t in range(frames.shape[1]):
            here = [b for b, video in enumerate(videos) if t < len(video.sentences)]
            if not here:
                break
            found, state = self.step(frames[:, t], events[:, t], state, real)
            words = padded(
                [video.sentences[t] if t < len(video.sentences) else (BOS,) for video in videos], self.device
            )
            hidden = self.decoder.hidden(words[:, :-1], found.memory, found.mask)
            chances = self.word_chances(hidden, state, real, names)
            of_word = chances.gather(2, words[:, 1:, None]).squeeze(-1).clamp(min=1e-9)
            wanted = words[:, 1:] != PAD
            sums["words"] = sums["words"] - (of_word.log() * wanted).sum()
            counts["words"] += int(wanted.sum())
            done, _ = stacked([videos[b].done[t].astype(float) for b in here], self.device)
            named, _ = stacked([videos[b].named[t].astype(float) for b in here], self.device)
            told = (hidden * wanted[..., None]).sum(dim=1) / wanted.sum(dim=1, keepdim=True).clamp(min=1)
            again, _, touched, told_state = self.resimulator(told, told_state, real)
            sums["actions"] = sums["actions"] + _chosen(found.actions[here].sigmoid(), done)
            sums["ingredients"] = sums["ingredients"] + _chosen(found.ingredients[here], named)
            resimulated = _chosen(again[here].sigmoid(), done) + _chosen(touched[here], named)
            sums["resimulated"] = sums["resimulated"] + resimulated
            for name in ("actions", "ingredients", "resimulated"):
                counts[name] += len(here)
        return {name: Term(sums[name], counts[name]) for name in self.weights}

    def write(self, videos: Sequence[RivalVideo], vocabulary: Vocabulary) -> list[Events]:
        """Sentences of the true events."""
        frames, events, state, real, names = self.start(videos)
        told: list[list[str]] = [[] for _ in videos]
        for t in range(frames.shape[1]):
            found, state = self.step(frames[:, t], events[:, t], state, real)
            words = torch.full((len(videos), 1), BOS, device=self.device)
            for _ in range(LONGEST + 1):
                hidden = self.decoder.hidden(words, found.memory, found.mask)[:, -1:]
                chances = self.word_chances(hidden, state, real, names)[:, 0]
                chances[:, [PAD, BOS, UNK]] = 0.0
                ended = (words == EOS).any(dim=1)
                words = torch.cat([words, torch.where(ended, PAD, chances.argmax(dim=-1))[:, None]], dim=1)
                if bool((words == EOS).any(dim=1).all()):
                    break
            for sentences, video, text in zip(told, videos, sentences_of(words, vocabulary), strict=True):
                if t < len(video.clips):
                    sentences.append(text)
        return [Events(video.video.spans, tuple(texts)) for video, texts in zip(videos, told, strict=True)]


def _chosen(chances: Tensor, labels: Tensor) -> Tensor:
    """Binary cross-entropy of (B, K) chances, summed; (B, up to K) labels, those missing are False."""
    wanted = F.pad(labels, (0, chances.shape[1] - labels.shape[1]))
    return F.binary_cross_entropy(chances.clamp(1e-6, 1 - 1e-6), wanted, reduction="sum")
