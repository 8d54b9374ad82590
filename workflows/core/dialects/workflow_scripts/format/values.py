"""Values of a script as far as its text determines them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from workflows.core.dialects.workflow_scripts.format.formula import (
    ZERO,
    Formula,
    largest,
    number,
    unknown,
)
from workflows.core.dialects.workflow_scripts.format.syntax import Node

if TYPE_CHECKING:
    from workflows.core.dialects.workflow_scripts.graph.scope import Scope


@dataclass(frozen=True)
class Known:
    """A string, number, boolean, null or undefined."""

    value: Any


@dataclass(frozen=True)
class Undefined:
    """The value of a missing property or argument."""


@dataclass(frozen=True)
class Text:
    """A text with parts that only a run knows (None). `sources`: the answers and inputs of which
    the parts are, by their place among the pieces: `find.notes`."""

    pieces: tuple[str | None, ...]
    sources: Mapping[int, str] = field(default_factory=dict, compare=False)


@dataclass(eq=False)
class Items:
    """A list. `elements` are its values if each is known; `element` stands for any of them.

    A list that the script extends is one object: `length` grows, multiplied by the loops around the
    `push` but not by those around its creation (`depth`).
    """

    length: Formula
    element: Value
    elements: tuple[Value, ...] | None = None
    depth: int = 0
    line: int = 0
    name: str = ""
    unstable: bool = False
    fan_out: bool = False
    """True for the results of a fan-out, whose elements can be null."""
    by_time: bool = False
    """True if branches that run at once have filled it, each when its agent answered."""
    cut: Node | None = None
    """The `slice` that cuts a list without a limit."""


@dataclass(frozen=True, eq=False)
class Record:
    """An object. `open`: it may have further properties."""

    fields: dict[str, Value]
    open: bool = False
    nodes: dict[str, Node] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Answer:
    """A value that comes from outside: the answer of a call, the input, a child workflow.

    `path` names it: `find.findings`, `args.files`. `schema` is its JSON Schema as a value. `null`
    is True where the answer itself can be null, `fan` if it is an element of a fan-out's results;
    `call` is the kind of its origin. `required`: the schema of its parent requires it.
    """

    path: str
    call: str
    schema: Value | None = None
    null: bool = False
    fan: bool = False
    required: bool = True


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the script, with the names that it can see."""

    node: Node
    scope: Scope


@dataclass(frozen=True)
class Builtin:
    """One of the names that the runtime gives, such as `agent`."""

    name: str


@dataclass(frozen=True)
class Amount:
    """A number with an upper bound."""

    formula: Formula


@dataclass(frozen=True, eq=False)
class Opaque:
    """A value that the text does not determine. `functions` may be what it calls."""

    name: str = ""
    line: int = 0
    functions: tuple[Function, ...] = ()
    null: bool = False


@dataclass(frozen=True, eq=False)
class Either:
    """One of several values."""

    options: tuple[Value, ...]


Value: TypeAlias = (
    Known
    | Undefined
    | Text
    | Items
    | Record
    | Answer
    | Function
    | Builtin
    | Amount
    | Opaque
    | Either
)

UNDEFINED = Undefined()
NULL = Known(None)
MOST_OPTIONS = 8


def either(values: Iterable[Value]) -> Value:
    """A value that is one of these."""
    options: list[Value] = []
    for value in values:
        for one in value.options if isinstance(value, Either) else (value,):
            if not any(one is other or _equal(one, other) for other in options):
                options.append(one)
    if not options:
        return UNDEFINED
    if len(options) == 1:
        return options[0]
    return Either(tuple(options[:MOST_OPTIONS])) if len(options) <= MOST_OPTIONS else Opaque()


def _equal(one: Value, other: Value) -> bool:
    simple = (Known, Undefined, Text, Builtin, Amount)
    return isinstance(one, simple) and type(one) is type(other) and one == other


def options_of(value: Value) -> tuple[Value, ...]:
    """The value, or the values of which it is one."""
    return value.options if isinstance(value, Either) else (value,)


def nullable(value: Value) -> Value:
    """The value as the element of a fan-out's result: null if its branch failed."""
    match value:
        case Answer():
            return replace(value, null=True, fan=True)
        case Either():
            return Either(tuple(map(nullable, value.options)))
        case Opaque():
            return replace(value, null=True)
    return value


def without_null(value: Value) -> Value:
    """The value where the script has excluded null."""
    match value:
        case Answer() | Opaque():
            return replace(value, null=False) if value.null else value
        case Either():
            return either(
                without_null(one)
                for one in value.options
                if not isinstance(one, Undefined) and one != NULL
            )
    return value


def static(value: Value | None) -> Any:
    """The Python value of a literal: text, number, list, dict. Raises ValueError for others."""
    match value:
        case Known():
            return value.value
        case Items() if value.elements is not None and not value.unstable:
            return [static(one) for one in value.elements]
        case Record() if not value.open:
            return {key: static(one) for key, one in value.fields.items()}
    raise ValueError("not a literal")


def literal(value: Value | None) -> str | None:
    """The text of a value that is one text."""
    return value.value if isinstance(value, Known) and isinstance(value.value, str) else None


def texts(value: Value | None) -> tuple[str, ...] | None:
    """The texts of a value that is one of several. None if one is not known."""
    if value is None or isinstance(value, Undefined):
        return ()
    found = [literal(one) for one in options_of(value) if not isinstance(one, Undefined)]
    return None if None in found else tuple(one for one in found if one is not None)


def pattern(value: Value | None) -> str | None:
    """A text with `…` for each part that is not known. None for a value of another type."""
    match value:
        case Known() if isinstance(value.value, str):
            return value.value
        case Text():
            return "".join("…" if piece is None else piece for piece in value.pieces)
    return None


def truth(value: Value) -> bool | None:
    """True or False if the text decides it."""
    match value:
        case Known():
            return bool(value.value)
        case Undefined():
            return False
        case Items() | Record() | Function() | Builtin():
            return True
    return None


def integer(value: Value) -> int | None:
    """A whole number that the text determines."""
    if isinstance(value, Known) and isinstance(value.value, int | float):
        if isinstance(value.value, bool) or value.value != value.value or abs(value.value) > 1e15:
            return None
        return int(-(-value.value // 1))
    return None


def amount(value: Value) -> Formula | None:
    """An upper bound of a number. None if nothing is known of it."""
    whole = integer(value)
    if whole is not None:
        return number(whole)
    if isinstance(value, Known | Undefined):
        return ZERO
    if isinstance(value, Either):
        found = [amount(one) for one in value.options]
        return None if None in found else largest(one for one in found if one is not None)
    if isinstance(value, Answer):
        if (most := keyword(value.schema, "maximum")) is not None and most == most:
            return number(int(most))
        return unknown(f"value({value.path})")
    return value.formula if isinstance(value, Amount) else None


def keyword(schema: Value | None, name: str) -> int | float | None:
    """A number in a schema."""
    value = schema.fields.get(name) if isinstance(schema, Record) else None
    if isinstance(value, Known) and isinstance(value.value, int | float):
        return None if isinstance(value.value, bool) else value.value
    return None


def schema_at(schema: Value | None, key: str) -> Value | None:
    """The schema of a property, or of an element (`[]`)."""
    if not isinstance(schema, Record):
        return None
    if key == "[]":
        return schema.fields.get("items")
    properties = schema.fields.get("properties")
    return properties.fields.get(key) if isinstance(properties, Record) else None


def required_in(schema: Value | None) -> tuple[str, ...] | None:
    """The required properties of a schema. None if they are not literals."""
    listed = schema.fields.get("required") if isinstance(schema, Record) else None
    if listed is None:
        return ()
    if not isinstance(listed, Items) or listed.elements is None:
        return None
    names = [literal(one) for one in listed.elements]
    return None if None in names else tuple(one for one in names if one is not None)


def most_items(answer: Answer) -> int | None:
    """The most elements that the schema of a list allows."""
    if (limit := keyword(answer.schema, "maxItems")) is not None:
        return int(limit)
    inside = schema_at(answer.schema, "[]")
    values = inside.fields.get("enum") if isinstance(inside, Record) else None
    unique = answer.schema.fields.get("uniqueItems") if isinstance(answer.schema, Record) else None
    if isinstance(values, Items) and unique == Known(True):
        return values.length.constant
    return None


def length(value: Value) -> Formula:
    """An upper bound of the number of elements of a list."""
    match value:
        case Items():
            if value.unstable:
                return unknown(f"len({value.name or 'list'}@{value.line})", named=False)
            if value.elements is None and value.name and _is_unnamed(value.length):
                return unknown(f"len({value.name}@{value.line})", named=False)
            return value.length
        case Answer():
            most = most_items(value)
            return number(most) if most is not None else unknown(f"len({value.path})")
        case Either():
            lists = [one for one in value.options if isinstance(one, Items | Answer | Opaque)]
            plain = [one for one in lists if not _is_text(one)]
            return largest(length(one) for one in plain or lists)
        case Known() if isinstance(value.value, str):
            return number(len(value.value))
        case Known() | Undefined() | Function() | Builtin() | Amount() | Record():
            return ZERO
        case Text():
            return unknown("len(text)", named=False)
        case Opaque():
            name = value.name or "value"
            return unknown(f"len({name}@{value.line})", named=False)


def _is_text(value: Value) -> bool:
    """True for the whole answer of a call without a schema. A property of an answer can be a list,
    also where its schema is not known."""
    whole = isinstance(value, Answer) and "." not in value.path and "[" not in value.path
    return whole and isinstance(value, Answer) and value.call == "agent" and value.schema is None


def _is_unnamed(formula: Formula) -> bool:
    return any(not one.named and not one.budget for one in formula.unknowns)


def element(value: Value) -> Value:
    """Any element of a list."""
    match value:
        case Items():
            return nullable(value.element) if value.fan_out else value.element
        case Answer():
            return Answer(f"{value.path}[]", value.call, schema_at(value.schema, "[]"))
        case Either():
            return either(
                element(one) for one in value.options if isinstance(one, Items | Answer | Opaque)
            )
        case Opaque():
            return Opaque(value.name, value.line, value.functions)
    return Opaque()


def list_of(values: Iterable[Value], depth: int = 0, line: int = 0) -> Items:
    """A list of these values."""
    elements = tuple(values)
    any_one: Value = either(elements) if elements else Opaque()
    records = [one for one in elements if isinstance(one, Record)]
    if records and len(records) == len(elements):
        any_one = merged(records)
    return Items(number(len(elements)), any_one, elements, depth, line)


def merged(records: list[Record]) -> Record:
    """An object that is one of these."""
    names = dict.fromkeys(name for one in records for name in one.fields)
    return Record(
        {name: either(one.fields.get(name, UNDEFINED) for one in records) for name in names},
        open=any(one.open for one in records),
    )
