"""A trained recipe model ready to write: loaded from its folder, fed with candidates, features and ingredients."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cookscribe.candidates import Candidates
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.model.config import UNK
from cookscribe.model.decoding import DecodingConfig, write_stories
from cookscribe.model.recipe_model import RecipeModel
from cookscribe.model.story_config import StoryConfig
from cookscribe.model.story_input import Reader, StoryInput, batch_inputs
from cookscribe.model_folder import CONFIG, VOCABULARY, open_model
from cookscribe.story import Story
from cookscribe.text.vocabulary import Vocabulary
from cookscribe.track import FeatureTrack

KIND = "story"
DECODING_BATCH = 128  # videos
# What models that write together have in common.
SHARED = ["model", "texts", "parts", "own_features", "most_candidates", "copy_list", "read_words", "actions", "encoder"]
SAME = "train both with one configuration, on the same videos and with different seeds"


class StoryWriter:
    """Writes recipes. `config.model.letters` names the model, `config.actions` the rows of the evidence.

    `members` are further models of an ensemble, with the same sizes, words and actions, see `model.beyond.ensemble`.
    """

    members: tuple[RecipeModel, ...] = ()

    def __init__(self, model: RecipeModel, config: StoryConfig, vocabulary: Vocabulary) -> None:
        self.model = model.eval()
        self.config = config
        self.vocabulary = vocabulary
        self.reader = Reader(config.read_words, config.copy_list, config.most_candidates)

    @classmethod
    def load(cls, folder: Path, device: str = "cpu", members: Sequence[Path] = ()) -> Self:
        """Open a model folder, and those of further members of an ensemble; what does not fit is a typed error."""
        saved = open_model(folder, KIND)
        config = StoryConfig.parse(saved.config, saved.folder / CONFIG)
        if saved.vocabulary is None or len(saved.vocabulary) != config.model.vocabulary_size:
            raise BadFileError(saved.folder / VOCABULARY, "is missing or does not fit the model", "train again")
        model = saved.build(lambda: RecipeModel(config.model))
        writer = cls(model.to(device), config, saved.vocabulary)
        writer.members = tuple(writer._same_as_here(cls.load(other, device), other) for other in members)
        return writer

    def _same_as_here(self, other: Self, folder: Path) -> RecipeModel:
        """The model of another writer that reads, knows and says the same."""
        mine, theirs = self.config, other.config
        for name in SHARED:
            if getattr(mine, name) != getattr(theirs, name):
                raise BadValueError(folder, f"its {name} is not that of the model it shall write along with", SAME)
        if self.vocabulary.words != other.vocabulary.words:
            raise BadValueError(folder, "its words are not those of the model it shall write along with", SAME)
        return other.model

    def prepare(
        self,
        candidates: Candidates,
        ingredients: Sequence[str] = (),
        track: FeatureTrack | None = None,
        speech: Sequence[str] | None = None,
        name: str = "video",
    ) -> StoryInput:
        """The input of one video.

        Args:
            candidates: events; without features of their own, `track` is pooled over their spans.
            ingredients: names; a model that knows no ingredients passes over them.
            track: features of the whole video.
            speech: for models that read it, the words heard in each candidate.
            name: of the video, for errors.
        """
        candidates = with_features(candidates, track, name, self.config.parts)
        if track is not None:
            track.check(name, self.config.track_width, self.config.encoder)
        assert candidates.features is not None
        if candidates.features.shape[1] != self.config.model.feature_size:
            raise BadValueError(name, f"candidate features have {candidates.features.shape[1]} columns")
        texts: list[Sequence[str]] = []
        for kind in self.config.texts:
            lines = candidates.captions if kind == "caption" else speech
            if lines is None or len(lines) != len(candidates):
                raise BadValueError(name, f"the model reads a {kind} of each candidate, but there is none")
            texts.append(lines)
        return self.reader.input(candidates, ingredients, texts)

    def word_ids(self, sentence: str) -> list[int]:
        """Ids of a sentence's words: of the vocabulary, behind it of words that can be copied, or UNK."""
        number, size = self.vocabulary.number, len(self.vocabulary)
        copied = self.reader.number if self.config.model.copying else {}
        return [number[word] if word in number else copied.get(word, UNK - size) + size for word in sentence.split()]

    def write(self, videos: Sequence[StoryInput], decoding: DecodingConfig | None = None) -> list[Story]:
        """The recipes of the videos, in their order."""
        config = self.config if decoding is None else self.config.model_copy(update={"decoding": decoding})
        return decode(self.model, videos, self.vocabulary, config, self.members)


def with_features(candidates: Candidates, track: FeatureTrack | None, name: str, parts: int = 1) -> Candidates:
    """The candidates with one feature row each: means over `parts` equal parts of their spans, side by side."""
    if candidates.features is not None and track is None:
        return candidates
    if track is None:
        raise BadValueError(name, "has neither candidate features nor a feature track", "encode the video first")
    pooled = [track.over(spans) for spans in equal_parts(candidates.spans, parts)]
    return replace(candidates, features=np.concatenate(pooled, axis=1).astype(track.values.dtype))


def equal_parts(spans: NDArray[np.floating], parts: int) -> list[NDArray[np.float64]]:
    """The first, the second, ... part of every span, (N, 2) seconds each."""
    start, end = np.asarray(spans, dtype=np.float64).reshape(-1, 2).T
    borders = [start + (end - start) * (number / parts) for number in range(parts)] + [end]
    return [np.stack(pair, axis=1) for pair in pairwise(borders)]


def decode(
    model: RecipeModel,
    videos: Sequence[StoryInput],
    vocabulary: Vocabulary,
    config: StoryConfig,
    members: Sequence[RecipeModel] = (),
) -> list[Story]:
    """Write the recipes of any number of videos, in batches of similar size; `members` are the ensemble's members."""
    device = model.output.linear.weight.device
    # A model that copies may also write words it only reads.
    words = vocabulary.words + (config.read_words if config.model.copying else ())
    order = sorted(range(len(videos)), key=lambda i: (len(videos[i].candidates), len(videos[i].ingredients)))
    stories: dict[int, Story] = {}
    for first in range(0, len(order), DECODING_BATCH):
        chosen = order[first : first + DECODING_BATCH]
        batch = [videos[i] for i in chosen]
        spans = [video.candidates.spans.astype(np.float64) for video in batch]
        written = write_stories(model, batch_inputs(batch, device), spans, words, config.decoding, members)
        stories.update(zip(chosen, written, strict=True))
    return [stories[i] for i in range(len(videos))]
