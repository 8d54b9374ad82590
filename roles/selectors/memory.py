"""Memory of roles, for people and prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from roles.core.columns import columns
from roles.core.memory import SCOPES, Fact, Scope, namespace, remembered_block, words
from roles.errors import NotThere
from roles.models import Memory
from roles.rights import visible
from roles.rows import found

MOST_IN_PROMPT = 200
"""Maximum number of facts in a prompt, the newest of each namespace first."""

MOST_WORDS = 20
"""Maximum number of query words; databases limit the conditions of a query."""


def memories(
    person: User, *, role: int | None = None, project: str = "", scope: str = "", query: str = ""
) -> QuerySet[Memory]:
    """Facts that a user may see: those of roles that they may see, and those shared in projects
    that they may see. Filtered by role (shared facts have none), project, scope and words that all
    have to occur."""
    rows = visible(Memory.objects.all(), person)
    if role is not None:
        rows = rows.filter(role_id=role)
    if project:
        rows = rows.filter(project=project)
    if scope:
        rows = rows.filter(scope=scope)
    for word in sorted(words(query))[:MOST_WORDS]:
        rows = rows.filter(Q(fact__icontains=word) | Q(category__icontains=word))
    return rows.order_by("-updated_at", "-pk")


def projects(person: User) -> list[str]:
    """Names of the projects with facts that this user may see."""
    rows = memories(person).exclude(project="").order_by("project")
    return list(rows.values_list("project", flat=True).distinct())


def readable_memory(memory_id: int, person: User) -> Memory:
    """One fact that the user may see. Raises NotThere."""
    return found(
        memories(person).filter(pk=memory_id),
        NotThere(f"There is no memory {memory_id} that you may see."),
    )


def memory_json(row: Memory) -> dict[str, Any]:
    return {
        "id": row.pk,
        "role": row.role_id,
        **columns(row, "project", "scope", "namespace", "fact", "category", "confidence"),
        **columns(row, "created_at", "updated_at"),
    }


def facts(role: int | None, project: str, scope: Scope | None = None) -> list[Fact]:
    """The facts that a role in a project may recall, of one scope or of all, newest first."""
    return [
        fact_of(row) for row in memories_for(role, project, scope).order_by("-updated_at", "-pk")
    ]


def memories_for(role: int | None, project: str, scope: Scope | None = None) -> QuerySet[Memory]:
    """The rows that a role in a project sees."""
    spaces = [namespace(one, role, project) for one in ([scope] if scope else SCOPES)]
    return Memory.objects.filter(namespace__in=[space for space in spaces if space])


def memory_block(role: int | None, project: str, priority: Sequence[str] = ()) -> str:
    """`<memory>` for `{{ context.memory }}`: the facts of this role in this project, its
    `priority_categories` first; "" without any."""
    return remembered_block(facts(role, project)[:MOST_IN_PROMPT], priority)


def fact_of(row: Memory) -> Fact:
    return Fact(
        id=row.pk,
        scope=cast("Scope", row.scope),
        category=row.category,
        fact=row.fact,
        confidence=row.confidence,
        at=row.updated_at.timestamp(),
    )
