"""Captions after events: the caption head as a task of its own, while all the rest of a trained model stays as it is.

Events are learnt in a few epochs, captions are not: trained together for as long as the events need, every event gets
the same few phrases. What the head reads of a video no longer changes here, so it is computed once and kept; an epoch
then costs a fraction of one for all, and candidates stay what they were.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.loop import Term
from cookscribe.learning.proposals.criterion import caption_term
from cookscribe.learning.proposals.data import VideoSet
from cookscribe.learning.proposals.matcher import match
from cookscribe.learning.proposals.task import VideoTask
from cookscribe.progress import track
from cookscribe.proposals.pdvc.caption import Rows
from cookscribe.proposals.pdvc.deformable import Pyramid
from cookscribe.proposals.pdvc.pdvc import PDVC
from cookscribe.proposals.pdvc.transformer import Encoded
from cookscribe.text.vocabulary import Vocabulary

# Videos that go through the frozen part at once.
CHUNK = 32


class Lesson(NamedTuple):
    """K matched candidates of a video: (K, width) queries, (K, 1 or 2) references, (K, W) true sentences with EOS."""

    queries: Tensor
    boxes: Tensor
    sentences: Tensor


class Seen(NamedTuple):
    """What the caption heads read of one video.

    Attributes:
        tokens: (S, width) float16.
        real: (levels,) real tokens per level.
        lessons: one per decoder layer with a caption head.
    """

    tokens: Tensor
    real: Tensor
    lessons: tuple[Lesson, ...]


class CaptionTask(VideoTask):
    """Learns the sentences of the matched events; scored by how likely those of `development` are.

    Args:
        model: a proposal model whose events are learnt; everything but its caption heads is frozen.
        videos, development: both with sentences.
    """

    score = "likelihood"
    vocabulary: Vocabulary

    def __init__(
        self, model: PDVC, training: TrainingConfig, videos: VideoSet, development: VideoSet, vocabulary: Vocabulary
    ) -> None:
        super().__init__(model, training, videos, development, vocabulary)
        self.numbers = [n for n in range(model.config.decoder_layers) if model.caption_head(n) is not None]
        self.weights: Mapping[str, float] = {f"caption.{number}": 1.0 for number in self.numbers}
        model.requires_grad_(False)
        model.caption_heads.requires_grad_(True)

    @cached_property
    def seen(self) -> list[Seen]:
        """The training videos. Not looked at before the first lesson: a finished training is only read."""
        return self._watch(self.videos, "watching the training videos")

    @cached_property
    def seen_development(self) -> list[Seen]:
        """The development videos."""
        return self._watch(self.development, "watching the development videos")

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """Negative log-likelihood of the sentences of these videos, per word."""
        del epoch
        return self._terms(self.videos, self.seen, items)

    def evaluate(self) -> Mapping[str, float]:
        """On the development part: mean log-probability of a word, and the share of distinct sentences, in percent."""
        total = words = 0.0
        written: list[str] = []
        head = self.model.caption_head(-1)
        assert head is not None
        for first in range(0, len(self.development), CHUNK):
            items = range(first, min(first + CHUNK, len(self.development)))
            term = self._terms(self.development, self.seen_development, items)[f"caption.{self.numbers[-1]}"]
            total, words = total + float(term.total), words + term.divisor
            encoded, rows, _ = self._batch(self.development, self.seen_development, items, -1)
            written += map(self.vocabulary.decode, head.decode(encoded, rows).tokens.tolist())
        return {"likelihood": -total / max(words, 1.0), "distinct": 100.0 * len(set(written)) / max(len(written), 1)}

    @torch.no_grad()
    def _watch(self, videos: VideoSet, label: str) -> list[Seen]:
        """Run the frozen part once over all videos."""
        training = self.model.training
        self.model.eval()
        seen: list[Seen] = []
        for first in track(range(0, len(videos), CHUNK), label):
            items = range(first, min(first + CHUNK, len(videos)))
            inputs, truth = videos.inputs(items, self.device), videos.truth(items, self.device)
            layers, encoded = self.model(inputs.frames, inputs.mask, inputs.durations)
            self.sizes = encoded.pyramid.sizes
            matched = [match(layers[n].logits, layers[n].boxes, truth.boxes) for n in self.numbers]
            for place in range(len(items)):
                lessons = []
                for number, pairs in zip(self.numbers, matched, strict=True):
                    mine = pairs.videos == place
                    layer, queries = layers[number], pairs.queries[mine]
                    sentences = truth.sentences[place][pairs.events[mine]]
                    around = self.model.caption_references(layer)[place, queries]
                    lessons.append(Lesson(layer.hidden[place, queries], around, sentences))
                seen.append(Seen(encoded.tokens[place].half(), encoded.pyramid.real[place], tuple(lessons)))
        self.model.train(training)
        return seen

    def _batch(
        self, videos: VideoSet, seen: Sequence[Seen], items: Sequence[int], place: int
    ) -> tuple[Encoded, Rows, Tensor]:
        """Encoded videos, their K matched candidates of one layer, and the (K, W) sentences of these."""
        chosen = [seen[item] for item in items]
        tokens = torch.stack([one.tokens for one in chosen]).float()
        pyramid = Pyramid(self.sizes, torch.stack([one.real for one in chosen]))
        lessons = [one.lessons[place] for one in chosen]
        width = max(lesson.sentences.shape[1] for lesson in lessons)
        sentences = [functional.pad(part.sentences, (0, width - part.sentences.shape[1])) for part in lessons]
        counts = torch.tensor([len(lesson.sentences) for lesson in lessons])
        numbers = torch.arange(len(lessons)).repeat_interleave(counts).to(self.device)
        rows = Rows(numbers, torch.cat([one.queries for one in lessons]), torch.cat([one.boxes for one in lessons]))
        return Encoded(tokens, pyramid, videos.inputs(items, self.device).frames), rows, torch.cat(sentences)

    def _terms(self, videos: VideoSet, seen: Sequence[Seen], items: Sequence[int]) -> dict[str, Term]:
        terms: dict[str, Term] = {}
        for place, number in enumerate(self.numbers):
            head = self.model.caption_head(number)
            assert head is not None
            terms[f"caption.{number}"] = caption_term(head, *self._batch(videos, seen, items, place))
        return terms
