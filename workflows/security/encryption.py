"""Encryption of secrets at rest, with a key derived from the server's secret key."""

from __future__ import annotations

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class DecryptionFailed(Exception):
    """This was encrypted with another secret key."""


def encrypt(secret: str) -> str:
    """The encrypted secret, to be stored; "" stays ""."""
    return _fernet().encrypt(secret.encode()).decode() if secret else ""


def decrypt(encrypted: str) -> str:
    """The secret. Raises DecryptionFailed if the server's secret key has changed since."""
    try:
        return _fernet().decrypt(encrypted.encode()).decode() if encrypted else ""
    except InvalidToken:
        raise DecryptionFailed from None


def _fernet() -> MultiFernet:
    """Encrypts with the current key, and reads what an old one wrote."""
    return MultiFernet([_of(key) for key in (settings.SECRET_KEY, *settings.OLD_SECRET_KEYS)])


def _of(key: str) -> Fernet:
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"signalbox: secrets at rest")
    return Fernet(urlsafe_b64encode(derive.derive(key.encode())))
