"""`Proposer`: a trained proposal model at work, from feature tracks to `Candidates`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cookscribe.candidates import Candidates
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.model_folder import CONFIG, VOCABULARY, open_model
from cookscribe.proposals.pdvc.boxes import to_borders
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.pdvc import PDVC, Layer
from cookscribe.proposals.pdvc.transformer import Encoded
from cookscribe.text.vocabulary import Vocabulary
from cookscribe.track import FeatureTrack

if TYPE_CHECKING:
    from cookscribe.proposals.pdvc.caption import Captions

KIND = "proposals"


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the model reads of B videos.

    Attributes:
        frames: (B, L, D) float32 feature rows.
        mask: (B, L) True for real rows.
        durations: (B,) seconds.
    """

    frames: Tensor
    mask: Tensor
    durations: Tensor

    @classmethod
    def of(cls, rows: NDArray[np.floating], durations: Sequence[float], device: torch.device) -> Inputs:
        """Rows (B, L, D) of equally long videos, all real."""
        frames = torch.from_numpy(np.asarray(rows)).to(device, torch.float32)
        lengths = torch.tensor(durations, dtype=torch.float32, device=device)
        return cls(frames, torch.ones(frames.shape[:2], dtype=torch.bool, device=device), lengths)


class Proposer:
    """Gives N candidates for every video, captions included when the model can write them."""

    def __init__(self, model: PDVC, vocabulary: Vocabulary | None) -> None:
        self.model = model.eval()
        self.vocabulary = vocabulary
        self.device = next(model.parameters()).device

    @classmethod
    def load(cls, folder: Path, device: str = "cpu") -> Proposer:
        """Read a model folder that `cookscribe train proposals` wrote."""
        saved = open_model(folder, KIND)
        try:
            config = ProposalConfig.parse(saved.config)
        except BadValueError as error:
            raise BadFileError(saved.folder / CONFIG, error.cause, "the folder may be damaged") from None
        if config.words != (len(saved.vocabulary) if saved.vocabulary else 0):
            raise BadFileError(saved.folder / VOCABULARY, "does not belong to the configuration", "train again")
        return cls(saved.build(lambda: PDVC(config)).to(device), saved.vocabulary)

    @property
    def config(self) -> ProposalConfig:
        """The model's configuration."""
        return self.model.config

    def propose(self, found: FeatureTrack, *, captions: bool = True, features: bool = True) -> Candidates:
        """Candidates of one video."""
        return next(self.propose_many([("the video", found)], captions=captions, features=features))[1]

    def propose_many(
        self,
        tracks: Iterable[tuple[str, FeatureTrack]],
        *,
        batch_size: int = 16,
        captions: bool = True,
        features: bool = True,
    ) -> Iterator[tuple[str, Candidates]]:
        """Candidates of many videos, in order, `batch_size` of them at a time.

        Args:
            tracks: id and feature track of every video.
            captions: write a caption for every candidate.
            features: add the mean feature row inside each candidate.
        """
        batch: list[tuple[str, FeatureTrack]] = []
        for item in tracks:
            item[1].check(item[0], self.config.feature_size, self.config.encoder)
            batch.append(item)
            if len(batch) == batch_size:
                yield from self._batch(batch, captions, features)
                batch = []
        if batch:
            yield from self._batch(batch, captions, features)

    def _batch(
        self, batch: list[tuple[str, FeatureTrack]], captions: bool, features: bool
    ) -> Iterator[tuple[str, Candidates]]:
        rows = np.stack([found.resampled(self.config.frames) for _, found in batch])
        inputs = Inputs.of(rows, [found.duration for _, found in batch], self.device)
        for (video_id, found), candidates in zip(batch, self.run(inputs, captions=captions), strict=True):
            # The network computes in float32; the video keeps its own duration.
            spans = np.minimum(candidates.spans, found.duration)
            pooled = found.over(spans) if features else None
            yield video_id, replace(candidates, spans=spans, duration=found.duration, features=pooled)

    def answer(self, candidates: Candidates) -> Candidates:
        """The events the model itself would choose, in order of time."""
        from cookscribe.proposals.plain import rerank

        return rerank(candidates, alpha=self.config.rank_alpha, overlap=self.config.rank_overlap)

    @torch.no_grad()
    def run(self, inputs: Inputs, *, captions: bool = True) -> list[Candidates]:
        """Candidates of a batch of prepared inputs, without features."""
        layers, encoded = self.model(inputs.frames, inputs.mask, inputs.durations)
        last = layers[-1]
        spans = (to_borders(last.boxes).clamp(0.0, 1.0) * inputs.durations[:, None, None]).double().cpu().numpy()
        scores = last.logits.sigmoid().double().cpu().numpy()
        counts = self.model.expected_count(last).double().cpu().numpy()
        durations = inputs.durations.double().cpu().numpy()
        written = self._captions(last, encoded) if captions and self.vocabulary is not None else None
        found = []
        for n in range(len(spans)):
            texts = log_probability = None
            if written is not None:
                texts, log_probability = written[0][n], written[1][n].double().cpu().numpy()
            found.append(
                Candidates(
                    spans=np.minimum(spans[n], durations[n]),
                    scores=scores[n],
                    duration=float(durations[n]),
                    captions=texts,
                    caption_scores=log_probability,
                    count=float(counts[n]),
                )
            )
        return found

    def _captions(self, last: Layer, encoded: Encoded) -> tuple[list[tuple[str, ...]], Tensor]:
        assert self.vocabulary is not None
        result = decode_captions(self.model, last, encoded)
        batch, count = last.logits.shape
        texts = [self.vocabulary.decode(tokens) for tokens in result.tokens.tolist()]
        return [tuple(texts[n * count : (n + 1) * count]) for n in range(batch)], result.log_probability.view(batch, -1)


@torch.no_grad()
def decode_captions(model: PDVC, last: Layer, encoded: Encoded) -> Captions:
    """Captions of all B x N candidates in one batched decode; rows are video by video."""
    head = model.caption_head(-1)
    if head is None:
        raise BadValueError("proposal model", "was built without captions", "train it with a vocabulary")
    from cookscribe.proposals.pdvc.caption import Rows

    batch, count = last.logits.shape
    videos = torch.arange(batch, device=last.logits.device).repeat_interleave(count)
    return head.decode(encoded, Rows(videos, last.hidden.flatten(0, 1), model.caption_references(last).flatten(0, 1)))
