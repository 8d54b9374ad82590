"""Log lines that say which run they are about, as text or as JSON, and never a secret."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ABOUT = ("run", "pack", "state")
"""What a line may be about, in this order."""
_about: ContextVar[dict[str, str]] = ContextVar("about", default={})  # noqa: B039
_SECRETS = (
    re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"),
    re.compile(
        r"(?i)((?:api[_-]?key|token|secret|password|authorization)\"?\s*[=:]\s*\"?)"
        r"(?:(?:bearer|basic)\s+)?[^\s\",;&]+"
    ),
    re.compile(r"\b(sk|whsec|xox[a-z]|gh[a-z])([-_])[\w+/=-]{8,}"),
    re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),
)
BLOT = "•••"


@contextmanager
def about(**known: object) -> Iterator[None]:
    """Every line that is written in here, by this task or thread, says this too."""
    token = _about.set({**_about.get(), **{name: str(value) for name, value in known.items()}})
    try:
        yield
    finally:
        _about.reset(token)


def without_secrets(text: str) -> str:
    """The text with what looks like a key, token or password blotted out."""
    bearer, named, keys, urls = _SECRETS
    text = named.sub(rf"\g<1>{BLOT}", text)
    text = bearer.sub(rf"\1 {BLOT}", text)
    text = keys.sub(rf"\1\2{BLOT}", text)
    return urls.sub(BLOT, text)


class Line(logging.Formatter):
    """For people: time, level, logger, message, and what it is about in brackets."""

    def format(self, record: logging.LogRecord) -> str:
        known = _about.get()
        told = " ".join(f"{name}={known[name]}" for name in ABOUT if name in known)
        text = without_secrets(super().format(record))
        if not told:
            return text
        first, newline, rest = text.partition("\n")
        return f"{first} [{told}]{newline}{rest}"


class JsonLine(logging.Formatter):
    """For machines: one JSON object a line. `at` is UTC."""

    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "at": f"{at}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            **{name: _about.get()[name] for name in ABOUT if name in _about.get()},
        }
        if record.exc_info:
            line["exception"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)
