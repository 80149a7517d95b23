"""Starting the server: the address, the password, uvicorn."""

import secrets
import socket
from dataclasses import replace
from types import FrameType

import uvicorn

from cookscribe.errors import BadValueError
from cookscribe.text.printable import printable
from cookscribe.web.app import build
from cookscribe.web.events import News
from cookscribe.web.security import is_local
from cookscribe.web.services import Settings

FEWEST_CHARACTERS = 8  # of a password that somebody chose


def serve(settings: Settings, port: int) -> None:
    """Run until interrupted. A server that others can reach has a password; if none is given, one is made up.

    The address is the first line that is printed; `port` 0 takes any that is free.
    """
    host = settings.host
    if settings.password is not None and len(settings.password) < FEWEST_CHARACTERS:
        raise BadValueError("--password", f"has fewer than {FEWEST_CHARACTERS} characters", "choose a longer one")
    made_up = settings.password is None and not is_local(host)
    if made_up:
        settings = replace(settings, password="-".join(secrets.token_hex(2) for _ in range(4)))
    application = build(settings)
    with _bound(host, port) as listening:
        port = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else ("127.0.0.1" if host == "0.0.0.0" else host)
        print(f"cookscribe: http://{shown}:{port}", flush=True)
        print(f"library: {printable(str(settings.library))}", flush=True)
        if made_up:
            print(f"password: {settings.password}", flush=True)
        config = uvicorn.Config(
            application, log_level="warning", timeout_graceful_shutdown=3, server_header=False, proxy_headers=False
        )
        _Server(config, application.state.services.news).run(sockets=[listening])


class _Server(uvicorn.Server):
    """Lets the browsers go that are waiting for news, as soon as it is asked to end."""

    def __init__(self, config: uvicorn.Config, news: News) -> None:
        super().__init__(config)
        self._news = news

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the signal."""
        self._news.end()
        super().handle_exit(sig, frame)


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or error
        raise BadValueError(f"{host}:{port}", f"cannot be listened on: {reason}", "choose another --port") from None
    return found
