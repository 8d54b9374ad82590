"""Tokens of the forge and their rights, and GitHub Apps."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.hazmat.primitives.hashes import SHA256

LONGEST_STATEMENT = 600


@dataclass(frozen=True, kw_only=True)
class Access:
    """The rights of a token. `projects`: their names, or None for all."""

    user: str
    may_push: bool = True
    may_open: bool = True
    projects: frozenset[str] | None = None

    def sees(self, project: str) -> bool:
        return self.projects is None or project in self.projects


@dataclass(frozen=True, kw_only=True)
class App:
    """A GitHub App that is installed in some projects."""

    app_id: str
    installation_id: str
    public_key: RSAPublicKey
    projects: frozenset[str]

    def problem(self, statement: str) -> str:
        """The reason to refuse a JSON Web Token, or ""."""
        try:
            signed, _, signature = statement.rpartition(".")
            head, claims = (json.loads(_decoded(part)) for part in signed.split("."))
            self.public_key.verify(_decoded(signature), signed.encode(), PKCS1v15(), SHA256())
        except (ValueError, InvalidSignature):
            return "A JSON web token could not be decoded"
        now = time.time()
        if head.get("alg") != "RS256":
            return "Incorrect algorithm"
        if claims.get("iss") != self.app_id:
            return "'Issuer' claim ('iss') must be an Integer"
        if not now < claims["exp"] <= now + LONGEST_STATEMENT:
            return "'Expiration time' claim ('exp') is too far in the future"
        if claims["iat"] > now:
            return "'Issued at' claim ('iat') must be an Integer representing a past time"
        return ""


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
