"""A bundle: `bundle.json`, a proposal model, a recipe model and a card, in one folder.

kitchen/
  bundle.json            what it is: name, encoder, limits
  README.md              the model card
  proposals/, story/     model folders: config.json, weights.safetensors (half precision), vocabulary.json
  story-2/, ...          if there, recipe models that write along with that of story/
  story-without-ingredients/        if there, the recipe model for films whose ingredients nobody knows
  writer/                if there, adapters of the language model that writes where it is installed (`writer`)
"""

import math
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field

from cookscribe.config import Config
from cookscribe.errors import BadFileError, BadValueError, MissingFileError

# A package announces a package of bundle folders under this group of entry points.
ENTRY_POINTS = "cookscribe.bundles"
DESCRIPTION, CARD = "bundle.json", "README.md"
PROPOSALS, STORY, WITHOUT_INGREDIENTS = "proposals", "story", "story-without-ingredients"
LISTENER, SPANS, WRITER = "listener", "spans", "writer"
MOST_MEMBERS = 16

# Of a calibration: beyond it a confidence is 0 or 1.
Bounded = Annotated[float, Field(ge=-1000, le=1000)]


class BundleConfig(Config):
    """What a bundle says about itself.

    Attributes:
        format: version of the folder's layout.
        kind: "visual" watches (proposals/ and story/), "speech" listens (listener/, spans/ and story/), "sight" names
            what it sees (sight/ and steps.json), "auto" stands for the first of `choices` that fits a film.
        name: what `--model` calls it.
        encoder: which features it reads, see `encoders.load_encoder`.
        choices: names of the bundles that `auto` chooses from, in order.
        rate: frames a second that the encoder looks at; None leaves it the encoder's own.
        writer: folder of a language model's adapters, as seen from the bundle's; bundles may share one.
        simulated: True when it learnt from the simulated kitchen only.
        films: for which films it is, in words a user understands.
        wording: of the made-up recipes it learnt from, see `kitchen.recipes`; "" for real ones.
        most_overlap: of two steps whose temporal IoU is above this only the surer one is kept, and neighbours that
            still overlap meet in the middle, or become one if one says nothing new; 1 leaves all steps as they are.
        weak: a recipe whose mean confidence is below this says that its evidence is weak.
        calibration: slope and shift that turn the log odds of the model's own confidence into those of being right, as
            held-out videos had it; None leaves the confidence as it is.
        calibration_without_ingredients: the same for recipes written without a list; None for the same numbers.
    """

    format: Literal[1] = 1
    kind: Literal["visual", "speech", "sight", "auto"] = "visual"
    name: str = Field(max_length=200)
    encoder: str = Field(default="", max_length=200)
    choices: tuple[str, ...] = Field(default=(), max_length=100)
    rate: float | None = Field(default=None, ge=0.01, le=60)
    writer: str = Field(default=WRITER, min_length=1, max_length=4000)
    simulated: bool = False
    films: str = ""
    wording: str = ""
    most_overlap: float = Field(default=1.0, ge=0, le=1)
    weak: float = Field(default=0.2, ge=0, le=1)
    calibration: tuple[Bounded, Bounded] | None = None
    calibration_without_ingredients: tuple[Bounded, Bounded] | None = None

    def calibrated(self, confidence: float, *, listed: bool = True) -> float:
        """How often a step of this confidence is right."""
        line = self.calibration if listed else self.calibration_without_ingredients or self.calibration
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
    def open(cls, folder: Path) -> Self:
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
    def without_ingredients(self) -> Path | None:
        """Folder of the recipe model for films without an ingredient list, if the bundle has one."""
        folder = self.folder / WITHOUT_INGREDIENTS
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
