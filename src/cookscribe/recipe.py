"""The document: `Span`, `Step`, `Amount` and `Recipe`, immutable, validated, JSON both ways.

A `Recipe` is the only thing that exporters, the page and users see. Times are float seconds from the start of the
video. Anybody may have edited its file: texts are made printable, and all numbers, texts and lists have an upper bound,
so that every format can be written in seconds.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from cookscribe.config import Config, explain
from cookscribe.errors import BadFileError, BadValueError
from cookscribe.files import read_json, write_json
from cookscribe.text.printable import one_line, printable

# 1 had no amounts, timers, temperatures, servings and cues; its files are read as they are.
SCHEMA_VERSION = 2
# Files made of a recipe whose plain name may be taken beside the film: soup.recipe.json, soup.recipe.vtt.
RECIPE_MARK = ".recipe"

# Far above what any film gives.
MOST_BYTES = 16 * 2**20
MOST_STEPS = 1000
MOST_CANDIDATES = 5000
MOST_CUES = 3000
MOST_NAMES = 100  # ingredients of a recipe, or of a step; warnings
MOST_AMOUNTS = 300  # several of an ingredient may be told
MOST_TIMERS = 20  # of a step; its temperatures likewise


def _clean(value: Any) -> Any:
    return one_line(value) if isinstance(value, str) else value


def _as_of_now(version: Any) -> Any:
    return SCHEMA_VERSION if type(version) is int and version == 1 else version


def _bare_name(name: str) -> str:
    if not name.strip() or name in (".", "..") or "/" in name or "\\" in name:
        raise ValueError("must be the name of a file, without folders")
    return name


def _web_address(url: str) -> str:
    parts = urlsplit(url)
    odd = not url.isprintable() or any(sign in url for sign in ' <>"\\')
    if odd or parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError("must be an http or https address")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a user name or a password")
    return url


UNSURE = 0.35  # a step below this confidence is shown as unsure

Source = Literal["heard", "read", "seen"]  # the sense: speech or subtitles, text on the screen, things and actions
Seconds = Annotated[float, Field(ge=0.0, le=1e7)]
Pixels = Annotated[int, Field(gt=0, le=1_000_000)]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
# Cleaned before it is measured: of a title made of control characters nothing is left.
Line = Annotated[str, BeforeValidator(_clean), Field(max_length=2000)]
Text = Annotated[str, BeforeValidator(_clean), Field(min_length=1, max_length=2000)]
Note = Annotated[str, BeforeValidator(_clean), Field(max_length=20_000)]  # may list all ingredients
FileName = Annotated[
    str,
    BeforeValidator(lambda value: printable(value) if isinstance(value, str) else value),
    Field(max_length=255),
    AfterValidator(_bare_name),
]
Address = Annotated[str, Field(max_length=2000), AfterValidator(_web_address)]
Names = Annotated[tuple[Line, ...], Field(max_length=MOST_NAMES)]


class Document(Config):
    """Base of all parts of the document. Building a wrong one raises `BadValueError`, never a library's own error."""

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise BadValueError(type(self).__name__, explain(error)) from None

    # Tells pydantic that this only wraps its own: it then checks parts inside parts itself, and an error says where.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


class Span(Document):
    """A stretch of the video, in seconds: finite, not negative, `start <= end`."""

    start: Seconds
    end: Seconds

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.end < self.start:
            raise ValueError(f"the end ({self.end}) is before the start ({self.start})")
        return self

    @property
    def length(self) -> float:
        """Length in seconds."""
        return self.end - self.start

    def tiou(self, other: Self) -> float:
        """Temporal intersection over union, in [0, 1]; 0 when both are empty."""
        intersection = max(0.0, min(self.end, other.end) - max(self.start, other.start))
        union = self.length + other.length - intersection
        return intersection / union if union > 0 else 0.0


class CueEvidence(Document):
    """What one sense took from the film: when, by which sense, in which words, and how likely it is right."""

    span: Span
    source: Source
    text: Line
    confidence: Probability = 1.0


class Amount(Document):
    """How much of an ingredient is used. `origin` says where that was heard or read; None: a person wrote it.

    `quantity` is in figures: "2", "1 1/2", "2-3". `unit` is short ("tbsp", "g", "pinch") and empty where pieces are
    counted. The words themselves are `origin.text`.
    """

    ingredient: Text
    quantity: Annotated[str, BeforeValidator(_clean), Field(max_length=40)] = ""
    unit: Annotated[str, BeforeValidator(_clean), Field(max_length=40)] = ""
    origin: CueEvidence | None = None

    @property
    def line(self) -> str:
        """As it stands in a list of ingredients: "2 tbsp soy sauce"."""
        from cookscribe.text.amounts import amount_line

        return amount_line(self.quantity, self.unit, self.ingredient)


class Timer(Document):
    """How long something takes, in seconds; `most` is there where a range was told ("five to seven minutes")."""

    seconds: Seconds
    most: Seconds | None = None
    origin: CueEvidence | None = None


class Temperature(Document):
    """How hot it is to be; `most` where a range was told. `scale` is Celsius or Fahrenheit, None if only "degrees"."""

    degrees: Annotated[float, Field(ge=-200.0, le=2000.0)]
    scale: Literal["C", "F"] | None = None
    most: Annotated[float, Field(ge=-200.0, le=2000.0)] | None = None
    origin: CueEvidence | None = None


class Servings(Document):
    """For how many people the recipe is; `most` where a range was told."""

    people: Annotated[int, Field(ge=1, le=10_000)]
    most: Annotated[int, Field(ge=1, le=10_000)] | None = None
    origin: CueEvidence | None = None


class Step(Document):
    """One step of the recipe.

    `confidence` is how often steps like this one were right, time and sentence together, on films that nobody learnt
    from. `ingredients` and `actions` are those the step uses, by name; `picture` is the time of the frame that shows
    the step best. `timers` and `temperatures` are those that were told during the step.
    """

    span: Span
    sentence: Text
    confidence: Probability | None = None
    ingredients: Names = ()
    actions: Names = ()
    picture: Seconds | None = None
    timers: tuple[Timer, ...] = Field(default=(), max_length=MOST_TIMERS)
    temperatures: tuple[Temperature, ...] = Field(default=(), max_length=MOST_TIMERS)

    @property
    def unsure(self) -> bool:
        """Whether the reader should be told to look twice."""
        return self.confidence is not None and self.confidence < UNSURE


class Candidate(Document):
    """An event the proposals offered, with its score and, if it was chosen, the step (from 0) it became."""

    span: Span
    score: Probability
    step: int | None = Field(default=None, ge=0, lt=MOST_STEPS)
    caption: Line = ""


class Influence(Document):
    """A name (an action or an ingredient) and how strongly a step attended to it."""

    name: Line
    weight: Probability


class StepEvidence(Document):
    """Why a step came out as it did.

    `event_probability` is that of the chosen event, `actions` and `ingredients` the strongest attentions, and `change`
    tells for each ingredient of the recipe how far its state has moved from the raw one by then (0: not at all).
    """

    event_probability: Probability | None = None
    actions: tuple[Influence, ...] = Field(default=(), max_length=MOST_NAMES)
    ingredients: tuple[Influence, ...] = Field(default=(), max_length=MOST_NAMES)
    change: tuple[Annotated[float, Field(ge=0.0, le=1e9)], ...] = Field(default=(), max_length=MOST_NAMES)


class Evidence(Document):
    """What was perceived and weighed: all candidates, one `StepEvidence` per step (or none at all), and the cues.

    `cues` are in order of time; a long film may have more than are kept.
    """

    candidates: tuple[Candidate, ...] = Field(default=(), max_length=MOST_CANDIDATES)
    steps: tuple[StepEvidence, ...] = Field(default=(), max_length=MOST_STEPS)
    cues: tuple[CueEvidence, ...] = Field(default=(), max_length=MOST_CUES)


class Video(Document):
    """The video a recipe was written from: the bare name of its file and, if it is on the web, its address there."""

    name: FileName
    duration: Seconds
    width: Pixels | None = None
    height: Pixels | None = None
    url: Address | None = None


class MadeBy(Document):
    """What wrote the recipe. `simulated` says that model or video come from the simulated kitchen."""

    program: Line = "cookscribe"
    version: Line = ""
    model: Line = ""
    simulated: bool = False


class Recipe(Document):
    """The whole recipe. Steps are in order of their start and end inside the video.

    `amounts` name ingredients of the list, each as often as different amounts of it were told; what was not told is
    not there. `total_time` is there only if the film says so.
    """

    schema_version: Annotated[Literal[2], BeforeValidator(_as_of_now)] = 2
    title: Text
    ingredients: Names = ()
    amounts: tuple[Amount, ...] = Field(default=(), max_length=MOST_AMOUNTS)
    servings: Servings | None = None
    total_time: Timer | None = None
    steps: tuple[Step, ...] = Field(max_length=MOST_STEPS)
    video: Video
    made_by: MadeBy = MadeBy()
    evidence: Evidence | None = None
    warnings: tuple[Note, ...] = Field(default=(), max_length=MOST_NAMES)

    @model_validator(mode="after")
    def _inside(self) -> Self:
        # Containers round durations differently from streams, hence the tenth of a second.
        limit = self.video.duration + 0.1
        for number, step in enumerate(self.steps, 1):
            if step.span.end > limit:
                raise ValueError(f"step {number} ends at {step.span.end} s, after the video ({self.video.duration} s)")
            if step.picture is not None and step.picture > limit:
                raise ValueError(f"the picture of step {number} is after the end of the video")
        starts = [step.span.start for step in self.steps]
        if starts != sorted(starts):
            raise ValueError("the steps are not in order of their start")
        if self.evidence and self.evidence.steps and len(self.evidence.steps) != len(self.steps):
            raise ValueError(f"evidence for {len(self.evidence.steps)} steps, but {len(self.steps)} steps")
        return self

    def save(self, path: Path) -> None:
        """Write as JSON, atomically, leaving out what is empty."""
        write_json(path, self.model_dump(mode="json", exclude_none=True))

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a `recipe.json`; a wrong one raises `BadFileError` naming the field."""
        data = read_json(path, MOST_BYTES)
        version = data.get("schema_version") if isinstance(data, dict) else None
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise BadFileError(path, f"was written by a newer cookscribe (schema {version})", "update cookscribe")
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise BadFileError(path, explain(error), "correct the field and try again") from None
        except BadValueError as error:
            raise BadFileError(path, error.cause, "correct the field and try again") from None
