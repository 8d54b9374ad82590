"""Model choices of a pack and of its states."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from roles.request_user import request_user
from workflows.actions.model_choices import choose
from workflows.api.operation import operation
from workflows.api.request_params import checked
from workflows.api.serializers import model_choices as shapes
from workflows.selectors.model_choices import choices_json
from workflows.selectors.packs import pack_named


@operation(shapes.ModelChoices)
def packs_models(request: Request, id: int) -> Any:
    """Read the model choices of a pack and of its states."""
    return choices_json(pack_named(id), request_user(request))


@operation(shapes.ModelChoices, 400, request=shapes.NewModelChoice)
def packs_models_choose(request: Request, id: int) -> Any:
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
    return choices_json(pack, request_user(request))
