"""The proposal model as a task of the shared training loop."""

from collections.abc import Mapping, Sequence

import torch

from cookscribe.candidates import Candidates
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.loop import Term, seed_everything, shuffled
from cookscribe.learning.proposals.criterion import Criterion
from cookscribe.learning.proposals.data import VideoSet
from cookscribe.learning.proposals.scoring import localisation
from cookscribe.proposals.pdvc.config import ProposalConfig
from cookscribe.proposals.pdvc.pdvc import PDVC
from cookscribe.proposals.pdvc.propose import KIND, Proposer
from cookscribe.text.vocabulary import Vocabulary


class VideoTask:
    """What both trainings of a proposal model share: the model, its videos, and their order."""

    kind = KIND

    def __init__(
        self,
        model: PDVC,
        training: TrainingConfig,
        videos: VideoSet,
        development: VideoSet,
        vocabulary: Vocabulary | None,
    ) -> None:
        self.model, self.vocabulary = model, vocabulary
        self.config: ProposalConfig = model.config
        self.videos, self.development = videos, development
        self.batch_size, self.seed = training.batch_size, training.seed

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return self.model.query.device

    def batches(self, epoch: int) -> Sequence[Sequence[int]]:
        """Training videos in this epoch's order."""
        return shuffled(len(self.videos), self.batch_size, self.seed, epoch)


class ProposalTask(VideoTask):
    """Learns events, counts and captions of `training`; scored by its candidates and its answer on `development`."""

    score = "score"

    def __init__(
        self,
        config: ProposalConfig,
        training: TrainingConfig,
        videos: VideoSet,
        development: VideoSet,
        vocabulary: Vocabulary | None,
    ) -> None:
        seed_everything("proposals", training.seed)
        super().__init__(PDVC(config), training, videos, development, vocabulary)
        # The published head starts without knowing how often words are used.
        for head in self.model.caption_heads if videos.sentences and not config.caption_shared else ():
            head.expect(videos.word_counts(config.words))  # type: ignore[operator]
        self.criterion = Criterion(config, videos.count_rates(config.count_classes))
        self.weights: Mapping[str, float] = self.criterion.weights

    def losses(self, items: Sequence[int], epoch: int) -> Mapping[str, Term]:
        """The four losses of these videos on every layer."""
        del epoch
        inputs = self.videos.inputs(items, self.device)
        layers, encoded = self.model(inputs.frames, inputs.mask, inputs.durations)
        return self.criterion(self.model, layers, encoded, self.videos.truth(items, self.device))

    def evaluate(self) -> Mapping[str, float]:
        """Localisation on the development part; captions are left out because they cost more than all the rest."""
        proposer = Proposer(self.model, None)
        found: list[Candidates] = []
        for first in range(0, len(self.development), 32):
            items = range(first, min(first + 32, len(self.development)))
            found += proposer.run(self.development.inputs(items, self.device), captions=False)
        videos = self.development.videos
        by_id = {video.id: candidates for video, candidates in zip(videos, found, strict=True)}
        return localisation(by_id, {video.id: video.spans for video in videos}, self.config)
