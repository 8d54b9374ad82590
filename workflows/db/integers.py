"""Integers in URLs, limited to the digits that a database accepts."""

from __future__ import annotations

from django.urls.converters import IntConverter

MAX_INTEGER = 2**53
"""The largest integer that a browser represents exactly."""


class IntegerConverter(IntConverter):
    """An integer of at most 15 digits; longer ones match no URL."""

    regex = "[0-9]{1,15}"


def fits_integer(digits: str) -> bool:
    """Return True if these are the digits of such an integer."""
    return digits.isascii() and digits.isdecimal() and len(digits) <= 15


def integer_or_zero(digits: str | None) -> int:
    """The integer in a form field or query; 0 for none."""
    return int(digits) if digits and fits_integer(digits) else 0
