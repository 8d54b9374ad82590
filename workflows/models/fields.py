"""Model fields: JSON that keeps its text on every database, and row ids."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.fields.json import KeyTransform


class RowNumber(models.BigAutoField):  # type: ignore[type-arg]
    """A key without references. SQLite may reuse the number of a deleted row and needs no counter,
    which saves writing a page."""

    def db_type_suffix(self, connection: BaseDatabaseWrapper) -> str | None:
        return None if connection.vendor == "sqlite" else super().db_type_suffix(connection)


class WrittenJSON(models.JSONField):
    """PostgreSQL's `jsonb` sorts keys and refuses NUL; its `json` keeps the text, as SQLite does.

    Prompts and recorded answers are built from these values, so their order matters.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "json" if connection.vendor == "postgresql" else super().db_type(connection)

    def db_check(self, connection: BaseDatabaseWrapper) -> str | None:
        """No check: values written here are valid JSON, and checking them takes time."""
        return None

    def get_db_prep_value(
        self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False
    ) -> Any:
        written = super().get_db_prep_value(value, connection, prepared)
        if connection.vendor != "postgresql":
            return written
        from psycopg.types.json import Json

        return Json(written.obj)

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        if connection.vendor == "postgresql" and not isinstance(expression, KeyTransform):
            return value
        return super().from_db_value(value, expression, connection)

    def get_transform(self, name: str) -> Any:
        transform = super().get_transform(name)
        named = getattr(transform, "key_name", None)
        return transform if named is None else lambda *args, **kwargs: _Key(named, *args, **kwargs)


class _Key(KeyTransform):
    """Key lookup in the stored text, with a matching right-hand side."""

    output_field = models.JSONField()

    def preprocess_lhs(self, compiler: Any, connection: BaseDatabaseWrapper) -> Any:
        lhs, params, keys = super().preprocess_lhs(compiler, connection)
        return (f"({lhs})::jsonb" if connection.vendor == "postgresql" else lhs), params, keys
