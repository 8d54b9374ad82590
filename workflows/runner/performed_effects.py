"""Effects that a worker performs itself, so that their repetition after a crash is an event."""

from __future__ import annotations

from typing import assert_never

from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.run import RunState
from workflows.models import Run
from workflows.runner.permissions import is_allowed, may_perform_command
from workflows.runner.planning_mode import refuse_command
from workflows.runner.simulated import simulates_tools
from workflows.runner.tool_calls import is_memory_call
from workflows.runner.tools import tools
from workflows.selectors.tool_bindings import bound


def is_performed(row: Run, run: RunState, effect: Effect) -> bool:
    """Return False for effects that are simulated, refused, or left to a person."""
    match effect:
        case AskModel():
            return row.driver == "model"
        case RunCommand():
            refused = refuse_command(effect, row.options) is not None
            return not refused and may_perform_command(row, run, effect)
        case CallTool():
            return not simulates_tools(row, run, effect) and _is_called(row, run, effect)
        case AskHuman() | Wait():
            return False
        case _:
            assert_never(effect)


def _is_called(row: Run, run: RunState, effect: CallTool) -> bool:
    if is_memory_call(row, effect):
        return True
    binding = bound(row, effect.name)
    tool = tools().get(binding.kind) if binding else None
    if binding is None or tool is None:
        return False
    if binding.settings.get("ask") and not is_allowed(run, effect):
        return False
    return not tool.starts_process(binding.settings) or may_perform_command(
        row, run, effect, binding
    )
