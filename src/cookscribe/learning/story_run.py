"""A whole training of a recipe model from one file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from pydantic import Field

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError, MissingDependencyError
from cookscribe.learning.bag_of_words_pretraining import pretrain_bag_of_words
from cookscribe.learning.config import TrainingConfig
from cookscribe.learning.datasets.glove import WordVectors
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import FILES, YouCook2
from cookscribe.learning.datasets.splits import development_split, subset
from cookscribe.learning.datasets.youcook2 import read_truth
from cookscribe.learning.loop import History, train
from cookscribe.learning.story_data import label_story
from cookscribe.learning.story_task import StoryExample, StoryTask
from cookscribe.model.config import LossConfig
from cookscribe.model.decoding import DecodingConfig
from cookscribe.model.presets import preset
from cookscribe.model.story_config import READ_PADDING, READ_UNKNOWN, Oracle, StoryConfig, TextInput
from cookscribe.model.story_input import Reader, StoryInput
from cookscribe.pipelines.story_writer import with_features
from cookscribe.progress import track
from cookscribe.proposals.candidate_files import read_candidates
from cookscribe.proposals.store import read_candidate_store
from cookscribe.senses.transcripts import Transcript
from cookscribe.text.actions import ActionMatcher, packaged_verbs
from cookscribe.text.tokens import ptb_tokens
from cookscribe.text.vocabulary import Vocabulary

# A table of word vectors up to this size goes into the model whole: it can then read ingredients it never learnt from.
WHOLE_TABLE = 5000
RANDOM_WIDTH = 64

TRAINING_PRESETS: dict[str, dict[str, Any]] = {
    "paper": {"patience": 10},  # the defaults of `TrainingConfig` are the paper's
    # The paper's course, at a rate for a twelfth of its width, which a short rise is enough for.
    "faithful": {"patience": 10, "learning_rate": 5e-3, "schedule": {"kind": "warmup-linear", "warmup": 1}},
    "small": {
        "epochs": 8,
        "batch_size": 16,
        "learning_rate": 3e-3,
        "schedule": {"kind": "warmup-linear", "warmup": 0.5},
        "ema": 0.99,
    },
}
# The paper prints plain likelihoods; the released program smooths events and words by 0.1.
_PLAIN_LOSSES: dict[str, Any] = {"event_smoothing": 0.0, "word_smoothing": 0.0}
LOSS_PRESETS: dict[str, dict[str, Any]] = {
    "paper": _PLAIN_LOSSES,
    "faithful": _PLAIN_LOSSES,
    # Means over steps, words and labels, because a sum over words drowns the events. The four others are weighed as the
    # paper's sums weigh them against the words: by how many labels there are per word.
    "small": {
        "reduction": "mean",
        "ingredient_selection": 0.2,
        "action_selection": 0.15,
        "ingredient_attention": 0.25,
        "action_attention": 0.15,
    },
}
# The paper's models start from random weights.
WORD_EPOCHS: dict[str, int] = {"paper": 0, "faithful": 0, "small": 15}
ORACLES: dict[str, Oracle] = {"paper": "paper", "faithful": "paper", "small": "story"}
# Rows of actions that are hardly ever named are learnt by nobody, but every step pays for them.
ACTION_COUNTS: dict[str, int] = {"paper": 0, "faithful": 0, "small": 10}
# The paper's plain argmax: any event at any step, STOP at the first one too, any word.
_ARGMAX: dict[str, Any] = {"max_steps": 12, "reuse": True, "stop_first": True, "any_word": True}
DECODING_PRESETS: dict[str, dict[str, Any]] = {"paper": _ARGMAX, "faithful": _ARGMAX, "small": {}}
# The paper cuts sequences to 100 candidates, as many as its relative encoding has room for.
MOST_CANDIDATES: dict[str, int] = {"paper": 100, "faithful": 100, "small": 0}


class StoryRun(Config):
    """What `cookscribe train story --config FILE` reads. Paths are relative to the file.

    Attributes:
        data: the YouCook2 folder, or an ActivityNet-style truth file whose videos are all for training.
        candidates: candidate files of the training videos (.json or .safetensors).
        features: folder of feature tracks; videos without features are left out.
        preset: "paper-b" to "paper-bivt", "faithful-b" ... or "small-b" ..., for model, losses, training and decoding.
        model, losses, training, decoding: changes to the preset.
        word_epochs: passes of `bag_of_words_pretraining`; the preset decides if left out.
        oracle: "paper" or "story"; the preset decides if left out.
        most_candidates: a video's first so many candidates are read, 0 for all; the preset decides if left out.
        texts: what is read beside each candidate: "caption", "speech".
        parts: an event's feature is its mean over this many equal parts of the event, side by side; 1 is the paper's.
        own_features: take the features that stand beside the candidates (`cookscribe event-features`), not a track's.
        copy_list: the words of the ingredient list may be copied into sentences, so that names hardly ever seen in
            training are written right.
        word_vectors: a file of word vectors; if left out, the data folder's, else the packaged ones, else random.
        min_count: a word must be seen this often to be written.
        min_action_count: an action must be named this often to get a row of the action table; the preset decides if
            left out ("paper" keeps the whole list).
        development: share of the training videos kept apart to choose the weights.
        videos: train on this many videos only; 0 takes all.
    """

    data: str
    candidates: tuple[str, ...]
    features: str
    preset: str = "small-bivt"
    model: dict[str, Any] = Field(default_factory=dict)
    losses: dict[str, Any] = Field(default_factory=dict)
    training: dict[str, Any] = Field(default_factory=dict)
    decoding: dict[str, Any] = Field(default_factory=dict)
    word_epochs: int | None = Field(default=None, ge=0)
    oracle: Oracle | None = None
    most_candidates: int | None = Field(default=None, ge=0)
    texts: tuple[TextInput, ...] = ()
    parts: int = Field(default=1, ge=1)
    own_features: bool = False
    copy_list: bool = False
    word_vectors: str = ""
    min_count: int = Field(default=3, ge=1)
    min_action_count: int | None = Field(default=None, ge=0)
    development: float = Field(default=0.1, gt=0, lt=1)
    videos: int = Field(default=0, ge=0)

    @property
    def size(self) -> str:
        """ "paper", "faithful" or "small": which presets apply."""
        size = self.preset.partition("-")[0]
        if size not in TRAINING_PRESETS:
            raise BadValueError("preset", f"no preset {self.preset!r}", "see `cookscribe train story --help`")
        return size

    @property
    def pretraining_epochs(self) -> int:
        """Passes of `bag_of_words_pretraining`, by file or preset."""
        return WORD_EPOCHS[self.size] if self.word_epochs is None else self.word_epochs

    @property
    def candidate_limit(self) -> int:
        """How many candidates of a video are read, by file or preset."""
        return MOST_CANDIDATES[self.size] if self.most_candidates is None else self.most_candidates

    def training_config(self) -> TrainingConfig:
        """The preset of the training with this file's changes."""
        return TrainingConfig.parse(TRAINING_PRESETS[self.size] | self.training, "training")


def read_candidate_file(path: Path) -> dict[str, Candidates]:
    """Candidates by video id from either format."""
    return read_candidate_store(path)[0] if path.suffix == ".safetensors" else read_candidates(path)


@dataclass(frozen=True, eq=False)
class StoryMaterial:
    """Everything a training reads from disk, once; runs with other presets or seeds may share it.

    Attributes:
        videos: annotated training videos that have candidates and features, by id.
        candidates: theirs, with features.
        transcripts: what is said, by id; empty where nobody asked for it.
        actions: the action list.
        vectors: word vectors, or None for random ones.
        encoder, simulated: of the features.
        development: ids of the videos that choose the weights; empty draws them from all.
    """

    videos: Mapping[str, AnnotatedVideo]
    candidates: Mapping[str, Candidates]
    transcripts: Mapping[str, Transcript]
    actions: tuple[str, ...]
    vectors: WordVectors | None
    encoder: str
    simulated: bool
    development: tuple[str, ...] = ()

    def split(self, share: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Ids to learn from, and ids that choose the weights: a `share` of all unless they are named."""
        if not self.development:
            return development_split(self.videos, share)
        return tuple(sorted(set(self.videos) - set(self.development))), tuple(sorted(self.development))


def read_material(run: StoryRun, base: Path) -> StoryMaterial:
    """Read annotations, candidates, features and word vectors."""
    folder = base / run.data
    root = YouCook2(folder) if folder.is_dir() else None
    videos = root.videos("training") if root is not None else read_truth(folder)
    candidates: dict[str, Candidates] = {}
    for name in run.candidates:
        candidates |= read_candidate_file(base / name)
    store = FeatureStore(base / run.features)
    ids = sorted(set(videos) & set(candidates) & set(store.ids()))
    if not ids:
        raise BadValueError(folder, "no annotated video has both candidates and features", "check the three paths")
    if run.videos:
        ids = list(subset(ids, min(run.videos, len(ids))))
    pooled: dict[str, Candidates] = {}
    encoders, simulated = set(), False
    for key in track(ids, "reading features"):
        found = store.read(key)
        pooled[key] = with_features(candidates[key], None if run.own_features else found, key, run.parts)
        encoders.add(found.encoder)
        simulated |= found.simulated
    if len(encoders) != 1:
        raise BadValueError(store.folder, f"holds features of several encoders: {sorted(encoders)}")
    return StoryMaterial(
        videos={key: videos[key] for key in ids},
        candidates=pooled,
        transcripts=root.transcripts() if root is not None and "speech" in run.texts else {},
        actions=root.actions() if root is not None and root.present()["actions"] else packaged_verbs(),
        vectors=read_vectors(run.word_vectors, base, root),
        encoder=encoders.pop(),
        simulated=simulated,
    )


def read_vectors(name: str, base: Path, root: YouCook2 | None) -> WordVectors | None:
    """The word vectors that were asked for, or the best there are."""
    if name:
        path = base / name
        return WordVectors.from_npz(path) if path.suffix == ".npz" else WordVectors.from_text(path)
    if root is not None and (root.root / FILES["word vectors"]).is_file():
        return WordVectors.from_npz(root.path("word vectors"))
    try:
        return WordVectors.packaged()
    except MissingDependencyError:
        return None


def candidate_texts(
    kinds: Sequence[TextInput], candidates: Candidates, transcript: Transcript | None, name: str
) -> list[Sequence[str]]:
    """Per kind, one text for each candidate; a video without a transcript has silent candidates."""
    texts: list[Sequence[str]] = []
    for kind in kinds:
        if kind == "caption":
            if candidates.captions is None:
                raise BadValueError(name, "its candidates have no captions", "propose with captions")
            texts.append(candidates.captions)
        elif transcript is None:
            texts.append([""] * len(candidates))
        else:
            texts.append([transcript.between(start, end) for start, end in candidates.spans.tolist()])
    return texts


def make_task(run: StoryRun, material: StoryMaterial, texts: Sequence[str] = ()) -> StoryTask:
    """Vocabulary, labels and the model, ready for the loop.

    Args:
        texts: more sentences whose words are to be known, beside those of the training videos.
    """
    rest, held_out = material.split(run.development)
    learnt = [material.videos[key] for key in rest]
    sentences = (text for video in learnt for text in video.sentences)
    vocabulary = Vocabulary.build((*sentences, *texts), run.min_count)
    read_words = _read_words(learnt, vocabulary, material.vectors)
    least = ACTION_COUNTS[run.size] if run.min_action_count is None else run.min_action_count
    actions = _named_actions(learnt, material.actions, least)
    example = material.candidates[rest[0]].features
    assert example is not None
    width = material.vectors.width if material.vectors is not None else RANDOM_WIDTH
    sizes = {
        "feature_size": example.shape[1],
        "vocabulary_size": len(vocabulary),
        "word_vector_size": width,
        "input_words": len(read_words),
        "texts": len(run.texts),
        "actions": len(actions),
    } | ({"copying": True, "copy_places": 1} if run.copy_list else {})
    config = StoryConfig(
        model=preset(run.preset, **(run.model | sizes)),
        losses=LossConfig.parse(LOSS_PRESETS[run.size] | run.losses, "losses"),
        decoding=DecodingConfig.parse(DECODING_PRESETS[run.size] | run.decoding, "decoding"),
        word_epochs=run.pretraining_epochs,
        most_candidates=run.candidate_limit,
        oracle=run.oracle or ORACLES[run.size],
        texts=run.texts,
        parts=run.parts,
        own_features=run.own_features,
        copy_list=run.copy_list,
        read_words=read_words,
        actions=actions,
        encoder=material.encoder,
        simulated=material.simulated,
    )
    reader, matcher = Reader(read_words, run.copy_list, config.most_candidates), ActionMatcher(actions)

    def given(key: str) -> StoryInput:
        candidates, video = material.candidates[key], material.videos[key]
        texts = candidate_texts(run.texts, candidates, material.transcripts.get(key), key)
        return reader.input(candidates, video.ingredients, texts)

    limits = (config.decoding.max_steps, config.decoding.max_words)
    examples = []
    for video in learnt:
        seen = given(video.id)
        truth = label_story(video, seen.candidates, vocabulary, matcher, config.oracle, *limits)
        if len(truth):
            examples.append(StoryExample(seen, truth))
    development = [(material.videos[key], given(key)) for key in held_out]
    task = StoryTask(config, run.training_config(), vocabulary, examples, development)
    if task.model.copying is not None:
        task.model.copying.set_copies([vocabulary.number.get(word, -1) for word in read_words])
    if material.vectors is not None:
        words, read = (material.vectors.table(names).values for names in (vocabulary.words, read_words))
        task.model.load_word_vectors(torch.from_numpy(words), torch.from_numpy(read))
    if run.pretraining_epochs and examples:
        pretrain_bag_of_words(task.model, [(e.input, e.truth) for e in examples], run.pretraining_epochs, task.seed)
    return task


def _read_words(
    videos: Sequence[AnnotatedVideo], vocabulary: Vocabulary, vectors: WordVectors | None
) -> tuple[str, ...]:
    words = set(vocabulary.words[4:])
    words |= {token for video in videos for name in video.ingredients for token in ptb_tokens(name)}
    if vectors is not None and len(vectors) <= WHOLE_TABLE:
        words |= set(vectors.rows)
    return (READ_PADDING, READ_UNKNOWN, *sorted(words))


def _named_actions(videos: Sequence[AnnotatedVideo], actions: tuple[str, ...], least: int) -> tuple[str, ...]:
    if least == 0:
        return actions
    matcher = ActionMatcher(actions)
    counts = Counter(number for video in videos for text in video.sentences for number in matcher.named(text))
    kept = tuple(verb for number, verb in enumerate(actions) if counts[number] >= least)
    return kept or actions


def train_story(
    run: StoryRun, base: Path, out: Path, *, material: StoryMaterial | None = None, quiet: bool = False
) -> History:
    """Train into the folder `out`; a finished or interrupted training goes on where it was.

    Args:
        base: folder the paths of `run` are relative to.
        material: what `read_material` gave, if several trainings share it.
    """
    task = make_task(run, material if material is not None else read_material(run, base))
    return train(task, run.training_config(), out, quiet=quiet)
