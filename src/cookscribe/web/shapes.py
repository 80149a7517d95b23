"""The shapes of what the interface takes and gives; the OpenAPI document is made of them."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from cookscribe.recipe import Recipe
from cookscribe.web.again import Change
from cookscribe.web.ingredients import IngredientLine, shown_lines
from cookscribe.web.jobs import Job
from cookscribe.web.library import Kept, Revision, Summary
from cookscribe.web.marks import Mark
from cookscribe.web.uploads import Upload

Pasted = Annotated[str, Field(max_length=20_000, description="One name a line, or with commas.")]


class Fault(BaseModel):
    """An error: what it is about, the cause, and what can be done."""

    subject: str
    cause: str
    advice: str


class JobShape(BaseModel):
    """How far the writing of a recipe is."""

    id: int
    recipe: str
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    stage: str
    share: float
    error: Fault | None
    created: float
    finished: float | None

    @classmethod
    def of(cls, job: Job) -> Self:
        error = Fault(**job.error) if job.error else None
        return cls(
            id=job.id,
            recipe=job.recipe,
            state=job.state,
            stage=job.stage,
            share=job.share,
            error=error,
            created=job.created,
            finished=job.finished,
        )


class Card(BaseModel):
    """What the shelf shows of a recipe."""

    id: str
    title: str
    film: str
    duration: float
    steps: int
    unsure: int
    checked: bool
    revision: int
    created: float
    changed: float
    binned: float | None
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
    author: Literal["upload", "model", "person"]
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

    @classmethod
    def of(
        cls,
        kept: Kept,
        pictures: list[str],
        job: Job | None,
        *,
        words_given: bool,
        playable: bool,
        embeddable: bool,
        proposal: bool,
    ) -> Self:
        return cls(
            id=kept.id,
            revision=kept.revision,
            author=kept.author,
            created=kept.created,
            changed=kept.changed,
            binned=kept.binned,
            recipe=kept.marked.recipe,
            lines=shown_lines(kept.marked.recipe),
            marks=list(kept.marked.marks),
            pictures=pictures,
            words_given=words_given,
            playable=playable,
            embeddable=embeddable,
            proposal=proposal,
            job=JobShape.of(job) if job else None,
        )


class RevisionShape(BaseModel):
    """One save of a recipe."""

    number: int
    created: float
    author: Literal["upload", "model", "person"]
    note: str

    @classmethod
    def of(cls, revision: Revision) -> Self:
        return cls(**vars(revision))


class NewUpload(BaseModel):
    """A film that is about to be sent."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=2000)
    size: int = Field(ge=1, le=2**53)
    ingredients: Pasted = ""
    title: str = Field(default="", max_length=2000)


class UploadShape(BaseModel):
    """How far an upload is. When `done`, the recipe of the same id is there."""

    id: str
    name: str
    size: int
    received: int
    done: bool

    @classmethod
    def of(cls, upload: Upload) -> Self:
        return cls(**vars(upload))


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
