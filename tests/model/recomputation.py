"""Greedy decoding without a cache, for models with and without copying, alone or together."""

from collections.abc import Sequence

import torch
from torch import Tensor

from cookscribe.model.batch import Inputs
from cookscribe.model.config import BOS, EOS, PAD, UNK
from cookscribe.model.decoding import DecodingConfig
from cookscribe.model.generator import OpenSentence
from cookscribe.model.recipe_model import Encoded, RecipeModel, Selection, State


def extended(
    model: RecipeModel, encoded: Encoded, state: State, selection: Selection, slot: int, tokens: list[int]
) -> tuple[Tensor, OpenSentence]:
    """Output vectors and state of a sentence of one video, computed from nothing."""
    opened = model.open_sentence(encoded, state, selection.hidden[:, slot], torch.tensor([slot]))
    return model.generator.extend(opened, model.embedding_ids(torch.tensor([tokens])))


def log_probabilities(
    model: RecipeModel,
    encoded: Encoded,
    state: State,
    selection: Selection,
    slot: int,
    tokens: list[int],
    any_word: bool = False,
) -> Tensor:
    """(L, vocabulary) of a whole sentence for one video, computed from nothing."""
    hidden, sentence = extended(model, encoded, state, selection, slot, tokens)
    scores = model.word_scores(hidden, encoded, selection, sentence)[0]
    scores[:, [PAD, BOS]] = float("-inf")
    if not any_word:
        scores[:, UNK] = float("-inf")
        scores[0, EOS] = float("-inf")
    return scores


@torch.no_grad()
def full_recomputation(
    models: Sequence[RecipeModel], inputs: Inputs, config: DecodingConfig, names: Sequence[str]
) -> list[tuple[int, str]]:
    """Choices and sentences of one video; nothing is kept but the memories: every prefix is run again for every word.

    The models decide by their mean probability, and all go on with what was decided.
    """
    states, found, used = [State() for _ in models], [], set()
    for number in range(config.max_steps):
        encoded = [model.encode(inputs) for model in models]
        selected = [model.select(*given) for model, *given in zip(models, encoded, states, strict=True)]
        likely = torch.stack([selection.logits[0].softmax(-1) for selection in selected]).mean(0)
        free = number or config.stop_first
        slot = next(s for s in likely.argsort(descending=True).tolist() if s not in used and (s or free))
        if slot == 0:
            break
        if not config.reuse:
            used.add(slot)
        tokens = [BOS]
        while tokens[-1] != EOS:
            each = [
                log_probabilities(*seen, slot, tokens, config.any_word)[-1].exp()
                for seen in zip(models, encoded, states, selected, strict=True)
            ]
            best = int(torch.stack(each).mean(0).argmax())
            tokens.append(EOS if len(tokens) > config.max_words else best)
        found.append((slot - 1, " ".join(names[word] for word in tokens[1:-1])))
        for n, model in enumerate(models):
            told = tokens if model.config.text_memory == "eos" else tokens[:-1]
            _, sentence = extended(model, encoded[n], states[n], selected[n], slot, told)
            real = torch.ones(1, len(told), dtype=torch.bool)
            states[n] = model.close_sentence(selected[n], sentence.finished(), real)
    return found
