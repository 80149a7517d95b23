"""Videos as the rivals see them: feature rows of the whole video and of each true step, words, ingredients."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from cookscribe.candidates import Candidates, tiou_matrix
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.proposals.plain import suppressed
from cookscribe.text.actions import ActionMatcher
from cookscribe.text.ingredients import IngredientMatcher
from cookscribe.text.tokens import ptb_tokens
from cookscribe.text.vocabulary import PAD, Vocabulary
from cookscribe.track import FeatureTrack

FRAMES = 100  # rows a whole video is resampled to
CLIP = 8  # rows of one step
LONGEST = 20  # words of a sentence
SUPPRESSION = 0.3  # highest tIoU of two candidates that stand beside each other
USUAL_COUNT = 8


@dataclass(frozen=True, eq=False)
class RivalVideo:
    """One video; T true steps, K proposed events.

    Attributes:
        video: its annotation; a rival reads the spans of a pre-segmented task, and nothing else when it writes.
        rows: (FRAMES, D) of the whole video.
        clips: (T, CLIP, D) of each true step.
        sentences: per step, word ids with BOS and EOS.
        names: per ingredient, the ids of its words.
        named: (T, M) True where a sentence names an ingredient; done: (T, R) the same for actions.
        proposed: (K, 2) seconds, what non-maximum suppression leaves of the candidates; proposed_rows: (K, D).
        nearest: (T,) the proposed event that overlaps each step most.
    """

    video: AnnotatedVideo
    rows: NDArray[np.float16]
    clips: NDArray[np.float16]
    sentences: tuple[tuple[int, ...], ...]
    names: tuple[tuple[int, ...], ...]
    named: NDArray[np.bool_]
    done: NDArray[np.bool_]
    proposed: NDArray[np.float64]
    proposed_rows: NDArray[np.float16]
    nearest: NDArray[np.int64]

    @property
    def shares(self) -> NDArray[np.float32]:
        """(T, 2) the true steps in units of the video."""
        return np.clip(self.video.spans / self.video.duration, 0.0, 1.0).astype(np.float32)


def prepare(
    video: AnnotatedVideo,
    track: FeatureTrack,
    vocabulary: Vocabulary,
    actions: ActionMatcher,
    candidates: Candidates | None = None,
) -> RivalVideo:
    """Read one video."""
    centres = [start + (end - start) * (np.arange(CLIP) + 0.5) / CLIP for start, end in video.spans.tolist()]
    clips = np.stack([track.values[track.nearest(moments)] for moments in centres] or [track.values[:0]])
    matcher = IngredientMatcher(video.ingredients)
    named = np.zeros((len(video.sentences), len(video.ingredients)), dtype=bool)
    done = np.zeros((len(video.sentences), len(actions.verbs)), dtype=bool)
    for t, text in enumerate(video.sentences):
        named[t, [mention.ingredient for mention in matcher.find(text)]] = True
        done[t, [mention.action for mention in actions.find(text)]] = True
    proposed: NDArray[np.floating] = np.zeros((0, 2))
    if candidates is not None and len(candidates):
        proposed = suppressed(candidates, SUPPRESSION, None if candidates.count is not None else USUAL_COUNT).spans
    overlaps = tiou_matrix(video.spans, proposed)
    return RivalVideo(
        video,
        track.resampled(FRAMES).astype(np.float16),
        clips.astype(np.float16),
        tuple(tuple(vocabulary.encode(text, LONGEST + 2)) for text in video.sentences),
        tuple(tuple(vocabulary.number.get(word, 3) for word in ptb_tokens(name)) or (3,) for name in video.ingredients),
        named,
        done,
        np.asarray(proposed, dtype=np.float64),
        track.over(proposed).astype(np.float16),
        overlaps.argmax(axis=1) if len(proposed) else np.zeros(len(video.spans), dtype=np.int64),
    )


def stacked(parts: Sequence[NDArray[np.floating]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Rows of several videos, padded: (B, longest, ...) float32 and (B, longest) True for real ones."""
    longest = max(1, *(len(part) for part in parts))
    out = np.zeros((len(parts), longest, *parts[0].shape[1:]), dtype=np.float32)
    mask = np.zeros((len(parts), longest), dtype=bool)
    for b, part in enumerate(parts):
        out[b, : len(part)], mask[b, : len(part)] = part, True
    return torch.from_numpy(out).to(device), torch.from_numpy(mask).to(device)


def padded(sentences: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """(R, longest) word ids, PAD behind the end."""
    longest = max((len(words) for words in sentences), default=2)
    rows = [[*words, *[PAD] * (longest - len(words))] for words in sentences]
    return torch.tensor(rows, dtype=torch.long, device=device).view(len(rows), longest)
