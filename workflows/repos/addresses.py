"""Addresses of repositories: https, http, ssh, or a folder that the operator allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from workflows.errors import RepositoryRefused
from workflows.repos.repository import open_allowed

PORTS = {"https": 443, "http": 80, "ssh": 22}
_SHORT_SSH = re.compile(
    r"(?:(?P<user>[\w.-]+)@)?(?P<host>[\w.-]+|\[[0-9a-fA-F:]+\]):(?P<path>[^/].*)"
)
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9a-fA-F:]+")
_USER = re.compile(r"[A-Za-z0-9_][\w.-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address in parts. `scheme` is https, http, ssh or file; `path` begins with a slash unless
    it is relative to the home folder of an ssh user."""

    scheme: str
    path: str
    host: str = ""
    port: int = 0
    user: str = ""

    @property
    def url(self) -> str:
        """The address as git gets it: without a user and password over http."""
        if self.scheme == "file":
            return self.path
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        if self.scheme == "ssh":
            if not self.path.startswith("/"):
                return f"{self.user}@{host}:{self.path}"
            return f"ssh://{self.user}@{host}{port}{self.path}"
        return f"{self.scheme}://{host}{port}{self.path}"

    @property
    def project(self) -> str:
        """The path of the project on its host, such as `team/packs`."""
        return unquote(self.path).strip("/").removesuffix(".git")


def address_of(text: str) -> Address:
    """The parts of an address. Raises RepositoryRefused."""
    plain = text.strip()
    if not plain or any(ord(char) < 33 for char in plain) or plain.startswith("-"):
        raise _refused("Enter the address of a repository.")
    if plain.startswith(("/", "file://")):
        return _folder(plain.removeprefix("file://"))
    if "://" not in plain:
        match = _SHORT_SSH.fullmatch(plain)
        if match is None:
            raise _refused(f"{plain!r} is not the address of a repository.")
        host = match["host"].strip("[]")
        return Address(
            scheme="ssh", host=host, port=22, user=match["user"] or "git", path=match["path"]
        )
    return _network(plain)


def _network(text: str) -> Address:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _refused(f"{text!r} is not the address of a repository.") from None
    if parts.scheme not in PORTS or not _HOST.fullmatch(host):
        raise _refused(f"{text!r} is not the address of a repository.")
    if parts.password is not None or (parts.username and parts.scheme != "ssh"):
        raise _refused(
            "An address must not contain a user or a password.",
            "Enter the token in its own field: it is stored encrypted.",
        )
    if parts.query or parts.fragment or not parts.path.strip("/"):
        raise _refused("An address ends with the path of the repository.")
    user = parts.username or ""
    if user and not _USER.fullmatch(user):
        raise _refused(f"{user!r} is not a user name.")
    return Address(
        scheme=parts.scheme,
        host=host,
        port=port or PORTS[parts.scheme],
        path=parts.path,
        user=user or ("git" if parts.scheme == "ssh" else ""),
    )


def _folder(text: str) -> Address:
    repository = open_allowed(Path(text))
    return Address(scheme="file", path=str(repository.common))


def _refused(message: str, hint: str = "") -> RepositoryRefused:
    example = (
        "For example https://git.example.org/team/packs.git or git@git.example.org:team/packs."
    )
    return RepositoryRefused(message, hint=hint or example, where="url")
