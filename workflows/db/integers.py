"""Numbers in addresses: as many digits as a database takes."""

from __future__ import annotations

from django.urls.converters import IntConverter

MAX_INTEGER = 2**53
"""What a browser, too, can count to."""


class IntegerConverter(IntConverter):
    """A whole number that is not out of this world; others are addresses of nothing."""

    regex = "[0-9]{1,15}"


def fits_integer(given: str) -> bool:
    """Whether these are the digits of such a number."""
    return given.isascii() and given.isdecimal() and len(given) <= 15


def integer_or_zero(given: str | None) -> int:
    """The integer in a form field or query; 0 for none."""
    return int(given) if given and fits_integer(given) else 0
