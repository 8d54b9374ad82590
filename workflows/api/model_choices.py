"""Model choices of a pack and of its states."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from roles.request_user import request_user
from workflows.actions.model_choices import choose
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers import model_choices as shapes
from workflows.selectors.model_choices import choices_json
from workflows.selectors.packs import pack_named


class ModelChoices(APIView):
    """A state's own choice overrides the run's, the run's the pack's, the pack's the server's
    default."""

    @operation("packs_models", shapes.ModelChoices)
    def get(self, request: Request, id: int) -> Response:
        """Read the model choices of a pack and of its states."""
        return Response(choices_json(pack_named(id), request_user(request)))

    @operation("packs_models_choose", shapes.ModelChoices, 400, request=shapes.NewModelChoice)
    def put(self, request: Request, id: int) -> Response:
        """Choose the model of a pack or of one state. A state's choice overrides the run's, the
        run's overrides the pack's, and the pack's overrides the server's default."""
        params, pack = checked(shapes.NewModelChoice, request), pack_named(id)
        choose(
            pack,
            params["state"],
            connection=params["connection"],
            model=params["model"].strip(),
            by=request_user(request),
        )
        return Response(choices_json(pack, request_user(request)))
