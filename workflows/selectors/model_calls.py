"""Model calls in the log of a run."""

from __future__ import annotations

from workflows.core.engine.effects import AskModel, effect_from_json
from workflows.errors import NotThere
from workflows.models import Run, RunEvent
from workflows.selectors.runs import event_of


def recorded_call(run: Run, number: int) -> AskModel:
    """The call that this `model.asked` event requests. Raises NotThere for another event."""
    row = RunEvent.objects.filter(run=run, n=number).first()
    event = event_of(row) if row else None
    if event is None or event.type != "model.asked":
        raise NotThere(
            f"Event {number} of this run is not a model call.",
            hint="Name an event of the type model.asked.",
            where="at",
        )
    effect = effect_from_json(event.fields["effect"])
    assert isinstance(effect, AskModel)
    return effect
