"""How likely the recipe models of a bundle find sentences that the language model proposes.

Two writers who err in different ways are right together more often than one of them: of the language model's beam, the
sentence is written that both find likely.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from cookscribe.model.batch import take
from cookscribe.model.beyond.ensemble import Member, SentenceContext, mean_log_probabilities
from cookscribe.model.config import BOS, EOS, PAD
from cookscribe.model.story_input import StoryInput, batch_inputs
from cookscribe.pipelines.story_writer import StoryWriter


class RecipeJudge:
    """A `Judge` of one film: `weight` times the mean log-probability of a word, EOS included, by all members.

    The models remember their own sentences, not those that are written in the end: these say much the same, and the
    models need not wait for them. Events are judged in their order.
    """

    def __init__(self, writer: StoryWriter, video: StoryInput, drafts: Sequence[str], weight: float) -> None:
        """`drafts`: what the models themselves wrote about each of the video's events."""
        self.writer, self.drafts, self.weight = writer, drafts, weight
        self.device = writer.model.output.linear.weight.device
        inputs = batch_inputs([video], self.device)
        with torch.no_grad():
            self.members = [Member(model, model.encode(inputs)) for model in (writer.model, *writer.members)]
        self.told = 0  # drafts that the members remember

    @torch.no_grad()
    def __call__(self, number: int, sentences: Sequence[str]) -> list[float]:
        """What event `number` adds to each of some sentences about it."""
        for event in range(self.told, number):
            self._remember(event)
        self.told = number
        rows = [torch.tensor([*self.writer.word_ids(text), EOS], device=self.device) for text in sentences]
        labels = pad_sequence(rows, batch_first=True, padding_value=PAD)
        begins = labels.new_full((len(rows), 1), BOS)
        words = torch.cat((begins, labels[:, :-1]), dim=1)
        scores = []
        for context in self._open(number):
            many = take(context, torch.zeros(len(rows), dtype=torch.long, device=self.device))
            output, _ = many.model.generator.extend(many.sentence, many.model.embedding_ids(words))
            scores.append(many.model.word_scores(output, many.encoded, many.selection, many.sentence))
        said = mean_log_probabilities(scores).gather(-1, labels.unsqueeze(-1)).squeeze(-1)
        real = labels != PAD
        means: Tensor = said.masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1)
        return (self.weight * means).tolist()

    def _open(self, event: int) -> list[SentenceContext]:
        """Let every member begin its sentence about an event; slot 0 is the end of a story."""
        slots = torch.tensor([event + 1], device=self.device)
        for member in self.members:
            member.select()
        return [member.open(slots) for member in self.members]

    def _remember(self, event: int) -> None:
        """Let every member end its sentence about an event."""
        words = torch.tensor([[BOS, *self.writer.word_ids(self.drafts[event])]], device=self.device)
        for member, context in zip(self.members, self._open(event), strict=True):
            _, sentence = context.model.generator.extend(context.sentence, context.model.embedding_ids(words))
            member.close(sentence.finished(), torch.ones_like(words, dtype=torch.bool))
