"""Fetches from and pushes to a repository elsewhere.

Git itself uses the protocol: with the scheme of this one address, an address that the egress
rules permit and that the name is pinned to, without redirects, prompts, proxies and programs of a
configuration. A credential reaches git through its environment, never through an address, an
argument or a file that stays.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TypeVar

from workflows.errors import RepositoryRefused
from workflows.repos import network_git
from workflows.repos.addresses import Address
from workflows.repos.folder_push import push_to_folder
from workflows.repos.git import Git, GitFailed
from workflows.repos.mirror_size import SizeLimit
from workflows.repos.network_git import TIMEOUT, Progress
from workflows.repos.ssh_login import Login, ssh_command
from workflows.security.egress import PrivateAddress, resolve_host

LISTING_TIMEOUT = 60.0
"""Seconds for the list of branches."""
PINNING_GIT = (2, 37)
"""The first version of git that can pin a name to an address."""

T = TypeVar("T")
_HELPER = (
    '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n"'
    ' "$GIT_LOGIN_USER" "$GIT_LOGIN_TOKEN"; }; f'
)


class CredentialRefused(RepositoryRefused):
    """The host did not accept the credential."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A repository elsewhere. `private_hosts`: hosts that the operator allows although their
    address is private; `known_hosts`: the file of SSH host keys; `progress`: receives git's
    progress lines; `fresh_login`: makes another credential for the case that this one is refused,
    None for one that a user entered; `home`: the folder with the credentials that the operator
    gives to repositories without one, None for no such credentials."""

    address: Address
    login: Login
    private_hosts: tuple[str, ...]
    known_hosts: Path
    progress: Progress = network_git.ignore
    fresh_login: Callable[[], Login] | None = None
    home: Path | None = None

    def branches(self, git: Git) -> Listing:
        """The default branch and all branches. Raises RepositoryRefused."""
        return self._signed_in(lambda remote: remote._branches(git))

    def fetch(self, git: Git, limit: SizeLimit) -> None:
        """Bring all branches to `refs/remotes/origin/`. Raises RepositoryRefused."""
        self._signed_in(lambda remote: remote._fetch(git, limit))

    def push(self, git: Git, branch: str) -> None:
        """Push a branch of this repository to the one of the same name, never by force. Raises
        RepositoryRefused."""
        self._signed_in(lambda remote: remote._push(git, branch))

    def _signed_in(self, work: Callable[[Remote], T]) -> T:
        """Work with the credential, and once more with a fresh one if it is refused."""
        try:
            return work(self)
        except CredentialRefused:
            if self.fresh_login is None:
                raise
        return work(replace(self, login=self.fresh_login(), fresh_login=None))

    def _branches(self, git: Git) -> Listing:
        with self._connected(git) as (ready, options):
            output = self._run(
                replace(ready, timeout=LISTING_TIMEOUT), "ls-remote", "--symref", *options,
                self.address.url, "HEAD", "refs/heads/*",
            )  # fmt: skip
        default, found = "", {}
        for line in output.splitlines():
            left, _, name = line.partition("\t")
            if left.startswith("ref: refs/heads/") and name == "HEAD":
                default = left.removeprefix("ref: refs/heads/")
            elif name.startswith("refs/heads/"):
                found[name.removeprefix("refs/heads/")] = left
        return Listing(default=default if default in found else "", branches=found)

    def _fetch(self, git: Git, limit: SizeLimit) -> None:
        # Git would unpack a few objects without a pack, and their size would not be seen.
        packed = git.extended({}, {"fetch.unpackLimit": "1", "transfer.unpackLimit": "1"})
        with self._connected(packed) as (ready, options):
            self._run(
                ready, "fetch", "--progress", "--prune", "--no-tags", "--no-write-fetch-head",
                "--no-recurse-submodules", "--no-auto-maintenance", *options,
                self.address.url, "+refs/heads/*:refs/remotes/origin/*", limit=limit,
            )  # fmt: skip

    def _push(self, git: Git, branch: str) -> None:
        if self.address.scheme == "file":
            push_to_folder(git, Path(self.address.path), branch)
            return
        with self._connected(git) as (ready, _):
            ref = f"refs/heads/{branch}"
            self._run(
                ready, "push", "--progress", "--no-follow-tags", "--no-signed",
                self.address.url, f"{ref}:{ref}",
            )  # fmt: skip

    @contextmanager
    def _connected(self, git: Git) -> Iterator[tuple[Git, Sequence[str]]]:
        """Git with the permission for this address, and the option for a folder: the program of
        its other side, which gets the safe settings too."""
        scheme = self.address.scheme
        allowed = git.extended({"GIT_ALLOW_PROTOCOL": scheme})
        if scheme == "file":
            other_side = git.extended({}, {"safe.directory": "*"}).command("upload-pack")
            yield replace(allowed, timeout=TIMEOUT), (f"--upload-pack={shlex.join(other_side)}",)
            return
        resolved = self._resolved()
        with tempfile.TemporaryDirectory(prefix="signalbox-git-") as name:
            if scheme == "ssh":
                ready = allowed.extended(
                    {
                        "GIT_SSH_COMMAND": ssh_command(
                            self.address,
                            self.login,
                            address=resolved[0],
                            known_hosts=self.known_hosts,
                            home=self.home,
                            folder=Path(name),
                        )
                    }
                )
            else:
                ready = allowed.extended(self._token(), self._http(resolved))
            yield replace(ready, timeout=TIMEOUT), ()

    def _resolved(self) -> tuple[str, ...]:
        host = self.address.host
        try:
            return resolve_host(host, self.private_hosts)
        except PrivateAddress as refused:
            raise RepositoryRefused(str(refused), where="url") from None
        except OSError:
            raise RepositoryRefused(f"The host {host} was not found.", where="url") from None

    def _http(self, resolved: tuple[str, ...]) -> dict[str, str]:
        if _git_version() < PINNING_GIT:
            raise RepositoryRefused(
                "This server's git is too old for repositories over the network.",
                hint="Install git 2.37 or newer.",
            )
        at = ",".join(f"[{one}]" if ":" in one else one for one in resolved)
        return {
            "http.followRedirects": "false",
            "http.curloptResolve": f"{self.address.host}:{self.address.port}:{at}",
            "http.lowSpeedLimit": "1000",
            "http.lowSpeedTime": "30",
            "http.cookieFile": "",
            "http.delegation": "none",
            "http.emptyAuth": "false",
            "http.extraHeader": "",
            "http.proactiveAuth": "none",
            "http.proxy": "",
            "http.saveCookies": "false",
            "credential.helper": _HELPER if self.login.token else "",
            "credential.interactive": "false",
        }

    def _token(self) -> dict[str, str]:
        if not self.login.token:
            return {"HOME": str(self.home)} if self.home else {}
        known = {name.lower() for name in self.private_hosts}
        if self.address.scheme == "http" and self.address.host.lower() not in known:
            raise RepositoryRefused(
                "A token is not sent over http, because others could read it.",
                hint="Use an address that begins with https://.",
                where="url",
            )
        return {
            "GIT_LOGIN_USER": self.login.user or "git",
            "GIT_LOGIN_TOKEN": self.login.token,
        }

    def _run(self, git: Git, *arguments: str, limit: SizeLimit | None = None) -> str:
        try:
            return network_git.run(git, *arguments, progress=self.progress, limit=limit)
        except GitFailed as failed:
            raise _explained(failed, self) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The branches of a repository, each with its commit; `default` is "" if it has none."""

    default: str
    branches: Mapping[str, str]

    @property
    def hash_length(self) -> int:
        """Digits of a commit's id: 40, or 64 for SHA-256."""
        return max(map(len, self.branches.values()), default=40)


_CREDENTIAL = "{host} refused the credential."
_REASONS = (
    (
        re.compile(r"Authentication failed|could not read (Username|Password)|Permission denied"
                   r" \([\w,-]*publickey|HTTP.* 40[13]|error: 40[13]|authentication required",
                   re.I),
        _CREDENTIAL,
        "Enter a token or a key that may read this repository, and write to it for proposals.",
    ),
    (
        re.compile(r"not found|does not appear to be a git repository|error: 404|not exist", re.I),
        "There is no repository at this address, or the credential may not see it.",
        "Check the address and the credential.",
    ),
    (
        re.compile(r"non-fast-forward|fetch first|stale info", re.I),
        "The branch has commits that the mirror lacks, so nothing was pushed.",
        "Fetch, then propose again.",
    ),
    (
        re.compile(r"protected branch|pre-receive hook declined|remote rejected", re.I),
        "The repository refused the push: {reason}",
        "Propose on a branch that you may push to.",
    ),
    (
        re.compile(r"Host key verification failed|REMOTE HOST IDENTIFICATION", re.I),
        "The host key of {host} has changed, so no connection was made.",
        "If the change is known, remove the host from known_hosts in the data folder.",
    ),
    (
        re.compile(r"redirect|returned error: 30\d", re.I),
        "{host} redirects to another address.",
        "Enter the address that it redirects to.",
    ),
    (
        re.compile(r"Could not resolve|Failed to connect|Connection (refused|timed out|reset)|"
                   r"unable to access|Operation too slow", re.I),
        "{host} does not answer: {reason}",
        "Try again later.",
    ),
)  # fmt: skip


def _explained(failed: GitFailed, remote: Remote) -> RepositoryRefused:
    """An error message from git's output, without secrets: some servers repeat them."""
    output = failed.output
    for secret in (remote.login.token, remote.login.ssh_key):
        if secret:
            output = output.replace(secret, "…")
    host = remote.address.host or remote.address.path
    lines = [line.removeprefix("remote: ").strip() for line in output.splitlines() if line.strip()]
    picked = next((one for one in lines if "rejected" in one or one.startswith("fatal:")), "")
    reason = (picked or (lines[0] if lines else "no reason given")).removeprefix("fatal: ")[:300]
    for pattern, message, hint in _REASONS:
        if pattern.search(output):
            text = message.replace("{host}", host).replace("{reason}", reason)
            kind = CredentialRefused if message is _CREDENTIAL else RepositoryRefused
            return kind(text, hint=hint, where="repository")
    return RepositoryRefused(f"Git refused: {reason}", where="repository")


@cache
def _git_version() -> tuple[int, int]:
    text = Git(folder=Path("/")).text("--version")
    match = re.match(r"git version (\d{1,4})\.(\d{1,4})", text)
    return (int(match[1]), int(match[2])) if match else (0, 0)
