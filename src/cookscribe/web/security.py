"""What stands before every request: whose name it calls us by, from which site it comes, and the password.

A page of another site can make a browser send requests to us; a name that its owner points at us can make it read the
answers. Both are refused here. Every answer carries a policy that lets the page load nothing from elsewhere and run no
script that stands inside it.
"""

import base64
import binascii
import hashlib
import hmac
import ipaddress
import json
import re
import secrets
import socket
import time
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from urllib.parse import quote

from anyio.to_thread import run_sync
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cookscribe.errors import CookscribeError
from cookscribe.web.db import Database
from cookscribe.web.faults import LockedError, RefusedError, TooManyError, status_of

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), screen-wake-lock=(self)",
}
COOKIE = "cookscribe"
SESSION_SECONDS = 30 * 24 * 3600
FREE_TRIES = 5  # wrong passwords before one has to wait
FIRST_WAIT = 15.0  # seconds, then twice as long each time
LONGEST_WAIT = 900.0
_HOST = re.compile(r"(?:\[([0-9a-f:.]{2,50})\]|([a-z0-9._-]{1,253}))(?::\d{1,5})?")
OPEN = ("/assets/", "/login", "/api/session", "/favicon.ico")


class Guard:
    """Names, origins, password and sessions.

    Args:
        db: where sessions are kept.
        hosts: names by which we may be called, besides addresses in figures.
        password: None lets everybody in; only for this machine alone.
    """

    def __init__(self, db: Database, hosts: Iterable[str], password: str | None) -> None:
        self.db = db
        self.hosts = {host.lower() for host in hosts}
        self.local = password is None
        self._key = None if password is None else _stretched(password, self._salt())
        self._wrong: dict[str, tuple[int, float]] = {}

    def _salt(self) -> bytes:
        with self.db.writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO settings (name, value) VALUES ('salt', ?)", (secrets.token_bytes(16),)
            )
            (salt,) = connection.execute("SELECT value FROM settings WHERE name = 'salt'").fetchone()
        return bytes(salt)

    def check_host(self, host: str) -> None:
        """Refuse to be called by a name that is not ours: whoever owns that name would read our answers."""
        found = _HOST.fullmatch(host.lower())
        name = (found[1] or found[2]) if found else ""
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            if name not in self.hosts:
                raise RefusedError("Host", f"{host[:80]!r} is not a name of this server", "use --allow-host") from None
        else:
            if self.local and not address.is_loopback:
                raise RefusedError("Host", f"{host[:80]!r} is not an address of this server", "use 127.0.0.1")

    def check_origin(self, method: str, path: str, headers: Headers) -> None:
        """Refuse what a page of another site sent."""
        site = headers.get("sec-fetch-site", "none")
        changing = method not in ("GET", "HEAD", "OPTIONS")
        if site not in ("none", "same-origin") and (changing or path.startswith("/api/")):
            raise RefusedError("Origin", "the request comes from another site", "open the page itself")
        origin = headers.get("origin")
        if changing and origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower():
            raise RefusedError("Origin", f"the request comes from {origin[:80]!r}", "open the page itself")

    def allowed(self, headers: Headers, client: str) -> bool:
        """Whether a request brings a session, or the password itself as recipe managers and programs send it."""
        if self._key is None:
            return True
        if token := _cookie(headers.get("cookie", "")):
            row = self.db.connection.execute(
                "SELECT 1 FROM sessions WHERE token = ? AND ends > ?", (self._hidden(token), time.time())
            ).fetchone()
            if row is not None:
                return True
        kind, _, value = headers.get("authorization", "").partition(" ")
        if kind.lower() == "basic":
            try:
                given = base64.b64decode(value, validate=True).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return False
            return self.right(given, client)
        return False

    def right(self, password: str, client: str) -> bool:
        """Whether this is the password. After some wrong ones an address has to wait, longer each time."""
        assert self._key is not None
        count, until = self._wrong.get(client, (0, 0.0))
        now = time.monotonic()
        if now < until:
            raise TooManyError("password", "too many wrong ones", f"wait {until - now:.0f} seconds")
        if hmac.compare_digest(_stretched(password, self._salt()), self._key):
            self._wrong.pop(client, None)
            return True
        if len(self._wrong) > 10_000:
            self._wrong.clear()
        wait = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** (count + 1 - FREE_TRIES)) if count + 1 >= FREE_TRIES else 0.0
        self._wrong[client] = (count + 1, now + wait)
        return False

    def log_in(self, password: str, client: str) -> str:
        """A new session for the right password: the value of its cookie."""
        if self._key is None:
            return ""
        if not self.right(password, client):
            raise LockedError("password", "it is not this one", "it was printed when the server started")
        token = secrets.token_urlsafe(32)
        with self.db.writing() as connection:
            connection.execute("DELETE FROM sessions WHERE ends < ?", (time.time(),))
            connection.execute(
                "INSERT INTO sessions (token, ends) VALUES (?, ?)", (self._hidden(token), time.time() + SESSION_SECONDS)
            )
        return token

    def log_out(self, headers: Headers) -> None:
        """End the session of a request."""
        if self._key is not None and (token := _cookie(headers.get("cookie", ""))):
            with self.db.writing() as connection:
                connection.execute("DELETE FROM sessions WHERE token = ?", (self._hidden(token),))

    def _hidden(self, token: str) -> str:
        # Bound to the password: with another one, no session is left.
        assert self._key is not None
        return hmac.new(self._key, token.encode(), "sha256").hexdigest()


class Gate:
    """The guard as a layer around the application."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app, self.guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), scope["path"]
        client = (scope.get("client") or ("",))[0]

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    found.setdefault(name, value)
                found.setdefault("cache-control", "no-store")
            await send(message)

        try:
            self.guard.check_host(headers.get("host", ""))
            self.guard.check_origin(scope["method"], path, headers)
            open_to_all = path.startswith(OPEN) or self.guard.local
            if not open_to_all and not await run_sync(self.guard.allowed, headers, client):
                if scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
                    await _answer(guarded, 303, {"location": f"/login?to={quote(path)}"}, b"")
                    return
                raise LockedError(path, "the password is needed", "log in at /login")
        except CookscribeError as error:
            more = {"content-type": "application/json"}
            if isinstance(error, LockedError) and "text/html" not in headers.get("accept", ""):
                more["www-authenticate"] = 'Basic realm="cookscribe"'
            await _answer(guarded, status_of(error), more, json.dumps(vars(error)).encode())
            return
        await self.app(scope, receive, guarded)


async def _answer(send: Send, status: int, headers: dict[str, str], body: bytes) -> None:
    pairs = [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
    pairs.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    await send({"type": "http.response.body", "body": body})


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _stretched(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "surrogatepass"), salt=salt, n=2**14, r=8, p=1)


def own_names(host: str, more: Iterable[str] = ()) -> set[str]:
    """The names by which a server that is bound to `host` may be called."""
    names = {"localhost", *more}
    if not is_local(host):
        own = socket.gethostname()
        names |= {own, f"{own}.local", host}
    return names


def is_local(host: str) -> bool:
    """Whether only this machine reaches a server that is bound to `host`."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
