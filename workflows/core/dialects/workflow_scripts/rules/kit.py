"""The rule kit for workflow scripts: a report names a node of the syntax tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from itertools import islice
from typing import TypeAlias

from workflows.core.dialects.workflow_scripts.edits.literals import pair_of
from workflows.core.dialects.workflow_scripts.edits.places import options_node
from workflows.core.dialects.workflow_scripts.format.syntax import Node
from workflows.core.dialects.workflow_scripts.graph.model import PlanState
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.edits import EditRefused, SetField
from workflows.core.pack.findings import (
    EVERY,
    MAX_FINDINGS,
    Finding,
    Fix,
    Level,
    Rule,
    one_line,
    rule,
)
from workflows.core.pack.graph import Graph
from workflows.core.rules.kit import make_fix


@dataclass(frozen=True, kw_only=True)
class Report:
    """A finding before it has a code. `level` replaces the level of the rule."""

    message: str
    node: Node | None = None
    element: str = ""
    hint: str = ""
    fix: Fix | None = None
    level: Level | None = None


Check: TypeAlias = Callable[[ScriptSource, str], Iterable[Report]]


def script_rule(
    code: str, level: Level, title: str, *, profiles: tuple[str, ...] = EVERY
) -> Callable[[Check], Rule]:
    """Turn a check of a source under a profile into a rule. Its docstring is the help page."""

    def register(check: Check) -> Rule:
        @wraps(check)
        def findings(source: ScriptSource, graph: Graph) -> Iterator[Finding]:
            if not source.readable or (profiles != EVERY and graph.profile not in profiles):
                return
            for one in islice(check(source, graph.profile), MAX_FINDINGS):
                yield Finding(
                    code=code,
                    level=one.level or level,
                    message=one_line(one.message),
                    place=source.place(one.node, one.element or "pack"),
                    hint=one.hint,
                    fix=one.fix,
                )

        return rule(code, level, title, profiles=profiles)(findings)

    return register


def live(source: ScriptSource) -> list[PlanState]:
    """The calls of agents that a run can reach."""
    return [state for state in source.plan.states if state.kind == "agent" and state.alive]


def per_site(states: Iterable[PlanState]) -> Iterator[PlanState]:
    """One state for each call site."""
    met: set[int] = set()
    for state in states:
        if state.node.start_byte not in met:
            met.add(state.node.start_byte)
            yield state


def option_node(source: ScriptSource, state: PlanState, key: str) -> Node:
    """The node of an option; the call if it is not written there."""
    try:
        options = options_node(source, state)
    except EditRefused:
        options = None
    found = pair_of(options, key) if options is not None else None
    return found if found is not None else state.node


def set_option_fix(label: str, state: PlanState, field: str, value: str | int) -> Fix:
    return make_fix(label, SetField(element=f"state:{state.id}", field=field, value=value))


def insert_fix(label: str, at: int, text: str) -> Fix:
    """A fix that inserts code at a byte of the script."""
    return make_fix(label, SetField(element=f"code:{at}-{at}", field="/text", value=text))


def suggestion(name: str, names: Iterable[str]) -> str:
    """`Did you mean 'effort'?`, if a name is near."""
    near = get_close_matches(name, list(names), n=1, cutoff=0.75)
    return f"Did you mean {near[0]!r}?" if near else ""
