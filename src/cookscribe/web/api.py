"""The interface for programs and for the page: JSON under `/api`, described by `/openapi.json`."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect

from cookscribe.errors import BadValueError, MissingFileError
from cookscribe.export.pictures import picture_time
from cookscribe.export.writers import FORMATS
from cookscribe.text.printable import one_line
from cookscribe.web.again import changes
from cookscribe.web.exports import can_embed, download, step_pictures
from cookscribe.web.faults import StaleError, TooLargeError
from cookscribe.web.ingredients import pasted, read_lines, shown_lines
from cookscribe.web.library import Kept, Order, Revision
from cookscribe.web.marks import RecipeEdit
from cookscribe.web.places import ID, MEDIA_TYPES
from cookscribe.web.services import Services
from cookscribe.web.shapes import (
    Card,
    Deleted,
    Fault,
    FormatShape,
    JobShape,
    NewJob,
    NewUpload,
    Outline,
    Proposal,
    Restore,
    Shelf,
    Whole,
)
from cookscribe.web.uploads import MOST_SUBTITLES, Upload

FAULTS: dict[int | str, dict[str, Any]] = {
    status: {"model": Fault} for status in (400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 507)
}
router = APIRouter(prefix="/api", responses=FAULTS)


def services(request: Request) -> Services:
    """What the application is made of."""
    found: Services = request.app.state.services
    return found


App = Annotated[Services, Depends(services)]
Id = Annotated[str, Path(pattern=f"^{ID}$", description="Id of a recipe.")]
UploadId = Annotated[str, Path(pattern=f"^{ID}$", description="Id of an upload; later that of its recipe.")]
JobId = Annotated[int, Path(ge=1, le=2**53)]
Number = Annotated[int, Path(ge=1, le=2**31, description="Number of a revision.")]


def whole(app: Services, kept: Kept) -> Whole:
    """A recipe with everything a page shows of it."""
    places = app.library.places
    film, job = places.film(kept.id), app.jobs.latest([kept.id]).get(kept.id)
    pictures = [f"/api/recipes/{kept.id}/pictures/{round(picture_time(s) * 1000)}" for s in kept.marked.recipe.steps]
    return Whole(
        **vars(kept),
        recipe=kept.marked.recipe,
        lines=shown_lines(kept.marked.recipe),
        marks=list(kept.marked.marks),
        pictures=pictures,
        job=JobShape.of(job) if job else None,
        words_given=places.given_words(kept.id) is not None,
        playable=film is not None and film.suffix in (".mp4", ".mkv", ".ogv"),
        embeddable=can_embed(film),
        proposal=app.jobs.has_proposal(kept.id),
    )


# Uploads


@router.post("/uploads", status_code=201, tags=["uploads"])
def begin_upload(app: App, new: NewUpload) -> Upload:
    """Announce a film. Send its bytes with PATCH, in as many pieces as you like."""
    return app.uploads.open(new.name, new.size, pasted(new.ingredients), new.title)


@router.get("/uploads/{upload}", tags=["uploads"])
def upload_state(app: App, upload: UploadId) -> Upload:
    """How far an upload is: where to go on after a break."""
    return app.uploads.get(upload)


@router.patch(
    "/uploads/{upload}",
    tags=["uploads"],
    openapi_extra={
        "requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
    },
)
async def continue_upload(
    app: App, upload: UploadId, request: Request, upload_offset: Annotated[int, Header(ge=0, le=2**53)]
) -> Upload:
    """Send bytes from `Upload-Offset` on. With the last one, the film becomes a recipe in the queue."""
    try:
        return await app.uploads.receive(upload, upload_offset, request.stream())
    except ClientDisconnect:
        raise BadValueError(upload, "the connection broke", "go on where it broke") from None


@router.put(
    "/uploads/{upload}/words",
    status_code=204,
    tags=["uploads"],
    openapi_extra={"requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def give_words(
    app: App, upload: UploadId, request: Request, name: Annotated[str, Query(min_length=1, max_length=255)]
) -> None:
    """Give the subtitles or the transcript of a film (.vtt, .srt, .txt, .json), arriving or there already."""
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > MOST_SUBTITLES:
            raise TooLargeError(name, f"more than {MOST_SUBTITLES:,} bytes", "give the subtitles, not the film")
    await app.in_thread(app.uploads.words, upload, name, bytes(data))


@router.delete("/uploads/{upload}", status_code=204, tags=["uploads"])
def drop_upload(app: App, upload: UploadId) -> None:
    """Forget a film that is arriving."""
    app.uploads.drop(upload)


# The shelf


@router.get("/recipes", tags=["recipes"])
def list_recipes(
    app: App,
    q: Annotated[str, Query(max_length=500, description="Words of titles, ingredients and steps.")] = "",
    order: Order = "newest",
    limit: Annotated[int, Query(ge=1, le=200)] = 48,
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    bin: Annotated[bool, Query(description="What lies in the bin instead.")] = False,
) -> Shelf:
    """A page of the shelf."""
    count, found = app.library.shelf(q, binned=bin, order=order, limit=limit, offset=offset)
    latest = app.jobs.latest([summary.id for summary in found])
    return Shelf(count=count, recipes=[Card.of(one, latest.get(one.id)) for one in found])


@router.get("/recipes/{recipe}", tags=["recipes"])
def get_recipe(app: App, recipe: Id) -> Whole:
    """A recipe as it is now."""
    return whole(app, app.library.get(recipe))


@router.put("/recipes/{recipe}", tags=["recipes"])
def save_recipe(app: App, recipe: Id, edit: RecipeEdit) -> Whole:
    """Save an edited recipe as a new revision; 409 if somebody else saved in between."""
    return whole(app, app.library.save(recipe, edit))


@router.delete("/recipes/{recipe}", status_code=204, tags=["recipes"])
def bin_recipe(app: App, recipe: Id) -> None:
    """Put a recipe into the bin; its job is cancelled."""
    app.library.put_in_bin(recipe)
    job = app.jobs.latest([recipe]).get(recipe)
    if job is not None:
        app.keeper.cancel(job.id)


@router.post("/recipes/{recipe}/unbin", status_code=204, tags=["recipes"])
def unbin_recipe(app: App, recipe: Id) -> None:
    """Take a recipe out of the bin."""
    app.library.put_in_bin(recipe, binned=False)


@router.delete("/bin", tags=["recipes"])
def empty_bin(app: App) -> Deleted:
    """Delete for good what lies in the bin."""
    return Deleted(count=app.library.delete())


@router.delete("/bin/{recipe}", tags=["recipes"])
def delete_recipe(app: App, recipe: Id) -> Deleted:
    """Delete one recipe of the bin for good."""
    return Deleted(count=app.library.delete([recipe]))


# Revisions


@router.get("/recipes/{recipe}/revisions", tags=["revisions"])
def list_revisions(app: App, recipe: Id) -> list[Revision]:
    """All saves, the newest first."""
    return app.library.revisions(recipe)


@router.get("/recipes/{recipe}/revisions/{number}", tags=["revisions"])
def get_revision(app: App, recipe: Id, number: Number) -> Whole:
    """The recipe as it was."""
    return whole(app, app.library.get(recipe, number))


@router.post("/recipes/{recipe}/restore", tags=["revisions"])
def restore_revision(app: App, recipe: Id, restore: Restore) -> Whole:
    """Go back to a revision; what is there now stays as a revision, too."""
    return whole(app, app.library.restore(recipe, restore.revision))


# Jobs


@router.post("/recipes/{recipe}/jobs", status_code=201, tags=["jobs"])
def write_again(app: App, recipe: Id, new: NewJob) -> JobShape:
    """Write the recipe (again). Where there is one, the result waits as a proposal."""
    kept = app.library.get(recipe)
    if kept.binned is not None:
        raise StaleError(kept.marked.recipe.title, "lies in the bin", "take it out first")
    lines = [line.line for line in shown_lines(kept.marked.recipe)]
    if new.ingredients is not None:
        lines = pasted(new.ingredients)
        read_lines(lines)  # too many or too long ones are refused now
    with app.library.db.writing() as connection:
        job = app.jobs.add(connection, recipe, lines, one_line(new.title)[:300])
    return JobShape.of(app.jobs.get(job))


@router.get("/jobs", tags=["jobs"])
def list_jobs(app: App) -> list[JobShape]:
    """What is queued or under way."""
    return [JobShape.of(job) for job in app.jobs.active()]


@router.get("/jobs/{job}", tags=["jobs"])
def get_job(app: App, job: JobId) -> JobShape:
    """How far a job is."""
    return JobShape.of(app.jobs.get(job))


@router.delete("/jobs/{job}", tags=["jobs"])
def cancel_job(app: App, job: JobId) -> JobShape:
    """Cancel a job that is queued or under way."""
    app.keeper.cancel(job)
    return JobShape.of(app.jobs.get(job))


@router.get("/recipes/{recipe}/proposal", tags=["jobs"])
def get_proposal(app: App, recipe: Id) -> Proposal:
    """What would change with the recipe that was written again."""
    found = app.jobs.proposal(recipe)
    if found is None:
        raise MissingFileError(recipe, "nothing was written again", "write it again first")
    now, after = found
    return Proposal(before=Outline.of(now.recipe), after=Outline.of(after.recipe), changes=changes(now, after))


@router.post("/recipes/{recipe}/proposal/{choice}", tags=["jobs"])
def settle_proposal(app: App, recipe: Id, choice: Literal["apply", "discard"]) -> Whole:
    """Take what was written again, or throw it away."""
    app.jobs.settle(recipe, apply=choice == "apply")
    return whole(app, app.library.get(recipe))


# Files


@router.get("/formats", tags=["files"])
def list_formats() -> list[FormatShape]:
    """The formats in which recipes can be downloaded."""
    return [FormatShape(name=entry.name, explanation=entry.explanation) for entry in FORMATS.values()]


@router.get("/recipes/{recipe}/export/{name}", tags=["files"], response_class=FileResponse)
def export_recipe(
    app: App,
    recipe: Id,
    name: Annotated[str, Path(pattern=r"^[a-z0-9]{1,20}$")],
    embed: Annotated[bool, Query(description="Put the film into the page.")] = False,
) -> FileResponse:
    """The recipe as a file."""
    made = download(app.library, app.library.get(recipe), name, embed=embed)
    return FileResponse(
        made.path, media_type=made.media_type, filename=made.path.name, background=BackgroundTask(made.remove)
    )


@router.get("/recipes/{recipe}/poster", tags=["files"], response_class=FileResponse)
def get_poster(app: App, recipe: Id) -> FileResponse:
    """The picture on the shelf."""
    path = app.library.places.poster(recipe)
    if not path.is_file() or path.stat().st_size == 0:
        raise MissingFileError(recipe, "has no picture", "")
    return FileResponse(path, media_type="image/jpeg", headers={"cache-control": "private, max-age=86400"})


@router.get("/recipes/{recipe}/pictures/{moment}", tags=["files"], response_class=FileResponse)
def get_picture(
    app: App, recipe: Id, moment: Annotated[int, Path(ge=0, le=10**10, description="Milliseconds.")]
) -> FileResponse:
    """The picture of a step, by its moment; pictures of other moments are not taken."""
    path = app.library.places.picture(recipe, moment / 1000)
    if not path.exists():
        step_pictures(app.library, app.library.get(recipe))
    if not path.is_file() or path.stat().st_size == 0:
        raise MissingFileError(recipe, "no step has its picture there", "")
    return FileResponse(path, media_type="image/jpeg", headers={"cache-control": "private, max-age=604800, immutable"})


@router.get("/recipes/{recipe}/film", tags=["files"], response_class=FileResponse)
def get_film(app: App, recipe: Id) -> FileResponse:
    """The film; ranges of it can be asked for."""
    path = app.library.places.film(recipe)
    if path is None:
        raise MissingFileError(recipe, "has no film", "it may have been deleted")
    return FileResponse(path, media_type=MEDIA_TYPES[path.suffix], headers={"cache-control": "private, max-age=3600"})


@router.get("/events", tags=["jobs"], response_class=Response)
async def listen(app: App) -> StreamingResponse:
    """News as server-sent events: `job` and `recipe`."""
    app.news.check_room()
    headers = {"cache-control": "no-cache", "x-accel-buffering": "no"}
    return StreamingResponse(app.news.listen(), media_type="text/event-stream", headers=headers)
