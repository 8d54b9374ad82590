"""The remote of a stored repository, with its credential."""

from __future__ import annotations

from django.conf import settings

from workflows.errors import RepositoryRefused
from workflows.models import Repository as Row
from workflows.repos.addresses import address_of
from workflows.repos.mirror import known_hosts
from workflows.repos.remote import Login, Remote
from workflows.security.encryption import DecryptionFailed, decrypt

USERS = {"github": "x-access-token", "gitlab": "oauth2", "gitea": "git", "": "git"}
"""The name that a forge expects together with a token."""


def remote_of(row: Row) -> Remote:
    """The repository elsewhere. Raises RepositoryRefused."""
    return Remote(
        address=address_of(row.url),
        login=_login(row),
        private_hosts=tuple(settings.SIGNALBOX_PRIVATE_HOSTS),
        known_hosts=known_hosts(),
    )


def secret_of(row: Row) -> str:
    """The credential of a repository; "" if it has none. Raises RepositoryRefused."""
    try:
        return decrypt(row.sealed_credential)
    except DecryptionFailed:
        raise RepositoryRefused(
            "The credential was encrypted with another secret key of this server.",
            hint="Enter it again.",
            where="secret",
        ) from None


def _login(row: Row) -> Login:
    secret = secret_of(row)
    match row.credential:
        case Row.Credential.SSH_KEY:
            return Login(ssh_key=secret)
        case Row.Credential.TOKEN:
            return Login(user=row.username or USERS[row.forge], token=secret)
    return Login()
