"""`StoryConfig`: all that a folder with a recipe model must know to write recipes again."""

from typing import Literal, Self

from pydantic import Field, model_validator

from cookscribe.config import Config
from cookscribe.model.config import LossConfig, ModelConfig
from cookscribe.model.decoding import DecodingConfig

TextInput = Literal["caption", "speech"]
Oracle = Literal["paper", "story"]

# The first ids of the words that are only read.
READ_PADDING, READ_UNKNOWN = "[PAD]", "[UNK]"


class StoryConfig(Config):
    """A recipe model with its surroundings.

    Attributes:
        model: sizes and choices.
        losses: weights of the losses it was trained with.
        decoding: how it writes, unless a caller says otherwise.
        word_epochs: passes of `learning.bag_of_words_pretraining` before the training; 0 for none.
        most_candidates: a video's first so many candidates are read, as the paper cuts sequences; 0 reads all.
        oracle: which candidate a true step is labelled with, see `datasets.oracle`.
        texts: what is read beside each candidate's feature, in this order.
        parts: an event's feature is its mean over this many equal parts of the event, side by side, so that "peel and
            slice" is not "slice and peel"; 1, as in the paper, is one mean. The model's `feature_size` is that of all.
        own_features: events have the features that stand beside the candidates (`cookscribe event-features`), not a
            track's.
        copy_list: the words of the ingredient list may be copied, as heard words are (see `beyond.copying`).
        read_words: words that are only read (ingredients, captions, speech); position is the id.
        actions: the verbs of the action table; position is the row.
        encoder: name of the features, e.g. "milnce-like"; empty if unknown.
        simulated: True when it learnt from simulated features.
    """

    model: ModelConfig
    losses: LossConfig = LossConfig()
    decoding: DecodingConfig = DecodingConfig()
    word_epochs: int = Field(default=0, ge=0)
    most_candidates: int = Field(default=0, ge=0, le=2**13)
    oracle: Oracle = "story"
    texts: tuple[TextInput, ...] = ()
    parts: int = Field(default=1, ge=1, le=64)
    own_features: bool = False
    copy_list: bool = False
    read_words: tuple[str, ...]
    actions: tuple[str, ...]
    encoder: str = ""
    simulated: bool = False

    @property
    def track_width(self) -> int:
        """Columns of the feature tracks it reads."""
        return self.model.feature_size // self.parts

    @model_validator(mode="after")
    def _sizes_agree(self) -> Self:
        pairs = {
            "read_words": (len(self.read_words), self.model.input_words),
            "actions": (len(self.actions), self.model.actions),
            "texts": (len(self.texts), self.model.texts),
        }
        for name, (given, expected) in pairs.items():
            if given != expected:
                raise ValueError(f"{given} {name}, but the model has {expected}")
        if self.model.feature_size % self.parts:
            raise ValueError(f"{self.model.feature_size} columns of an event do not fall into {self.parts} parts")
        if any(not 0 <= word < self.model.vocabulary_size for word in self.decoding.may_repeat):
            raise ValueError("decoding.may_repeat names a word that is not in the vocabulary")
        if self.copy_list and not self.model.copying:
            raise ValueError("copy_list = true needs model.copying = true: listed words are there to be copied")
        if self.model.order == "start" and self.oracle != "story":
            raise ValueError('order = "start" needs oracle = "story": the paper\'s labels may run backwards')
        return self
