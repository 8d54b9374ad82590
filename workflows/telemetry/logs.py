"""Log formatters for text and JSON. Lines have their run, pack and state; secrets are redacted."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from workflows.core.text.visible import escaped

CONTEXT_KEYS = ("run", "pack", "state")
"""Keys of the log context, in output order."""
_context: ContextVar[dict[str, str]] = ContextVar("log_context", default={})  # noqa: B039
_SECRETS = (
    re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"),
    re.compile(
        r"(?i)((?:api[_-]?key|token|secret|password|authorization)\"?\s*[=:]\s*\"?)"
        r"(?:(?:bearer|basic)\s+)?[^\s\",;&]+"
    ),
    re.compile(r"\b(sk|whsec|xox[a-z]|gh[a-z])([-_])[\w+/=-]{8,}"),
    re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"),
    # A signed link answers a question in the name of its user.
    re.compile(r"(?<=/approvals/link/)[^/\s\"']+"),
)
REDACTED = "•••"


@contextmanager
def log_context(**values: object) -> Iterator[None]:
    """Add these values to every log line of this task or thread."""
    token = _context.set({**_context.get(), **{name: str(value) for name, value in values.items()}})
    try:
        yield
    finally:
        _context.reset(token)


def redact(text: str) -> str:
    """The text with everything that looks like a key, token or password redacted."""
    bearer, named, keys, urls, links = _SECRETS
    text = named.sub(rf"\g<1>{REDACTED}", text)
    text = bearer.sub(rf"\1 {REDACTED}", text)
    text = keys.sub(rf"\1\2{REDACTED}", text)
    return links.sub(REDACTED, urls.sub(REDACTED, text))


class WithoutTraceback(logging.Filter):
    """For errors that any client can cause: one line for each."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        return True


class TextFormatter(logging.Formatter):
    """For people: time, level, logger, message, and the log context in brackets."""

    def format(self, record: logging.LogRecord) -> str:
        context = _context.get()
        pairs = " ".join(f"{name}={context[name]}" for name in CONTEXT_KEYS if name in context)
        text = escaped(redact(super().format(record)), keep="\n\t")
        if not pairs:
            return text
        first, newline, rest = text.partition("\n")
        return f"{first} [{pairs}]{newline}{rest}"


class JsonFormatter(logging.Formatter):
    """For machines: one JSON object per line. `at` is UTC."""

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
        return escaped(json.dumps(line, ensure_ascii=False))
