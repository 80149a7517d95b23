"""Pretraining on bags of words: which words does the sentence of an event hold, in no order?

A recipe model learns that a feature means "onion" through the selector, a memory and a whole sentence, word by word.
Yet most of it is nearly linear and learnt in seconds: feature perceptron and word output alone predict the bag of words
of every labelled event. The whole training then starts from these weights; nothing else of the model changes.
"""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F

from cookscribe.learning.loop import seed_everything
from cookscribe.learning.story_data import StoryTruth
from cookscribe.model.config import SPECIAL_TOKENS
from cookscribe.model.recipe_model import RecipeModel
from cookscribe.model.story_input import StoryInput, batch_inputs

BATCH = 128
LEARNING_RATE = 3e-3
WEIGHT_DECAY = 0.01
# Counted for words that are never seen, so that every logarithm is finite.
UNSEEN = 0.5


def pretrain_bag_of_words(
    model: RecipeModel, examples: Sequence[tuple[StoryInput, StoryTruth]], epochs: int, seed: int
) -> float:
    """Pretrain the feature perceptron and the word output.

    Afterwards the output's bias is the logarithm of how common each word is.

    Returns:
        Mean loss of the last epoch, in nats per word.
    """
    seed_everything("words", seed)
    seen = torch.cat([_event_rows(model, given, truth) for given, truth in examples])
    wanted, counts = _bags([words for _, truth in examples for words in truth.words], model.config.vocabulary_size)
    output = model.output.linear
    with torch.no_grad():
        output.bias.copy_((wanted.sum(dim=0) + UNSEEN).log() - (wanted.sum() + UNSEEN).log())
    perceptron = model.selector.embedding.feature
    parameters = [value for part in (perceptron, model.output) for value in part.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    steps = epochs * -(-len(seen) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)
    training = model.training
    model.train()
    for _ in range(epochs):
        total = 0.0
        order = torch.randperm(len(seen))
        for first in range(0, len(seen), BATCH):
            rows = order[first : first + BATCH]
            optimizer.zero_grad(set_to_none=True)
            loss = bag_loss(model, seen[rows], wanted[rows])
            torch.autograd.backward(loss)
            optimizer.step()
            schedule.step()
            total += loss.item() * len(rows)
    model.train(training)
    with torch.no_grad():
        output.bias.copy_(counts.log() - counts.sum().log())
    return total / len(seen)


def bag_loss(model: RecipeModel, seen: Tensor, wanted: Tensor) -> Tensor:
    """Mean negative log-likelihood of the words, (E, vocabulary) shares, of events with (E, F) outside vectors."""
    width = model.output.linear.in_features if model.output.transform is None else model.output.transform.in_features
    event = model.selector.embedding.feature(seen)
    # Contexts of textual attention stand behind the event; here there are none.
    scores = model.output(F.pad(event, (0, width - event.shape[1])))
    loss: Tensor = -(wanted * scores.log_softmax(dim=1)).sum(dim=1).mean()
    return loss


@torch.no_grad()
def _event_rows(model: RecipeModel, given: StoryInput, truth: StoryTruth) -> Tensor:
    """(T, F) what enters the feature perceptron at the labelled events."""
    device = model.output.linear.weight.device
    outside = model.selector.embedding.outside(batch_inputs([given], device))[0]
    return outside[torch.as_tensor(truth.events, device=device)]


def _bags(sentences: Sequence[Sequence[int]], size: int) -> tuple[Tensor, Tensor]:
    """(E, size) shares of the distinct real words of each sentence, and (size,) how often every word is written."""
    wanted, counts = torch.zeros(len(sentences), size), torch.full((size,), UNSEEN)
    for row, ids in enumerate(sentences):
        written = torch.tensor([word for word in ids[1:] if word < size])
        counts += torch.bincount(written, minlength=size)
        wanted[row, written[written >= SPECIAL_TOKENS]] = 1.0
    return wanted / wanted.sum(dim=1, keepdim=True).clamp(min=1), counts
