"""What the starter of a run chooses besides the pack's own variables: inputs with reserved names.

`promptpack.yields`  yes: after the model led into a state with `control: user` the run asks a
person before it goes on, as the format has it. Otherwise it goes on by itself.
`promptpack.judges`  yes: evals that need a model to judge are asked of the model, beside the run.
`promptpack.model`   the model to ask for; `promptpack.model.<provider>` for one provider of the
pack. Overrides of a prompt for that model apply.
`promptpack.agent`   the agent to run the workflow as: it begins in the state that the agent names.
"""

from __future__ import annotations

from workflows.core.dialects.promptpack.format.parts import Object, word
from workflows.core.engine.run import RunState

PREFIX = "promptpack."
YIELDS = f"{PREFIX}yields"
JUDGES = f"{PREFIX}judges"
MODEL = f"{PREFIX}model"
AGENT = f"{PREFIX}agent"
DEFAULT_PROVIDER = "default"
_YES = frozenset({"yes", "true", "1", "on"})


def says_yes(run: RunState, name: str) -> bool:
    """Whether the starter switched this on."""
    return run.inputs.get(name, "").strip().casefold() in _YES


def model_for(run: RunState, *callers: Object) -> str:
    """The model that the starter named for the provider of this call, "" for none. Of the callers
    (a step, then its prompt) the first that names a provider counts."""
    named = (word(caller.get("provider")) for caller in callers)
    provider = next((key for key in named if key), DEFAULT_PROVIDER)
    return run.inputs.get(f"{MODEL}.{provider}") or run.inputs.get(MODEL, "")
