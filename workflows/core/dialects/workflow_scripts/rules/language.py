"""Rules of the language: what a runtime does not have."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    arguments,
    short,
    text,
    walk,
)
from workflows.core.dialects.workflow_scripts.rules.kit import Report, script_rule
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.findings import EVERY

HOST = frozenset(
    {"require", "process", "module", "Buffer", "fetch", "setTimeout", "setInterval", "fs"}
    | {"setImmediate", "crypto", "performance", "structuredClone", "localStorage", "Deno", "Bun"}
    | {"XMLHttpRequest", "WebSocket"}
)
"""Names of host environments."""
CLOCK = ("Date.now", "Math.random")
QWEN_CLOCK = ("Date.parse", "Date.UTC")


@script_rule("WS201", "error", "Clock or random number", profiles=EVERY)
def deterministic(source: ScriptSource, profile: str) -> Iterator[Report]:
    """`Date.now()`, `new Date()` and `Math.random()` throw: a resumed run must make the same calls
    in the same order. Take the value from `args`. In the profile `open` they only warn."""
    level = "warning" if profile == "open" else None
    for node in source.nodes:
        callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if callee is None:
            continue
        name, given = text(callee).replace("?.", "."), arguments(node)
        clock = node.type == "call_expression" and name in CLOCK
        made = node.type == "new_expression" and name == "Date" and not given
        qwen = profile == "qwen" and node.type == "call_expression"
        if clock or made or (qwen and name in (*QWEN_CLOCK, "Date")):
            yield Report(
                message=f"{short(node)} throws in a workflow script.",
                node=node,
                hint="Take the value from args.",
                level=level,  # type: ignore[arg-type]
            )


@script_rule("WS202", "error", "Name of another environment", profiles=EVERY)
def no_host(source: ScriptSource, profile: str) -> Iterator[Report]:
    """A script has no file system, network, timers or Node API. The name is not defined, often
    after tokens were spent. Give the work to an agent."""
    declared = _declared(source) | {
        text(one.children[-1])
        for one in source.nodes
        if one.type == "unary_expression" and text(one.children[0]) == "typeof"
    }
    met: set[str] = set()
    for node in source.nodes:
        if node.type != "identifier" or text(node) not in HOST or text(node) in declared:
            continue
        parent = node.parent
        used = parent is not None and parent.type in ("call_expression", "member_expression")
        first = used and parent is not None and parent.children[0] == node
        if first and text(node) not in met:
            met.add(text(node))
            yield Report(
                message=f"{text(node)!r} is not defined in a workflow script.",
                node=node,
                hint="Give the work to an agent.",
            )


def _declared(source: ScriptSource) -> set[str]:
    """Names that the script declares: variables, parameters, imports, functions."""
    found: set[str] = set()
    for node in source.nodes:
        if node.type in ("variable_declarator", "function_declaration"):
            name = node.child_by_field_name("name")
            found |= set(_names(name)) if name is not None else set()
        elif node.type in ("formal_parameters", "import_clause"):
            found |= set(_names(node))
        elif node.type == "arrow_function":
            name = node.child_by_field_name("parameter")
            found |= set(_names(name)) if name is not None else set()
    return found


def _names(node: Node) -> Iterator[str]:
    for one in walk(node):
        if one.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield text(one)


@script_rule("WS203", "warning", "A race between agents", profiles=EVERY)
def no_races(source: ScriptSource, profile: str) -> Iterator[Report]:
    """`Promise.race` and `Promise.any` depend on which agent is faster, so a resumed run can take
    another way. The losers are paid too. Use `parallel` and choose afterwards."""
    for one in source.plan.troubles:
        if one.code == "WS203":
            yield Report(
                message=f"Promise.{one.subject} depends on which agent answers first.",
                node=one.node,
                hint="Use parallel, then choose.",
            )
