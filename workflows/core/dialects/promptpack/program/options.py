"""Options of a run: inputs with reserved names, in addition to the pack's variables.

- `promptpack.yields`: with `yes`, the run asks a person after the model entered a state with
  `control: user`, as the format defines. By default it continues without asking.
- `promptpack.judges`: with `yes`, evals that need a judge call the model in addition to the run.
- `promptpack.model`: the model to use; `promptpack.model.<provider>` for one provider of the pack.
  Overrides of a prompt for that model apply.
- `promptpack.agent`: the agent to run. It starts at the state of the workflow that it names, else
  with its own prompt.
- `promptpack.prompt`: the prompt to run, in a pack without a workflow.
- `promptpack.chat`: with `yes`, a person may answer each reply, in a pack without a workflow.
"""

from __future__ import annotations

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.format.profiles import Behaviour
from workflows.core.dialects.promptpack.program.criteria import is_judged
from workflows.core.engine.run import RunState
from workflows.core.engine.run_options import RunOption
from workflows.core.text.tolerant import as_str

PREFIX = "promptpack."
YIELDS = f"{PREFIX}yields"
JUDGES = f"{PREFIX}judges"
MODEL = f"{PREFIX}model"
AGENT = f"{PREFIX}agent"
PROMPT = f"{PREFIX}prompt"
CHAT = f"{PREFIX}chat"
DEFAULT_PROVIDER = "default"
YES = ("yes",)
_YES = frozenset({"yes", "true", "1", "on"})


def is_enabled(run: RunState, name: str, *, default: bool = False) -> bool:
    """Return True if the run enables this option; without a value, the default applies."""
    value = run.inputs.get(name, "").strip().casefold()
    return value in _YES if value else default


def model_for(run: RunState, *callers: Object) -> str:
    """The model that the run names for the provider of this call, "" for none. The first of the
    callers (a step, then its prompt) that names a provider determines the provider."""
    provider = DEFAULT_PROVIDER
    for caller in callers:
        if named := as_str(caller.get("provider")):
            provider = named
            break
    return run.inputs.get(f"{MODEL}.{provider}") or run.inputs.get(MODEL, "")


def offered(parts: Parts, behaviour: Behaviour) -> tuple[RunOption, ...]:
    """The options that change how this pack runs."""
    result: list[RunOption] = []
    if parts.workflow is None:
        result += _of_prompts(parts)
    elif _may_yield(parts) and not (behaviour.ignores_control or behaviour.always_yields):
        help = "After the model enters a state with control: user, a person continues."
        result.append(RunOption(name=YIELDS, title="Ask after states", help=help, values=YES))
    if parts.members:
        help = "Runs this agent alone, or from its state of the workflow."
        agents = tuple(parts.members)
        result.append(RunOption(name=AGENT, title="Agent", help=help, values=agents))
    if any(is_judged(as_str(item.get("type"))) for _, item in (*parts.evals, *parts.validators)):
        help = "A model judges the checks that need one, with calls in addition to the run."
        result.append(RunOption(name=JUDGES, title="Judges", help=help, values=YES))
    return tuple(result)


def _may_yield(parts: Parts) -> bool:
    return any(state.get("control") == "user" for state in parts.states.values())


def _of_prompts(parts: Parts) -> list[RunOption]:
    prompts = tuple(parts.prompts)
    if not prompts:
        return []
    chat = RunOption(
        name=CHAT,
        title="Chat",
        help="A person answers each reply until the chat is ended.",
        values=YES,
    )
    if len(prompts) == 1:
        return [chat]
    help = "The prompt to run. The pack has no workflow."
    return [
        RunOption(
            name=PROMPT, title="Prompt", help=help, values=prompts, required=not parts.members
        ),
        chat,
    ]
