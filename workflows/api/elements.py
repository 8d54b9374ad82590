"""States, transitions, artifacts and agents of all packs that the user may see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.http import Http404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.routers import SimpleRouter
from rest_framework.serializers import BaseSerializer
from rest_framework.viewsets import ReadOnlyModelViewSet

from roles.request_user import request_user
from workflows.api import serializers as shapes
from workflows.api.serializers import elements as rows
from workflows.errors import NotThere
from workflows.rights.levels import KINDS
from workflows.selectors.elements import ELEMENTS, elements, logs, readable_roles

View = TypeVar("View", bound=type[ReadOnlyModelViewSet[Any]])
TYPES = {"text": OpenApiTypes.STR, "number": OpenApiTypes.INT, "date": OpenApiTypes.DATE}


class OfElements(BaseFilterBackend):
    """The filters of `workflows.selectors.elements`. One row is not filtered."""

    def filter_queryset(self, request: Request, queryset: Any, view: Any) -> Any:
        texts = request.query_params.dict() if view.action == "list" else {}
        return elements(view.basename, request_user(request), texts)


class Elements(ReadOnlyModelViewSet[Any]):
    """A list and its rows. `basename` is the kind in ELEMENTS."""

    filter_backends = (OfElements,)
    lookup_url_kwarg = "id"
    lookup_value_converter = "number"

    def get_object(self) -> Any:
        try:
            return super().get_object()
        except Http404:
            kind = KINDS[self.basename.removesuffix("s")]
            raise NotThere(kind.missing.format(self.kwargs["id"]), hint=kind.hint) from None


def described(kind: str) -> Callable[[View], View]:
    """Describe list and row of a kind."""
    of = ELEMENTS[kind]
    parameters = [
        OpenApiParameter(
            name, TYPES[filter.type], description=filter.help, enum=filter.choices or None
        )
        for name, filter in of.filters.items()
    ]

    def describe(view: View) -> View:
        return extend_schema_view(
            list=extend_schema(operation_id=f"{kind}_list", parameters=parameters),
            retrieve=extend_schema(
                operation_id=f"{kind}_read",
                description=f"Read one of the {kind} by its id.",
                responses={200: getattr(view, "serializer_class"), 404: shapes.Error},  # noqa: B009
            ),
        )(view)

    return describe


@described("states")
class States(Elements):
    """States of the newest revisions."""

    queryset = ELEMENTS["states"].model.objects.all()
    serializer_class = rows.StoredState

    def get_serializer_context(self) -> dict[str, Any]:
        described = getattr(self, "swagger_fake_view", False)
        roles = frozenset[int]() if described else readable_roles(request_user(self.request))
        return {**super().get_serializer_context(), "readable_roles": roles}


@described("transitions")
class Transitions(Elements):
    """Transitions of the newest revisions."""

    queryset = ELEMENTS["transitions"].model.objects.all()
    serializer_class = rows.StoredTransition


@described("artifacts")
class Artifacts(Elements):
    """Artifacts that packs declare, their values in runs, and the prompts and diffs in the logs of
    runs."""

    queryset = ELEMENTS["artifacts"].model.objects.all()
    serializer_class = rows.StoredArtifact

    def get_serializer_class(self) -> type[BaseSerializer[Any]]:
        return rows.LoggedArtifact if self._type else super().get_serializer_class()

    def get_serializer_context(self) -> dict[str, Any]:
        return {**super().get_serializer_context(), "type": self._type}

    @property
    def _type(self) -> str:
        """The type of artifacts in logs that is listed, "" for stored ones."""
        if self.action != "list" or getattr(self, "swagger_fake_view", False):
            return ""
        texts = self.request.query_params.dict()
        return texts["type"] if logs("artifacts", texts) else ""


@described("agents")
class Agents(Elements):
    """Agents that packs publish."""

    queryset = ELEMENTS["agents"].model.objects.all()
    serializer_class = rows.StoredAgent


router = SimpleRouter(use_regex_path=False)
for kind, view in (
    ("states", States), ("transitions", Transitions), ("artifacts", Artifacts), ("agents", Agents),
):  # fmt: skip
    router.register(kind, view, basename=kind)
