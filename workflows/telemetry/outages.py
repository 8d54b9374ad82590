"""One line in the log for the begin of an outage and one for its end, for any number of
failures."""

from __future__ import annotations

import logging
import time

_ongoing: dict[str, str] = {}


def ongoing() -> dict[str, str]:
    """The outages that this process notices: kind → sentence."""
    return dict(_ongoing)


class Outage:
    """A service that may be unreachable for a time. `subject`: the beginning of the sentence.
    `kind`: its name in metrics."""

    def __init__(self, kind: str, subject: str, log: logging.Logger) -> None:
        self._kind = kind
        self._subject = subject
        self._log = log
        self._since: float | None = None
        self._failures = 0

    def failed(self, error: BaseException) -> None:
        """Log the first failure only."""
        self._failures += 1
        if self._since is None:
            self._since = time.monotonic()
            reason = f"{type(error).__name__}: {error}"
            self._log.error("%s fail (%s); retrying", self._subject, reason)
            _ongoing[self._kind] = f"{self._subject} fail ({reason})."

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
        _ongoing.pop(self._kind, None)
