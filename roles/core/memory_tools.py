"""The memory tools of a model: descriptions and arguments (section 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from roles.core.json_limits import plain
from roles.core.memory import SCOPES, Scope

LONGEST_FACT = 4_000
LONGEST_CATEGORY = 100
MOST_RECALLED = 50
DEFAULT_CONFIDENCE = 0.9
DEFAULT_LIMIT = 5


class BadArguments(Exception):
    """An error of a call, with a message for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTool:
    """`parameters`: JSON Schema. `access`: recall is read-only."""

    name: str
    description: str
    access: Literal["read", "readwrite"]
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    fact: str
    category: str
    confidence: float
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """A recall. `scope` None is all scopes."""

    query: str
    limit: int
    scope: Scope | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """A deletion. Exactly one of the three fields is set."""

    id: int | None = None
    query: str | None = None
    older_than_days: int | None = None


Call = Store | Recall | Forget

_SCOPE = {
    "type": "string",
    "enum": list(SCOPES),
    "description": (
        "core: useful on every project. project: this project only, for this role. "
        "shared: this project, for every role."
    ),
}
TOOLS: tuple[MemoryTool, ...] = (
    MemoryTool(
        name="memory_store",
        description="Keep a durable fact for later work.",
        access="readwrite",
        parameters={
            "type": "object",
            "properties": {
                "fact": {"type": "string", "description": "One fact that makes sense alone."},
                "category": {"type": "string", "description": "A short word to file it under."},
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                "scope": {**_SCOPE, "default": "project"},
            },
            "required": ["fact", "category"],
        },
    ),
    MemoryTool(
        name="memory_recall",
        description="Look up facts that were kept, the best matches first.",
        access="read",
        parameters={
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "Words to look for."},
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST_RECALLED},
                "scope": {**_SCOPE, "enum": [*SCOPES, "all"], "default": "all"},
            },
            "required": ["query"],
        },
    ),
    MemoryTool(
        name="memory_forget",
        description=(
            "Delete facts that no longer hold: one by its id, those that hold every word of a "
            "query, or those not stored again for some days."
        ),
        access="readwrite",
        parameters={
            "type": "object",
            "properties": {
                "id": {"type": "integer"},
                "query": {"type": "string"},
                "prune_older_than_days": {"type": "integer", "minimum": 1},
            },
        },
    ),
)


def read_call(name: str, arguments: Any) -> Call:
    """A validated call of one of the tools. Raises BadArguments."""
    if not isinstance(arguments, Mapping):
        raise BadArguments("The arguments are an object.")
    match name:
        case "memory_store":
            return _store(arguments)
        case "memory_recall":
            scope = arguments.get("scope", "all")
            return Recall(
                query=_query(arguments.get("query")),
                limit=_limit(arguments.get("limit", DEFAULT_LIMIT)),
                scope=None if scope == "all" else _scope(scope),
            )
        case "memory_forget":
            return _forget(arguments)
        case _:
            names = ", ".join(tool.name for tool in TOOLS)
            raise BadArguments(f"Unknown memory tool {name!r}. Tools: {names}.")


def _store(arguments: Mapping[str, Any]) -> Store:
    """A validated fact to keep. The message of BadArguments has every problem, because a model
    would pay a call for each."""
    readers: dict[str, tuple[Callable[[Any], Any], Any]] = {
        "fact": (fact, None),
        "category": (category, None),
        "confidence": (confidence, DEFAULT_CONFIDENCE),
        "scope": (_scope, "project"),
    }
    values, problems = {}, []
    for name, (read, default) in readers.items():
        try:
            values[name] = read(arguments.get(name, default))
        except BadArguments as bad:
            problems.append(str(bad))
    if problems:
        raise BadArguments(" ".join(problems))
    return Store(**values)


def fact(value: Any) -> str:
    """A validated fact. Raises BadArguments."""
    return _words("fact", value, LONGEST_FACT)


def category(value: Any) -> str:
    """A validated category. Raises BadArguments."""
    return _words("category", value, LONGEST_CATEGORY)


def confidence(value: Any) -> float:
    """A validated confidence. Raises BadArguments."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 <= value <= 1:
        raise BadArguments("`confidence` is a number from 0 to 1.")
    return float(value)


def _words(name: str, value: Any, longest: int) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadArguments(f"`{name}` must not be blank.")
    if len(value) > longest or not plain(value):
        raise BadArguments(f"`{name}` is plain text of at most {longest:,} characters.")
    return value.strip()


def _scope(value: Any) -> Scope:
    for scope in SCOPES:
        if value == scope:
            return scope
    raise BadArguments(f"`scope` {value!r:.60} is unknown. Scopes: {', '.join(SCOPES)}.")


def _query(value: Any) -> str:
    if not isinstance(value, str) or not plain(value):
        raise BadArguments("`query` is a text.")
    return value[:LONGEST_FACT]


def _limit(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BadArguments("`limit` is a whole number from 1.")
    return min(value, MOST_RECALLED)


def _forget(arguments: Mapping[str, Any]) -> Forget:
    names = ("id", "query", "prune_older_than_days")
    filters = [name for name in names if arguments.get(name) is not None]
    if len(filters) != 1:
        raise BadArguments(f"Give exactly one of {', '.join(f'`{name}`' for name in names)}.")
    value = arguments[filters[0]]
    if filters[0] == "query":
        if not _query(value).strip():
            raise BadArguments("`query` must name the facts to delete.")
        return Forget(query=_query(value))
    largest = 2**53
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= largest:
        raise BadArguments(f"`{filters[0]}` is a whole number from 1.")
    return Forget(id=value) if filters[0] == "id" else Forget(older_than_days=min(value, 36_500))
