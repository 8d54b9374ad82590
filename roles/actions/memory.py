"""Memory of roles: stored, recalled and forgotten by models through their tools, and edited by
people."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from roles.core.memory import Fact, Scope, namespace, ranked, searched, words
from roles.core.memory_tools import (
    BadArguments,
    Forget,
    Recall,
    Store,
    category,
    confidence,
    fact,
    read_call,
)
from roles.errors import MemoryRefused
from roles.models import Memory, Role
from roles.selectors.memory import fact_of, facts, memory_seen, seen_by
from roles.selectors.roles import role_seen

MOST = 2_000
"""Maximum number of facts in one namespace."""
LONGEST_PROJECT = 100


def call(
    name: str,
    arguments: Any,
    *,
    role: int | None,
    project: str,
    priority: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Carry out `memory_store`, `memory_recall` or `memory_forget` for a role in a project.

    `arguments` come from a model and are validated here; `project` is any name up to 100
    characters, "" for none; `priority`: the role's `priority_categories`. Returns a JSON value for
    the model: `{"stored": fact}`, `{"facts": […]}` or `{"forgotten": [ids]}`. Raises MemoryRefused
    with a message for the model; nothing has changed then.
    """
    try:
        asked = read_call(name, arguments)
    except BadArguments as bad:
        raise MemoryRefused(str(bad)) from None
    match asked:
        case Store():
            return {"stored": _told(store(asked, role=role, project=project))}
        case Recall():
            return {"facts": [_told(one) for one in recall(asked, role, project, priority)]}
        case Forget():
            return {"forgotten": forget(asked, role=role, project=project)}


@transaction.atomic
def store(asked: Store, *, role: int | None, project: str) -> Fact:
    """Store a fact. The same text in the same namespace renews the stored fact. Raises
    MemoryRefused."""
    return fact_of(_kept(asked, role, project))


def recall(
    asked: Recall, role: int | None, project: str, priority: tuple[str, ...] = ()
) -> list[Fact]:
    """The best matching facts, at most `asked.limit`."""
    return ranked(facts(role, project, asked.scope), asked.query, priority)[: asked.limit]


@transaction.atomic
def forget(asked: Forget, *, role: int | None, project: str) -> list[int]:
    """Delete the matching facts that the role sees in this project. Returns their ids."""
    rows = seen_by(role, project)
    if asked.id is not None:
        gone = rows.filter(pk=asked.id)
    elif asked.older_than_days is not None:
        gone = rows.filter(updated_at__lt=timezone.now() - timedelta(days=asked.older_than_days))
    else:
        wanted = words(asked.query or "")
        found = [one.id for one in facts(role, project) if wanted <= searched(one)]
        gone = rows.filter(pk__in=found if wanted else [])
    ids = sorted(gone.values_list("pk", flat=True))
    gone.delete()
    return ids


@transaction.atomic
def create(*, scope: Scope, role: int | None, project: str, by: User, **given: Any) -> Memory:
    """Store a fact that a person enters: `fact`, `category` and optionally `confidence`. Raises
    NotThere for a role of another user, and MemoryRefused."""
    if role is not None and role_seen(role, by).is_system:
        raise MemoryRefused("A system role remembers nothing; your copy of it does.", where="role")
    try:
        asked = Store(
            fact=fact(given["fact"]),
            category=category(given["category"]),
            confidence=confidence(given["confidence"]),
            scope=scope,
        )
    except BadArguments as bad:
        raise MemoryRefused(str(bad)) from None
    return _kept(asked, None if scope == "shared" else role, project, owner=by)


@transaction.atomic
def change(memory_id: int, by: User, **given: Any) -> Memory:
    """Change `fact`, `category` or `confidence`. Raises NotThere and MemoryRefused."""
    row = memory_seen(memory_id, by)
    try:
        for field, read in (("fact", fact), ("category", category), ("confidence", confidence)):
            if field in given:
                setattr(row, field, read(given[field]))
    except BadArguments as bad:
        raise MemoryRefused(str(bad)) from None
    row.save()
    return row


@transaction.atomic
def delete(memory_id: int, by: User) -> None:
    """Delete a fact. Raises NotThere."""
    memory_seen(memory_id, by).delete()


def _kept(asked: Store, role: int | None, project: str, *, owner: User | None = None) -> Memory:
    """Store a fact. `owner`: of a shared fact that a person wrote."""
    if len(project) > LONGEST_PROJECT:
        raise MemoryRefused(f"A project's name has at most {LONGEST_PROJECT} characters.")
    space = namespace(asked.scope, role, project)
    if space is None:
        missing = "a project" if asked.scope == "shared" or role is not None else "a role"
        raise MemoryRefused(f"Scope {asked.scope!r} needs {missing}, and there is none here.")
    of = None if asked.scope == "shared" else role
    if of is not None and not Role.objects.select_for_update().filter(pk=of).exists():
        raise MemoryRefused("The role that would remember this was deleted.")
    row = Memory.objects.filter(namespace=space, fact=asked.fact).first()
    if row is None:
        if Memory.objects.filter(namespace=space).count() >= MOST:
            raise MemoryRefused(f"There are {MOST:,} facts here already; forget some first.")
        row = Memory(
            namespace=space,
            role_id=of,
            owner=owner if of is None else None,
            project="" if asked.scope == "core" else project,
            scope=asked.scope,
            fact=asked.fact,
        )
    row.category = asked.category
    row.confidence = asked.confidence
    row.save()
    return row


def _told(one: Fact) -> dict[str, Any]:
    return {
        "id": one.id,
        "scope": one.scope,
        "category": one.category,
        "fact": one.fact,
        "confidence": one.confidence,
    }
