"""Rules of cost: the worst case, and what makes it large."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.formula import Formula, Product
from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    enclosing,
    inner,
    method_of,
    short,
    text,
)
from workflows.core.dialects.workflow_scripts.format.vocabulary import (
    DEAR,
    GUIDELINE,
    HIGH_EFFORTS,
    MOST_AGENTS,
)
from workflows.core.dialects.workflow_scripts.rules.kit import (
    Report,
    insert_fix,
    live,
    option_node,
    per_site,
    script_rule,
    set_option_fix,
)
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.edits import SetField
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import make_fix

CHEAP = "sonnet"
"""The model that a fix pins."""


@script_rule("WS601", "warning", "Unpinned model in a fan-out", profiles=EVERY)
def pinned(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The call is repeated and names no model, so every agent runs on the session's model, often
    the most expensive one. Pin a model."""
    for state in per_site(live(source)):
        options = state.options
        if not state.repeated or options is None or state.open_options or "model" in options:
            continue
        name = values.literal(options.get("agentType"))
        found = source.definitions.get(name or "")
        if found is not None and found.model:
            continue
        yield Report(
            message=f"{state.id!r} is repeated and runs on the session's model.",
            node=state.node,
            element=f"state:{state.id}",
            hint="Pin a model.",
            fix=set_option_fix(f"Pin the model to {CHEAP}", state, "/model", CHEAP),
        )


@script_rule("WS602", "warning", "Fan-out over a list without a limit", profiles=EVERY)
def limited(source: ScriptSource, profile: str) -> Iterator[Report]:
    """Each element of the list starts agents, and nothing limits its length. Only the runtime stops
    the run, at 1,000 agents. Set `maxItems` in the schema, or cut the list with `slice` and log
    what was left out."""
    for one in source.plan.repeats:
        if not one.calls or one.rounds.ceiling is not None:
            continue
        if one.kind == "recursion" or one.node.type not in ("for_in_statement", "call_expression"):
            continue
        items = one.items
        fix = None
        if items is not None and inner(items).type in ("identifier", "member_expression"):
            fix = insert_fix("Cut the list at 20", inner(items).end_byte, ".slice(0, 20)")
        what = "fan-out" if one.node.type == "call_expression" else "loop"
        yield Report(
            message=f"This {what} has no limit: {one.rounds}.",
            node=one.node,
            hint="Set maxItems in the schema, or cut the list with slice.",
            fix=fix,
        )


@script_rule("WS603", "warning", "Loop without a limit", profiles=EVERY)
def bounded(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The loop or recursion calls agents, and nothing in the text limits its rounds. Count the
    rounds and stop at a number."""
    for one in source.plan.repeats:
        loops = one.kind == "recursion" or one.node.type in (
            "while_statement",
            "do_statement",
            "for_statement",
        )
        unnamed = any(not each.named for each in one.rounds.unlimited)
        if loops and one.calls and not one.budget and unnamed:
            yield Report(
                message=f"Nothing limits the rounds of this {one.kind}: {short(one.node, 40)}",
                node=one.node,
                hint="Count the rounds and stop at a number.",
            )


@script_rule("WS604", "warning", "Budget loop without a total", profiles=EVERY)
def budgeted(source: ScriptSource, profile: str) -> Iterator[Report]:
    """Without a token target, `budget.remaining()` is infinite, so the loop runs to the cap of the
    runtime. Test `budget.total` first."""
    for one in source.plan.repeats:
        test = one.node.child_by_field_name("condition")
        if one.unguarded and one.calls and test is not None:
            at = test.start_byte + (1 if test.type == "parenthesized_expression" else 0)
            plain = "||" not in text(test) and "??" not in text(test)
            yield Report(
                message="Without a token target this loop ends at the cap of the runtime.",
                node=one.node,
                fix=insert_fix("Test budget.total", at, "budget.total && ") if plain else None,
            )


@script_rule("WS605", "hint", "Worst case", profiles=EVERY)
def worst_case(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The most agents that one run can start, as a formula: no run with these values of the
    unknowns starts more. Retries of the runtime and subagents of agents are not counted. Parts can
    add up to more than the total, because only one side of a condition is taken."""
    cost = source.plan.cost
    if not source.plan.states:
        return
    ends = "" if cost.total.ceiling is not None else " There is no upper limit."
    noun = "agent" if cost.total.constant == 1 else "agents"
    yield Report(
        message=f"A run starts at most {cost.total} {noun}.{ends}",
        node=source.meta.statement,
        hint=f"By model: {_table(cost.models)}. By phase: {_table(cost.phases, 'no phase')}.",
    )


def _table(parts: Mapping[str, Formula], empty: str = "") -> str:
    return "; ".join(f"{name or empty}: {value}" for name, value in parts.items())


@script_rule("WS606", "hint", "Large workflow", profiles=EVERY)
def moderate(source: ScriptSource, profile: str) -> Iterator[Report]:
    """A run can start more agents than the number from which the runtime warns. A project sets its
    own limit with `max-agents` in `.signalbox.toml`; above it, the check fails."""
    ceiling = source.plan.cost.total.ceiling
    if ceiling is not None and ceiling > GUIDELINE:
        yield Report(
            message=f"A run can start {ceiling:,} agents; the runtime warns from {GUIDELINE}.",
            node=source.meta.statement,
        )


@script_rule("WS607", "warning", "The runtime can stop this run", profiles=EVERY)
def below_cap(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The runtime starts at most 1,000 agents. The next call throws: a fan-out then fills with
    null, and the run completes with a part of its results."""
    total = source.plan.cost.total
    square = any(_unlimited_factors(product) > 1 for product, _ in total.terms)
    if square or (total.ceiling is not None and total.ceiling > MOST_AGENTS):
        yield Report(
            message=f"The runtime stops at {MOST_AGENTS:,} agents; the worst case is {total}.",
            node=source.meta.statement,
        )


def _unlimited_factors(product: Product) -> int:
    return sum(Formula((((atom,), 1),)).ceiling is None for atom in product)


@script_rule("WS608", "hint", "Product of two unknowns", profiles=EVERY)
def linear(source: ScriptSource, profile: str) -> Iterator[Report]:
    """Two unknown lengths multiply, so the number of agents grows with their product. Bound one of
    them."""
    for product, _ in source.plan.cost.total.terms:
        if _unlimited_factors(product) > 1:
            yield Report(
                message=f"The number of agents grows with {' × '.join(map(str, product))}.",
                node=source.meta.statement,
            )


@script_rule("WS609", "hint", "Expensive model in a fan-out", profiles=EVERY)
def modest(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The call is repeated with one of the most expensive models, or with high effort."""
    for state in per_site(live(source)):
        if not state.repeated:
            continue
        options = state.options or {}
        models = [name for name in values.texts(options.get("model")) or () if _is_dear(name)]
        effort = values.literal(options.get("effort"))
        cheaper = [("model", CHEAP)] if models else []
        cheaper += [("effort", "medium")] if effort in HIGH_EFFORTS else []
        if not cheaper:
            continue
        written = all(option_node(source, state, key) != state.node for key, _ in cheaper)
        edits = [
            SetField(element=f"state:{state.id}", field=f"/{key}", value=value)
            for key, value in cheaper
        ]
        names = " and ".join(value for _, value in cheaper)
        yield Report(
            message=f"{state.id!r} is repeated with {models[0] if models else f'effort {effort}'}.",
            node=state.node,
            element=f"state:{state.id}",
            fix=make_fix(f"Use {names}", *edits) if written else None,
        )


def _is_dear(name: str) -> bool:
    return any(one in name for one in DEAR)


@script_rule("WS610", "hint", "A list is cut silently", profiles=EVERY)
def logged(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The list has no limit and is cut before a fan-out, but nothing is logged. The result reads as
    if everything had been covered. Log how much was left out."""
    logs = [_around(node) for node in source.nodes if _is_log(node)]
    for one in source.plan.troubles:
        if one.code != "WS610":
            continue
        called = method_of(one.node)
        names = [text(called[0])] if called is not None else []
        parent = one.node.parent
        if parent is not None and parent.type == "variable_declarator":
            names.append(text(parent.child_by_field_name("name") or parent))
        if any(f"{name}.length" in line for name in names for line in logs):
            continue
        yield Report(
            message=f"{one.subject} leaves elements out without a log line.",
            node=one.node,
            hint="Log how many elements are left out.",
        )


def _is_log(node: Node) -> bool:
    callee = node.child_by_field_name("function") if node.type == "call_expression" else None
    return callee is not None and text(callee) in ("log", "console.log")


def _around(node: Node) -> str:
    """The text of a log call, with the condition around it."""
    for outer in enclosing(node):
        if outer.type == "if_statement":
            return text(outer)[:2_000]
        if outer.type.endswith("_statement") and outer.type != "expression_statement":
            break
    return text(node)[:2_000]
