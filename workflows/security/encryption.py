"""Secrets at rest: sealed with a key that only this server can derive."""

from __future__ import annotations

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class DecryptionFailed(Exception):
    """This was sealed under another secret key."""


def encrypt(secret: str) -> str:
    """What may be stored in the secret's place; "" stays ""."""
    return _fernet().encrypt(secret.encode()).decode() if secret else ""


def decrypt(sealed: str) -> str:
    """The secret. Raises DecryptionFailed where the server's secret key has changed since."""
    try:
        return _fernet().decrypt(sealed.encode()).decode() if sealed else ""
    except InvalidToken:
        raise DecryptionFailed from None


def _fernet() -> Fernet:
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"signalbox: secrets at rest")
    return Fernet(urlsafe_b64encode(derive.derive(settings.SECRET_KEY.encode())))
