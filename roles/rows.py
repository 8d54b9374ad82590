"""Rows of the database: one that has to exist, and one whose name has to be free."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet

from roles.errors import CallerError

M = TypeVar("M", bound=Model)


def found(rows: QuerySet[M], missing: CallerError) -> M:
    """The first of these rows. Raises `missing` if there is none."""
    row = rows.first()
    if row is None:
        raise missing
    return row


@contextmanager
def unless_taken(taken: CallerError) -> Iterator[None]:
    """A block that writes a row. Raises `taken`, with nothing written, if the row breaks a
    constraint of the database."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise taken from None
