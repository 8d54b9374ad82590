"""Levels on objects whose rights follow from others, and the kinds of objects by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Model, Q
from django.db.models.signals import post_delete

from roles.models import Memory, Role
from roles.rights import (
    Level,
    level_of,
    own_level,
    own_visible,
    register,
    shared_visible,
    unshare,
    visible,
)
from workflows.db.integers import fits_integer
from workflows.errors import NotThere
from workflows.models import (
    Agent,
    Approval,
    Artifact,
    Connection,
    McpServer,
    Pack,
    Repository,
    RoleTemplate,
    Run,
    State,
    Transition,
    Trigger,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of objects. `missing`: message and hint for a key without an object; `word` names one
    in messages; `by`: the field of the key."""

    model: type[Model]
    word: str
    missing: str
    hint: str = ""
    by: str = "pk"
    related: tuple[str, ...] = ()

    def find(self, key: object) -> Any:
        """The object with this key, or None."""
        value = _key(self, key)
        if value is None:
            return None
        rows = self.model._default_manager.select_related(*self.related)
        return rows.filter(**{self.by: value}).first()


GONE = "It may have been deleted."
KINDS: Mapping[str, Kind] = {
    "pack": Kind(model=Pack, word="pack", missing="There is no pack {}.", hint=GONE),
    "run": Kind(
        model=Run, word="run", missing="There is no run {}.", related=("pack",),
        hint="Its pack may have been deleted.",
    ),
    "approval": Kind(
        model=Approval, word="approval", missing="No approval has this id.",
        related=("run__pack",), hint="Its run may have been deleted.",
    ),
    **{
        name: Kind(
            model=model, word=name, missing=f"There is no {name} {{}}.", related=("pack",),
            hint="A change of its pack may have replaced it.",
        )
        for name, model in (
            ("state", State), ("transition", Transition), ("artifact", Artifact), ("agent", Agent),
        )
    },
    "trigger": Kind(
        model=Trigger, word="trigger", missing="There is no trigger {}.", related=("pack",),
        hint="Its pack may have been deleted.",
    ),
    "connection": Kind(
        model=Connection, word="connection", missing="There is no connection {}."
    ),
    "mcp-server": Kind(
        model=McpServer, word="MCP server", missing="There is no MCP server {}."
    ),
    "repository": Kind(
        model=Repository, word="repository", missing="There is no repository {}.", hint=GONE
    ),
    "template": Kind(
        model=RoleTemplate, word="template", missing="There is no template '{}' here.", by="name"
    ),
    "role": Kind(model=Role, word="role", missing="There is no role {} that you may see."),
    "memory": Kind(
        model=Memory, word="fact", missing="There is no memory {} that you may see.",
        related=("role",),
    ),
}  # fmt: skip

SHAREABLE = {
    "packs": "pack", "agent-roles": "role", "connections": "connection", "triggers": "trigger",
    "templates": "template", "memories": "memory", "mcp-servers": "mcp-server",
    "repositories": "repository",
}  # fmt: skip
"""Name in the addresses of the sharing API → kind."""


def _key(kind: Kind, key: object) -> object | None:
    """The key in the type of its field; None if no object can have it."""
    if kind.by != "pk":
        return str(key).replace("\0", "")
    if kind.model in (Run, Approval):
        try:
            return key if isinstance(key, UUID) else UUID(str(key))
        except ValueError:
            return None
    try:
        number = int(_NO_FRACTION.sub("", str(key)))
    except ValueError:
        return None
    return number if fits_integer(str(number)) else None


_NO_FRACTION = re.compile(r"\.0*\s*\Z")
"""The end of an integer that fields of the API accept, such as `7.0`: a key in any notation that
they accept must be checked."""


def _run_level(person: User, run: Run) -> Level:
    """Readers of the pack read its runs. The user who started a run and editors of the pack
    control it."""
    of_pack = level_of(person, run.pack)
    if of_pack is Level.NONE:
        return Level.NONE
    mine = run.owner_id == person.pk or of_pack >= Level.EDIT
    return Level.EDIT if mine else Level.READ


def _run_visible(person: User, level: Level) -> Q:
    readable = Q(pack__in=_packs(person, Level.READ))
    if level is Level.READ:
        return readable
    return readable & (Q(owner=person) | Q(pack__in=_packs(person, Level.EDIT)))


def _packs(person: User, level: Level) -> Any:
    return visible(Pack.objects.order_by(), person, level).values("pk")


def _element_level(person: User, element: Any) -> Level:
    return level_of(person, element.pack)


def _element_visible(person: User, level: Level) -> Q:
    return Q(pack__in=_packs(person, level))


def _approval_level(person: User, approval: Approval) -> Level:
    return level_of(person, approval.run)


def _approval_visible(person: User, level: Level) -> Q:
    return Q(run__in=visible(Run.objects.order_by(), person, level).values("pk"))


def _trigger_level(person: User, trigger: Trigger) -> Level:
    """Its own level. The pack's owner also sees the triggers of others on the pack."""
    own = own_level(person, trigger)
    if own is Level.NONE and trigger.pack.owner_id == person.pk:
        return Level.READ
    return own


def _trigger_visible(person: User, level: Level) -> Q:
    own = own_visible(Trigger, person, level)
    return own | Q(pack__owner=person) if level is Level.READ else own


def _server_level(person: User, server: McpServer) -> Level:
    """All users may use a connected MCP server. Its secrets are write-only."""
    return max(Level.READ, own_level(person, server))


def _server_visible(person: User, level: Level) -> Q:
    return Q() if level is Level.READ else own_visible(McpServer, person, level)


def _memory_level(person: User, fact: Memory) -> Level:
    """The level on its role; for a shared fact that on its project, else its own."""
    if fact.role is not None:
        return level_of(person, fact.role)
    own = own_level(person, fact)
    level = project_levels(person, [fact.project]).get(fact.project)
    if level is None:
        return own
    return max(level, own if fact.owner_id is not None else Level.NONE)


def _memory_visible(person: User, level: Level) -> Q:
    roles = visible(Role.objects.order_by(), person, level).values("pk")
    shared = Memory.objects.filter(scope="shared").order_by()
    names = list(shared.values_list("project", flat=True).distinct())
    levels = project_levels(person, names)
    allowed = [name for name, actual in levels.items() if actual >= level]
    free = Q(owner=None) & ~Q(project__in=list(levels))
    mine = Q(owner=person) | shared_visible(Memory, person, level)
    return Q(role__in=roles) | Q(scope="shared") & (mine | free | Q(project__in=allowed))


def project_levels(person: User, names: Collection[str]) -> dict[str, Level]:
    """Levels on the projects whose names end with the number of a pack (`role_prompts.project_of`):
    those of the pack. A deleted pack gives none."""
    packs = {
        name: int(number[1])
        for name in names
        if (number := re.search(r" #(\d{1,18})$", name))
    }  # fmt: skip
    rows = Pack.objects.in_bulk(set(packs.values()))
    return {
        name: level_of(person, rows[number]) if number in rows else Level.NONE
        for name, number in packs.items()
    }


def register_rules() -> None:
    """Make these rules known to `roles.rights`."""
    rules: tuple[tuple[type[Model], Callable[..., Level], Callable[..., Q]], ...] = (
        (Run, _run_level, _run_visible),
        (Approval, _approval_level, _approval_visible),
        (Trigger, _trigger_level, _trigger_visible),
        (McpServer, _server_level, _server_visible),
        (Memory, _memory_level, _memory_visible),
        *(
            (kind, _element_level, _element_visible)
            for kind in (State, Transition, Artifact, Agent)
        ),
    )
    for model, level, rows in rules:
        register(model, level, rows)
    for name in SHAREABLE.values():
        post_delete.connect(_end_shares, sender=KINDS[name].model, dispatch_uid=f"shares.{name}")


def _end_shares(instance: Model, **_: Any) -> None:
    """Delete the shares of a deleted row: SQLite may use its number again."""
    unshare(instance)


def shareable(kind: str, key: str) -> Any:
    """The object of a sharing address. Raises NotThere."""
    name = SHAREABLE.get(kind)
    row = KINDS[name].find(key) if name else None
    if name is None or row is None:
        missing = KINDS[name].missing.format(key) if name else "Nothing of this kind is shared."
        raise NotThere(missing, hint=KINDS[name].hint if name else f"{', '.join(SHAREABLE)}.")
    return row
