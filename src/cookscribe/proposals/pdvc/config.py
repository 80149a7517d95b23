"""`ProposalConfig`: every choice of the proposal model, with the presets `paper` and `small`."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from cookscribe.config import Config
from cookscribe.errors import BadValueError


class ProposalConfig(Config):
    """Sizes and choices of PDVC. The default sizes are the preset `paper`'s; upper bounds are above any sensible model.

    Attributes:
        feature_size: D, the width of the feature track.
        encoder: name of the feature encoder the model was made for, or "" when unknown.
        words: size of the caption vocabulary; 0 builds no caption head.
        frames: rows a track is resampled to.
        width, feedforward, heads, encoder_layers, decoder_layers, dropout: of the transformer.
        levels: resolutions; each halves the one before.
        points: sampled positions per head and level.
        padding: what is seen beyond the ends of a video: "zeros", or "border", its first or last row, as published.
        duration: how the model is told it: by "waves", or by a "thermometer" of 256 seconds, as published.
        queries: N, the number of candidates.
        groups: sets of N queries in training, each matched to the truth by itself (Chen et al., "Group DETR", 2023): as
            many lessons per video at hardly more cost. Only the first set proposes; 1 as published.
        references: "learned" starts every query at a learned point, as published; "anchors" starts the learned spans as
            a grid over the video in several lengths, which needs far fewer epochs.
        count_head: "poisson" predicts a rate and has no ceiling; "classes" classifies; "gaussian" is the published
            counter: a weighted binary cross-entropy of every count, forgiving near ones (see `criterion`).
        count_evidence: let the count head also read what the layer's predictions add up to and how long the video is.
        count_classes: counts 0 .. count_classes - 1, for "classes" and "gaussian" only.
        caption_width: of the LSTM.
        caption_length: most words of a caption.
        caption_layers: "all" trains captions on every decoder layer as published, "last" on the last one only.
        caption_shared: one caption head for all layers, as published.
        caption_around: positions are drawn around the layer's "own" span, or, as published, around the "previous" one,
            the reference that the layer was given.
        caption_loss: mean over all words of a batch ("word"), or, as published, over captions of these ("caption").
        caption_sampling: "word" draws the sampled positions anew for every word as published; "event" draws them once
            per event, and the words choose among them: a third of the work.
        caption_frames: let the caption head also see the feature rows through a projection of its own: what tells an
            event from its surroundings is little of what there is to say about it.
        loss_count: weight of the count loss on every layer; the other published weights are fixed.
        loss_inside: weight of a loss that is not in the paper: does this frame lie inside an event? Every frame teaches
            the encoder, not only the matched queries; 0 builds no such head.
        rank_alpha: weight of the caption in the answer's ranking, rank_alpha * (sum log p / words ** 2) + class score.
        rank_eos: count the end of a caption among its words in the ranking; published: no.
        rank_overlap: the answer passes over a candidate whose tIoU with a better one is higher; 1 as published.
    """

    feature_size: int = Field(default=512, ge=1, le=2**17)
    encoder: str = ""
    words: int = Field(default=0, ge=0, le=2**20)
    frames: int = Field(default=200, ge=1, le=2**12)
    width: int = Field(default=512, ge=2, le=2**13)
    feedforward: int = Field(default=512, ge=1, le=2**15)
    heads: int = Field(default=8, ge=1, le=256)
    encoder_layers: int = Field(default=2, ge=1, le=64)
    decoder_layers: int = Field(default=2, ge=1, le=64)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    levels: int = Field(default=4, ge=1, le=8)
    points: int = Field(default=4, ge=1, le=64)
    padding: Literal["zeros", "border"] = "zeros"
    duration: Literal["waves", "thermometer"] = "waves"
    queries: int = Field(default=100, ge=1, le=2000)
    groups: int = Field(default=1, ge=1, le=1000)
    references: Literal["learned", "anchors"] = "learned"
    count_head: Literal["poisson", "classes", "gaussian"] = "poisson"
    count_evidence: bool = False
    count_classes: int = Field(default=11, ge=2, le=1000)
    caption_width: int = Field(default=512, ge=1, le=2**13)
    caption_length: int = Field(default=30, ge=1, le=500)
    caption_dropout: float = Field(default=0.5, ge=0, lt=1)
    caption_layers: Literal["all", "last"] = "all"
    caption_shared: bool = False
    caption_around: Literal["own", "previous"] = "own"
    caption_loss: Literal["word", "caption"] = "word"
    caption_sampling: Literal["word", "event"] = "word"
    caption_frames: bool = False
    loss_count: float = Field(default=0.5, ge=0)
    loss_inside: float = Field(default=0.0, ge=0)
    rank_alpha: float = Field(default=1.0, ge=0)
    rank_eos: bool = True
    rank_overlap: float = Field(default=1.0, ge=0, le=1)

    @model_validator(mode="after")
    def _divisible(self) -> Self:
        if self.width % self.heads or self.width % 4:
            raise ValueError(f"the width ({self.width}) must be a multiple of 4 and of the heads ({self.heads})")
        return self

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """A named configuration with changes: "paper" (512 units, N = 100) or "small" (fits one CPU core)."""
        from cookscribe.proposals.pdvc.presets import PRESETS, SMALL_QUERIES

        if name not in PRESETS:
            raise BadValueError("preset", f"no preset {name!r}", f"choose one of {', '.join(PRESETS)}")
        config = cls.parse(PRESETS[name] | changes, f"preset {name}")
        if name == "small" and "groups" not in changes:
            # About as many queries in training, however many of them propose.
            config = config.model_copy(update={"groups": max(SMALL_QUERIES // config.queries, 1)})
        return config
