"""The user of a page, and the values of its forms."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, QueryDict

from roles.errors import CallerError

LONGEST_NUMBER = 15
LONGEST_QUERY = 1_000


def number(value: str | None) -> int | None:
    """A row's number; None for anything else."""
    digits = value or ""
    fits = digits.isascii() and digits.isdecimal() and len(digits) <= LONGEST_NUMBER
    return int(digits) if fits else None


def query(request: HttpRequest, name: str) -> str:
    """The search text of the address, in a form that a database can be queried for."""
    return request.GET.get(name, "").replace("\0", "").strip()[:LONGEST_QUERY]


def text(form: QueryDict, name: str) -> str:
    """The text of a field. Forms send every line end as CRLF."""
    return str(form.get(name, "")).replace("\r\n", "\n")


def lines(form: QueryDict, name: str) -> list[str]:
    """A list written one item per line, without empty lines."""
    return [line.strip() for line in text(form, name).split("\n") if line.strip()]


def complain(request: HttpRequest, refused: CallerError) -> None:
    """Show a refusal as a message on the next page."""
    messages.error(request, refused.sentence)
