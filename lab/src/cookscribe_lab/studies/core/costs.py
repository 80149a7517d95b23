"""What a model costs: parameters, floating-point operations of one video, processor time."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from cookscribe.learning.story_data import batch_targets, label_story
from cookscribe.model.story_input import batch_inputs
from cookscribe.pipelines.story_writer import StoryWriter
from cookscribe.proposals.pdvc.propose import Proposer
from cookscribe.text.actions import ActionMatcher
from cookscribe_lab.studies.core.study_data import StudyData
from cookscribe_lab.studies.core.variants import VariantRunner

# Headings in the table.
GFLOPS, PARAMETERS, TRAINING, INFERENCE = "GFLOPs", "M parameters", "training, CPU min", "inference, CPU s/video"
TIMED_VIDEOS = 16


@dataclass(frozen=True)
class Size:
    """Millions of parameters and 10⁹ operations of one video."""

    parameters: float
    gflops: float


def typical_video(data: StudyData) -> str:
    """A validation video with the median number of steps, the first by id."""
    counts = {key: len(video.spans) for key, video in data.videos.items()}
    middle = sorted(counts.values())[len(counts) // 2]
    return min(key for key, count in counts.items() if count == middle)


def story_size(runner: VariantRunner, data: StudyData, folder: Path) -> Size:
    """Of a recipe model; the operations of one pass over the true recipe of a typical video."""
    writer = StoryWriter.load(folder)
    key = typical_video(data)
    given = runner.inputs(writer, data)[key]
    limits = (writer.config.decoding.max_steps, writer.config.decoding.max_words)
    truth = label_story(
        data.videos[key],
        data.candidates[key],
        writer.vocabulary,
        ActionMatcher(writer.config.actions),
        writer.config.oracle,
        *limits,
    )
    inputs = batch_inputs([given])
    targets = batch_targets([truth], inputs.ingredient_mask.shape[1], writer.config.model.actions)
    operations = count_operations(lambda: writer.model(inputs, targets)) if len(truth) else 0
    return Size(_parameters(writer.model), operations / 1e9)


def proposal_size(data: StudyData, folder: Path) -> Size:
    """Of a proposal model, captions of all candidates included."""
    proposer = Proposer.load(folder)
    found = data.store.read(typical_video(data))
    return Size(_parameters(proposer.model), count_operations(lambda: proposer.propose(found, features=False)) / 1e9)


def proposal_seconds(data: StudyData, folder: Path) -> float:
    """Processor seconds in which a proposal model reads and captions one video."""
    proposer = Proposer.load(folder)
    tracks = [(key, data.store.read(key)) for key in list(data.videos)[:TIMED_VIDEOS]]
    began = time.process_time()
    list(proposer.propose_many(tracks, features=False))
    return (time.process_time() - began) / len(tracks)


def _parameters(model: torch.nn.Module) -> float:
    return float(np.sum([value.numel() for value in model.parameters()])) / 1e6


def count_operations(work: Callable[[], object]) -> int:
    """Floating-point operations of some work, two for a multiply-add."""
    counter = FlopCounterMode(display=False)
    # Fused kernels hide their operations from the counter.
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), counter:
            work()
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
    return int(counter.get_total_flops())
