"""Effects that are performed again, because the first answer was lost with its worker."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, assert_never

from roles.core.tokens import estimate
from workflows.core.engine.effects import (
    AskHuman,
    AskModel,
    CallTool,
    Effect,
    RunCommand,
    Wait,
    effect_to_json,
)
from workflows.core.engine.events import Draft
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.run import RunState

MODEL = "The worker that made this call stopped before the answer. The provider may charge both."
TOOL = (
    "The worker that made this call stopped before its result was recorded. "
    "The call is made again with the same key."
)
COMMAND = (
    "The worker that ran this command stopped before its result was recorded. "
    "The command is run again."
)

Performs = Callable[[Effect], bool]
"""Return True if a worker performs this effect itself: nothing simulates it, and no person answers
it."""


def repeated_calls(run: RunState, performs: Performs, idle: float) -> list[Draft]:
    """The event of each pending effect that a worker performs again. A paused run performs none.
    `idle`: the seconds without a worker, which the first event has."""
    if run.status not in ("running", "waiting"):
        return []
    repeated = [
        effect
        for effect in pending_effects(run)
        if effect.key not in run.left_to_people
        and effect.key not in run.unanswered
        and performs(effect)
    ]
    return [
        Draft(
            type="effect.repeated",
            fields={
                "key": effect.key,
                "position": effect.position,
                "state": effect.state,
                **_details(effect),
                **({"idle": idle} if idle and number == 0 else {}),
            },
        )
        for number, effect in enumerate(repeated)
    ]


def _details(effect: Effect) -> dict[str, Any]:
    match effect:
        case AskModel():
            return {"reason": MODEL, "estimated_input_tokens": _estimated_tokens(effect)}
        case CallTool():
            return {"reason": TOOL, "for": "tool"}
        case RunCommand():
            return {"reason": COMMAND, "for": "command"}
        case AskHuman() | Wait():
            raise AssertionError(effect)
        case _:
            assert_never(effect)


def _estimated_tokens(effect: AskModel) -> int:
    sent = effect_to_json(effect)
    parts = {name: sent.get(name) for name in ("messages", "tools", "schema")}
    return estimate(effect.system) + estimate(json.dumps(parts, ensure_ascii=False))
