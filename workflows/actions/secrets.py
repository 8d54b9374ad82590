"""Encryption of all stored secrets with the current key."""

from __future__ import annotations

from typing import Any

from allauth.mfa.models import Authenticator
from django.db import transaction

from workflows.security.encryption import decrypt, encrypt
from workflows.selectors.secrets import encrypted_texts, sealed_fields, stored_secrets


@transaction.atomic
def encrypt_again() -> tuple[int, list[str]]:
    """Encrypt every secret with the current key. Returns the number of rows, and the names of those
    that neither this key nor an old one reads, which stay as they are."""
    fields = dict(sealed_fields())
    done, unreadable = 0, []
    for secret in stored_secrets():
        if not secret.is_readable:
            unreadable.append(secret.name)
            continue
        row: Any = secret.row
        if isinstance(row, Authenticator):
            row.data = _again(row.data)
            row.save(update_fields=["data"])
        else:
            fresh = {name: _again(getattr(row, name)) for name in fields[type(row)]}
            # Not save(): a new key is no change by a person, so `changed_at` stays.
            type(row)._base_manager.filter(pk=row.pk).update(**fresh)
        done += 1
    return done, unreadable


def _again(data: Any) -> Any:
    """The same data with each encrypted text encrypted again."""
    match data:
        case str() if list(encrypted_texts(data)):
            return encrypt(decrypt(data))
        case dict():
            return {key: _again(value) for key, value in data.items()}
        case list():
            return [_again(value) for value in data]
        case _:
            return data
