"""Operations of the API: functions, with their description in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, TypeVar

from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.api.serializers import ERROR

F = TypeVar("F", bound=Callable[..., Any])
_operations: dict[str, tuple[Callable[..., HttpResponseBase], Mapping[str, Any]]] = {}
"""Name → the method of the view that calls it, and other attributes of that view."""


def operation(
    answer: Any,
    *refusals: int,
    status: Any = 200,
    also: Mapping[Any, Any] | None = None,
    error: Any = ERROR,
    view: Mapping[str, Any] | None = None,
    **more: Any,
) -> Callable[[F], F]:
    """Make a function an operation of the API; its name is the id. It is called with the request
    and the arguments of the address, and returns the body of the answer or a whole response.

    `answer` is the serializer of the body, `refusals` are the statuses of its refusals in addition
    to those that every operation has, and `also` are answers of other shapes. `view`: attributes
    of the view, such as its parsers. `more` is passed to `extend_schema`."""
    responses = {status: answer, **dict.fromkeys(refusals, error), **(also or {})}
    code = status[0] if isinstance(status, tuple) else status

    def register(function: F) -> F:
        name = function.__name__.rstrip("_")

        @extend_schema(operation_id=name, responses=responses, **more)
        @wraps(function)
        def method(view: APIView, request: Request, **arguments: Any) -> HttpResponseBase:
            made = function(request, **arguments)
            return made if isinstance(made, HttpResponseBase) else Response(made, status=code)

        _operations[name] = (method, view or {})
        return function

    return register


def addresses(rows: Iterable[tuple[str, str, str]]) -> list[URLPattern]:
    """The addresses of operations, each with one view for all of its methods. `rows`: the name, the
    method and the pattern of each; other names than those of operations are left out."""
    views: dict[str, dict[str, Any]] = {}
    for name, verb, pattern in rows:
        if name in _operations:
            method, attributes = _operations[name]
            views.setdefault(pattern, {}).update(attributes, **{verb.lower(): method})
    make: Callable[..., type[APIView]] = type
    return [path(at, make("Operations", (APIView,), of).as_view()) for at, of in views.items()]
