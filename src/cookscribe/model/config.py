"""Every choice of the recipe model, by name; for the presets see `presets`.

Where the paper, the authors' released program and a better idea differ, the choice is a value here:

| name | paper | released | ours |
|---|---|---|---|
| mixing | `paper`: linear maps and sigmoid gates | `gelu`: GELU in both places | `separate`: MART; `reset`: no memory |
| teacher | `gumbel`: the sampled event feeds the words | `gumbel` | `oracle`: the labelled event does |
| relative | cites ECHR's (`echr`), no formula | `fixed`: ties the weights to N | `pairwise`, `none` |
| ingredient_layers | several: "MLPs" | - | 1: one layer |
| text_memory | - | `eos`: the memory reads the row of EOS too | `words`: BOS and the words |
| absolute | - | `[start, end] / duration` is embedded as well | - |
| logits_scale | `none` | `sqrt`: divided by the root of the width | - |
| output | - | `transform`: linear, GELU, LayerNorm before it | `linear` |
| action_states | `paper`: a mixture of events only | - | `residual`: the action's own vector is kept |
| planner | no: one event after another | no | plan the whole story: quality, borders, count, chain |
| planner_reads | - | - | `selector`: the vectors of the first step; `features`: what comes with the candidates |
| feedback | `none`: the choice reaches the selector by the sentence's memory | `none` | `choice`: it is told at once |
| copying | no | no | words heard around an event, or listed, are attended to and copied (see beyond/copying.py) |
| order | `free`: any event at any step | `free` | `start`: only events after the last one, in training and decoding |
"""

from typing import Literal, Self

from pydantic import Field, model_validator

from cookscribe.config import Config

Mixing = Literal["paper", "gelu", "separate", "reset"]
Teacher = Literal["gumbel", "oracle"]
Relative = Literal["pairwise", "echr", "fixed", "none"]

# Ids of the special tokens; real words follow. The vocabulary writes them in this order.
PAD, BOS, EOS, UNK = 0, 1, 2, 3
SPECIAL_TOKENS = 4


class ModelConfig(Config):
    """Sizes and choices of a `RecipeModel`. Sizes in numbers of units, words or rows.

    Upper bounds are far above any sensible model: they keep a damaged file from asking for more than a machine has.
    """

    # what the data gives
    feature_size: int = Field(default=512, gt=0, le=2**17)
    vocabulary_size: int = Field(default=SPECIAL_TOKENS + 991, gt=SPECIAL_TOKENS, le=2**20)  # special tokens included
    word_vector_size: int = Field(default=300, gt=0, le=2**13)
    # words that are only read: ingredients, captions, speech; 0 is padding
    input_words: int = Field(default=1000, gt=1, le=2**20)
    texts: int = Field(default=0, ge=0, le=8)  # texts that come with each candidate (its caption, what is said in it)
    actions: int = Field(default=384, gt=0, le=2**16)

    # the two transformers
    width: int = Field(default=768, gt=0, le=2**13)
    layers: int = Field(default=2, gt=0, le=64)
    heads: int = Field(default=12, gt=0, le=256)
    memory_cells: int = Field(default=1, gt=0, le=256)
    dropout: float = Field(default=0.1, ge=0, lt=1)
    attention_dropout: float = Field(default=0.1, ge=0, lt=1)

    # which of B, BI, BIV, BIVT
    ingredients: bool = False
    simulator: bool = False
    textual_attention: bool = False

    # where designs differ
    mixing: Mixing = "paper"
    teacher: Teacher = "gumbel"
    relative: Relative = "pairwise"
    max_events: int = Field(default=100, gt=0, le=2**13)  # N of the `fixed` relative encoding; the others know no limit
    absolute: bool = False
    ingredient_layers: int = Field(default=1, gt=0, le=64)
    text_memory: Literal["words", "eos"] = "words"
    scores: bool = False  # embed the proposal score of each candidate
    stop: Literal["zero", "learned"] = "zero"
    logits_scale: Literal["none", "sqrt"] = "none"
    output: Literal["linear", "transform"] = "linear"
    action_states: Literal["paper", "residual"] = "paper"
    feedback: Literal["none", "choice"] = "none"
    order: Literal["free", "start"] = "free"

    # ours: words that come with each candidate and may be copied (see beyond/copying.py)
    copying: bool = False
    copy_places: int = Field(default=24, gt=0, le=2**12)  # kinds of places such a word may have
    copy_layers: int = Field(default=0, ge=0, le=64)  # layers in which these words see each other first

    # ours: plan the whole story at once (see beyond/planner.py)
    planner: bool = False
    planner_width: int = Field(default=64, gt=0, le=2**13)
    planner_heads: int = Field(default=4, gt=0, le=256)
    most_steps: int = Field(default=18, gt=0, le=1000)  # the count head knows 0 to this many steps
    planner_reads: Literal["selector", "features"] = "selector"
    redundancy: bool = False  # say which pairs tell the same step

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.width % self.heads or self.width % 2:
            raise ValueError(f"width must be even and a multiple of heads, got {self.width} and {self.heads}")
        if self.planner_width % self.planner_heads:
            raise ValueError(
                f"planner_width must be a multiple of planner_heads, got {self.planner_width} and {self.planner_heads}"
            )
        if self.mixing == "reset" and self.feedback != "none":
            raise ValueError("feedback is told to a memory, and mixing = reset keeps none")
        if self.copying and self.teacher != "oracle":
            raise ValueError('words to copy belong to one event: train with teacher = "oracle"')
        if self.copy_layers and self.word_vector_size % self.heads:
            raise ValueError(f"copy layers need word vectors whose size is a multiple of heads, {self.heads}")
        if self.simulator and not self.ingredients:
            raise ValueError("the visual simulator needs ingredients")
        if self.textual_attention and not self.simulator:
            raise ValueError("textual attention reads the simulator's outputs: switch the simulator on")
        return self

    @property
    def outside_size(self) -> int:
        """Numbers that come with each candidate: its feature and the word vectors of its texts."""
        return self.feature_size + self.texts * self.word_vector_size

    @property
    def letters(self) -> str:
        """The paper's name of the model: B, BI, BIV or BIVT."""
        return "B" + "I" * self.ingredients + "V" * self.simulator + "T" * self.textual_attention


class LossConfig(Config):
    """Weights of the losses (0 switches one off) and label smoothing.

    `sum` adds up all items of a video and averages over videos, as the paper does up to a constant; `mean` averages
    each loss over its own items (steps, words, labels), so that the weights mean the same whatever the length of a
    recipe. The losses of the planner (only a model that has one knows them) are always means over their own items.
    """

    event: float = Field(default=1.0, ge=0)
    sentence: float = Field(default=1.0, ge=0)
    ingredient_selection: float = Field(default=1.0, ge=0)
    action_selection: float = Field(default=1.0, ge=0)
    ingredient_attention: float = Field(default=1.0, ge=0)
    action_attention: float = Field(default=1.0, ge=0)
    refinement: float = Field(default=1.0, ge=0)
    quality: float = Field(default=1.0, ge=0)
    count: float = Field(default=0.1, ge=0)
    story: float = Field(default=1.0, ge=0)
    chain: float = Field(default=0.1, ge=0)
    redundancy: float = Field(default=4.0, ge=0)
    event_smoothing: float = Field(default=0.1, ge=0, lt=1)
    word_smoothing: float = Field(default=0.1, ge=0, lt=1)
    reduction: Literal["sum", "mean"] = "sum"
