"""Names that the body of a stage can use (stages.md 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workflows.core.dialects.stages.format.elements import setups
from workflows.core.dialects.stages.format.templates import STAGE_FIELDS
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.forms import Json, PromptName, tool_names
from workflows.core.text.tolerant import as_str_list
from workflows.core.tools.standard import STANDARD

RUN_FIELDS = {
    "ctx.upstream[0].verdict": "Verdict of the stage before.",
    "ctx.upstream[0].reason": "Reason of the stage before.",
    "ctx.upstream[0].parsed": "Structured answer of the stage before.",
    "ctx.workflowRunId": "Id of the run.",
    "ctx.stageExecutionId": "Id of this execution of the stage.",
}


def prompt_names(source: StagesSource, stage: str) -> Iterator[PromptName]:
    """Fields that the setup of this stage writes, then those of other stages, then the run's."""
    own = dict.fromkeys(name for owner, name in setups(source).values() if owner == stage)
    other = {name: owner for owner, name in setups(source).values() if name not in own}
    for name in own:
        yield PromptName(name=f"ctx.{name}", kind="variable", help="Set in this stage.")
    for name, owner in other.items():
        yield PromptName(name=f"ctx.{name}", kind="variable", help=f"Set in {owner}.")
    for name in STAGE_FIELDS:
        yield PromptName(name=f"stage.{name}", kind="run", help=f"The {name} of this stage.")
    for name, help in RUN_FIELDS.items():
        yield PromptName(name=name, kind="run", help=help)


def prompt_tools(values: Mapping[str, Json]) -> tuple[PromptName, ...]:
    """The tools of a stage: the completion tool, then the allowed ones."""
    finish, allowed = values.get("completionTool"), values.get("allowedTools")
    found = {finish: "Ends the stage with its result."} if isinstance(finish, str) else {}
    for name in as_str_list(allowed):
        found.setdefault(name, STANDARD[name].description if name in STANDARD else "")
    return tool_names({name: help for name, help in found.items() if name})
