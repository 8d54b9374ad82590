"""The remote of a stored repository and the API of its forge, with their credential."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from django.conf import settings

from workflows.errors import RepositoryRefused
from workflows.models import Repository as Row
from workflows.repos.addresses import address_of
from workflows.repos.forges import forges
from workflows.repos.forges.api import ForgeRefused
from workflows.repos.forges.base import Forge, ForgeLogin, web_address
from workflows.repos.forges.github_app import AppLogin, installation_token
from workflows.repos.mirror import known_hosts
from workflows.repos.network_git import Progress, ignore
from workflows.repos.remote import Remote
from workflows.repos.ssh_login import Login
from workflows.security.encryption import DecryptionFailed, decrypt

T = TypeVar("T")


def remote_of(row: Row, progress: Progress = ignore) -> Remote:
    """The repository elsewhere. Raises RepositoryRefused."""
    return Remote(
        address=address_of(row.url),
        login=_login(row),
        private_hosts=private_hosts(),
        known_hosts=known_hosts(),
        progress=progress,
        home=settings.SIGNALBOX_GIT_HOME if row.credential == Row.Credential.NONE else None,
        fresh_login=(
            partial(_login, row, fresh=True)
            if row.credential == Row.Credential.GITHUB_APP
            else None
        ),
    )


def at_forge(row: Row, work: Callable[[Forge, ForgeLogin], T]) -> T:
    """Work with the API of a repository's forge. The token of an App may have been withdrawn before
    its end, so a refused one is replaced once. Raises RepositoryRefused."""
    try:
        return work(*_forge_of(row))
    except ForgeRefused as refused:
        if refused.answered != 401 or row.credential != Row.Credential.GITHUB_APP:
            raise
    return work(*_forge_of(row, fresh=True))


def _forge_of(row: Row, *, fresh: bool = False) -> tuple[Forge, ForgeLogin]:
    forge = forges().get(row.forge)
    if forge is None:
        raise RepositoryRefused(
            "This repository has no server for pull requests.",
            hint="Choose GitHub, GitLab or Gitea in its settings.",
            where="forge",
        )
    login = ForgeLogin(
        api_url=_api_url(row, forge), token=_token(row, fresh=fresh), private_hosts=private_hosts()
    )
    return forge, login


def private_hosts() -> tuple[str, ...]:
    """Hosts that the operator allows although their address is private."""
    return tuple(settings.SIGNALBOX_PRIVATE_HOSTS)


def _login(row: Row, *, fresh: bool = False) -> Login:
    if row.credential == Row.Credential.SSH_KEY:
        return Login(ssh_key=_secret(row))
    forge = forges().get(row.forge)
    user = row.username or (forge.git_user if forge else "git")
    if row.credential == Row.Credential.GITHUB_APP:
        user = forges()["github"].git_user
    return Login(user=user, token=_token(row, fresh=fresh))


def _token(row: Row, *, fresh: bool = False) -> str:
    """The token for git over http and for the API; "" without one. `fresh`: not one of before, if
    the server makes it itself."""
    match row.credential:
        case Row.Credential.TOKEN:
            return _secret(row)
        case Row.Credential.GITHUB_APP:
            app = AppLogin(
                api_url=_api_url(row, forges()["github"]),
                app_id=row.app_id,
                installation_id=row.installation_id,
                private_key=_secret(row),
                private_hosts=private_hosts(),
            )
            return installation_token(app, address_of(row.url).project, fresh=fresh)
    return ""


def _api_url(row: Row, forge: Forge) -> str:
    if row.api_url:
        return row.api_url
    address = address_of(row.url)
    return forge.api_url(web_address(address.scheme, address.host, address.port))


def _secret(row: Row) -> str:
    try:
        return decrypt(row.sealed_credential)
    except DecryptionFailed:
        raise RepositoryRefused(
            "The credential was encrypted with another secret key of this server.",
            hint="Enter it again.",
            where="secret",
        ) from None
