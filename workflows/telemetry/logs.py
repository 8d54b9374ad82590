"""Log lines that say which run they are about, as text or as JSON, and never a secret."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

CONTEXT_KEYS = ("run", "pack", "state")
"""What a line may be about, in this order."""
_context: ContextVar[dict[str, str]] = ContextVar("about", default={})  # noqa: B039
_SECRETS = (
    re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"),
    re.compile(
        r"(?i)((?:api[_-]?key|token|secret|password|authorization)\"?\s*[=:]\s*\"?)"
        r"(?:(?:bearer|basic)\s+)?[^\s\",;&]+"
    ),
    re.compile(r"\b(sk|whsec|xox[a-z]|gh[a-z])([-_])[\w+/=-]{8,}"),
    re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),
)
REDACTED = "•••"


@contextmanager
def log_context(**known: object) -> Iterator[None]:
    """Every line that is written in here, by this task or thread, says this too."""
    token = _context.set({**_context.get(), **{name: str(value) for name, value in known.items()}})
    try:
        yield
    finally:
        _context.reset(token)


def redact(text: str) -> str:
    """The text with what looks like a key, token or password blotted out."""
    bearer, named, keys, urls = _SECRETS
    text = named.sub(rf"\g<1>{REDACTED}", text)
    text = bearer.sub(rf"\1 {REDACTED}", text)
    text = keys.sub(rf"\1\2{REDACTED}", text)
    return urls.sub(REDACTED, text)


class TextFormatter(logging.Formatter):
    """For people: time, level, logger, message, and what it is about in brackets."""

    def format(self, record: logging.LogRecord) -> str:
        known = _context.get()
        told = " ".join(f"{name}={known[name]}" for name in CONTEXT_KEYS if name in known)
        text = redact(super().format(record))
        if not told:
            return text
        first, newline, rest = text.partition("\n")
        return f"{first} [{told}]{newline}{rest}"


class JsonFormatter(logging.Formatter):
    """For machines: one JSON object a line. `at` is UTC."""

    def format(self, record: logging.LogRecord) -> str:
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "at": f"{at}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": redact(record.getMessage()),
            **{name: _context.get()[name] for name in CONTEXT_KEYS if name in _context.get()},
        }
        if record.exc_info:
            line["exception"] = redact(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)
