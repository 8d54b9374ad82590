"""Options of a run: inputs with reserved names, in addition to the pack's variables.

- `promptpack.yields`: with `yes`, the run asks a person after the model entered a state with
  `control: user`, as the format defines. By default it continues without asking.
- `promptpack.judges`: with `yes`, evals that need a judge call the model in addition to the run.
- `promptpack.model`: the model to use; `promptpack.model.<provider>` for one provider of the pack.
  Overrides of a prompt for that model apply.
- `promptpack.agent`: the agent to run the workflow as. The run starts at the state that the agent
  names.
"""

from __future__ import annotations

from workflows.core.dialects.promptpack.format.parts import Object, as_str
from workflows.core.engine.run import RunState

PREFIX = "promptpack."
YIELDS = f"{PREFIX}yields"
JUDGES = f"{PREFIX}judges"
MODEL = f"{PREFIX}model"
AGENT = f"{PREFIX}agent"
DEFAULT_PROVIDER = "default"
_YES = frozenset({"yes", "true", "1", "on"})


def is_enabled(run: RunState, name: str) -> bool:
    """Return True if the run enables this option."""
    return run.inputs.get(name, "").strip().casefold() in _YES


def model_for(run: RunState, *callers: Object) -> str:
    """The model that the run names for the provider of this call, "" for none. The first of the
    callers (a step, then its prompt) that names a provider determines the provider."""
    named = (as_str(caller.get("provider")) for caller in callers)
    provider = next((key for key in named if key), DEFAULT_PROVIDER)
    return run.inputs.get(f"{MODEL}.{provider}") or run.inputs.get(MODEL, "")
