"""What the rows of a study stand on: videos, their features, candidate events, and what is known beside them.

Features are the ones the user has (`--features`), or the simulated kitchen's. Candidates are ready-made
(`--candidates`), or those of a proposal model trained here, out of fold for the training videos.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field

from cookscribe.candidates import Candidates
from cookscribe.config import Config
from cookscribe.encoders.store import FeatureStore
from cookscribe.errors import BadValueError, InputError, MissingFileError
from cookscribe.evaluation.events import Events
from cookscribe.learning.datasets.records import AnnotatedVideo
from cookscribe.learning.datasets.root import YouCook2
from cookscribe.learning.datasets.splits import subset
from cookscribe.learning.story_run import StoryMaterial, read_candidate_file, read_vectors
from cookscribe.pipelines.story_writer import with_features
from cookscribe.progress import track
from cookscribe.proposals.store import read_candidate_store
from cookscribe.senses.transcripts import Transcript
from cookscribe.text.actions import packaged_verbs
from cookscribe_lab.kitchen_features.stream_folder import settings_for, write_streams
from cookscribe_lab.kitchen_features.streams import ENCODERS
from cookscribe_lab.studies.core.registry import StudyOptions

USUAL_ENCODER = "milnce-like"
SEED = 0  # of the films and of the proposal model: all rows of a study stand on the same ground
FOLDS = 3
SMOKE_FOLDS = 2


class GroundChoice(Config):
    """Which candidates and features a row stands on.

    Attributes:
        looks: encoder whose features the recipe model sees of each candidate; "" for the one that proposed them.
        events: N, candidates per video.
        in_fold: training candidates come from a model that saw those videos, as in the released program.
        difficulty: of the simulated features.
    """

    looks: str = ""
    events: int = Field(default=25, ge=1)
    in_fold: bool = False
    difficulty: float = Field(default=1.0, ge=0)


@dataclass(frozen=True, eq=False)
class Setting:
    """A ground with everything read.

    Attributes:
        choice: which it is.
        material: the training videos as a recipe model learns from them; transcripts left out.
        videos, candidates: the validation videos, and their candidates with features.
        store: feature tracks of the candidates' features.
        proposals: folder of the proposal model, or None for ready-made candidates.
        fold: "out of fold" or "in fold", for the candidates of the training videos; "unknown fold" if no file says it.
        mark: a short name of the content: parts made on another ground are not taken for finished.
        said: the same of the candidates' captions, which most models never read.
    """

    choice: GroundChoice
    material: StoryMaterial
    videos: Mapping[str, AnnotatedVideo]
    candidates: Mapping[str, Candidates]
    store: FeatureStore
    proposals: Path | None
    fold: str
    mark: str
    said: str

    @property
    def truth(self) -> dict[str, Events]:
        """True events of the validation videos."""
        return {key: Events(video.spans, video.sentences) for key, video in self.videos.items()}

    @property
    def ingredients(self) -> dict[str, tuple[str, ...]]:
        """Ingredient lists of the validation videos."""
        return {key: video.ingredients for key, video in self.videos.items()}

    @property
    def label(self) -> str:
        """The features' name, with the word *simulated* where they are."""
        return f"*simulated* `{self.material.encoder}`" if self.material.simulated else f"`{self.material.encoder}`"


def open_setting(options: StudyOptions, choice: GroundChoice) -> Setting:
    """Read (and first make, where missing) the ground of a row."""
    root = open_data(options)
    training, validation = root.videos("training"), root.videos("validation")
    if options.videos:
        training = {key: training[key] for key in subset(training, min(options.videos, len(training)))}
    both = [*training.values(), *validation.values()]
    folder = feature_folder(options, USUAL_ENCODER, choice.difficulty, both)
    offer = _candidates(replace(options, features=folder), choice)
    found = offer.candidates
    store = FeatureStore(folder)
    if choice.looks:
        store = FeatureStore(feature_folder(options, choice.looks, choice.difficulty, both))
    ids = set(found) & set(store.ids())
    training, validation = _present(training, ids), _present(validation, ids)
    if len(training) < 2 or not validation:
        raise BadValueError(store.folder, "hardly any annotated video has both candidates and features")
    example = store.read(next(iter(training)))
    pooled: dict[str, Candidates] = {}
    for key in track([*training, *validation], "reading candidates"):
        events = found[key]
        kept = events.features is not None and not choice.looks and events.features.shape[1] == example.width
        pooled[key] = events if kept else with_features(events, store.read(key), key)
    material = StoryMaterial(
        videos=training,
        candidates={key: pooled[key] for key in training},
        transcripts={},
        actions=root.actions() if root.present()["actions"] else packaged_verbs(),
        vectors=read_vectors("", Path(), root),
        encoder=example.encoder,
        simulated=example.simulated,
    )
    seen = {key: pooled[key] for key in validation}
    mark = _mark(pooled, example.encoder)
    return Setting(choice, material, validation, seen, store, offer.proposals, offer.fold, mark, _said(pooled))


def open_data(options: StudyOptions) -> YouCook2:
    """The YouCook2 folder."""
    if options.data is None:
        raise InputError("--data", "the study needs the YouCook2 files", "give --data or set COOKSCRIBE_DATA")
    return YouCook2(options.data)


def speech_of(options: StudyOptions) -> dict[str, Transcript]:
    """What is said in the videos."""
    return open_data(options).transcripts()


def feature_folder(options: StudyOptions, encoder: str, difficulty: float, videos: Sequence[AnnotatedVideo]) -> Path:
    """The folder with the tracks of an encoder; simulated ones are made if they are missing.

    Args:
        options: `features` may be a folder of tracks, or hold one such folder per encoder.
        encoder: of the kitchen, or the name of a subfolder of the user's features.
        difficulty: of the simulation; features that are there already have the difficulty they have.
        videos: those that will be read.
    """
    if options.features is not None and (difficulty == 1.0 or (options.features / encoder).is_dir()):
        own = options.features / encoder
        if own.is_dir():
            return own
        if encoder == USUAL_ENCODER:
            return options.features
        raise MissingFileError(own, f"no features of {encoder!r}", "give a folder with one subfolder per encoder")
    if encoder not in ENCODERS:
        raise BadValueError("encoder", f"the kitchen does not imitate {encoder!r}", f"choose {', '.join(ENCODERS)}")
    # A row every two seconds is all that a proposal model of 128 to 200 rows reads of the wide features.
    every = 2.0 if ENCODERS[encoder].width > 1000 else None
    made = settings_for(encoder, SEED, difficulty, every)
    folder = options.parts / "features" / f"{encoder}-difficulty-{difficulty:g}"
    write_streams(videos, folder, made)
    return folder


@dataclass(frozen=True, eq=False)
class _Offer:
    """Candidates of all videos by id, the folder of the model that made them, and the fold of the training videos'."""

    candidates: dict[str, Candidates]
    proposals: Path | None
    fold: str


def _candidates(options: StudyOptions, choice: GroundChoice) -> _Offer:
    if options.candidates is not None:
        if choice.difficulty != 1.0:
            raise BadValueError("--candidates", "ready-made candidates belong to one difficulty", "leave them out")
        learnt = "training_in_fold" if choice.in_fold else "training"
        training, validation = (
            _one_of(options.candidates, f"{split}_n{choice.events}") for split in (learnt, "validation")
        )
        found = read_candidate_file(training) | read_candidate_file(validation)
        model = options.candidates / f"model_n{choice.events}"
        return _Offer(found, model if model.is_dir() else None, _fold_of(training))
    from cookscribe_lab.studies.core.ground import prepare_ground

    ground = prepare_ground(
        options,
        encoder=USUAL_ENCODER,
        events=choice.events,
        captions=True,
        seed=SEED,
        epochs=options.proposal_epochs or None,
        folds=0 if choice.in_fold else SMOKE_FOLDS if options.smoke else FOLDS,
        videos=options.videos or None,
        parts=options.parts,
    )
    found = dict(ground.training) | dict(ground.validation)
    return _Offer(found, ground.proposals, "in fold" if choice.in_fold else "out of fold")


def _fold_of(path: Path) -> str:
    """What a candidate file says of itself; only our own format says anything."""
    about = read_candidate_store(path)[1] if path.suffix == ".safetensors" else {}
    if "out_of_fold" not in about:
        return "unknown fold"
    return "out of fold" if about["out_of_fold"] else "in fold"


def _one_of(folder: Path, stem: str) -> Path:
    for suffix in (".safetensors", ".json"):
        if (folder / f"{stem}{suffix}").is_file():
            return folder / f"{stem}{suffix}"
    raise MissingFileError(folder / f"{stem}.safetensors", "no such candidates", "make them with `cookscribe propose`")


def _present(videos: Mapping[str, AnnotatedVideo], ids: Iterable[str]) -> dict[str, AnnotatedVideo]:
    known = set(ids)
    return {key: videos[key] for key in sorted(videos) if key in known and len(videos[key].spans)}


def _mark(candidates: Mapping[str, Candidates], encoder: str) -> str:
    digest = hashlib.sha256(encoder.encode())
    for key, events in candidates.items():
        assert events.features is not None
        digest.update(key.encode())
        for values in (events.spans, events.scores, events.features):
            digest.update(values.tobytes())
    return digest.hexdigest()[:12]


def _said(candidates: Mapping[str, Candidates]) -> str:
    lines = "\n".join(line for events in candidates.values() for line in events.captions or ("-",))
    return hashlib.sha256(lines.encode()).hexdigest()[:12]
