"""Upkeep on a schedule, in a background thread."""

from __future__ import annotations

import inspect
import logging
import threading
from typing import TYPE_CHECKING, Any

from mnemic.errors import Conflict, InvalidInput
from mnemic.rules.strength import number
from mnemic.upkeep.run import upkeep

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from mnemic.mind import Mind
    from mnemic.upkeep.report import Report

_LOG = logging.getLogger("mnemic.upkeep")


def _log(error: Exception) -> None:
    _LOG.error("upkeep failed: %s", error)


class BackgroundUpkeep:
    """A thread that runs the upkeep of a mind every so many seconds until it is stopped.

    A run is skipped while another one is running, in any process. Any other error is passed to `on_error`, which logs
    it by default, and kept in `error`; the schedule continues.
    """

    def __init__(
        self,
        mind: Mind,
        *,
        every: float = 3_600.0,
        on_report: Callable[[Report], None] | None = None,
        on_error: Callable[[Exception], None] = _log,
        **arguments: Any,  # noqa: ANN401 - the arguments of `upkeep`
    ) -> None:
        """Take the seconds between two runs, and the arguments of `upkeep`."""
        unknown = sorted(arguments.keys() - inspect.signature(upkeep).parameters.keys())
        if unknown:
            raise InvalidInput(unknown[0], "is not an argument of upkeep")
        self._mind = mind
        self._every = number("every", every, minimum=0.01, maximum=1e8)
        self._on_report = on_report
        self._on_error = on_error
        self._arguments = arguments
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.error: Exception | None = None
        """The error of the last run that failed."""

    def start(self) -> None:
        """Start the thread; the first run is immediate."""
        if self._thread is not None and self._thread.is_alive():
            return
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, name="mnemic-upkeep", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the current run."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def __enter__(self) -> BackgroundUpkeep:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                report = upkeep(self._mind, **self._arguments)
                if self._on_report is not None:
                    self._on_report(report)
            except Conflict:
                _LOG.debug("another upkeep is running")
            except Exception as error:  # noqa: BLE001 - the schedule continues, whatever a model or a caller raises
                self.error = error
                self._on_error(error)
            self._stopping.wait(self._every)
