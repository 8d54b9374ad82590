"""The edit kit: dispatch by edit type, and the checks that every dialect makes of an edit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, Protocol, TypeVar

from workflows.core.limits import TEXT_DEPTH
from workflows.core.pack.edits import (
    LAYOUT,
    TYPES,
    Disconnect,
    Edit,
    EditRefused,
    RemoveFile,
    RemoveObject,
    RemoveState,
    UnsetField,
    WriteFile,
)
from workflows.core.pack.files import BadFiles, Files
from workflows.core.text.json.document import JsonTextError
from workflows.core.text.json.pointer import Pointer, pointer_text
from workflows.core.text.surrogates import LONE_SURROGATE, SURROGATE, SURROGATE_HINT
from workflows.core.text.yaml.errors import YamlTextError

FILE_EDITS = (WriteFile, RemoveFile)
"""Edits of whole files. They are the only ones that apply to an unreadable pack."""
REMOVALS = (Disconnect, RemoveState, UnsetField, RemoveObject, RemoveFile)
"""Edits that write nothing new, so that they can also remove what no other edit may write."""
MAX_BITS = 13_000
"""Size of an integer. Python refuses to spell out integers of more than 4,300 digits."""


class EditableSource(Protocol):
    """The part of a source that the kit reads."""

    @property
    def files(self) -> Files: ...
    @property
    def main(self) -> str: ...
    @property
    def readable(self) -> bool: ...


S = TypeVar("S", bound=EditableSource)


@dataclass(frozen=True, kw_only=True)
class EditKit(Generic[S]):
    """The edits of one dialect: a function per edit type, behind one set of checks.

    Raises TypeError if an edit type other than those of LAYOUT has no function.
    """

    functions: Mapping[type[Any], Callable[[S, Any], S]]
    precondition: Callable[[S], None] = lambda source: None
    """Checks a readable source before any edit except those of whole files. Raises EditRefused."""
    explain: Callable[[Exception], EditRefused | None] = lambda error: None
    """The refusal for an exception of the dialect's own; None for one that the kit knows."""

    def __post_init__(self) -> None:
        layout = {edit_type.type for edit_type in LAYOUT}
        missing = TYPES.keys() - layout - {edit_type.type for edit_type in self.functions}
        if missing:
            raise TypeError(f"No function for edits of type {', '.join(sorted(missing))}.")

    def apply(self, source: S, edit: Edit) -> S:
        """The next source; `source` itself never changes. Raises EditRefused with the reason."""
        function = self.functions.get(type(edit))
        if function is None:
            name = getattr(edit, "type", type(edit).__name__)
            raise EditRefused(f"An edit of type {name!r} does not change the files of a pack.")
        check_values(edit)
        if not isinstance(edit, FILE_EDITS):
            if not source.readable:
                raise EditRefused(
                    "The pack cannot be read, so only its text can be edited.",
                    where=source.main,
                    hint="Open the text view and fix the errors that the findings list.",
                )
            self.precondition(source)
        try:
            return function(source, edit)
        except EditRefused:
            raise
        except Exception as error:
            refusal = self.explain(error) or _refusal(error, source.main)
            if refusal is None:
                raise
            raise refusal from error


def check_values(edit: Edit) -> None:
    """Raises EditRefused for a value that no file can hold: a lone surrogate, NaN, an object that
    is not JSON, or one that is too deep or too large."""
    if isinstance(edit, REMOVALS):
        return
    for name, value in _written(edit):
        for pointer, problem in _problems(value):
            if problem == LONE_SURROGATE:
                raise EditRefused(problem, hint=SURROGATE_HINT)
            place = f" at {pointer_text(pointer)}" if pointer else ""
            raise EditRefused(f"The {name} of this edit cannot be written: {problem}{place}.")


def _written(edit: Edit) -> Iterator[tuple[str, Any]]:
    """The fields of an edit that end up in a file. Names of existing elements are left out, so that
    an element with an invalid name can be renamed."""
    existing = {"transition"}
    if hasattr(edit, "new_id") or hasattr(edit, "new_key"):
        existing |= {"id", "element"}
    for item in fields(edit):
        if item.name not in existing:
            yield item.name, getattr(edit, item.name)


def _problems(value: object) -> Iterator[tuple[Pointer, str]]:
    """The first problem of each value inside, without recursion: the value may be any depth."""
    waiting: list[tuple[Pointer, object]] = [((), value)]
    while waiting:
        pointer, item = waiting.pop()
        if len(pointer) > TEXT_DEPTH:
            yield (), f"it is nested deeper than {TEXT_DEPTH} levels"
            return
        match item:
            case str():
                if SURROGATE.search(item):
                    yield pointer, LONE_SURROGATE
            case bool() | None:
                pass
            case int():
                if item.bit_length() > MAX_BITS:
                    yield pointer, "an integer has too many digits"
            case float():
                if not math.isfinite(item):
                    yield pointer, f"{item} is not a JSON number"
            case list() | tuple():
                waiting += [((*pointer, index), each) for index, each in enumerate(item)]
            case Mapping():
                for key, each in item.items():
                    if not isinstance(key, str):
                        yield pointer, f"the key {key!r} is not a string"
                    elif SURROGATE.search(key):
                        yield pointer, LONE_SURROGATE
                    waiting.append(((*pointer, str(key)), each))
            case _:
                yield pointer, f"a {type(item).__name__} is not a JSON value"


def _refusal(error: Exception, main: str) -> EditRefused | None:
    """The refusal for an exception that an edit of a damaged pack may raise; None for others."""
    match error:
        case JsonTextError():
            return EditRefused(f"This value cannot be written: {error.message}")
        case YamlTextError():
            return EditRefused(error.message, hint=error.hint)
        case BadFiles():
            return EditRefused(error.message, where=error.where, hint=error.hint)
        case UnicodeEncodeError():
            return EditRefused(LONE_SURROGATE, hint=SURROGATE_HINT)
        case KeyError() | IndexError() | ValueError() | TypeError() | AttributeError():
            return EditRefused(
                "The pack has a value of an unexpected type where this edit would write.",
                where=main,
                hint="The findings name the value. Fix it, in the text view if need be.",
            )
    return None
