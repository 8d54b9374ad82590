"""The protocol of a forge, and what the forges share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import quote, urlsplit

from workflows.errors import RepositoryRefused

Status: TypeAlias = Literal["open", "merged", "closed"]

MAX_TITLE = 255
"""Characters. The smallest limit of the forges."""
MAX_BODY = 65_000
MAX_NUMBER = 2**31 - 1
MAX_URL = 500

_SEGMENT = re.compile(r"[\w.~+-]+")
_WEB_HOSTS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}
"""Hosts that serve ssh only → the host of their pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PullRequest:
    """A pull request, which GitLab calls a merge request. `url` is its page."""

    number: int
    url: str
    status: Status


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgeLogin:
    """The API of a forge, and the token for it; without a token, public projects can be read.
    `private_hosts`: hosts that the operator allows
    although their address is private."""

    api_url: str
    token: str = field(repr=False)
    private_hosts: tuple[str, ...] = ()


class Forge(Protocol):
    """One kind of forge. A `project` is its path on the server, such as `team/packs`."""

    name: str
    label: str
    git_user: str
    """The user name that git sends with a token."""
    hosts: tuple[str, ...]
    """Public servers of this kind. A host with one of `labels` in its name is one too."""
    labels: tuple[str, ...]

    def api_url(self, web: str) -> str:
        """Address of the API of the server with this web address."""
        ...

    def open_request(
        self, login: ForgeLogin, project: str, *, head: str, base: str, title: str, body: str
    ) -> PullRequest:
        """The open pull request of the branch `head`; a new one for the branch `base` if there is
        none. Raises RepositoryRefused."""
        ...

    def find_open(
        self, login: ForgeLogin, project: str, head: str, base: str = ""
    ) -> PullRequest | None:
        """The open pull request of the branch `head` of this project, if possible the one for
        `base`. Raises RepositoryRefused."""
        ...

    def status(self, login: ForgeLogin, project: str, number: int) -> PullRequest:
        """The pull request with this number. Raises RepositoryRefused."""
        ...

    def is_authentic(
        self, secret: str, headers: Mapping[str, str], body: bytes, now: float
    ) -> bool:
        """True if a webhook of this kind with this secret sent the request. Names of headers are in
        lower case; `now` is in seconds since 1970."""
        ...


def web_address(scheme: str, host: str, port: int = 0) -> str:
    """The web address of the server of a repository. A repository over ssh has its pages at
    https."""
    host = _WEB_HOSTS.get(host.lower(), host)
    written = f"[{host}]" if ":" in host else host
    if scheme not in ("http", "https"):
        return f"https://{written}"
    default = {"http": 80, "https": 443}[scheme]
    return f"{scheme}://{written}" + (f":{port}" if port not in (0, default) else "")


def project_path(api_url: str, project: str, *, nested: bool = False) -> str:
    """The path of a project as its API has it: without the folder that the server itself has below
    its host. `nested`: groups can be in groups. Raises RepositoryRefused."""
    path = project.strip("/").removesuffix(".git")
    folder = _folder(api_url)
    if folder and path.startswith(f"{folder}/") and path.count("/") > folder.count("/") + 1:
        path = path.removeprefix(f"{folder}/")
    segments = path.split("/")
    fits = len(segments) == 2 or (nested and len(segments) > 2)
    if not fits or not all(_SEGMENT.fullmatch(one) and one.strip(".") for one in segments):
        raise RepositoryRefused(
            f"{project[:200]!r} is not a project of a forge.",
            hint="The address ends with owner and name, such as /team/packs.",
            where="url",
        )
    return path


def _folder(api_url: str) -> str:
    """The path before `/api` of an address; "" for an address that is none."""
    try:
        path = urlsplit(api_url).path
    except ValueError:
        return ""
    return re.split(r"/api(?:/|$)", path, maxsplit=1)[0].strip("/")


def quoted(text: str) -> str:
    """One segment of a path, with its slashes escaped."""
    return quote(text, safe="")


def best_match(
    rows: Iterable[Mapping[str, Any]],
    base: str,
    base_of: Callable[[Mapping[str, Any]], object],
) -> Mapping[str, Any] | None:
    """The first row for the branch `base`, or else the first row."""
    first = None
    for row in rows:
        if not base or base_of(row) == base:
            return row
        first = first if first is not None else row
    return first


def request_of(row: Mapping[str, Any], *, number: str, url: str, status: Status) -> PullRequest:
    """A pull request from the fields of an answer. An answer is not trusted: its address becomes a
    link, and its number a part of other requests."""
    value, page = row.get(number), row.get(url)
    if type(value) is not int or not 0 < value <= MAX_NUMBER:
        raise RepositoryRefused("The forge answered with a pull request without a number.")
    is_page = isinstance(page, str) and page.startswith(("https://", "http://"))
    return PullRequest(
        number=value,
        url=str(page) if is_page and len(str(page)) <= MAX_URL else "",
        status=status,
    )


def mapping(value: object) -> Mapping[str, Any]:
    """A JSON object of an answer, empty for anything else."""
    return value if isinstance(value, Mapping) else {}


def shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def title_of(text: str) -> str:
    """A title that every forge accepts: one line of limited length."""
    return shortened(" ".join(text.split()), MAX_TITLE)
