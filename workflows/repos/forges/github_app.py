"""Tokens of a GitHub App for the repository that it is installed in.

The App signs a short statement with its private key, and GitHub returns a token of one hour. See
https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from workflows.errors import RepositoryRefused
from workflows.repos.forges.api import ForgeRefused
from workflows.repos.forges.base import ForgeLogin, mapping, project_path
from workflows.repos.forges.github import FORGE as GITHUB

BACKDATED = 60
"""Seconds by which a statement is backdated, because two clocks differ."""
VALID = 540
"""Seconds until a statement ends. GitHub accepts 600 at most."""
MARGIN = 300
"""Seconds before its end from which a token is not used again."""
LONGEST = 3600
_MAX_KEPT = 1000

_APP_ID = re.compile(r"[\w.-]{1,40}")
_INSTALLATION = re.compile(r"[0-9]{1,20}")
_tokens: dict[bytes, tuple[str, float]] = {}
"""Digest of an App, its key and a project → a token and its end. In memory only."""
_lock = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class AppLogin:
    """A GitHub App. `app_id` is its id or its client id; `private_key` is in PEM."""

    api_url: str
    app_id: str
    installation_id: str
    private_key: str = field(repr=False)
    private_hosts: tuple[str, ...] = ()


def installation_token(app: AppLogin, project: str, *, fresh: bool = False) -> str:
    """A token of the App for this project alone, for git and for the API. It is kept until shortly
    before its end; `fresh` requests a new one, for example after a refusal. Raises
    RepositoryRefused."""
    path = project_path(app.api_url, project)
    key = _cache_key(app, path)
    now = time.time()
    with _lock:
        token, end = _tokens.get(key, ("", 0.0))
    if token and not fresh and now < end - MARGIN:
        return token
    token, end = _request(app, path, now)
    with _lock:
        for old in [one for one, (_, until) in _tokens.items() if until <= now]:
            del _tokens[old]
        if len(_tokens) < _MAX_KEPT:
            _tokens[key] = (token, end)
    return token


def _request(app: AppLogin, path: str, now: float) -> tuple[str, float]:
    if not _INSTALLATION.fullmatch(app.installation_id):
        raise RepositoryRefused(
            "The installation id of a GitHub App is a number.",
            hint="It is the end of the address of the installation's page.",
            where="installation_id",
        )
    login = ForgeLogin(
        api_url=app.api_url, token=signed_statement(app, now), private_hosts=app.private_hosts
    )
    api = GITHUB.api(login, path, "Give the App the permissions Contents and Pull requests.")
    address = f"/app/installations/{app.installation_id}/access_tokens"
    try:
        answer = mapping(api.post(address, {"repositories": [path.partition("/")[2]]}))
    except ForgeRefused as refused:
        raise _explained(refused, api.host, path) from None
    token = answer.get("token")
    if not isinstance(token, str) or not token or not token.isascii():
        raise RepositoryRefused(f"{api.host} answered without a token.", where="repository")
    return token, _end(answer, now)


def signed_statement(app: AppLogin, now: float) -> str:
    """A JSON Web Token (RFC 7519) that proves the App's private key. Raises RepositoryRefused."""
    if not _APP_ID.fullmatch(app.app_id):
        raise RepositoryRefused("Enter the id of the GitHub App.", where="app_id")
    claims = {"iat": int(now) - BACKDATED, "exp": int(now) + VALID, "iss": app.app_id}
    parts = ({"alg": "RS256", "typ": "JWT"}, claims)
    signed = ".".join(_encoded(json.dumps(part).encode()) for part in parts)
    signature = _private_key(app.private_key).sign(signed.encode(), PKCS1v15(), SHA256())
    return f"{signed}.{_encoded(signature)}"


def _private_key(text: str) -> RSAPrivateKey:
    try:
        key = load_pem_private_key(text.strip().encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPrivateKey):
        raise RepositoryRefused(
            "This is not the private key of a GitHub App.",
            hint="Paste the whole .pem file that GitHub created for the App.",
            where="credential",
        )
    return key


def _explained(refused: ForgeRefused, host: str, path: str) -> RepositoryRefused:
    """The refusal of a token, in terms of the App."""
    match refused.answered:
        case 401:
            return RepositoryRefused(
                f"{host} does not accept the GitHub App.",
                hint="Check the id of the App, its private key and the clock of this server.",
                where="repository",
            )
        case 404:
            return RepositoryRefused(
                f"The GitHub App has no such installation at {host}.",
                hint="Check the installation id, and that the App is still installed.",
                where="installation_id",
            )
        case 422:
            return RepositoryRefused(
                f"This installation of the GitHub App has no access to {path}.",
                hint="Add the repository to the installation.",
                where="repository",
            )
    return refused


def _end(answer: Mapping[str, object], now: float) -> float:
    try:
        end = datetime.fromisoformat(str(answer.get("expires_at"))).timestamp()
    except ValueError:
        return now
    return min(end, now + LONGEST)


def _cache_key(app: AppLogin, path: str) -> bytes:
    parts = [app.api_url, app.app_id, app.installation_id, app.private_key, path.lower()]
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
