"""Merge patches of configs, and differences of two configs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from roles.core.line_diff import unified_lines
from roles.core.problems import pointer

_ABSENT = object()


def merged(target: Any, patch: Any) -> Any:
    """RFC 7396: objects are merged, null removes a key, everything else replaces."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`kind`: added, removed or changed. `before` and `after` are null if there is no value;
    `lines` is a unified diff if both are texts, each line with its sign."""

    path: str
    kind: str
    before: Any
    after: Any
    lines: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "lines": list(self.lines)}


def differences(before: Any, after: Any) -> tuple[Difference, ...]:
    """Differences of another config, by place; lists are compared as a whole."""
    return tuple(_differences(before, after))


def _differences(before: Any, after: Any, *steps: str) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _differences(before.get(key, _ABSENT), after.get(key, _ABSENT), *steps, key)
        return
    if before == after and type(before) is type(after):
        return
    kind = "added" if before is _ABSENT else "removed" if after is _ABSENT else "changed"
    yield Difference(
        path=pointer(*steps),
        kind=kind,
        before=None if before is _ABSENT else before,
        after=None if after is _ABSENT else after,
        lines=_lines(before, after),
    )


def _lines(before: Any, after: Any) -> tuple[str, ...]:
    if not isinstance(before, str) or not isinstance(after, str):
        return ()
    diff = unified_lines(before.splitlines(), after.splitlines(), context=2, end="")
    return tuple(line for line in diff if not line.startswith(("---", "+++")))
