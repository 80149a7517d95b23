"""`ahead`: run an iterator in a thread of its own, so that decoding and encoding overlap."""

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")


@dataclass
class _Ended:
    error: BaseException | None = None


def ahead(items: Iterator[Item], depth: int) -> Iterator[Item]:
    """Yield `items` in order while a thread prepares up to `depth` of them in advance.

    Errors of the iterator are raised here. Leaving early stops the thread and closes the iterator in it, so files are
    closed by the thread that opened them.
    """
    ready: queue.Queue[Item | _Ended] = queue.Queue(maxsize=depth)
    stop = threading.Event()

    def put(item: Item | _Ended) -> None:
        while not stop.is_set():
            try:
                ready.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def work() -> None:
        ended = _Ended()
        try:
            for item in items:
                put(item)
                if stop.is_set():
                    break
        except BaseException as error:  # handed over and raised by the consumer
            ended.error = error
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()
            put(ended)

    thread = threading.Thread(target=work, name="ahead", daemon=True)
    thread.start()
    try:
        while not isinstance(item := ready.get(), _Ended):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        stop.set()
        # An iterator that nobody closed may be collected as garbage by this very thread.
        if threading.current_thread() is not thread:
            thread.join()
