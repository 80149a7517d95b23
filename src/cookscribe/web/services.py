"""What the application is made of, put together once: library, queue, uploads, news, keeper, guard."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

from anyio.to_thread import run_sync

from cookscribe.web.events import News
from cookscribe.web.jobs import Jobs
from cookscribe.web.keeper import Keeper, worker_command
from cookscribe.web.library import Library
from cookscribe.web.security import Guard, own_names
from cookscribe.web.uploads import LIMIT, Uploads

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Settings:
    """How a server is started.

    Attributes:
        library: folder.
        host: address it is bound to; names: further names it may be called by.
        password: None lets everybody in.
        max_upload: bytes of a film.
        model: the bundle that writes; recogniser: what hears speech, None for the usual one.
        worker: command that starts the worker instead of the usual one.
    """

    library: Path
    host: str = "127.0.0.1"
    names: tuple[str, ...] = ()
    password: str | None = None
    max_upload: int = LIMIT
    model: str = "auto"
    recogniser: str | None = None
    worker: tuple[str, ...] = ()


class Services:
    """All parts of a running application."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.library = Library(settings.library)
        self.jobs = Jobs(self.library)
        self.uploads = Uploads(self.library, self.jobs, settings.max_upload)
        self.news = News(self.jobs)
        usual = worker_command(str(self.library.places.folder), settings.model, settings.recogniser)
        command = settings.worker or usual
        self.keeper = Keeper(self.jobs, command)
        self.guard = Guard(self.library.db, own_names(settings.host, settings.names), settings.password)

    async def in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do blocking work beside the loop."""
        return await run_sync(lambda: work(*args, **kwargs))
