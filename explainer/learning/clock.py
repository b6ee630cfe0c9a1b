"""The time that a search may take."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class TimeIsUp(Exception):
    """A search has to end with what it has found so far."""


class Clock:
    """Counts down from a number of seconds."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds; negative when time is up."""
        return self._end - time.monotonic()

    def check(self) -> None:
        """Raise TimeIsUp when it is."""
        if self.left < 0:
            raise TimeIsUp

    @contextmanager
    def calling(self, interrupt: Callable[[], None]) -> Iterator[None]:
        """Have something interrupted that would go on when time is up."""
        timer = threading.Timer(max(self.left, 0), interrupt)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
