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
from workflows.core.dialects.workflow_scripts.graph.scope import GLOBALS
from workflows.core.dialects.workflow_scripts.rules.kit import Report, script_rule, suggestion
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.findings import EVERY

HOST = frozenset(
    {"require", "process", "module", "Buffer", "fetch", "setTimeout", "setInterval", "fs"}
    | {"setImmediate", "crypto", "performance", "structuredClone", "localStorage", "Deno", "Bun"}
    | {"XMLHttpRequest", "WebSocket"}
)
"""Names of host environments."""
BUILT_IN = frozenset(
    {"Array", "ArrayBuffer", "BigInt", "Boolean", "DataView", "Date", "Error", "Infinity", "JSON"}
    | {"Map", "Math", "NaN", "Number", "Object", "Promise", "Proxy", "RangeError", "Reflect"}
    | {"RegExp", "Set", "String", "Symbol", "SyntaxError", "TypeError", "WeakMap", "WeakSet"}
    | {"Iterator", "ReferenceError", "arguments", "console", "decodeURI", "decodeURIComponent"}
    | {"encodeURI", "encodeURIComponent", "escape", "eval", "globalThis", "isFinite", "isNaN"}
    | {"parseFloat", "parseInt", "undefined", "unescape", "AggregateError", "Function", "Intl"}
)
"""Names of the language itself."""
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


_NAMED = frozenset(
    {"variable_declarator", "function_declaration", "function_expression", "class_declaration"}
    | {"generator_function_declaration", "generator_function", "class"}
)


def _declared(source: ScriptSource) -> set[str]:
    """Names that the script declares: variables, parameters, imports, functions, classes."""
    found: set[str] = set()
    for node in source.nodes:
        if node.type in _NAMED:
            name = node.child_by_field_name("name")
            found |= set(_names(name)) if name is not None else set()
        elif node.type == "for_in_statement":
            name = node.child_by_field_name("left")
            found |= set(_names(name)) if name is not None else set()
        elif node.type in ("formal_parameters", "import_clause"):
            found |= set(_names(node))
        elif node.type in ("arrow_function", "catch_clause"):
            name = node.child_by_field_name("parameter")
            found |= set(_names(name)) if name is not None else set()
    return found


def _names(node: Node) -> Iterator[str]:
    for one in walk(node):
        if one.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield text(one)


@script_rule("WS207", "error", "Misspelled name", profiles=EVERY)
def misspelled(source: ScriptSource, profile: str) -> Iterator[Report]:
    """Nothing declares this name, so the script throws at this line, and what it would have called
    is neither drawn nor counted. A name that is declared, or that the runtime gives, is almost the
    same."""
    if source.root.has_error:
        return
    declared = _declared(source)
    assigned = {
        text(left)
        for one in source.nodes
        if one.type in ("assignment_expression", "augmented_assignment_expression")
        and (left := one.child_by_field_name("left")) is not None
    }
    known = declared | assigned | HOST | BUILT_IN | set(GLOBALS)
    for node in source.nodes:
        name = text(node) if node.type == "identifier" else ""
        if len(name) > 3 and name not in known and (near := suggestion(name, sorted(known))):
            known.add(name)
            yield Report(message=f"Nothing declares {name!r}.", node=node, hint=near)


@script_rule("WS205", "warning", "Syntax that the interpreter lacks", profiles=("opencode",))
def interpreted(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The interpreter of this runtime has no classes, no `this`, no getters and no setters. The
    script fails at its start. Write functions and plain objects."""
    for node in source.nodes:
        accessor = node.type == "method_definition" and text(node.children[0]) in ("get", "set")
        if (node.type in ("class_declaration", "class", "this") and node.is_named) or accessor:
            yield Report(message=f"{short(node)} fails in {profile}.", node=node)


@script_rule("WS206", "hint", "Assignment to an undeclared name", profiles=EVERY)
def declared(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The name is declared nowhere. In strict mode (`qwen`) the assignment throws; otherwise it
    makes a global variable. Declare the name with `let`."""
    names = _declared(source)
    for node in source.nodes:
        if node.type not in ("assignment_expression", "augmented_assignment_expression"):
            continue
        target = node.child_by_field_name("left")
        if target is not None and target.type == "identifier" and text(target) not in names:
            names.add(text(target))
            yield Report(
                message=f"{text(target)!r} is not declared.", node=node, hint="Declare it with let."
            )


@script_rule("WS204", "hint", "Order of answers is used", profiles=EVERY)
def ordered(source: ScriptSource, profile: str) -> Iterator[Report]:
    """Branches that run at once fill this list, so its order is that in which agents answer. A
    resumed run finds another order: it makes other calls and has other results. Collect the results
    of `parallel`, or sort the list first."""
    for one in source.plan.troubles:
        if one.code == "WS204":
            yield Report(
                message=f"{one.subject!r} is in the order in which agents answer.",
                node=one.node,
                hint="Collect the results of parallel, or sort the list.",
            )


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
