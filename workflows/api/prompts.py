"""Preview of a state's prompt."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from workflows.actions.prompt_previews import prompt_of_state
from workflows.api.operation import operation
from workflows.api.request_params import STARTED_BY, needed, started_by
from workflows.api.serializers.prompts import StatePrompt
from workflows.core.prompts.modes import PREAMBLES
from workflows.errors import BadRequest
from workflows.selectors.packs import pack_named


@operation(
    StatePrompt,
    400,
    404,
    parameters=[
        OpenApiParameter("state", str, required=True),
        OpenApiParameter(
            "mode", enum=list(PREAMBLES), description="In which the run would be started."
        ),
        STARTED_BY,
    ],
)
def packs_prompt(request: Request, id: int) -> Any:
    """The first prompt of a state of the newest revision, as a rehearsal would send it, with the
    bound role. Nothing runs and no model is called."""
    mode = request.query_params.get("mode", "")
    if mode and mode not in PREAMBLES:
        modes = ", ".join(PREAMBLES)
        raise BadRequest(f"Unknown mode {mode!r:.60}. Modes: {modes}.", where="mode")
    state, origin = needed(request, "state"), started_by(request)
    return prompt_of_state(pack_named(id), state, mode, origin)
