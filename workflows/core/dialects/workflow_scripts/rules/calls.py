"""Rules of calls: their options, their promises, what they leave unknown."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.definitions import BUILT_IN
from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    arguments,
    method_of,
    short,
    text,
    walk,
)
from workflows.core.dialects.workflow_scripts.format.values import Known
from workflows.core.dialects.workflow_scripts.format.vocabulary import (
    EFFORTS,
    ISOLATIONS,
    MODELS,
    MOST_ITEMS,
    OPTIONS,
    PROFILES,
)
from workflows.core.dialects.workflow_scripts.recognise import in_folder
from workflows.core.dialects.workflow_scripts.rules.kit import (
    Report,
    insert_fix,
    live,
    option_node,
    per_site,
    script_rule,
    suggestion,
)
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.edits import UnsetField
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import make_fix

STARTERS = frozenset({"agent", "parallel", "pipeline", "workflow"})


@script_rule("WS301", "error", "Call without a prompt", profiles=EVERY)
def has_prompt(source: ScriptSource, profile: str) -> Iterator[Report]:
    """A call of `agent` needs a text that is not empty as its first argument. Others throw."""
    for state in per_site(live(source)):
        prompt = state.prompt
        empty = isinstance(prompt, Known) and prompt.value in ("", None)
        other = isinstance(prompt, Known) and not isinstance(prompt.value, str)
        if not arguments(state.node) or empty or other:
            yield Report(
                message=f"{state.id!r} has no prompt.",
                node=state.node,
                element=f"state:{state.id}",
            )


@script_rule("WS302", "warning", "Unknown option", profiles=EVERY)
def known_options(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The runtime does not know this option of `agent`: qwen throws, and others ignore it
    silently. Rename or remove it."""
    allowed = OPTIONS.get(profile, OPTIONS["claude-code"])
    level = {"qwen": "error", "claude-code": "warning"}.get(profile, "hint")
    for state in per_site(live(source)):
        for key in state.options or {}:
            if key in allowed or key == "[]":
                continue
            others = [name for name in PROFILES if key in OPTIONS[name]]
            near = suggestion(key, allowed)
            only = f"Only {', '.join(others)} has it." if others else ""
            yield Report(
                message=f"{profile} has no option {key!r} of agent().",
                node=option_node(source, state, key),
                element=f"state:{state.id}",
                hint=near or only or "Remove it.",
                fix=make_fix(
                    "Remove the option", UnsetField(element=f"state:{state.id}", field=f"/{key}")
                ),
                level=level,  # type: ignore[arg-type]
            )


@script_rule("WS303", "error", "Value outside of an option's domain", profiles=EVERY)
def option_values(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The option has a value that the runtime does not know: it throws or ignores the option."""
    domains = {"effort": EFFORTS, "isolation": ISOLATIONS}
    for state in per_site(live(source)):
        for key, value in (state.options or {}).items():
            if not isinstance(value, Known):
                continue
            wrong = key in domains and value.value not in domains[key]
            textual = key in ("label", "phase", "model", "agentType")
            if wrong or (textual and not isinstance(value.value, str)):
                names = ", ".join(domains.get(key, ("a text",)))
                yield Report(
                    message=f"{value.value!r} is no value of the option {key!r}.",
                    node=option_node(source, state, key),
                    element=f"state:{state.id}",
                    hint=f"Use {names}.",
                )


@script_rule("WS304", "warning", "Promise is not awaited", profiles=EVERY)
def awaited(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The result of this call is used or dropped without `await`. The agent continues after the
    script has ended, and its failure is lost."""
    for node in source.nodes:
        if node.type != "call_expression" or not _starts(node):
            continue
        outer = node
        while (chain := _chained(outer)) is not None:
            outer = chain
        parent = outer.parent
        dropped = parent is not None and parent.type == "expression_statement"
        kept = parent if parent is not None and parent.type == "variable_declarator" else None
        if dropped or (kept is not None and not _awaited_later(source, kept)):
            yield Report(
                message=f"{short(node, 40)} is not awaited.",
                node=node,
                fix=insert_fix("Insert await", outer.start_byte, "await "),
            )


def _starts(node: Node) -> bool:
    callee = node.child_by_field_name("function")
    if callee is None:
        return False
    called = method_of(node)
    gathers = called is not None and text(called[0]) == "Promise" and called[1] != "resolve"
    return text(callee) in STARTERS or gathers


def _chained(node: Node) -> Node | None:
    """The call `x.then(…)` around `x`."""
    parent = node.parent
    if parent is None or parent.type != "member_expression":
        return None
    name = parent.child_by_field_name("property")
    chain = name is not None and text(name) in ("then", "catch", "finally")
    return parent.parent if chain and parent.parent is not None else None


def _awaited_later(source: ScriptSource, declarator: Node) -> bool:
    """True if a variable with a promise is awaited, returned or given on somewhere. To read a
    property of it does not wait."""
    name = declarator.child_by_field_name("name")
    if name is None or name.type != "identifier":
        return False
    takers = ("await_expression", "return_statement", "arguments", "array")
    return any(
        each.type == "identifier" and text(each) == text(name) and not _is_read(each)
        for one in source.nodes
        if one.type in takers
        for each in walk(one)
    )


def _is_read(name: Node) -> bool:
    """True for `x` in `x.notes` and in the test of `x ? … : …`."""
    parent = name.parent
    if parent is None or (parent.type == "member_expression" and _chained(name) is not None):
        return False
    return parent.type in ("member_expression", "ternary_expression") and parent.children[0] == name


@script_rule("WS306", "error", "Promise instead of a function", profiles=EVERY)
def thunks(source: ScriptSource, profile: str) -> Iterator[Report]:
    """`parallel` takes functions. A promise in its list has started already, outside of the
    barrier, and its failure ends the run. Write `() =>` before it."""
    for one in source.plan.troubles:
        if one.code == "WS306":
            yield Report(
                message=f"parallel gets a promise instead of a function: {short(one.node, 40)}",
                node=one.node,
                hint="Write () => before it.",
                fix=insert_fix("Wrap in () =>", one.node.start_byte, "() => ")
                if method_of(one.node) is None
                else None,
            )


@script_rule("WS308", "error", "Too many items", profiles=EVERY)
def few_items(source: ScriptSource, profile: str) -> Iterator[Report]:
    """A fan-out takes at most 4,096 items; more are refused. Work in batches."""
    for one in source.plan.repeats:
        number = one.rounds.constant
        if one.kind != "loop" and number is not None and number > MOST_ITEMS:
            yield Report(message=f"This fan-out has {number:,} items.", node=one.node)


@script_rule("WS309", "error", "Workflow starts itself", profiles=EVERY)
def no_self_call(source: ScriptSource, profile: str) -> Iterator[Report]:
    """`workflow()` works on one level only: a script that is started by another one cannot start a
    third. A script that starts itself always fails, and so does a name that no script of this
    folder has; personal scripts are not known here."""
    for state in source.plan.states:
        name = values.literal(state.prompt) if state.kind == "workflow" else None
        child = source.children.get(name) if name else None
        if name and name == source.meta.name:
            yield Report(message=f"{name!r} starts itself.", node=state.node)
        elif child is not None and any(one.kind == "workflow" for one in child.plan.states):
            yield Report(
                message=f"{name!r} starts a workflow itself, which fails there.", node=state.node
            )
        elif name and child is None and in_folder(source.main) and ":" not in name:
            yield Report(
                message=f"No script next to this one is called {name!r}, or it starts this one.",
                node=state.node,
                hint="Start a workflow of this folder.",
                level="warning",
            )


@script_rule("WS310", "warning", "Unknown agent type", profiles=("claude-code", "qwen", "opencode"))
def known_types(source: ScriptSource, profile: str) -> Iterator[Report]:
    """No definition next to the script has this name, and it is not built in. Definitions in a home
    folder are not known here. Without one, the call fails or gives null."""
    for state in per_site(live(source)):
        name = values.literal((state.options or {}).get("agentType"))
        if name is None or name in BUILT_IN:
            continue
        found = source.definitions.get(name)
        if found is not None and not found.problem:
            continue
        node = option_node(source, state, "agentType")
        if found is not None:
            yield Report(
                message=f"The definition of {name!r} is skipped: {found.problem}.",
                node=node,
                element=f"state:{state.id}",
                level="error",
            )
        else:
            near = suggestion(name, (*source.definitions, *BUILT_IN))
            yield Report(
                message=f"There is no agent definition {name!r} next to the script.",
                node=node,
                element=f"state:{state.id}",
                hint=near or f"Create .claude/agents/{name}.md.",
            )


@script_rule("WS311", "warning", "Unknown model", profiles=("claude-code",))
def known_models(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The runtime does not know this model as an alias or id. It takes a substitute, or the call
    fails."""
    for state in per_site(live(source)):
        for name in values.texts((state.options or {}).get("model")) or ():
            if name in MODELS or "claude" in name or name.startswith(("arn:", "anthropic.")):
                continue
            yield Report(
                message=f"{profile} has no model {name!r}.",
                node=option_node(source, state, "model"),
                element=f"state:{state.id}",
                hint=suggestion(name, MODELS) or f"Use {', '.join(MODELS[:4])} or a full id.",
            )


@script_rule("WS312", "hint", "Options cannot be read", profiles=EVERY)
def readable_options(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The options of this call are computed, so its model and phase are not known before a run."""
    for state in per_site(live(source)):
        if state.options is None or state.open_options:
            yield Report(
                message=f"The options of {state.id!r} are computed.",
                node=state.node,
                element=f"state:{state.id}",
            )


@script_rule("WS313", "warning", "Call is never reached", profiles=EVERY)
def reached(source: ScriptSource, profile: str) -> Iterator[Report]:
    """No run reaches this call: it is after a `return`, or in a function that nothing uses."""
    alive = {state.node.start_byte for state in source.plan.states if state.alive}
    for state in per_site(state for state in source.plan.states if not state.alive):
        if state.node.start_byte not in alive and not source.plan.cut:
            yield Report(
                message=f"No run reaches {state.id!r}.",
                node=state.node,
                element=f"state:{state.id}",
                hint="Remove it, or the exit before it.",
            )


@script_rule("WS314", "warning", "Hidden calls", profiles=EVERY)
def traceable(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The text does not determine which agents this code calls, so it has no drawing and no
    bound. Call the function where it is."""
    for one in source.plan.troubles:
        if one.code == "WS314":
            yield Report(
                message=f"This hides which agents are called: {one.subject}", node=one.node
            )
    if source.plan.cut:
        yield Report(message="The script is too large or too deep to be followed to its end.")


@script_rule("WS316", "hint", "Stage gets no null", profiles=("qwen",))
def null_passed(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The stage before returns null on purpose, and this stage tests for it. This runtime drops the
    item instead. Return an object that has the reason."""
    for one in source.plan.troubles:
        if one.code == "WS316":
            yield Report(
                message=f"{profile} drops an item whose stage returns null before this stage.",
                node=one.node,
                hint="Return an object.",
            )


@script_rule("WS315", "hint", "One failure loses all results", profiles=EVERY)
def caught(source: ScriptSource, profile: str) -> Iterator[Report]:
    """In `Promise.all`, one agent that throws, for example because the budget is spent, loses the
    results of all others. `parallel` gives null for it."""
    for one in source.plan.troubles:
        if one.code == "WS315":
            yield Report(
                message="One agent that throws loses all results of this Promise.all.",
                node=one.node,
                hint="Use parallel with functions.",
            )
