"""Commits of planned exports.

Adds objects and moves one branch; work trees, their indexes, HEAD and every other branch stay
unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workflows.errors import BadRequest, RepositoryRefused
from workflows.repos.export_plan import Plan
from workflows.repos.git import Git, GitFailed
from workflows.repos.repository import Repository
from workflows.repos.scratch import Scratch
from workflows.repos.writes import set_ref


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An author or committer."""

    name: str
    email: str = ""

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>" if self.email else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The commits of an export. `own`: the commit with the pack's changes alone; `tip`: the
    branch's new commit, the same one unless the branch had moved."""

    own: str
    tip: str


def checked_message(message: str) -> str:
    """A message that a commit can hold. Raises RepositoryRefused."""
    text = message.strip()
    if not text:
        raise RepositoryRefused("A commit needs a message.", where="message")
    try:
        plain = "\0" not in text and bool(text.encode())
    except UnicodeEncodeError:
        plain = False
    if not plain:
        raise RepositoryRefused(
            "The message has a character that a commit cannot hold.", where="message"
        )
    return text


_AUTHOR = re.compile(r"(?P<name>[^<>\s\0](?:[^<>\r\n\0]*[^<>\s\0])?)\s*<(?P<email>[^<>\s\0]+)>")


def author_named(text: str) -> Person:
    """An author from `Name <address>`. Raises BadRequest."""
    match = _AUTHOR.fullmatch(text.strip())
    if match is None or "@" not in match["email"][1:-1]:
        raise BadRequest(
            "An author is written as `Name <name@example.org>`.",
            hint="Leave the author out to commit as yourself.",
            where="author",
        )
    return Person(name=match["name"], email=match["email"])


def make_commits(
    area: Scratch, plan: Plan, message: str, *, author: Person, committer: Person
) -> Made:
    """Write the commits of a plan to the scratch folder."""
    git = area.git.extended({**_identity("AUTHOR", author), **_identity("COMMITTER", committer)})
    if not plan.merges:
        only = _commit(git, plan.tree, [plan.onto] if plan.onto else [], message)
        return Made(own=only, tip=only)
    assert plan.base.commit
    assert plan.onto
    own_parent = plan.onto if plan.rewritten else plan.base.commit
    own = _commit(git, plan.own_tree, [own_parent], message)
    return Made(
        own=own, tip=_commit(git, plan.tree, [plan.onto, own], _merge_message(plan, message))
    )


def commit_tree(
    area: Scratch, tree: str, parents: Sequence[str], message: str, person: Person
) -> str:
    """Write a commit of a tree to the scratch folder."""
    git = area.git.extended({**_identity("AUTHOR", person), **_identity("COMMITTER", person)})
    return _commit(git, tree, parents, message)


def move_branch(repository: Repository, plan: Plan, to: str) -> None:
    """Move the branch if it is still where the plan saw it. Raises RepositoryRefused."""
    ref, old = plan.branch.ref, plan.branch.tip or "0" * repository.hash_length
    try:
        set_ref(repository.git, ref, to, old=old, message="signalbox: export")
    except GitFailed as failed:
        if repository.commit_named(ref) != plan.branch.tip:
            raise RepositoryRefused(
                f"The branch {plan.branch.name!r} has moved in the meantime.",
                hint="Look at the preview again, then commit.",
                where="branch",
            ) from failed
        raise


def _commit(git: Git, tree: str, parents: Sequence[str], message: str) -> str:
    named = [word for parent in parents for word in ("-p", parent)]
    return git.text("commit-tree", tree, *named, stdin=f"{message}\n".encode())


def _merge_message(plan: Plan, message: str) -> str:
    return f"Merge into {plan.branch.name}: {message}"


def _identity(role: str, person: Person) -> dict[str, str]:
    """Git's variables for a person, without characters that would end either part early."""

    def plain(text: str) -> str:
        kept = "".join(char for char in text if char not in "<>" and ord(char) >= 32)
        return kept.encode(errors="replace").decode().strip(" .,:;\"'\\")

    name = plain(person.name) or "signalbox"
    email = plain(person.email) or f"{name.replace(' ', '.')}@localhost"
    return {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": email}
