"""The errors of the web application, and the status with which a browser hears of each."""

from cookscribe.errors import BadFileError, BadValueError, CookscribeError, InputError, MissingFileError


class StaleError(BadValueError):
    """Somebody else saved in between, or something is under way that must end first."""


class TooLargeError(BadValueError):
    """More bytes than are taken."""


class NotAFilmError(BadFileError):
    """The bytes are not those of a film, or not those of subtitles."""


class NoRoomError(CookscribeError):
    """The disk is too full for what is to be kept."""


class RefusedError(InputError):
    """The request comes from another site, or from a name that is not ours."""


class LockedError(InputError):
    """Nobody may go on without the password."""


class TooManyError(InputError):
    """Too many at once, or too often."""


# The first that fits counts.
STATUS: tuple[tuple[type[CookscribeError], int], ...] = (
    (StaleError, 409),
    (TooLargeError, 413),
    (NotAFilmError, 415),
    (NoRoomError, 507),
    (RefusedError, 403),
    (LockedError, 401),
    (TooManyError, 429),
    (MissingFileError, 404),
    (InputError, 422),
)


def status_of(error: CookscribeError) -> int:
    """The status of an error; 500 for what is a fault of ours."""
    return next((status for kind, status in STATUS if isinstance(error, kind)), 500)
