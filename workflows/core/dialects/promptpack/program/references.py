"""References in a composition: `${input.a}`, `${step.output.b}` (promptpack.md section 5.4)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from workflows.core.limits import VALUE_DEPTH
from workflows.core.text.placeholders import MAX_TEXT, fill
from workflows.core.text.tolerant import as_list
from workflows.core.text.value_size import text_size

MISSING: Any = object()
_REFERENCE = re.compile(r"\$\{([^{}]*)\}")


class CannotResolve(Exception):
    """A value cannot be filled in. The message is the reason."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def scope_of(run_input: Any, outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The values for references: the input, and the output of every step that has one."""
    return {"input": run_input, **{step: {"output": value} for step, value in outputs.items()}}


def path_of(text: Any) -> tuple[str, ...]:
    """The names of a text that is exactly one reference; () for any other text."""
    match = _REFERENCE.fullmatch(text) if isinstance(text, str) else None
    return tuple(match[1].split(".")) if match else ()


def look_up(path: tuple[str, ...], scope: Mapping[str, Any]) -> Any:
    """The value at a path, MISSING if there is none. Paths do not lead into lists."""
    value: Any = scope if path else MISSING
    for name in path:
        if not isinstance(value, Mapping) or name not in value:
            return MISSING
        value = value[name]
    return MISSING if len(path) == 1 and path[0] != "input" else value


def resolve(value: Any, scope: Mapping[str, Any]) -> Any:
    """The value with every reference filled in. Raises CannotResolve for a reference without a
    value, and if the values have more than MAX_TEXT characters together.

    A text that is exactly one reference becomes the value it refers to, of any type; references
    within other text become text.
    """
    return _Resolver(scope).resolve(value)


class _Resolver:
    """Fills in references, and counts the characters of the values."""

    def __init__(self, scope: Mapping[str, Any]) -> None:
        self._scope = scope
        self._left = MAX_TEXT

    def resolve(self, value: Any) -> Any:
        match value:
            case str():
                return self._fill(value)
            case dict():
                return {key: self.resolve(item) for key, item in value.items()}
            case list():
                return [self.resolve(item) for item in value]
            case _:
                return value

    def _fill(self, text: str) -> Any:
        whole = path_of(text)
        if whole:
            value = self._look_up(whole)
            self._spend(text_size(value))
            return value
        filled = fill(
            _REFERENCE, text, lambda match: as_text(self._look_up(tuple(match[1].split("."))))
        )
        if filled.stop is not None:
            raise _too_long()
        if filled.text != text:
            self._spend(len(filled.text))
        return filled.text

    def _look_up(self, path: tuple[str, ...]) -> Any:
        value = look_up(path, self._scope)
        if value is MISSING:
            raise CannotResolve(f'unresolved reference "${{{".".join(path)}}}"')
        return value

    def _spend(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0:
            raise _too_long()


def _too_long() -> CannotResolve:
    return CannotResolve(
        f"the input has more than {MAX_TEXT:,} characters with its references filled in; "
        "refer to fewer or smaller values"
    )


def paths_in(value: Any) -> Iterator[tuple[str, ...]]:
    """Every reference inside a value, at any depth."""
    match value:
        case str():
            for name in _REFERENCE.findall(value):
                yield tuple(name.split("."))
        case dict():
            for item in value.values():
                yield from paths_in(item)
        case list():
            for item in value:
                yield from paths_in(item)


def as_text(value: Any) -> str:
    """A value as text for a model: strings unchanged, other values as compact JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def from_text(text: str) -> Any:
    """The input of a composition from a text: the value if it is a JSON object or list, else the
    text itself, including `42`."""
    value = parse_json(text)
    return value if isinstance(value, dict | list) else text


def parse_json(text: str) -> Any:
    """The JSON value of a text; MISSING if it is not JSON or nested too deeply."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return MISSING
    return value if is_shallow(value) else MISSING


def is_shallow(value: Any) -> bool:
    """Return True if a value is nested no deeper than VALUE_DEPTH."""
    layer = [value]
    for _ in range(VALUE_DEPTH):
        layer = [item for one in layer for item in _children(one)]
        if not layer:
            return True
    return False


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return as_list(value)
