"""What becomes of an item of work, wherever it is done."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from cookscribe.encoders.base import Progress
from cookscribe.errors import CookscribeError

Item = TypeVar("Item")
Given = TypeVar("Given", covariant=True)
Result = TypeVar("Result")
Work = Callable[[Item, Progress], Result]
Setup = Callable[[], Work[Item, Result]]
Kind = Literal["done", "refused", "bug", "crashed", "stuck", "late", "lost"]


@dataclass(frozen=True)
class Outcome(Generic[Item, Result]):
    """What became of an item.

    Attributes:
        kind: "done"; "refused" with a typed error; "bug", an error of any other type; "crashed", its worker died;
            "stuck", no sign of life; "late", it took longer than it may; "lost", the machine of its worker is gone,
            which says nothing about the item.
        result: what the work returned, when done.
        error: why not, otherwise.
        worker: machine and process that had it in hand.
    """

    item: Item
    kind: Kind
    result: Result | None = None
    error: CookscribeError | None = None
    worker: str = ""


class Source(Protocol[Given]):
    """Items that wait; a deque is one. More may come while others are in hand."""

    def __len__(self) -> int: ...

    def popleft(self) -> Given: ...


def attempt(work: Work[Any, Any], item: Any, progress: Progress) -> tuple[Kind, Any]:
    """Do the work and say how it went: the kind of outcome, and the result or the error."""
    try:
        return "done", work(item, progress)
    except CookscribeError as error:
        return "refused", error
    except Exception as error:  # a bug of ours must not stop the run; it is named, and its trace is in the log
        traceback.print_exc()
        return "bug", CookscribeError(str(item), f"unexpected {type(error).__name__}: {error}", "please report this")
