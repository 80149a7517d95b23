"""The losses of the proposal model, one method each, and their weight table: the published four and one of ours."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from cookscribe.learning.loop import Term
from cookscribe.learning.proposals.matcher import CLASS_WEIGHT, FOCAL_ALPHA, FOCAL_GAMMA, OVERLAP_WEIGHT, Pairs, match
from cookscribe.proposals.pdvc.boxes import generalized_iou, to_borders
from cookscribe.proposals.pdvc.caption import CaptionHead, Rows
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.pdvc import PDVC, Layer
from cookscribe.proposals.pdvc.transformer import Encoded
from cookscribe.text.vocabulary import PAD

CAPTION_WEIGHT = 2.0
COUNT_SPREAD = 2.0  # standard deviation of what the published counter forgives, in events


@dataclass(frozen=True, eq=False)
class Truth:
    """The true events of a batch of videos.

    Attributes:
        boxes: per video (T, 2) centres and lengths in units of the video; T may be 0, and is never cut.
        sentences: per video (T, W) token ids with EOS, PAD after it; empty when there are no captions to learn.
    """

    boxes: Sequence[Tensor]
    sentences: Sequence[Tensor] = ()


def focal_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Focal loss (Lin et al., 2017) of every logit: cross-entropy, faded out where the model is already right."""
    chance = logits.sigmoid()
    plain = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    wrong = chance * (1 - targets) + (1 - chance) * targets
    balance = FOCAL_ALPHA * targets + (1 - FOCAL_ALPHA) * (1 - targets)
    return balance * plain * wrong**FOCAL_GAMMA


def gaussian_count_loss(logits: Tensor, counts: Tensor, rates: Tensor) -> Tensor:
    """The published counter's loss, (B,): binary cross-entropy of every count, mean over the counts.

    Counts that are common in the training videos weigh less, and a wrong count the less, the nearer it is.

    Args:
        logits: (B, K); counts: (B,) true ones below K; rates: (K,) share of training videos with each count.
    """
    numbers = torch.arange(logits.shape[1], device=logits.device)
    targets = functional.one_hot(counts, logits.shape[1]).to(logits.dtype)
    near = torch.exp(-((numbers - counts[:, None]) ** 2) / (2.0 * COUNT_SPREAD**2))
    plain = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    return (plain * (1 - rates) * (targets + (1 - near) * (1 - targets))).mean(dim=1)


class Criterion:
    """Losses of all decoder layers. Every layer is matched to the truth by itself.

    Args:
        rates: (count_classes,) share of the training videos with each count, for the published counter.
    """

    def __init__(self, config: ProposalConfig, rates: Tensor | None = None) -> None:
        self.config = config
        self.rates = torch.zeros(config.count_classes) if rates is None else rates

    @property
    def weights(self) -> dict[str, float]:
        """Weight of every loss, by "<loss>.<layer>"."""
        config = self.config
        table = {"class": CLASS_WEIGHT, "giou": OVERLAP_WEIGHT, "count": config.loss_count}
        weights = {f"{name}.{n}": weight for name, weight in table.items() for n in range(config.decoder_layers)}
        if config.loss_inside:
            weights["inside"] = config.loss_inside
        if config.words:
            first = 0 if config.caption_layers == "all" else config.decoder_layers - 1
            weights |= {f"caption.{n}": CAPTION_WEIGHT for n in range(first, config.decoder_layers)}
        return weights

    def __call__(self, model: PDVC, layers: Sequence[Layer], encoded: Encoded, truth: Truth) -> dict[str, Term]:
        """All terms of a batch, by the names of `weights`. Only the first group of queries learns to write captions."""
        terms: dict[str, Term] = {}
        groups = len(layers[0].logits) // len(truth.boxes)
        repeated = Truth([boxes for boxes in truth.boxes for _ in range(groups)])
        for number, layer in enumerate(layers):
            pairs = match(layer.logits, layer.boxes, repeated.boxes)
            terms[f"class.{number}"] = self.loss_class(layer, pairs, repeated)
            terms[f"giou.{number}"] = self.loss_giou(layer, pairs, repeated)
            terms[f"count.{number}"] = self.loss_count(layer, repeated)
            if model.caption_head(number) is not None and truth.sentences:
                first = pairs.videos % groups == 0
                layer = Layer(*(values[::groups] for values in layer))
                pairs = Pairs(pairs.videos[first] // groups, pairs.queries[first], pairs.events[first])
                terms[f"caption.{number}"] = self.loss_caption(model, number, layer, encoded, pairs, truth)
        if model.inside is not None:
            terms["inside"] = self.loss_inside(model.inside, encoded, truth)
        return terms

    def loss_class(self, layer: Layer, pairs: Pairs, truth: Truth) -> Term:
        """Focal loss of all queries, per true event."""
        targets = torch.zeros_like(layer.logits)
        targets[pairs.videos, pairs.queries] = 1.0
        loss = focal_loss(layer.logits, targets)
        # A batch without events still teaches that nothing is an event; it counts like one event.
        return Term(loss.sum(), max(sum(len(boxes) for boxes in truth.boxes), 1))

    def loss_giou(self, layer: Layer, pairs: Pairs, truth: Truth) -> Term:
        """1 - generalised IoU of the matched pairs, per pair."""
        found = to_borders(layer.boxes[pairs.videos, pairs.queries])
        wanted = to_borders(_matched(truth.boxes, pairs))
        return Term((1 - generalized_iou(found, wanted)).sum(), len(pairs.videos))

    def loss_count(self, layer: Layer, truth: Truth) -> Term:
        """How surprising the number of events is, per video."""
        counts = torch.tensor([float(len(boxes)) for boxes in truth.boxes], device=layer.counter.device)
        if self.config.count_head == "poisson":
            rate = layer.counter[:, 0]
            loss = rate.exp() - counts * rate + torch.lgamma(counts + 1)
        else:
            known = counts.long().clamp(max=self.config.count_classes - 1)
            if self.config.count_head == "gaussian":
                loss = gaussian_count_loss(layer.counter, known, self.rates.to(layer.counter))
            else:
                loss = functional.cross_entropy(layer.counter, known, reduction="none")
        return Term(loss.sum(), len(counts))

    def loss_inside(self, head: nn.Module, encoded: Encoded, truth: Truth) -> Term:
        """Cross-entropy of every frame's being inside an event, per frame."""
        finest = encoded.pyramid.sizes[0]
        centres, real = encoded.pyramid.centres()[:, :finest], encoded.pyramid.mask[:, :finest]
        targets = torch.zeros_like(centres)
        for video, boxes in enumerate(truth.boxes):
            borders = to_borders(boxes)
            covered = (centres[video, :, None] >= borders[:, 0]) & (centres[video, :, None] <= borders[:, 1])
            targets[video] = covered.any(dim=1).to(targets.dtype)
        logits = head(encoded.tokens[:, :finest])[..., 0].float()
        loss = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        return Term((loss * real).sum(), float(real.sum()))

    def loss_caption(
        self, model: PDVC, number: int, layer: Layer, encoded: Encoded, pairs: Pairs, truth: Truth
    ) -> Term:
        """Negative log-likelihood of the sentences of the matched events."""
        head = model.caption_head(number)
        assert head is not None
        rows = Rows(
            pairs.videos,
            layer.hidden[pairs.videos, pairs.queries],
            model.caption_references(layer)[pairs.videos, pairs.queries].detach(),
        )
        return caption_term(head, encoded, rows, _matched(truth.sentences, pairs))


def caption_term(head: CaptionHead, encoded: Encoded, rows: Rows, sentences: Tensor) -> Term:
    """Negative log-likelihood of (K, W) sentences with EOS, PAD after it: per word, or per caption (`per_caption`)."""
    if not len(sentences):
        return Term(rows.queries.sum() * 0.0, 0)
    items = len(sentences) if head.per_caption else int((sentences != PAD).sum())
    return Term(head(encoded, rows, sentences), items)


def _matched(per_video: Sequence[Tensor], pairs: Pairs) -> Tensor:
    """Rows of the matched events, in the order of the pairs; B tensors (T, X) to (K, X)."""
    if not per_video:
        raise ValueError("an empty batch has no truth")
    width = max(values.shape[1] for values in per_video)
    stacked = torch.cat([functional.pad(values, (0, width - values.shape[1])) for values in per_video])
    first = torch.tensor([0, *[len(values) for values in per_video][:-1]], device=stacked.device).cumsum(0)
    return stacked[first[pairs.videos] + pairs.events]
