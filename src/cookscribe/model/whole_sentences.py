"""For models whose text memory reads the row of EOS too (`text_memory`): a finished sentence, read once more."""

import torch
from torch import Tensor

from cookscribe.model.beyond.ensemble import SentenceContext
from cookscribe.model.config import BOS, EOS, PAD
from cookscribe.model.generator import FinishedSentence
from cookscribe.model.sentences import Written


def read_again(context: SentenceContext, written: Written) -> tuple[FinishedSentence, Tensor]:
    """The whole sentences, all words at once, and which of their rows count."""
    tokens = torch.full((len(written.words), 2 + max(map(len, written.words))), PAD, device=written.real.device)
    for row, words in enumerate(written.words):
        tokens[row, : len(words) + 2] = torch.tensor([BOS, *words, EOS])
    _, whole = context.model.generator.extend(context.sentence, context.model.embedding_ids(tokens))
    return whole.finished(), tokens != PAD
