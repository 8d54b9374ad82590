"""Rules of answers: null, schemas, and what the script reads from them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    method_of,
)
from workflows.core.dialects.workflow_scripts.format.values import Items, Known, Record, Value
from workflows.core.dialects.workflow_scripts.graph.model import PlanState
from workflows.core.dialects.workflow_scripts.rules.kit import (
    Report,
    insert_fix,
    live,
    option_node,
    per_site,
    script_rule,
    set_option_fix,
    suggestion,
)
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.findings import EVERY, Fix

TYPES = ("object", "array", "string", "number", "integer", "boolean", "null")
LENGTH = re.compile(r"len\((?P<state>[a-z0-9-]{1,60})(?P<path>(?:\.[\w$]{1,80}|\[\]){1,20})\)\Z")
USUAL_LIMIT = 20
ENFORCED = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "minItems", "enum"}
)
"""The keywords that the profile `open` checks."""
NOTES = frozenset({"$schema", "title", "description", "default", "examples"})


@script_rule("WS305", "warning", "Answer is read without a test for null", profiles=EVERY)
def null_tested(source: ScriptSource, profile: str) -> Iterator[Report]:
    """An agent that a person skips, or that fails after its retries, gives null. Reading a property
    of it ends the run after its tokens were spent; inside a fan-out, the item vanishes silently.
    Write `?.`, or test it before."""
    for one in source.plan.troubles:
        if one.code == "WS305":
            yield Report(
                message=f"{one.subject!r} is null if its agent is skipped or fails.",
                node=one.node,
                hint="Write ?. or test it before.",
                fix=_optional(one.node),
            )


def _optional(node: Node) -> Fix | None:
    """The fix that writes `?.`."""
    for child in node.children:
        if child.type == ".":
            return insert_fix("Insert ?", child.start_byte, "?")
    return None


@script_rule("WS307", "warning", "Results are read without dropping null", profiles=EVERY)
def null_dropped(source: ScriptSource, profile: str) -> Iterator[Report]:
    """A branch of a fan-out that throws or is skipped leaves null in the list of results. Write
    `.filter(Boolean)` before the results are read."""
    for one in source.plan.troubles:
        if one.code == "WS307":
            yield Report(
                message=f"{one.subject!r} is null where a branch of the fan-out failed.",
                node=one.node,
                hint="Write .filter(Boolean) before, or ?. here.",
                fix=_filtered(one.node) or _optional(one.node),
            )


def _filtered(node: Node) -> Fix | None:
    """The fix that drops null before a `map` or `flatMap`."""
    outer = node.parent
    while outer is not None and outer.type != "arguments":
        outer = outer.parent
    call = outer.parent if outer is not None else None
    called = method_of(call) if call is not None and call.type == "call_expression" else None
    if called is None or called[1] not in ("map", "flatMap", "forEach", "reduce"):
        return None
    return insert_fix("Insert .filter(Boolean)", called[0].end_byte, ".filter(Boolean)")


def _schemas(source: ScriptSource) -> Iterator[tuple[PlanState, Record]]:
    for state in per_site(live(source)):
        schema = (state.options or {}).get("schema")
        if isinstance(schema, Record):
            yield state, schema


def _schema_node(source: ScriptSource, state: PlanState, schema: Record, key: str) -> Node:
    return schema.nodes.get(key) or option_node(source, state, "schema")


@script_rule("WS401", "error", "Schema is no object", profiles=EVERY)
def object_root(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The agent answers through a tool, and the arguments of a tool are an object. Another root
    throws at the call. Put the value into a property."""
    for state, schema in _schemas(source):
        kind = schema.fields.get("type")
        if schema.open or not (kind is None or isinstance(kind, Known)):
            continue
        if not isinstance(kind, Known) or kind.value != "object":
            yield Report(
                message=f"The schema of {state.id!r} is not of type object.",
                node=_schema_node(source, state, schema, "type"),
                element=f"state:{state.id}",
                hint="Put the value into a property of an object.",
            )


@script_rule("WS408", "hint", "Keyword that is not checked", profiles=("open",))
def enforced(source: ScriptSource, profile: str) -> Iterator[Report]:
    """This runtime checks answers by a few keywords only: `type`, `properties`, `required`,
    `additionalProperties`, `items`, `minItems` and `enum`. An answer that breaks another one is
    accepted. Test it in the script."""
    for state, schema in _schemas(source):
        others = sorted(set(_keywords(schema)) - ENFORCED - NOTES)
        if others:
            yield Report(
                message=f"{profile} does not check {', '.join(others)} in answers of {state.id!r}.",
                node=option_node(source, state, "schema"),
                element=f"state:{state.id}",
            )


def _keywords(schema: Value) -> Iterator[str]:
    """The keywords of a schema and of the schemas in it."""
    if not isinstance(schema, Record):
        return
    yield from schema.fields
    properties = schema.fields.get("properties")
    inner = list(properties.fields.values()) if isinstance(properties, Record) else []
    for one in (*inner, schema.fields.get("items")):
        if one is not None:
            yield from _keywords(one)


@script_rule("WS402", "error", "Required name is no property", profiles=EVERY)
def required_exist(source: ScriptSource, profile: str) -> Iterator[Report]:
    """`required` names something that `properties` does not have. The call throws, or each answer
    is refused and paid up to five times."""
    for state, schema in _schemas(source):
        properties = schema.fields.get("properties")
        names = values.required_in(schema)
        if not isinstance(properties, Record) or properties.open or names is None:
            continue
        for name in names:
            if name not in properties.fields:
                yield Report(
                    message=f"The schema of {state.id!r} requires {name!r}, which is no property.",
                    node=_schema_node(source, state, schema, "required"),
                    element=f"state:{state.id}",
                    hint=suggestion(name, properties.fields)
                    or "Add the property or remove the name.",
                )


@script_rule("WS403", "error", "Not a JSON Schema", profiles=EVERY)
def is_schema(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The schema has a type that JSON Schema does not know, or `properties` that are no object. The
    call throws."""
    for state, schema in _schemas(source):
        for inner, problem, key in _problems(schema, 0):
            yield Report(
                message=f"The schema of {state.id!r} is invalid: {problem}",
                node=inner.nodes.get(key) or option_node(source, state, "schema"),
                element=f"state:{state.id}",
                hint=_type_hint(inner.fields.get("type")) if key == "type" else "",
            )


def _type_hint(kind: Value | None) -> str:
    name = kind.value if isinstance(kind, Known) else None
    near = suggestion(name, TYPES) if isinstance(name, str) else ""
    return near or f"Types: {', '.join(TYPES)}."


def _problems(schema: Record, depth: int) -> Iterator[tuple[Record, str, str]]:
    kind = schema.fields.get("type")
    if isinstance(kind, Known) and kind.value not in TYPES:
        yield schema, f"there is no type {kind.value!r}.", "type"
    properties, items = schema.fields.get("properties"), schema.fields.get("items")
    if isinstance(properties, Known | Items):
        yield schema, "properties is no object.", "properties"
    inside: list[Value | None] = [items]
    inside += list(properties.fields.values()) if isinstance(properties, Record) else []
    for one in inside:
        if isinstance(one, Record) and depth < 20:
            yield from _problems(one, depth + 1)


@script_rule("WS404", "warning", "Property is not in the schema", profiles=EVERY)
def property_exists(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The script reads a property that the schema of the answer does not have. It is always
    undefined."""
    for one in source.plan.troubles:
        if one.code == "WS404":
            name, _, names = one.subject.partition("|")
            yield Report(
                message=f"The answer of {one.state!r} has no property {name!r}.",
                node=one.node,
                hint=suggestion(name, names.split(", ")) or f"It has {names}.",
            )


@script_rule("WS405", "warning", "List without maxItems drives a fan-out", profiles=EVERY)
def bounded_lists(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The answer's list can have any length, and a fan-out works on each element. That is the
    unknown in the worst case. Set `maxItems` in the schema, or cut the list with `slice`."""
    for one in source.plan.cost.total.unlimited:
        found = LENGTH.match(one.name)
        state = source.states.get(found["state"]) if found else None
        if found is None or state is None:
            continue
        steps = found["path"].replace("[]", ".[]").strip(".").split(".")
        schema: Value | None = (state.options or {}).get("schema")
        pointer = "/schema"
        node: Node | None = None
        for step in steps:
            properties = schema.fields.get("properties") if isinstance(schema, Record) else None
            if step != "[]" and isinstance(properties, Record):
                node = properties.nodes.get(step, node)
            schema = values.schema_at(schema, step)
            pointer += "/items" if step == "[]" else f"/properties/{step}"
        if not isinstance(schema, Record):
            continue
        yield Report(
            message=f"{found['state']!r} may answer any number of {steps[-1]!r}, each of which "
            "starts agents.",
            node=node or option_node(source, state, "schema"),
            element=f"state:{state.id}",
            hint="Set maxItems in its schema.",
            fix=set_option_fix(
                f"Set maxItems to {USUAL_LIMIT}", state, f"{pointer}/maxItems", USUAL_LIMIT
            ),
        )


@script_rule("WS406", "hint", "Property is not required", profiles=EVERY)
def property_required(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The schema does not require this property, but the script reads it without a default. It may
    be missing. Add it to `required`, or write a default."""
    for one in source.plan.troubles:
        if one.code == "WS406":
            yield Report(
                message=f"{one.subject!r} may be missing: its schema does not require it.",
                node=one.node,
                hint="Add it to required, or write a default.",
            )


@script_rule("WS407", "hint", "Text is read as data", profiles=EVERY)
def data_has_schema(source: ScriptSource, profile: str) -> Iterator[Report]:
    """The call has no schema, so its answer is prose, but the script reads it as data. One sentence
    around the data ends the run. Add a schema."""
    for one in source.plan.troubles:
        if one.code == "WS407":
            yield Report(
                message=f"The answer of {one.subject!r} is a text, but is read as data.",
                node=one.node,
                hint="Give the call a schema.",
            )
