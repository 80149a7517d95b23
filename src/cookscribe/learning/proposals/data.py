"""Videos as the proposal model sees them: resampled feature rows in memory, true spans and sentences as numbers."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.proposals.criterion import Truth
from cookscribe.progress import track
from cookscribe.proposals.pdvc.boxes import to_boxes
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.propose import Inputs
from cookscribe.text.vocabulary import PAD, Vocabulary


class VideoSet:
    """Videos with features and truth, ready to be batched.

    The rows are resampled once and kept as one float16 array: (videos, frames, D).
    """

    def __init__(
        self,
        videos: Sequence[AnnotatedVideo],
        store: FeatureStore,
        config: ProposalConfig,
        vocabulary: Vocabulary | None,
        label: str = "features",
    ) -> None:
        self.videos = tuple(videos)
        self.rows = np.empty((len(videos), config.frames, config.feature_size), dtype=np.float16)
        self.simulated = False
        for number, video in enumerate(track(self.videos, f"reading {label}")):
            found = store.read(video.id)
            found.check(video.id, config.feature_size, config.encoder)
            self.rows[number] = found.resampled(config.frames)
            self.simulated |= found.simulated
        # Units of the video: an event may not stand beyond its end, whatever rounding the file has.
        units = [torch.from_numpy((video.spans / video.duration).clip(0.0, 1.0)) for video in videos]
        self.boxes = [to_boxes(borders).float() for borders in units]
        self.sentences: list[Tensor] = []
        if vocabulary is not None:
            self.sentences = [_tokens(video.sentences, vocabulary, config.caption_length) for video in videos]

    def __len__(self) -> int:
        return len(self.videos)

    def inputs(self, items: Sequence[int], device: torch.device) -> Inputs:
        """The model's input for these videos."""
        return Inputs.of(self.rows[list(items)], [self.videos[i].duration for i in items], device)

    def word_counts(self, words: int) -> Tensor:
        """(words,) how often each word number occurs in the sentences; padding does not count."""
        used = torch.cat([tokens.flatten() for tokens in self.sentences] or [torch.zeros(0, dtype=torch.long)])
        counts = torch.bincount(used, minlength=words)
        counts[PAD] = 0
        return counts

    def count_rates(self, classes: int) -> Tensor:
        """(classes,) share of the videos with 0, 1, ... events; the last class has all with more."""
        counts = torch.tensor([len(boxes) for boxes in self.boxes]).clamp(max=classes - 1)
        return torch.bincount(counts, minlength=classes) / max(len(counts), 1)

    def truth(self, items: Sequence[int], device: torch.device) -> Truth:
        """The true events of these videos; all of them, however many there are."""
        sentences = [self.sentences[i].to(device) for i in items] if self.sentences else ()
        return Truth([self.boxes[i].to(device) for i in items], sentences)


def _tokens(sentences: Sequence[str], vocabulary: Vocabulary, longest: int) -> Tensor:
    """(T, W) word numbers with EOS, PAD after it; BOS is left to the caption head."""
    encoded = [vocabulary.encode(sentence, longest + 2)[1:] for sentence in sentences]
    width = max(map(len, encoded), default=0)
    return torch.tensor([words + [0] * (width - len(words)) for words in encoded], dtype=torch.long).view(-1, width)


def present_videos(videos: Mapping[str, AnnotatedVideo], store: FeatureStore) -> list[AnnotatedVideo]:
    """The annotated videos that have features, by id; none at all is an error."""
    stored = set(store.ids())
    found = [videos[key] for key in sorted(videos) if key in stored]
    if not found:
        raise BadValueError(store.folder, "holds features of none of the annotated videos", "check both paths")
    return found
