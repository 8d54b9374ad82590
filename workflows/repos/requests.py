"""Pull requests of a stored repository at its forge."""

from __future__ import annotations

from workflows.models import Change
from workflows.models import Repository as Row
from workflows.repos.addresses import address_of
from workflows.repos.forges.base import Status
from workflows.repos.remotes import at_forge


def request_status(row: Row, number: int) -> Status:
    """The state of a pull request. Raises RepositoryRefused."""
    project = address_of(row.url).project
    return at_forge(row, lambda forge, login: forge.status(login, project, number)).status


def open_request(row: Row, change: Change) -> tuple[int, str]:
    """Number and address of the change's pull request, opened if there is none. Raises
    RepositoryRefused."""
    made = at_forge(
        row,
        lambda forge, login: forge.open_request(
            login,
            address_of(row.url).project,
            head=change.branch,
            base=change.target,
            title=change.title,
            body=change.description,
        ),
    )
    return made.number, made.url
