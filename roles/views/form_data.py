"""Who asks for a page, and what its forms say."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, QueryDict

from roles.errors import RoleError

LONGEST_NUMBER = 15
LONGEST_QUERY = 1_000


def number(given: str | None) -> int | None:
    """A row's number; None for anything else."""
    digits = given or ""
    fits = digits.isascii() and digits.isdecimal() and len(digits) <= LONGEST_NUMBER
    return int(digits) if fits else None


def query(request: HttpRequest, name: str) -> str:
    """What the address looks for, as a database can be asked for it."""
    return request.GET.get(name, "").replace("\0", "").strip()[:LONGEST_QUERY]


def text(given: QueryDict, name: str) -> str:
    """What stands in a field. A form sends every line end as CRLF, whatever was typed."""
    return str(given.get(name, "")).replace("\r\n", "\n")


def lines(given: QueryDict, name: str) -> list[str]:
    """A list written one item a line; empty lines are nothing."""
    return [line.strip() for line in text(given, name).split("\n") if line.strip()]


def complain(request: HttpRequest, refused: RoleError) -> None:
    """What was refused, in words, above the next page."""
    messages.error(request, f"{refused.message} {refused.hint}".strip())
