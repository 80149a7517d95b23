"""An interrupt waits for the end of the step, so that the saved state is a state between two steps."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupt:
    """While active, Ctrl-C and a polite kill only set `asked`; `obey` then raises. A second one interrupts at once."""

    def __init__(self) -> None:
        self.asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        # Only the main thread may set handlers; elsewhere interrupts keep their usual meaning.
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def obey(self) -> None:
        """Raise `KeyboardInterrupt` if somebody asked."""
        if self.asked:
            raise KeyboardInterrupt
