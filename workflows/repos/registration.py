"""Repositories of the server: added, changed and deleted, each with its mirror."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from workflows.actions import repositories as actions
from workflows.models import Repository as Row
from workflows.repos.addresses import address_of
from workflows.repos.forges.verify import forge_of_host
from workflows.repos.mirror import delete_mirror


def add(owner: User, params: Mapping[str, Any]) -> Row:
    """Add a repository that is not fetched yet. Without `forge`, the host decides. Raises
    BadRequest and RepositoryRefused."""
    host = address_of(params["url"]).host
    return actions.create(owner, **{"forge": forge_of_host(host), **params})


def change(id: int, params: Mapping[str, Any]) -> Row:
    """Change the given fields. Raises BadRequest, RepositoryRefused and NotThere."""
    if "url" in params:
        address_of(params["url"])
    return actions.change(id, **params)


def delete(id: int) -> None:
    """Delete a repository here. Its packs stay, and the remote repository does not change. Raises
    NotThere."""
    actions.delete(id)
    delete_mirror(id)
