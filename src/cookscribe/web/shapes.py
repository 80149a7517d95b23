"""The shapes of what the interface takes and gives; the OpenAPI document is made of them."""

from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from cookscribe.recipe import Recipe
from cookscribe.web.again import Change
from cookscribe.web.ingredients import IngredientLine, shown_lines
from cookscribe.web.jobs import Job, State
from cookscribe.web.library import Author, Summary
from cookscribe.web.marks import Mark

Pasted = Annotated[str, Field(max_length=20_000, description="One name a line, or with commas.")]


class Fault(BaseModel):
    """An error: what it is about, the cause, and what can be done."""

    subject: str
    cause: str
    advice: str


class JobShape(BaseModel):
    """How far the writing of a recipe is."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    recipe: str
    state: State
    stage: str
    share: float
    error: Fault | None
    created: float
    finished: float | None

    @classmethod
    def of(cls, job: Job) -> Self:
        return cls.model_validate(job)


@dataclass(frozen=True)
class Card(Summary):
    """What the shelf shows of a recipe, and how far its writing is."""

    job: JobShape | None

    @classmethod
    def of(cls, summary: Summary, job: Job | None) -> Self:
        return cls(**vars(summary), job=JobShape.of(job) if job else None)


class Shelf(BaseModel):
    """A page of the shelf, and how many recipes there are in all."""

    count: int
    recipes: list[Card]


class Whole(BaseModel):
    """A recipe with all that is known of it; `marks` go with its steps."""

    id: str
    revision: int
    author: Author
    created: float
    changed: float
    binned: float | None
    recipe: Recipe
    lines: list[IngredientLine]
    marks: list[Mark]
    pictures: list[str]
    words_given: bool
    playable: bool
    embeddable: bool
    proposal: bool
    job: JobShape | None


class NewUpload(BaseModel):
    """A film that is about to be sent."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=2000)
    size: int = Field(ge=1, le=2**53)
    ingredients: Pasted = ""
    title: str = Field(default="", max_length=2000)


class NewJob(BaseModel):
    """What to write again with; None leaves what there is."""

    model_config = ConfigDict(extra="forbid")

    ingredients: Pasted | None = None
    title: str = Field(default="", max_length=2000)


class Outline(BaseModel):
    """A recipe without its steps."""

    title: str
    ingredients: list[str]

    @classmethod
    def of(cls, recipe: Recipe) -> Self:
        return cls(title=recipe.title, ingredients=[line.line for line in shown_lines(recipe)])


class Proposal(BaseModel):
    """What would change if the recipe that was written again took the place of the one that is there."""

    before: Outline
    after: Outline
    changes: list[Change]


class Restore(BaseModel):
    """Which revision to go back to."""

    model_config = ConfigDict(extra="forbid")

    revision: int = Field(ge=1, le=2**31)


class Deleted(BaseModel):
    """How many recipes are gone for good."""

    count: int


class Password(BaseModel):
    """What opens the door."""

    model_config = ConfigDict(extra="forbid")

    password: str = Field(max_length=1000)


class FormatShape(BaseModel):
    """A format in which a recipe can be downloaded."""

    name: str
    explanation: str
