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
from roles.selectors.memory import fact_of, facts, memories_for, readable_memory
from roles.selectors.roles import readable_role

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
        request = read_call(name, arguments)
    except BadArguments as bad:
        raise MemoryRefused(str(bad)) from None
    match request:
        case Store():
            return {"stored": _summary(store(request, role=role, project=project))}
        case Recall():
            return {"facts": [_summary(one) for one in recall(request, role, project, priority)]}
        case Forget():
            return {"forgotten": forget(request, role=role, project=project)}


@transaction.atomic
def store(request: Store, *, role: int | None, project: str) -> Fact:
    """Store a fact. The same text in the same namespace renews the stored fact. Raises
    MemoryRefused."""
    return fact_of(_kept(request, role, project))


def recall(
    request: Recall, role: int | None, project: str, priority: tuple[str, ...] = ()
) -> list[Fact]:
    """The best matching facts, at most `asked.limit`."""
    return ranked(facts(role, project, request.scope), request.query, priority)[: request.limit]


@transaction.atomic
def forget(request: Forget, *, role: int | None, project: str) -> list[int]:
    """Delete the matching facts that the role sees in this project. Returns their ids."""
    rows = memories_for(role, project)
    if request.id is not None:
        gone = rows.filter(pk=request.id)
    elif request.older_than_days is not None:
        gone = rows.filter(updated_at__lt=timezone.now() - timedelta(days=request.older_than_days))
    else:
        wanted = words(request.query or "")
        matches = [one.id for one in facts(role, project) if wanted <= searched(one)]
        gone = rows.filter(pk__in=matches if wanted else [])
    ids = sorted(gone.values_list("pk", flat=True))
    gone.delete()
    return ids


@transaction.atomic
def create(*, scope: Scope, role: int | None, project: str, by: User, **fields: Any) -> Memory:
    """Store a fact that a person enters: `fact`, `category` and optionally `confidence`. Raises
    NotThere for a role of another user, and MemoryRefused."""
    if role is not None and readable_role(role, by).is_system:
        raise MemoryRefused("A system role has no memory; your copy of it has one.", where="role")
    try:
        request = Store(
            fact=fact(fields["fact"]),
            category=category(fields["category"]),
            confidence=confidence(fields["confidence"]),
            scope=scope,
        )
    except BadArguments as bad:
        raise MemoryRefused(str(bad)) from None
    return _kept(request, None if scope == "shared" else role, project, owner=by)


@transaction.atomic
def change(memory_id: int, by: User, **fields: Any) -> Memory:
    """Change `fact`, `category` or `confidence`. Raises NotThere and MemoryRefused."""
    row = readable_memory(memory_id, by)
    try:
        for field, read in (("fact", fact), ("category", category), ("confidence", confidence)):
            if field in fields:
                setattr(row, field, read(fields[field]))
    except BadArguments as bad:
        raise MemoryRefused(str(bad)) from None
    row.save()
    return row


@transaction.atomic
def delete(memory_id: int, by: User) -> None:
    """Delete a fact. Raises NotThere."""
    readable_memory(memory_id, by).delete()


def _kept(request: Store, role: int | None, project: str, *, owner: User | None = None) -> Memory:
    """Store a fact. `owner`: of a shared fact that a person wrote."""
    if len(project) > LONGEST_PROJECT:
        raise MemoryRefused(f"A project's name has at most {LONGEST_PROJECT} characters.")
    space = namespace(request.scope, role, project)
    if space is None:
        missing = "a project" if request.scope == "shared" or role is not None else "a role"
        raise MemoryRefused(f"Scope {request.scope!r} needs {missing}, and there is none here.")
    of = None if request.scope == "shared" else role
    if of is not None and not Role.objects.select_for_update().filter(pk=of).exists():
        raise MemoryRefused("The role whose memory this is was deleted.")
    row = Memory.objects.filter(namespace=space, fact=request.fact).first()
    if row is None:
        if Memory.objects.filter(namespace=space).count() >= MOST:
            raise MemoryRefused(f"There are {MOST:,} facts here already; delete some first.")
        row = Memory(
            namespace=space,
            role_id=of,
            owner=owner if of is None else None,
            project="" if request.scope == "core" else project,
            scope=request.scope,
            fact=request.fact,
        )
    row.category = request.category
    row.confidence = request.confidence
    row.save()
    return row


def _summary(one: Fact) -> dict[str, Any]:
    return {
        "id": one.id,
        "scope": one.scope,
        "category": one.category,
        "fact": one.fact,
        "confidence": one.confidence,
    }
