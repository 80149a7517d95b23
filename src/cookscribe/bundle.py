"""A bundle: `bundle.json`, a proposal model, a recipe model and a card, in one folder.

kitchen/
  bundle.json            what it is: name, encoder, limits
  README.md              the model card
  proposals/, story/     model folders: config.json, weights.safetensors (half precision), vocabulary.json
  story-2/, ...          if there, recipe models that write along with that of story/
  story-unlisted/        if there, the recipe model for films whose ingredients nobody knows
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, Literal

import torch
from pydantic import Field

from cookscribe.config import Config
from cookscribe.errors import BadFileError, BadValueError, MissingFileError
from cookscribe.files import copy_file, unwritable, write_text
from cookscribe.model_folder import CONFIG, VOCABULARY, WEIGHTS, read_tensors, write_tensors
from cookscribe.proposals.pdvc.propose import Proposer
from cookscribe.story_writer import StoryWriter, store_decoding

# A package announces a package of bundle folders under this group of entry points.
ENTRY_POINTS = "cookscribe.bundles"
DESCRIPTION, CARD = "bundle.json", "README.md"
PROPOSALS, STORY, UNLISTED = "proposals", "story", "story-unlisted"
MOST_MEMBERS = 16


# Of a calibration: beyond it a confidence is 0 or 1.
Bounded = Annotated[float, Field(ge=-1000, le=1000)]


class BundleConfig(Config):
    """What a bundle says about itself.

    Attributes:
        format: version of the folder's layout.
        kind: "film" watches (proposals/ and story/); "speech" listens, see `cookscribe.speech`.
        name: what `--model` calls it.
        encoder: which features it reads, see `encoders.load_encoder`.
        rate: frames a second that the encoder looks at; None leaves it the encoder's own.
        simulated: True when it learnt from the simulated kitchen only.
        films: for which films it is, in words a user understands.
        wording: of the made-up recipes it learnt from, see `kitchen.recipes`; "" for real ones.
        most_overlap: of two steps whose temporal IoU is above this only the surer one is told, and neighbours that
            still overlap meet in the middle, or become one if one says nothing new; 1 leaves all steps as they are.
        weak: a recipe whose mean confidence is below this says that its evidence is weak.
        calibration: slope and shift that turn the log odds of the model's own confidence into those of being right, as
            held-out videos had it; None leaves the confidence as it is.
        unlisted_calibration: the same for recipes written without an ingredient list; None for the same numbers.
    """

    format: Literal[1] = 1
    kind: Literal["film", "speech"] = "film"
    name: str = Field(max_length=200)
    encoder: str = Field(max_length=200)
    rate: float | None = Field(default=None, ge=0.01, le=60)
    simulated: bool = False
    films: str = ""
    wording: str = ""
    most_overlap: float = Field(default=1.0, ge=0, le=1)
    weak: float = Field(default=0.2, ge=0, le=1)
    calibration: tuple[Bounded, Bounded] | None = None
    unlisted_calibration: tuple[Bounded, Bounded] | None = None

    def calibrated(self, confidence: float, *, listed: bool = True) -> float:
        """How often a step of this confidence is right."""
        line = self.calibration if listed else self.unlisted_calibration or self.calibration
        if line is None:
            return confidence
        slope, shift = line
        return 0.5 + 0.5 * math.tanh((slope * log_odds(confidence) + shift) / 2)


def log_odds(probability: float) -> float:
    """Of a probability that is kept a little away from 0 and 1."""
    inside = min(max(probability, 1e-6), 1.0 - 1e-6)
    return math.log(inside / (1.0 - inside))


@dataclass(frozen=True)
class Bundle:
    """A bundle on disk."""

    folder: Path
    config: BundleConfig

    @classmethod
    def open(cls, folder: Path) -> Bundle:
        """Read a bundle's description; its models are loaded by whoever uses them."""
        folder = Path(folder)
        if not (folder / DESCRIPTION).exists():
            raise MissingFileError(folder, f"is not a bundle: it has no {DESCRIPTION}", shipped_advice())
        return cls(folder, BundleConfig.load(folder / DESCRIPTION))

    @property
    def proposals(self) -> Path:
        """Folder of the proposal model."""
        return self.folder / PROPOSALS

    @property
    def story(self) -> Path:
        """Folder of the recipe model."""
        return self.folder / STORY

    @property
    def members(self) -> tuple[Path, ...]:
        """Folders of the recipe models that write along with that of `story`, if the bundle has some."""
        there = takewhile(Path.is_dir, (member_folder(self.folder, number) for number in range(2, MOST_MEMBERS + 2)))
        found = tuple(there)
        if len(found) == MOST_MEMBERS:
            raise BadFileError(found[-1], f"is one of more than {MOST_MEMBERS} members of an ensemble")
        return found

    @property
    def unlisted(self) -> Path | None:
        """Folder of the recipe model for films without an ingredient list, if the bundle has one."""
        folder = self.folder / UNLISTED
        return folder if folder.is_dir() else None


def member_folder(folder: Path, number: int) -> Path:
    """Where the recipe model stands that writes along as number 2, 3, ..."""
    return folder / f"{STORY}-{number}"


@cache
def shipped() -> dict[str, Path]:
    """Folders of the installed bundles by name: those of this package, and of packages that announce some."""
    packages = ["cookscribe.shipped", *(entry.value for entry in entry_points(group=ENTRY_POINTS))]
    folders = [Path(str(files(package))) for package in packages]
    return {path.parent.name: path.parent for folder in folders for path in sorted(folder.glob(f"*/{DESCRIPTION}"))}


def shipped_advice() -> str:
    """What to name instead."""
    names = ", ".join(sorted(shipped()))
    return f"name a bundle's folder, or one that is shipped: {names}" if names else "name a bundle's folder"


def find_bundle(name: str | Path) -> Bundle:
    """A shipped bundle by name, or any bundle by its folder."""
    if str(name) in shipped():
        return Bundle.open(shipped()[str(name)])
    if Path(name).is_dir():
        return Bundle.open(Path(name))
    raise BadValueError(str(name), "no bundle of this name and no such folder", shipped_advice())


def bundle_models(
    name: str, films: str, proposals: Path, story: Path, target: Path, members: Sequence[Path] = ()
) -> Bundle:
    """Make a bundle of model folders that read the same features; its card says what it was made of.

    Raises:
        BadValueError: the models read different features, the words of `members` are not those of
            `story`, or `target` is not empty.
    """
    proposer, writer = Proposer.load(proposals), StoryWriter.load(story, members=members)
    if target.exists() and any(target.iterdir()):
        raise BadValueError(target, "is not empty", "choose a new folder")
    encoder, width = writer.config.encoder, writer.config.track_width
    if proposer.config.encoder != encoder or proposer.config.feature_size != width:
        raise BadValueError(
            story,
            f"reads {width} columns of {encoder!r}, the proposal model {proposer.config.feature_size} "
            f"of {proposer.config.encoder!r}",
            "train both on the same features",
        )
    config = BundleConfig(name=name, encoder=encoder, films=films, simulated=writer.config.simulated)
    learnt = "the simulated kitchen only" if config.simulated else "film"
    model = writer.config.model
    together = f", {1 + len(members)} that write together" if members else ""
    card = f"""# {name}

{films or "A recipe model for cooking videos."}

- Reads {encoder} features ({width} columns); learnt from {learnt}.
- Proposals: PDVC, {proposer.config.queries} candidates. Recipe model: {model.letters}, {model.width} units{together}.
- {len(writer.vocabulary)} words, {len(writer.config.actions)} actions. Weights in half precision.
"""
    return pack(config, proposals, story, card, target, members=members)


def pack(
    config: BundleConfig,
    proposals: Path,
    story: Path,
    card: str,
    target: Path,
    unlisted: Path | None = None,
    members: Sequence[Path] = (),
    decodings: Mapping[str, Mapping[str, Any]] | None = None,
) -> Bundle:
    """Make a bundle of trained models; weights are stored in half precision, training states are left behind.

    Args:
        decodings: changes to how recipe models decode, by folder of the bundle (`STORY`, `UNLISTED`).
    """
    unfinished(target)
    pack_model(proposals, target / PROPOSALS)
    pack_model(story, target / STORY)
    for number, other in enumerate(members, 2):
        pack_model(other, member_folder(target, number))
    if unlisted is not None:
        pack_model(unlisted, target / UNLISTED)
    for part, changes in (decodings or {}).items():
        store_decoding(target / part, changes)
    write_text(target / CARD, card)
    # Last, because a folder with this file counts as a bundle.
    config.save(target / DESCRIPTION)
    return Bundle(target, config)


def unfinished(target: Path) -> None:
    """Let a folder no longer count as a bundle, because its parts are about to be replaced one after another."""
    try:
        (target / DESCRIPTION).unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(target / DESCRIPTION, error) from None


def pack_model(source: Path, folder: Path) -> None:
    """Copy what a trained model needs to be used; weights in half precision, the training's state left behind."""
    for file in (CONFIG, VOCABULARY):
        if (source / file).is_file():
            copy_file(source / file, folder / file)
    tensors, header = read_tensors(source / WEIGHTS)
    halved = {key: value.half() if value.dtype == torch.float32 else value for key, value in tensors.items()}
    write_tensors(folder / WEIGHTS, halved, header)
