"""The description of an operation in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from drf_spectacular.utils import extend_schema

from roles.api.serializers import ERROR

F = TypeVar("F", bound=Callable[..., Any])


def operation(
    id: str,
    answer: Any,
    *refusals: int,
    status: Any = 200,
    also: Mapping[Any, Any] | None = None,
    error: Any = ERROR,
    **more: Any,
) -> Callable[[F], F]:
    """Describe a method of a view: its id, the serializer of its answer, and the statuses of its
    refusals, in addition to those that every operation has. `also` are answers of other shapes.
    `more` is passed to `extend_schema`."""
    responses = {status: answer, **dict.fromkeys(refusals, error), **(also or {})}
    return extend_schema(operation_id=id, responses=responses, **more)
