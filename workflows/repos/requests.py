"""Pull requests of a stored repository at its forge."""

from __future__ import annotations

from workflows.errors import RepositoryRefused
from workflows.models import Change
from workflows.models import Repository as Row


def request_status(row: Row, number: int) -> str:
    """open, merged or closed. Raises RepositoryRefused."""
    raise RepositoryRefused("This repository has no forge.")


def open_request(row: Row, change: Change) -> tuple[int, str]:
    """Number and address of the change's pull request, opened if there is none. Raises
    RepositoryRefused."""
    raise RepositoryRefused("This repository has no forge.")
