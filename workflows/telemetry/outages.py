"""One line in the log for the begin of an outage and one for its end, for any number of
failures."""

from __future__ import annotations

import logging
import time


class Outage:
    """A service that may be unreachable for a time. `subject`: the beginning of the sentence."""

    def __init__(self, subject: str, log: logging.Logger) -> None:
        self._subject = subject
        self._log = log
        self._since: float | None = None
        self._failures = 0

    def failed(self, reason: BaseException | str) -> None:
        """Log the first failure only."""
        self._failures += 1
        if self._since is None:
            self._since = time.monotonic()
            if isinstance(reason, BaseException):
                reason = f"{type(reason).__name__}: {reason}"
            self._log.error("%s fail (%s); retrying", self._subject, reason)

    def ended(self) -> None:
        """Log the end of an outage, if there was one."""
        if self._since is None:
            return
        seconds = time.monotonic() - self._since
        self._log.warning(
            "%s work again after %.0f seconds and %d failures",
            self._subject,
            seconds,
            self._failures,
        )
        self._since, self._failures = None, 0
