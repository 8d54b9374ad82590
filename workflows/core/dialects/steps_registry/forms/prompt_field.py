"""The prompt of a step, and the variables that it can use (section 5)."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.steps_registry.format.steps import Step, input_variables
from workflows.core.dialects.steps_registry.format.tools import agent_tools, step_tools
from workflows.core.dialects.steps_registry.format.vocabulary import RUNTIME_VARIABLES
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.forms import PromptField, PromptName, tool_names
from workflows.core.text.tolerant import as_object, as_str


def prompt_field(source: RegistrySource, step: Step) -> PromptField | None:
    """The text of the step's prompt file; None if the step's keys name no path."""
    if not step.c2 or not step.c3:
        return None
    return PromptField(
        element=step.element,
        field="/prompt/text",
        names=tuple(_names(source, step)),
        tools=tool_names(
            {tool.name: tool.description for tool in step_tools(agent_tools(source), step, "")}
        ),
        opening="{uv-",
        closing="}",
        declarations="/uvVariables",
        complete=True,
    )


def _names(source: RegistrySource, step: Step) -> Iterator[PromptName]:
    described = as_object(source.agent_value("parameters"))
    for name in dict.fromkeys(name.removeprefix("uv-") for name in step.variables):
        parameter = described.get(name)
        help = parameter.get("description") if isinstance(parameter, dict) else ""
        yield PromptName(name=name, kind="variable", help=as_str(help))
    for name in sorted(input_variables(step)):
        yield PromptName(name=name, kind="variable", help="An input of this step.")
    for name in RUNTIME_VARIABLES:
        yield PromptName(name=name, kind="run", help="Set by the runner.")
