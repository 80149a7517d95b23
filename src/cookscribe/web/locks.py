"""A lock that a process holds on a file, and that the system lets go when the process ends, however it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cookscribe.errors import BadValueError

try:
    import fcntl
except ImportError:  # not a POSIX system: nobody is kept from starting twice
    fcntl = None  # type: ignore[assignment]


@contextmanager
def held(path: Path, *, wait: bool = False) -> Iterator[None]:
    """Hold the lock; if somebody else does, wait for it or raise `BadValueError`."""
    with path.open("a") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BadValueError(
                    path.parent, "is open in another cookscribe already", "use that one, or choose another --library"
                ) from None
        yield
