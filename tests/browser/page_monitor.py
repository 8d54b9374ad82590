"""Failures on any page: script errors, refused resources, requests to other hosts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, WebError

OWN = {"data", "blob", "about"}
# The inspector may ask about an element that an undo takes away before the answer.
PARDONED = (r"status of 422.*/fields/\?element=",)


@dataclass
class PageMonitor:
    """Collects from every page of a context. A test may pardon what it brings about itself."""

    host: str
    wrong: list[str] = field(default_factory=list)
    pardoned: list[str] = field(default_factory=lambda: list(PARDONED))
    _contexts: list[BrowserContext] = field(default_factory=list)

    def over(self, context: BrowserContext) -> None:
        context.on("console", self._heard)
        context.on("request", self._asked)
        context.on("weberror", self._failed)
        self._contexts.append(context)

    def stop(self) -> None:
        """Closing a page is not part of the test, and neither is what breaks by it."""
        for context in self._contexts:
            context.remove_listener("console", self._heard)
            context.remove_listener("request", self._asked)
            context.remove_listener("weberror", self._failed)
        self._contexts.clear()

    def pardon(self, pattern: str) -> None:
        """From now on a console message that this finds is none of the wrong ones."""
        self.pardoned.append(pattern)

    def left(self) -> list[str]:
        return [
            one for one in self.wrong if not any(re.search(known, one) for known in self.pardoned)
        ]

    def _failed(self, error: WebError) -> None:
        self.wrong.append(str(error.error))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            self.wrong.append(f"{message.text} ({message.location.get('url', '')})")

    def _asked(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in OWN and address.netloc != self.host:
            self.wrong.append(f"asked another host: {request.url}")
