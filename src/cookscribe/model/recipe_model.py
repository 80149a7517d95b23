"""The whole model: B, BI, BIV and BIVT are one class with parts switched on.

Each step of the recipe (`t` in the paper): the selector scores the candidates, one is chosen, the generator writes
its sentence, both memories are updated and mixed. `forward` runs the steps of the true recipe for training;
`decoding.py` lets the model decide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from cookscribe.errors import BadValueError
from cookscribe.model.attention import WordContext, textual_attention
from cookscribe.model.batch import SHARED, Inputs, Targets
from cookscribe.model.beyond.copying import CopyAttention, PointerGenerator
from cookscribe.model.beyond.planner import Plan, StoryPlanner
from cookscribe.model.config import ModelConfig
from cookscribe.model.embedding import IngredientEncoder
from cookscribe.model.generator import FinishedSentence, OpenSentence, SentenceGenerator, WordOutput
from cookscribe.model.memory import Rows
from cookscribe.model.mixing import Memory, MemoryMixing
from cookscribe.model.selector import EncodedEvents, EventSelector, gumbel_choice
from cookscribe.model.simulator import ProjectedActions, Simulation, VisualSimulator

if TYPE_CHECKING:
    from cookscribe.model.losses import Outputs


@dataclass(frozen=True)
class Encoded:
    """All that stays the same over the steps of a batch of videos.

    Attributes:
        events: from the selector.
        sentence_ingredients: first-layer rows of the ingredients in the generator, or None.
        ingredient_mask: (B, M); M is 0 without ingredients.
        actions: projected action table of the simulator, or None.
        raw_ingredients: (B, M, d), G⁰, or None.
        copy_words: (B, N, W, 2) the words that may be copied for each candidate, or None.
    """

    events: EncodedEvents
    sentence_ingredients: Rows | None
    ingredient_mask: Tensor
    actions: ProjectedActions | None = field(metadata=SHARED)
    raw_ingredients: Tensor | None
    copy_words: Tensor | None = None


@dataclass(frozen=True)
class State:
    """What one step leaves to the next; None before the first.

    Attributes:
        events, words: mixed memories of selector and generator; None for those that keep none, too.
        ingredients: (B, M, d) ingredient states, or None without simulator.
    """

    events: Memory | None = None
    words: Memory | None = None
    ingredients: Tensor | None = None


@dataclass(frozen=True)
class Selection:
    """The selector's view at one step.

    Attributes:
        hidden: (B, N + 1, d), H: the chosen row goes to the generator.
        logits: (B, N + 1).
        memory: updated, not yet mixed.
        simulation: of the visual simulator, or None.
    """

    hidden: Tensor
    logits: Tensor
    memory: Memory
    simulation: Simulation | None

    def restricted(self, allowed: Tensor) -> Selection:
        """The same with only the `allowed` slots, (B, N + 1), to choose from."""
        return replace(self, logits=self.logits.masked_fill(~allowed, float("-inf")))


# Called in every step of a training pass: the open sentences of B videos and their true words, (B, L) ids.
AtStep = Callable[[OpenSentence, Tensor], None]


class RecipeModel(nn.Module):
    """Selector, generator and memory mixing; if switched on, ingredients, visual simulator and textual attention."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.selector = EventSelector(config)
        self.generator = SentenceGenerator(config)
        self.mixing = MemoryMixing(config.width, config.mixing)
        self.feedback = nn.Linear(config.width, config.width) if config.feedback == "choice" else None
        self.output = WordOutput(config)
        self.selector_ingredients = IngredientEncoder(config) if config.ingredients else None
        self.generator_ingredients = IngredientEncoder(config) if config.ingredients else None
        self.simulator = VisualSimulator(config) if config.simulator else None
        self.copying = PointerGenerator(config) if config.copying else None
        self._initialise()
        # Built afterwards: the planner is no part of the paper and keeps its own initial weights.
        self.planner = StoryPlanner(config) if config.planner else None

    def _initialise(self) -> None:
        # 0.02 at the paper's width; wider layers need smaller numbers, narrower ones larger, for the same
        # spread of their sums.
        spread = 0.02 * (768 / self.config.width) ** 0.5
        for module in self.modules():
            if isinstance(module, nn.Linear | nn.Embedding):
                nn.init.normal_(module.weight, std=spread)
                if isinstance(module, nn.Linear) and module.bias is not None:
                    nn.init.zeros_(module.bias)
        for name, parameter in self.named_parameters():
            if name.endswith(("start_bias", "embedding.stop", "simulator.actions")):
                nn.init.normal_(parameter, std=spread)

    def load_word_vectors(self, words: Tensor, read: Tensor) -> None:
        """Copy pre-trained vectors into the tables.

        Args:
            words: (vocabulary, word_vector_size) of the words that are written.
            read: (input_words, word_vector_size) of the words that are only read.
        """
        tables = [self.selector.embedding.texts]
        readers = (self.selector_ingredients, self.generator_ingredients, self.copying)
        tables += [reader.table for reader in readers if reader is not None]
        with torch.no_grad():
            self.generator.embedding.table.weight.copy_(words)
            for table in tables:
                if table is not None:
                    table.weight.copy_(read)
                    table.weight[0].zero_()

    def encode(self, inputs: Inputs) -> Encoded:
        """Everything that does not depend on the step."""
        mask = inputs.ingredient_mask if self.config.ingredients else inputs.ingredient_mask[:, :0]
        for_events = for_words = None
        if self.selector_ingredients is not None and self.generator_ingredients is not None:
            for_events = self.selector_ingredients(inputs.ingredients)
            for_words = self.generator_ingredients(inputs.ingredients)
        return Encoded(
            events=self.selector.encode(inputs, for_events),
            sentence_ingredients=self.generator.encode(for_words, mask),
            ingredient_mask=mask,
            actions=None if self.simulator is None else self.simulator.project_actions(),
            raw_ingredients=for_events if self.simulator is not None else None,
            copy_words=self._copy_words(inputs),
        )

    def _copy_words(self, inputs: Inputs) -> Tensor | None:
        if self.copying is None:
            return None
        if inputs.copy_words is None:
            raise BadValueError("inputs", "the model copies words, but there are none to copy", "give a transcript")
        return inputs.copy_words

    def select(self, encoded: Encoded, state: State) -> Selection:
        """Score the slots of this step."""
        hidden, memory = self.selector.step(encoded.events, state.events)
        simulation: Simulation | None = None
        decisive = hidden
        if self.simulator is not None:
            ingredients = state.ingredients if state.ingredients is not None else encoded.raw_ingredients
            assert ingredients is not None
            assert encoded.actions is not None
            simulation = self.simulator(
                hidden, encoded.events.slot_mask, ingredients, encoded.ingredient_mask, encoded.actions
            )
            decisive = simulation.events
        logits = self.selector.logits(decisive, memory, encoded.events.slot_mask)
        return Selection(hidden, logits, memory, simulation)

    def plan(self, inputs: Inputs, encoded: Encoded | None = None) -> Plan:
        """What the planner makes of the candidates as they look before the first step; encodes them if nobody has."""
        assert self.planner is not None
        if self.config.planner_reads == "features":
            rows = self.selector.embedding.outside(inputs)
        else:
            hidden, _ = self.selector.step((encoded or self.encode(inputs)).events, None)
            rows = hidden[:, 1:]
        plan: Plan = self.planner(rows, inputs.times, inputs.scores, inputs.event_mask)
        return plan

    def open_sentence(self, encoded: Encoded, state: State, event: Tensor, slots: Tensor | None = None) -> OpenSentence:
        """Begin the sentence of the chosen event, (B, d). A model that copies must know its slot, (B,), too."""
        opened = self.generator.open(event, state.words, encoded.sentence_ingredients, encoded.ingredient_mask)
        if self.copying is None or encoded.copy_words is None:
            return opened
        assert slots is not None
        return replace(opened, source=self.copying.encode(encoded.copy_words, slots))

    def embedding_ids(self, words: Tensor) -> Tensor:
        """Word ids as the word embedding knows them: copied words beyond the vocabulary are unknown to it."""
        return words if self.copying is None else self.copying.embedding_ids(words)

    def copy_attention(self, words: Tensor, sentence: OpenSentence) -> CopyAttention | None:
        """What the output vectors, (B, L, d), find among the words that may be copied; None for models without."""
        if self.copying is None or sentence.source is None:
            return None
        found: CopyAttention = self.copying(words, sentence.source)
        return found

    def word_scores(self, words: Tensor, encoded: Encoded, selection: Selection, sentence: OpenSentence) -> Tensor:
        """(B, L, d) output vectors to log-probabilities of the words that may follow each.

        They are of the vocabulary, for models that copy also of the read words behind it.
        """
        context, copied = self.context(words, encoded, selection), self.copy_attention(words, sentence)
        logits: Tensor = self.output(joined_context(words, context, copied)).float()
        if copied is None:
            return logits.log_softmax(dim=-1)
        return copied.log_probabilities(logits, self.config.input_words)

    def context(self, words: Tensor, encoded: Encoded, selection: Selection) -> WordContext | None:
        """Textual attention of output vectors, (B, L, d); None without it."""
        if not self.config.textual_attention or selection.simulation is None:
            return None
        return textual_attention(words, encoded.ingredient_mask, selection.simulation)

    def close_sentence(self, selection: Selection, sentence: FinishedSentence, word_mask: Tensor) -> State:
        """Update and mix the memories after the sentence."""
        events, words = self.mixing(selection.memory, self.generator.close(sentence, word_mask))
        if self.feedback is not None and events is not None:
            chosen = self.feedback(sentence.event).unsqueeze(1)
            events = tuple(cell + chosen for cell in events)
        ingredients = None if selection.simulation is None else selection.simulation.ingredient_states
        return State(events, words, ingredients)

    def forward(self, inputs: Inputs, targets: Targets, at_step: AtStep | None = None) -> Outputs:
        """One training pass over the true recipes: words are teacher-forced, the event by `config.teacher`.

        Videos are sorted by their number of steps, so that step t runs over the first rows of the batch only.
        `at_step` is called in every step, before its sentences are written.
        """
        from cookscribe.model.teacher_forcing import training_pass

        return training_pass(self, inputs, targets, at_step)

    def allowed(self, slots: Tensor, last: Tensor) -> Tensor:
        """(B, N + 1) which of the `slots` may follow the `last` one, (B,): STOP always, and what the order permits."""
        if self.config.order == "free":
            return slots
        number = torch.arange(slots.shape[1], device=slots.device)
        return slots & ((number == 0) | (number > last.unsqueeze(1)))

    def choose(self, selection: Selection, labels: Tensor) -> Tensor:
        """(B, d) the event that feeds the sentence.

        The sampled one (gradients reach the logits) or the labelled one.
        """
        if self.config.teacher == "gumbel":
            choice = gumbel_choice(selection.logits)
            return torch.einsum("bn,bnd->bd", choice.to(selection.hidden.dtype), selection.hidden)
        return selection.hidden[torch.arange(len(labels), device=labels.device), labels]


def joined_context(words: Tensor, context: WordContext | None, copied: CopyAttention | None) -> Tensor:
    """[Ŵ; U_m; U_a; U_h], of which only Ŵ is always there: (B, L, d to 4d)."""
    joined = words if context is None else context.words
    return joined if copied is None else torch.cat((joined, copied.context), dim=-1)
