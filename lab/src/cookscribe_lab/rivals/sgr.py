"""SGR, "sketch, ground, refine" (Deng et al., 2021), kept to its idea: little more of it is public.

1. Sketch: a paragraph about the whole video, sentence after sentence.
2. Ground: each sentence finds its segment by looking at the frames.
3. Refine the sentence: it is written again, by a decoder that sees the frames of its segment only.
4. Refine the segment: the new sentence looks at the frames again.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from cookscribe.evaluation.events import Events
from cookscribe.learning.loop import Term
from cookscribe.proposals.pdvc.boxes import generalized_iou
from cookscribe.text.vocabulary import BOS, EOS, PAD, Vocabulary
from cookscribe_lab.rivals.base import FrameRival, RivalConfig, sentences_of
from cookscribe_lab.rivals.decoder import SentenceDecoder, counted
from cookscribe_lab.rivals.video_data import FRAMES, LONGEST, RivalVideo, padded

MOST_SENTENCES, SKETCH_WORDS = 12, 120
SOFTNESS = 0.02  # of a segment's borders when frames are weighed by it, as a share of the video
LEAST_WEIGHT = 0.01  # of a frame that belongs to a segment


class Ground(nn.Module):
    """A sentence finds its segment: attention to the frames, where it lies and how wide, then two numbers.

    It knows its place in the paragraph, which tells when to look.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.borders = nn.Sequential(nn.Linear(2 * width + 4, width), nn.ReLU(), nn.Linear(width, 2))

    def forward(self, sentence: Tensor, place: Tensor, frames: Tensor, owner: Tensor) -> Tensor:
        """Segments, (R, 2) starts and ends in [0, 1].

        Args:
            sentence: (R, d); place: (R, 2), see `_places`.
            frames: (B, FRAMES, d); owner: (R,) the video of each sentence.
        """
        scores = torch.einsum("rd,rfd->rf", self.query(sentence), self.key(frames)[owner]) / sentence.shape[1] ** 0.5
        weights = scores.softmax(dim=1)
        moments = (torch.arange(FRAMES, device=frames.device) + 0.5) / FRAMES
        centre = weights @ moments
        spread = (weights * (moments - centre[:, None]) ** 2).sum(dim=1).clamp(min=1e-6).sqrt()
        seen = torch.einsum("rf,rfd->rd", weights, frames[owner])
        told = torch.cat([sentence, seen, centre[:, None], spread[:, None], place], dim=1)
        shift, stretch = self.borders(told).unbind(dim=1)
        half = spread * stretch.clamp(-4.0, 4.0).exp()
        middle = centre + 0.5 * shift.tanh()
        return torch.stack([middle - half, middle + half], dim=1).clamp(0.0, 1.0)


class Sgr(FrameRival):
    """The whole model."""

    weights: Mapping[str, float] = {"sketch": 1.0, "ground": 2.0, "refine": 1.0, "ground again": 2.0}

    def __init__(self, config: RivalConfig) -> None:
        super().__init__(config)
        sizes = (config.words, config.width, config.heads, config.layers, config.dropout)
        self.sketch, self.refine = SentenceDecoder(*sizes), SentenceDecoder(*sizes)
        self.ground, self.ground_again = Ground(config.width), Ground(config.width)

    def read_sketch(
        self, paragraphs: Sequence[Sequence[Sequence[int]]], frames: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """B paragraphs of R sentences as the sketch decoder sees them.

        Returns:
            (R, d) the mean of each sentence; (R, d) what stands before its first word, which knows the sentences so
            far and nothing of this one; (B, W, d) all words.
        """
        words = padded([_paragraph(sentences) for sentences in paragraphs], self.device)
        everywhere = torch.ones(frames.shape[:2], dtype=torch.bool, device=self.device)
        hidden = self.sketch.hidden(words, frames, everywhere)
        vectors, before = [], []
        for b, sentences in enumerate(paragraphs):
            first = 1
            for sentence in sentences:
                before.append(hidden[b, first - 1])
                vectors.append(hidden[b, first : first + len(sentence)].mean(dim=0))
                first += len(sentence)
        return torch.stack(vectors), torch.stack(before), hidden

    def segment(self, frames: Tensor, owner: Tensor, borders: Tensor, before: Tensor) -> tuple[Tensor, Tensor]:
        """(R, S, d): the sketch before each sentence, and the frames weighed by its soft segment; (R, S) which count.

        Only the S - 1 frames that the widest segment has are kept of each video.
        """
        moments = (torch.arange(FRAMES, device=frames.device) + 0.5) / FRAMES
        inside = ((moments - borders[:, :1]) / SOFTNESS).sigmoid() * ((borders[:, 1:] - moments) / SOFTNESS).sigmoid()
        widest = int((inside >= LEAST_WEIGHT).sum(dim=1).max())
        weight, place = inside.topk(max(widest, 1), dim=1)
        rows = frames[owner[:, None], place] * weight[..., None]
        real = F.pad(weight >= LEAST_WEIGHT, (1, 0), value=True)
        return torch.cat([before[:, None], rows], dim=1), real

    def losses(self, videos: Sequence[RivalVideo]) -> Mapping[str, Term]:
        """Of the four steps; the sketch that is grounded and refined is the true paragraph.

        Sentences are refined at their true segments or at those that were found, as a coin falls: the true ones teach
        what a segment shows, the others are what there is to refine when it writes.
        """
        videos = [video for video in videos if video.sentences]
        if not videos:
            return dict.fromkeys(self.weights, Term(self.sketch.output.weight.sum() * 0.0, 0))
        frames = self.encode(videos)
        cut = [video.sentences[:MOST_SENTENCES] for video in videos]
        paragraphs = padded([[*_paragraph(_bare(sentences)), EOS] for sentences in cut], self.device)
        owner = torch.tensor([b for b, sentences in enumerate(cut) for _ in sentences], device=self.device)
        truth = np.concatenate([video.shares[:MOST_SENTENCES] for video in videos])
        spans = torch.from_numpy(truth).to(self.device)
        vectors, before, sketched = self.read_sketch([_bare(sentences) for sentences in cut], frames)
        place = _places([len(sentences) for sentences in cut], self.device)
        first = self.ground(vectors, place, frames, owner)
        coin = torch.rand(len(spans), 1, device=self.device) < 0.5
        memory, real = self.segment(frames, owner, torch.where(coin, spans, first.detach()), before)
        words = padded([sentence for sentences in cut for sentence in sentences], self.device)
        refined = self.refine.hidden(words, memory, real)
        again = self.ground_again(_mean(words, refined), place, frames, owner)
        return {
            "sketch": Term(self.sketch.loss_of(paragraphs, sketched), counted(paragraphs)),
            "ground": Term(_apart(first, spans), len(spans)),
            "refine": Term(self.refine.loss_of(words, refined[:, :-1]), counted(words)),
            "ground again": Term(_apart(again, spans), len(spans)),
        }

    def write(self, videos: Sequence[RivalVideo], vocabulary: Vocabulary) -> list[Events]:
        """Sketch, ground, refine, ground again."""
        frames = self.encode(videos)
        everywhere = torch.ones(frames.shape[:2], dtype=torch.bool, device=self.device)
        # The sketch ends with an empty sentence.
        sketch = self.sketch.write(frames, everywhere, SKETCH_WORDS, ends=2).tolist()
        paragraphs = [_sentences(row) for row in sketch]
        owner = torch.tensor([b for b, some in enumerate(paragraphs) for _ in some], device=self.device)
        vectors, before, _ = self.read_sketch(paragraphs, frames)
        place = _places([len(some) for some in paragraphs], self.device)
        memory, real = self.segment(frames, owner, self.ground(vectors, place, frames, owner), before)
        words = self.refine.write(memory, real, LONGEST)
        refined = _mean(words, self.refine.hidden(words, memory, real))
        borders = self.ground_again(refined, place, frames, owner).double().cpu().numpy()
        texts = sentences_of(words, vocabulary)
        told = []
        for b, video in enumerate(videos):
            mine = np.flatnonzero(owner.cpu().numpy() == b)
            spans = borders[mine] * video.video.duration
            order = np.lexsort((spans[:, 1], spans[:, 0]))
            told.append(Events(spans[order], tuple(texts[mine[n]] for n in order)))
        return told


def _mean(words: Tensor, hidden: Tensor) -> Tensor:
    """(R, d) means of sentences' vectors, (R, W, d), over their (R, W) words."""
    real = (words != PAD).to(hidden.dtype)
    return (hidden * real[..., None]).sum(dim=1) / real.sum(dim=1, keepdim=True)


def _places(counts: Sequence[int], device: torch.device) -> Tensor:
    """(R, 2) of the sentences of paragraphs of so many: how far on each stands, and its share of the paragraph."""
    places = [((number + 0.5) / count, 1 / count) for count in counts for number in range(count)]
    return torch.tensor(places, device=device)


def _bare(sentences: Sequence[Sequence[int]]) -> list[list[int]]:
    """Without BOS; EOS is what stands between the sentences of a paragraph."""
    return [list(sentence[1:]) for sentence in sentences]


def _paragraph(sentences: Sequence[Sequence[int]]) -> list[int]:
    return [BOS, *(word for sentence in sentences for word in sentence)]


def _sentences(words: Sequence[int]) -> list[list[int]]:
    """A written paragraph cut into sentences with EOS, up to the first empty one; never none."""
    found: list[list[int]] = [[]]
    for word in words[1:]:
        if word == EOS and not found[-1]:
            break
        found[-1].append(word)
        if word == EOS:
            found.append([])
        if len(found) > MOST_SENTENCES:
            break
    return [sentence for sentence in found if len(sentence) > 1] or [[EOS]]


def _apart(found: Tensor, truth: Tensor) -> Tensor:
    """How far segments are from the true ones, summed: 1 - generalised IoU, and the borders' distance."""
    return ((1 - generalized_iou(found, truth)) + (found - truth).abs().sum(dim=1)).sum()
