"""The application: pages, interface and guard in one, ready for uvicorn."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from starlette.exceptions import HTTPException

from cookscribe import __version__
from cookscribe.errors import CookscribeError, MissingFileError
from cookscribe.export.pictures import picture_time
from cookscribe.web import pages
from cookscribe.web.api import FAULTS, App, Id, get_film, router
from cookscribe.web.faults import TooManyError, status_of
from cookscribe.web.locks import held
from cookscribe.web.security import COOKIE, SESSION_SECONDS, Gate
from cookscribe.web.services import Services, Settings
from cookscribe.web.shapes import Password


def build(settings: Settings) -> FastAPI:
    """The application of a library."""
    services = Services(settings)

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        del app
        with held(services.library.places.folder / "server.lock"):
            await services.in_thread(services.uploads.recover)
            services.keeper.start()
            try:
                yield
            finally:
                await services.news.close()
                await services.in_thread(services.keeper.stop)

    app = FastAPI(
        title="cookscribe",
        version=__version__,
        summary="A shelf of cooking videos and their recipes.",
        docs_url=None,
        redoc_url=None,
        lifespan=life,
    )
    app.state.services = services
    app.add_middleware(Gate, guard=services.guard)
    app.add_exception_handler(CookscribeError, _told)
    app.add_exception_handler(RequestValidationError, _misshapen)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(UnicodeEncodeError, _not_text)
    app.include_router(router)
    _add_session(app)
    _add_pages(app)
    return app


def _fault(status: int, subject: str, cause: str, advice: str = "", headers: dict[str, str] | None = None) -> Response:
    content = {"subject": subject, "cause": cause, "advice": advice}
    return JSONResponse(content, status_code=status, headers=headers)


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, CookscribeError)
    del request
    headers = {"retry-after": "5"} if isinstance(error, TooManyError) else None
    return _fault(status_of(error), error.subject, error.cause, error.advice, headers)


async def _misshapen(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    parts = []
    for item in list(error.errors())[:3]:
        parts.append(f"{'.'.join(map(str, item['loc'][1:])) or item['loc'][0]}: {item['msg']}")
    return _fault(422, request.url.path, "; ".join(parts).encode("utf-8", "replace").decode(), "see /docs")


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers) if error.headers else None
    return _fault(error.status_code, request.url.path, str(error.detail), "see /docs", headers)


async def _not_text(request: Request, error: Exception) -> Response:
    del error
    return _fault(422, request.url.path, "contains half a surrogate pair, which is not text")


def _add_session(app: FastAPI) -> None:
    @app.post("/api/session", status_code=204, tags=["session"], responses=FAULTS)
    def log_in(services: App, given: Password, request: Request, response: Response) -> None:
        """Log in: the answer sets a cookie."""
        client = request.client.host if request.client else ""
        token = services.guard.log_in(given.password, client)
        response.set_cookie(
            COOKIE,
            token,
            max_age=SESSION_SECONDS,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )

    @app.delete("/api/session", status_code=204, tags=["session"], responses=FAULTS)
    def log_out(services: App, request: Request, response: Response) -> None:
        """Log out."""
        services.guard.log_out(request.headers)
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")


def _add_pages(app: FastAPI) -> None:
    hidden: dict[str, Any] = {"include_in_schema": False, "response_class": HTMLResponse}

    @app.get("/", **hidden)
    async def shelf() -> str:
        return pages.shelf_page()

    @app.get("/bin", **hidden)
    async def bin_page() -> str:
        return pages.shelf_page(binned=True)

    @app.get("/login", **hidden)
    async def login() -> str:
        return pages.page("Log in · cookscribe", "login", '<main id="main" class="door"></main>')

    @app.get("/docs", **hidden)
    async def docs() -> str:
        return pages.page("Interface · cookscribe", "docs", '<main id="main"></main>')

    @app.get("/r/{recipe}", **hidden)
    def recipe_page(services: App, recipe: Id, request: Request) -> str:
        document = services.library.get(recipe).marked.recipe
        base = f"{request.url.scheme}://{request.headers['host']}"
        pictures: list[str | None] = [
            f"{base}/api/recipes/{recipe}/pictures/{round(picture_time(step) * 1000)}" for step in document.steps
        ]
        poster = f"{base}/api/recipes/{recipe}/poster"
        return pages.recipe_page(recipe, document, f"{base}/r/{recipe}", pictures, poster)

    @app.get("/r/{recipe}/film", include_in_schema=False)
    def film(services: App, recipe: Id) -> FileResponse:
        return get_film(services, recipe)

    @app.get("/assets/{name}", include_in_schema=False)
    async def asset(name: str, request: Request) -> Response:
        found = pages.assets().get(name)
        if found is None:
            raise MissingFileError(name, "no such file", "")
        data, kind, tag = found
        headers = {"etag": tag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(data, media_type=kind, headers=headers)
