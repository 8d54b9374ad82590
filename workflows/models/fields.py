"""JSON that comes back as it was written, on every database."""

from __future__ import annotations

import json
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.fields.json import KeyTransform

_encode = json.JSONEncoder(check_circular=False).encode
"""As `json.dumps` writes. What is plain has no circles, and looking for them takes a third of the
time."""


class RowNumber(models.BigAutoField):  # type: ignore[type-arg]
    """A key that nothing points at. SQLite may give a deleted row's number again then, and has no
    count to keep of them: a page less is written."""

    def db_type_suffix(self, connection: BaseDatabaseWrapper) -> str | None:
        return None if connection.vendor == "sqlite" else super().db_type_suffix(connection)


class WrittenJSON(models.JSONField):
    """PostgreSQL's `jsonb` sorts keys and refuses NUL; its `json` keeps the text, as SQLite does.

    Prompts and recorded answers are put together from these values, so their order counts.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "json" if connection.vendor == "postgresql" else super().db_type(connection)

    def db_check(self, connection: BaseDatabaseWrapper) -> str | None:
        """None: what is written here is JSON, and reading all of it to see that takes its time."""
        return None

    def get_db_prep_value(
        self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False
    ) -> Any:
        written = super().get_db_prep_value(value, connection, prepared)
        return as_written(written.obj, connection) if connection.vendor == "postgresql" else written

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        if connection.vendor == "postgresql" and not isinstance(expression, KeyTransform):
            return value
        return super().from_db_value(value, expression, connection)

    def get_transform(self, name: str) -> Any:
        found = super().get_transform(name)
        named = getattr(found, "key_name", None)
        return found if named is None else lambda *args, **kwargs: _Key(named, *args, **kwargs)


def as_written(value: Any, connection: BaseDatabaseWrapper) -> Any:
    """A plain value as the database takes it for such a column."""
    if connection.vendor != "postgresql":
        return _encode(value)
    from psycopg.types.json import Json

    return Json(value)


class _Key(KeyTransform):
    """Looks into the text the way lookups expect it, and has what it is compared with to match."""

    output_field = models.JSONField()

    def preprocess_lhs(self, compiler: Any, connection: BaseDatabaseWrapper) -> Any:
        lhs, params, keys = super().preprocess_lhs(compiler, connection)
        return (f"({lhs})::jsonb" if connection.vendor == "postgresql" else lhs), params, keys
