"""Roles bound to states: stored with the pack, and copied into a run at its start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from roles.errors import NotThere
from roles.selectors.modes import mode_for_run
from roles.selectors.roles import role_for_run
from workflows.bindings.step_kinds import KINDS
from workflows.db.text import is_storable
from workflows.errors import BadRequest, CannotStart
from workflows.models import Pack, State
from workflows.selectors.layout import layout_at

LONGEST_OVERRIDE = 20_000
LONGEST_LABEL = 1_000
FIELDS = {"role", "override", "mode", "gate", "kind"}


def checked(binding: Mapping[str, Any] | None, author: User | None) -> dict[str, Any] | None:
    """A valid binding: role, name, color, override, mode, gate, and the kind of step unless it is
    `agent` or a gate. Raises BadRequest."""
    if not binding:
        return None
    for name in sorted(binding.keys() - FIELDS - {"name", "color"}):
        raise BadRequest(f"A binding has no {name!r}.", hint=f"It has {', '.join(sorted(FIELDS))}.")
    override = binding.get("override", "")
    if not isinstance(override, str) or not is_storable(override):
        raise BadRequest("The override of a binding is plain text.", where="override")
    if len(override) > LONGEST_OVERRIDE:
        raise BadRequest(
            f"An override has at most {LONGEST_OVERRIDE:,} characters.", where="override"
        )
    mode = binding.get("mode")
    try:
        role = role_for_run(_number(binding.get("role"), "role"), author)
        if mode is not None:
            mode_for_run(_number(mode, "mode"), author)
    except NotThere as gone:
        raise BadRequest(gone.message, hint="Choose another one.", where="binding") from gone
    return {
        "role": role["id"],
        "name": role["name"],
        "color": role["color"],
        "override": override.strip(),
        "mode": mode,
        "gate": _gate(binding.get("gate")),
        **_kind(binding),
    }


def _kind(binding: Mapping[str, Any]) -> dict[str, str]:
    """The kind of step, by which the role chooses its task template."""
    kind = binding.get("kind", "agent")
    if kind not in KINDS:
        raise BadRequest(
            f"Unknown kind of step {kind!r:.60}. Kinds: {', '.join(KINDS)}.", where="kind"
        )
    return {} if kind == "agent" or binding.get("gate") else {"kind": kind}


def _gate(value: Any) -> dict[str, str] | None:
    """Labels of the transitions that a verdict takes. They are checked when the state asks."""
    if value is None:
        return None
    labels = [value.get(name) for name in ("pass", "fail")] if isinstance(value, Mapping) else []
    fine = [one for one in labels if isinstance(one, str) and one and is_storable(one)]
    if len(fine) < 2 or fine[0] == fine[1] or max(map(len, fine)) > LONGEST_LABEL:
        raise BadRequest(
            "A gate names two transitions of its state, `pass` and `fail`, by their labels.",
            where="gate",
        )
    return {"pass": fine[0], "fail": fine[1]}


def taken_along(pack: Pack, revision: int) -> dict[str, dict[str, Any]]:
    """State → the role that a run of this revision uses there, even if the role changes later:
    `{"role": {id, name, description, revision, prompt_config, color}, "override", "mode", "gate"}`,
    and `kind` if it is not an agent's step.

    Raises CannotStart if a role was deleted.
    """
    if revision == pack.head:
        bindings = dict(
            State.objects.filter(pack=pack, bound__isnull=False).values_list("key", "bound")
        )
    else:
        bindings = {key: place["bound"] for key, place in layout_at(pack.pk, revision).items()}
    return {key: taken(key, bound) for key, bound in bindings.items() if bound}


def taken(state: str, bound: Mapping[str, Any]) -> dict[str, Any]:
    """The role that a run uses in one state, from its stored binding."""
    try:
        role = role_for_run(bound["role"], None)
        mode = None if bound["mode"] is None else mode_for_run(bound["mode"], None)
    except NotThere as gone:
        raise CannotStart(
            f"The role {bound['name']!r} that does the work in {state!r} is gone.",
            hint="Bind the state to another role, or unbind it.",
            where=f"state:{state}",
        ) from gone
    gate = bound.get("gate")
    kind = {"kind": bound["kind"]} if "kind" in bound else {}
    return {"role": role, "override": bound["override"], "mode": mode, "gate": gate, **kind}


def _number(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRequest(f"The {name} of a binding is an id.", where=name)
    return value
