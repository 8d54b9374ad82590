"""Values that are computed once for each source of a pack."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar


class KeepingSource(Protocol):
    """A source with a place for what is computed from it."""

    @property
    def kept(self) -> dict[Any, Any]: ...


S = TypeVar("S", bound=KeepingSource)
P = ParamSpec("P")
R = TypeVar("R")


def once_per_source(function: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
    """Compute each result once for a source. The other arguments are hashable. Exceptions are not
    kept."""

    def once(source: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        key = (function, *args, *kwargs.values())
        if key not in source.kept:
            source.kept[key] = function(source, *args, **kwargs)
        result: R = source.kept[key]
        return result

    update_wrapper(once, function)
    return once
