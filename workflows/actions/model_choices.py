"""Model choices per pack and per state: set, cleared, and kept across renames."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User

from workflows.core.pack import edits as kinds
from workflows.core.pack.edits import Edit
from workflows.db.text import is_storable, to_storable
from workflows.errors import BadRequest, NotThere
from workflows.models import ModelChoice, Pack
from workflows.selectors.connections import connection_named
from workflows.selectors.sources import view


def choose(pack: Pack, state: str, *, connection: str, model: str, by: User | None = None) -> None:
    """Use this connection and model in a state, or in the whole pack for "". An empty connection
    and model clear the choice, so that the next level decides. Raises BadRequest."""
    if not (connection or model):
        ModelChoice.objects.filter(pack=pack, state=to_storable(state)).delete()
        return
    if state and state not in view(pack).states:
        raise BadRequest(f"This pack has no state {state!r}.", where="state")
    if connection:
        try:
            connection = connection_named(connection, by).name
        except NotThere as gone:
            raise BadRequest(gone.message, hint=gone.hint, where="connection") from None
    for name, text in (("state", state), ("model", model)):
        if not is_storable(text):
            raise BadRequest(f"The name of a {name} is plain text here.", where=name)
    ModelChoice.objects.update_or_create(
        pack=pack, state=state, defaults={"connection": connection, "model": model}
    )


def follow(pack: Pack, edits: Sequence[Edit]) -> None:
    """Copy the choice of a renamed state to its new name. The old name keeps it, because the rename
    may be undone."""
    rows = list(ModelChoice.objects.filter(pack=pack).exclude(state=""))
    for edit in edits if rows else ():
        moved = [(row, new) for row in rows if (new := _renamed(edit, row.state))]
        for row, new in moved:
            defaults = {"connection": row.connection, "model": row.model}
            kept, _ = ModelChoice.objects.update_or_create(
                pack=pack, state=to_storable(new), defaults=defaults
            )
            rows.append(kept)


def _renamed(edit: Edit, state: str) -> str:
    """The new name of the state that this edit renames, else ""."""
    match edit:
        case kinds.RenameState(id=old, new_id=new) if old == state:
            return new
        case kinds.RenameObject(element=element, new_key=new):
            old = element.partition(":")[2]
            inside = state.removeprefix(f"{old}/")
            return f"{new}/{inside}" if inside != state else ""
        case _:
            return ""
