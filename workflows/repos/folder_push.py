"""Pushes to a repository on this machine: objects, then the branch.

`git push` would start git's receiving side there, with the programs of that configuration.
"""

from __future__ import annotations

from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.repos.branches import target_branch
from workflows.repos.git import Git
from workflows.repos.repository import open_allowed
from workflows.repos.writes import add_objects, set_ref


def push_to_folder(mirror: Git, folder: Path, branch: str) -> None:
    """Bring a branch of the mirror to the same branch of a repository that was just fetched, never
    by force. Raises RepositoryRefused."""
    target = open_allowed(folder)
    place = target_branch(target, branch)
    new = mirror.text("rev-parse", "--verify", f"{place.ref}^{{commit}}")
    if place.tip == new:
        return
    if place.tip and mirror.attempt("merge-base", "--is-ancestor", place.tip, new).returncode:
        raise RepositoryRefused(
            "The branch has commits that the mirror lacks, so nothing was pushed.",
            hint="Fetch, then propose again.",
            where="repository",
        )
    there = mirror.text("for-each-ref", "--format=^%(objectname)", "refs/remotes/origin/")
    packed = mirror.run(
        "pack-objects", "-q", "--revs", "--stdout", stdin=f"{new}\n{there}\n".encode()
    )
    add_objects(target.git, packed)
    old = place.tip or "0" * target.hash_length
    set_ref(target.git, place.ref, new, old=old, message="signalbox: push")
