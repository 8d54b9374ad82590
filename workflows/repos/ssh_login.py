"""Credentials of a repository elsewhere, and the ssh program that uses no others.

Without options, ssh offers the keys, the agent and the tickets of the server's user. Its
environment does not change that: it reads the home in the password file.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.repos.addresses import PORTS, Address

_NO_AMBIENT_LOGIN = {
    "AddKeysToAgent": "no",
    "BatchMode": "yes",
    "CertificateFile": "none",
    "ClearAllForwardings": "yes",
    "ConnectTimeout": "20",
    "ControlMaster": "no",
    "ControlPath": "none",
    "GSSAPIAuthentication": "no",
    "HostbasedAuthentication": "no",
    "IdentitiesOnly": "yes",
    "IdentityAgent": "none",
    "KbdInteractiveAuthentication": "no",
    "PasswordAuthentication": "no",
    "PermitLocalCommand": "no",
    "PKCS11Provider": "none",
    "ProxyCommand": "none",
    "StrictHostKeyChecking": "accept-new",
    "UpdateHostKeys": "no",
}
"""Options of ssh without an agent, a ticket or a default key of the server's user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A credential for git. `token` over http, `ssh_key` (a private key) over ssh."""

    user: str = ""
    token: str = field(default="", repr=False)
    ssh_key: str = field(default="", repr=False)


def ssh_command(
    to: Address,
    login: Login,
    *,
    address: str,
    known_hosts: Path,
    home: Path | None,
    folder: Path,
) -> str:
    """The ssh program of git. `address`: what the host was resolved to; `home`: the folder with the
    keys that the operator gives to repositories without one; `folder`: for the key, deleted
    afterwards. Raises RepositoryRefused."""
    program = shutil.which("ssh")
    if program is None:
        raise RepositoryRefused("This server has no ssh program.", hint="Install OpenSSH.")
    keys = _keys(login, home, folder)
    # Each port of a shared host has a key of its own.
    is_usual = to.port == PORTS["ssh"]
    options = {
        **_NO_AMBIENT_LOGIN,
        "HostKeyAlias": to.host if is_usual else f"[{to.host}]:{to.port}",
        "HostName": address,
        "PubkeyAuthentication": "yes" if keys else "no",
        "UserKnownHostsFile": str(known_hosts),
    }
    words = [program, "-F", "/dev/null"]
    for key in keys:
        words += ["-i", str(key)]
    if not keys:
        words += ["-o", "IdentityFile=none"]
    for option, value in options.items():
        words += ["-o", f"{option}={value}"]
    return shlex.join(words)


def _keys(login: Login, home: Path | None, folder: Path) -> Sequence[Path]:
    if login.ssh_key:
        key = folder / "key"
        key.touch(mode=0o600)
        key.write_text(login.ssh_key.replace("\r\n", "\n").strip() + "\n")
        return [key]
    if home is None:
        return []
    return sorted(path for path in (home / ".ssh").glob("id_*") if path.suffix != ".pub")
