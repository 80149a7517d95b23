"""Masked Transformer (Zhou et al., 2018): anchors over the encoded video, and masks through which words see events.

Every frame has 16 anchors around it. For each, a depthwise convolution as long as the anchor and a linear layer say
how likely it is an event, and how far the event's centre and length are from the anchor's. A mask over the frames is
made from where the event lies, and words look at the video through it; the mask is differentiable, so that words teach
the events too. As published, the mask is held to the anchor's own where the event is doubtful.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.candidates import tiou_matrix
from cookscribe.evaluation.events import Events
from cookscribe.learning.loop import Term
from cookscribe.text.vocabulary import Vocabulary
from cookscribe_lab.rivals.base import FrameRival, RivalConfig, sentences_of
from cookscribe_lab.rivals.decoder import SentenceDecoder, counted
from cookscribe_lab.rivals.video_data import FRAMES, LONGEST, RivalVideo, padded

ANCHORS = 16
POSITIVE, NEGATIVE = 0.7, 0.3  # tIoU with a true event that makes an anchor an event, or none
# It does not count. Chosen on development videos: twenty events that overlap by half are below equal segments.
SUPPRESSION, MOST_EVENTS, LEAST_SCORE = 0.2, 10, 0.5


class Proposals(NamedTuple):
    """Of B videos: (B, A) logits, (B, A, 2) centres and lengths in units of the video. A is FRAMES x ANCHORS."""

    logits: Tensor
    boxes: Tensor


class MaskedTransformer(FrameRival):
    """The whole model."""

    weights: Mapping[str, float] = {"event": 1.0, "regression": 10.0, "words": 0.25}

    def __init__(self, config: RivalConfig) -> None:
        super().__init__(config)
        width = config.width
        self.lengths = anchor_lengths()
        self.convolutions = nn.ModuleList(
            nn.Conv1d(width, width, length, padding="same", groups=width) for length in self.lengths
        )
        self.heads = nn.ModuleList(nn.Linear(width, 3) for _ in self.lengths)
        self.mask = nn.Sequential(nn.Linear(4 * width + FRAMES, width), nn.ReLU(), nn.Linear(width, FRAMES))
        self.decoder = SentenceDecoder(config.words, width, config.heads, config.layers, config.dropout)
        centres = (torch.arange(FRAMES) + 0.5) / FRAMES
        shares = torch.tensor(self.lengths) / FRAMES
        grid = torch.stack([centres[:, None].expand(-1, ANCHORS), shares.expand(FRAMES, -1)], dim=-1)
        self.anchors: Tensor
        self.register_buffer("anchors", grid.reshape(-1, 2), persistent=False)

    def propose(self, encoded: Tensor) -> Proposals:
        """All anchors of all videos."""
        turned = encoded.transpose(1, 2)
        said = [
            head(F.relu(convolution(turned)).transpose(1, 2))
            for convolution, head in zip(self.convolutions, self.heads, strict=True)
        ]
        flat = torch.stack(said, dim=2).flatten(1, 2)
        centre = self.anchors[:, 0] + flat[..., 1] * self.anchors[:, 1]
        length = self.anchors[:, 1] * flat[..., 2].clamp(-3.0, 3.0).exp()
        return Proposals(flat[..., 0], torch.stack([centre, length], dim=-1))

    def masked(self, encoded: Tensor, found: Proposals, videos: Tensor, anchors: Tensor) -> Tensor:
        """(R, FRAMES, d): the videos of R anchors, each through the mask of its event."""
        boxes, fixed = found.boxes[videos, anchors], self.anchors[anchors]
        width, moments = self.config.width, (torch.arange(FRAMES, device=encoded.device) + 0.5) / FRAMES
        inside = ((moments - fixed[:, :1]).abs() <= fixed[:, 1:] / 2).to(encoded.dtype)
        places = torch.cat([_ends(boxes), _ends(fixed)], dim=1)
        waves = _waves(places, width).flatten(1)
        chance = found.logits[videos, anchors].sigmoid()[:, None]
        # A doubtful event is seen through its anchor.
        mask = chance * self.mask(torch.cat([waves, inside], dim=1)).sigmoid() + (1 - chance) * inside
        seen: Tensor = encoded[videos] * mask[..., None]
        return seen

    def losses(self, videos: Sequence[RivalVideo]) -> Mapping[str, Term]:
        """Event, regression and word loss; words are learnt at the anchor nearest to each true event."""
        encoded = self.encode(videos)
        found = self.propose(encoded)
        chosen_videos, chosen, event_losses, shifts = [], [], [], []
        words: list[tuple[int, ...]] = []
        fixed = _ends(self.anchors).cpu().numpy()
        for b, video in enumerate(videos):
            overlap = tiou_matrix(fixed, video.shares)
            if not overlap.shape[1]:
                continue
            best = overlap.max(axis=1)
            positive = np.union1d(np.flatnonzero(best > POSITIVE), overlap.argmax(axis=0))
            negative = np.setdiff1d(np.flatnonzero(best < NEGATIVE), positive)
            # As many negatives as positives: those the model is surest about, wrongly.
            hardest = negative[np.argsort(-found.logits[b, negative].detach().cpu().numpy())[: len(positive)]]
            event_losses.append(F.softplus(-found.logits[b, positive]).sum() / max(len(positive), 1))
            event_losses.append(F.softplus(found.logits[b, hardest]).sum() / max(len(hardest), 1))
            target = video.shares[overlap[positive].argmax(axis=1)]
            wanted = torch.from_numpy(np.stack([target.mean(1), np.maximum(target[:, 1] - target[:, 0], 0.01)], 1))
            wanted, length = wanted.to(self.device), self.anchors[positive, 1]
            off = (found.boxes[b, positive, 0] - wanted[:, 0]) / length
            stretch = (found.boxes[b, positive, 1] / wanted[:, 1]).log()
            shifts.append(F.smooth_l1_loss(torch.stack([off, stretch]), torch.zeros_like(torch.stack([off, stretch]))))
            chosen += overlap.argmax(axis=0).tolist()
            chosen_videos += [b] * overlap.shape[1]
            words += video.sentences
        if not chosen:
            nothing = Term(encoded.sum() * 0.0, 0)
            return dict.fromkeys(self.weights, nothing)
        where = [torch.tensor(part, device=self.device) for part in (chosen_videos, chosen)]
        memory, tokens = self.masked(encoded, found, *where), padded(words, self.device)
        everywhere = torch.ones(memory.shape[:2], dtype=torch.bool, device=self.device)
        return {
            "event": Term(torch.stack(event_losses).sum(), len(event_losses)),
            "regression": Term(torch.stack(shifts).sum(), len(shifts)),
            "words": Term(self.decoder.loss(tokens, memory, everywhere), counted(tokens)),
        }

    def write(self, videos: Sequence[RivalVideo], vocabulary: Vocabulary) -> list[Events]:
        """Likely anchors after non-maximum suppression, and their sentences."""
        encoded = self.encode(videos)
        found = self.propose(encoded)
        told = []
        for b, video in enumerate(videos):
            borders = (_ends(found.boxes[b]).clamp(0.0, 1.0) * video.video.duration).double().cpu().numpy()
            scores = found.logits[b].sigmoid().double().cpu().numpy()
            kept = _suppressed(borders, scores)
            where = torch.full((len(kept),), b, device=self.device), torch.tensor(kept, device=self.device)
            memory = self.masked(encoded, found, *where)
            everywhere = torch.ones(memory.shape[:2], dtype=torch.bool, device=self.device)
            tokens = self.decoder.write(memory, everywhere, LONGEST)
            told.append(Events(borders[kept], tuple(sentences_of(tokens, vocabulary))))
        return told


def anchor_lengths() -> list[int]:
    """In frames, from 3 to over half of the video, each longer than the one before by a share; all odd."""
    lengths: list[int] = []
    for wanted in np.geomspace(3, 0.6 * FRAMES, ANCHORS):
        lengths.append(max(int(wanted) // 2 * 2 + 1, lengths[-1] + 2 if lengths else 3))
    return lengths


def _suppressed(borders: np.ndarray, scores: np.ndarray) -> list[int]:
    """Numbers of the anchors that stand, in order of time; at least one does."""
    order = np.argsort(-scores)
    likely = [int(n) for n in order[: 10 * MOST_EVENTS] if scores[n] >= LEAST_SCORE] or [int(order[0])]
    kept: list[int] = []
    for number in likely:
        if len(kept) < MOST_EVENTS and (tiou_matrix(borders[[number]], borders[kept]) <= SUPPRESSION).all():
            kept.append(number)
    return sorted(kept, key=lambda number: tuple(borders[number]))


def _ends(boxes: Tensor) -> Tensor:
    """(..., 2) centres and lengths to starts and ends."""
    return torch.stack([boxes[..., 0] - boxes[..., 1] / 2, boxes[..., 0] + boxes[..., 1] / 2], dim=-1)


def _waves(places: Tensor, width: int) -> Tensor:
    """(R, 4) shares of the video to (R, 4, width) sines and cosines."""
    rates = 10000.0 ** (-torch.arange(0, width, 2, device=places.device) / width)
    angles = FRAMES * places[..., None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1)
