"""Stored secrets: which of them this server's key can read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from allauth.mfa.models import Authenticator
from django.apps import apps
from django.db.models import Model

from workflows.security.encryption import DecryptionFailed, decrypt

PREFIX = "sealed_"
"""Beginning of the fields with encrypted text, in every model of this app."""


@dataclass(frozen=True)
class StoredSecret:
    """One row with encrypted values."""

    row: Model
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its name for the operator, such as `connection 'work'`."""
        owner = getattr(self.row, "name", "") or getattr(self.row, "user", "") or self.row.pk
        return f"{self.row._meta.verbose_name} {str(owner)!r}"

    @property
    def is_readable(self) -> bool:
        try:
            for value in self.values:
                decrypt(value)
        except DecryptionFailed:
            return False
        return True


def sealed_fields() -> Iterator[tuple[type[Model], tuple[str, ...]]]:
    """The models with encrypted fields, and the names of these."""
    for model in apps.get_app_config("workflows").get_models():
        names = tuple(one.attname for one in model._meta.concrete_fields if is_sealed(one.attname))
        if names:
            yield model, names


def is_sealed(field: str) -> bool:
    return field.startswith(PREFIX)


def stored_secrets() -> Iterator[StoredSecret]:
    """All secrets that are stored, second factors included."""
    for model, names in sealed_fields():
        for row in model._base_manager.order_by("pk").iterator():
            if values := tuple(filter(None, (getattr(row, name) for name in names))):
                yield StoredSecret(row, values)
    for factor in Authenticator.objects.order_by("pk").iterator():
        yield StoredSecret(factor, tuple(encrypted_texts(factor.data)))


def encrypted_texts(data: Any) -> Iterator[str]:
    """The encrypted texts in the data of a second factor: those that Fernet wrote."""
    match data:
        case str() if data.startswith("gAAAA"):
            yield data
        case dict():
            for value in data.values():
                yield from encrypted_texts(value)
        case list():
            for value in data:
                yield from encrypted_texts(value)


def unreadable_secrets() -> list[str]:
    """Names of the secrets that were stored under another key."""
    return [secret.name for secret in stored_secrets() if not secret.is_readable]
