"""JSON that comes back as it was written, on every database."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.fields.json import KeyTransform


class WrittenJSON(models.JSONField):
    """PostgreSQL's `jsonb` sorts keys and refuses NUL; its `json` keeps the text, as SQLite does.

    Prompts and recorded answers are put together from these values, so their order counts.
    """

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "json" if connection.vendor == "postgresql" else super().db_type(connection)

    def get_db_prep_value(
        self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False
    ) -> Any:
        written = super().get_db_prep_value(value, connection, prepared)
        if connection.vendor != "postgresql":
            return written
        from psycopg.types.json import Json

        return Json(written.obj, dumps=written.dumps)

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        if connection.vendor == "postgresql" and not isinstance(expression, KeyTransform):
            return value
        return super().from_db_value(value, expression, connection)

    def get_transform(self, name: str) -> Any:
        found = super().get_transform(name)
        named = getattr(found, "key_name", None)
        return found if named is None else lambda *args, **kwargs: _Key(named, *args, **kwargs)


class _Key(KeyTransform):
    """Looks into the text the way lookups expect it."""

    def preprocess_lhs(self, compiler: Any, connection: BaseDatabaseWrapper) -> Any:
        lhs, params, keys = super().preprocess_lhs(compiler, connection)
        return (f"({lhs})::jsonb" if connection.vendor == "postgresql" else lhs), params, keys
