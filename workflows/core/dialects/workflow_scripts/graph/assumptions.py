"""The bound of a script with numbers for its unknowns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workflows.core.dialects.workflow_scripts.format.formula import Unknown
from workflows.core.dialects.workflow_scripts.format.syntax import line
from workflows.core.dialects.workflow_scripts.graph.model import Cost
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.call_bound import CallBound

UNREAD = "code with a syntax error"
"""The unknown of a script that cannot be read whole."""


def call_bound(source: ScriptSource, assumed: Mapping[str, int]) -> CallBound:
    """The worst case. An assumption names an unknown in full, `len(find.claims)`, or by its last
    word, `claims`."""
    cost = source.plan.cost
    if source.root.has_error:  # The calls in a part that cannot be read are not counted.
        return CallBound(formula="?", most=None, open=(UNREAD,))
    numbers = {
        str(one): number
        for one in dict.fromkeys((*cost.total.unknowns, *_of_models(cost)))
        if (number := _assumption(one, assumed)) is not None
    }
    open_ = tuple(str(one) for one in cost.total.unlimited if str(one) not in numbers)
    return CallBound(
        formula=str(cost.total),
        most=cost.total.value(numbers),
        open=open_,
        phases={name: str(one) for name, one in cost.phases.items()},
        models={name: str(one) for name, one in cost.models.items()},
        calls={name: one.value(numbers) for name, one in cost.models.items()},
        unknowns=tuple(map(str, cost.total.unknowns)),
        states={
            one.id: (line(one.node), str(one.count))
            for one in source.plan.states
            if one.kind == "agent"
        },
    )


def _of_models(cost: Cost) -> Iterator[Unknown]:
    """Unknowns that a part can have although a larger one covers it in the total."""
    for one in cost.models.values():
        yield from one.unknowns


def _assumption(one: Unknown, assumed: Mapping[str, int]) -> int | None:
    path = one.name.partition("(")[2].removesuffix(")")
    last = path.replace("[]", "").rpartition(".")[2].partition("@")[0]
    return next((assumed[name] for name in (one.name, path, last) if name in assumed), None)
