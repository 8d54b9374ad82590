"""Effects of a step: a model call with schema and choices, or a process."""

from __future__ import annotations

import re
from typing import Any

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    prompt_text,
    without_front_matter,
)
from workflows.core.dialects.steps_registry.format.steps import Step, strings
from workflows.core.dialects.steps_registry.program.built_in_prompts import SYSTEM
from workflows.core.dialects.steps_registry.program.choices import choices
from workflows.core.dialects.steps_registry.program.context import RegistryContext
from workflows.core.dialects.steps_registry.program.gate import RunFault
from workflows.core.dialects.steps_registry.program.prompts import variables_for
from workflows.core.dialects.steps_registry.program.texts import (
    as_text,
    fill_template,
    insert_argument,
)
from workflows.core.dialects.steps_registry.schemas.references import SchemaProblem
from workflows.core.dialects.steps_registry.schemas.resolve import step_schema
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import AskModel, Message
from workflows.core.engine.run import RunState
from workflows.core.prompts.blocks import Blocks, prompt_fields
from workflows.core.text.placeholders import MAX_TEXT
from workflows.core.text.tolerant import as_str

TURNS_KEPT = 6
"""Number of earlier turns to send. Upstream resumes one conversation instead."""
CONTEXT = re.compile(r"\$\{context\.(\w+)\}")
PERMISSION = {"work": "acceptEdits", "closure": "acceptEdits", "verification": "plan"}
PROCESS_SECONDS = 30.0


def ask_model(
    context: RegistryContext, run: RunState, step: Step, prompt: str, key: str, position: str
) -> AskModel:
    """A model call with the step's schema. `prompt.logged` records the system prompt and the step's
    prompt; earlier turns are in the log already."""
    source = context.source
    system = system_prompt(source, run, step)
    turn = run.answered.get("model.replied", ()).count(step.id) + 1
    schema = _schema(source, step)
    return AskModel(
        key=key,
        position=position,
        state=step.id,
        system=system,
        messages=(*_turns(run), Message(role="user", text=prompt)),
        schema=schema,
        model=model_of(source, step),
        parameters={"permissionMode": permission_of(context, step)},
        choices=choices(source, step, context.profile, schema),
        prompt=prompt_fields(Blocks(system=system, task=prompt), "full", turn),
    )


def _schema(source: RegistrySource, step: Step) -> dict[str, Any] | None:
    try:
        return step_schema(source, step)
    except SchemaProblem:
        return None


def _turns(run: RunState) -> tuple[Message, ...]:
    numbers = sorted(
        int(name.removeprefix("turn:")) for name in run.memory if name.startswith("turn:")
    )
    messages: list[Message] = []
    for number in numbers[-TURNS_KEPT:]:
        turn = run.memory[f"turn:{number}"]
        messages.append(Message(role="user", text=str(turn.get("prompt", ""))))
        messages.append(Message(role="assistant", text=str(turn.get("answer", ""))))
    return tuple(messages)


def model_of(source: RegistrySource, step: Step) -> str:
    """The model: the step's, else the agent's default, else opus."""
    model = as_str(step.value.get("model"))
    return model or as_str(source.agent_value("runner", "flow", "defaultModel")) or "opus"


def permission_of(context: RegistryContext, step: Step) -> str:
    """The permission mode: the step's, else its kind's, else the agent's. Before 1.13.23, only the
    agent's."""
    agent = as_str(context.source.agent_value("runner", "boundaries", "permissionMode"))
    mode = as_str(step.value.get("permissionMode")) or PERMISSION.get(step.kind or "", "")
    return agent or "default" if context.runs_as_1_13_15 else mode or agent or "default"


def system_prompt(source: RegistrySource, run: RunState, step: Step) -> str:
    """The agent's system prompt. If its file is missing, generation S has a built-in one."""
    own_path = as_str(source.agent_value("runner", "flow", "systemPromptPath"))
    path = source.beside(own_path or "prompts/system.md")
    if path not in source.files:
        return SYSTEM if source.generation == "S" else ""
    try:
        variables = variables_for(source, run, step, flow=True)
    except RunFault:
        variables = {name: as_text(value) for name, value in run.inputs.items()}
    return fill_template(without_front_matter(prompt_text(source, path)), variables).text


def process_of(step: Step, run: RunState) -> tuple[tuple[str, ...], float]:
    """Command and time limit (seconds) of a `runner`. Raises RunFault for a missing value
    and for one that is too long."""
    runner = step.value["runner"]
    arguments: list[str] = []
    size = 0
    for argument in strings(runner.get("args")):
        for name in CONTEXT.findall(argument):
            value = run.inputs.get(name)
            if value is None:
                raise RunFault("UNRESOLVED_TEMPLATE", f"Unresolved template: ${{context.{name}}}")
            try:
                argument = insert_argument(argument, f"${{context.{name}}}", str(value))
            except ValueError as error:
                raise RunFault("UNRESOLVED_TEMPLATE", str(error)) from None
        arguments.append(argument)
        size += len(argument)
        if size > MAX_TEXT:
            text = f"The arguments have more than {MAX_TEXT:,} characters. Shorten the inputs."
            raise RunFault("UNRESOLVED_TEMPLATE", text)
    timeout = runner.get("timeout")
    usable = isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and timeout > 0
    return (
        as_str(runner.get("command")),
        *arguments,
    ), timeout / 1000 if usable else PROCESS_SECONDS
