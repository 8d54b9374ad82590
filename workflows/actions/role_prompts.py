"""Prompt blocks of a bound role around the question of its state.

`blocks_of` is the only function that writes them: a run sends what it returns, and the previews
show it. The texts of the role come from `roles.core.assemble.assemble`, as on the role's page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roles.core.assemble import CannotAssemble, Messages, assemble, joined, rework
from roles.core.memory_tools import TOOLS
from roles.core.modes import addon_of
from roles.core.prompt_config import BadPromptConfig, prompt_config
from roles.rendering import render_program
from roles.selectors.memory import memory_block
from roles.turns import work_for
from workflows.actions.role_variables import variables_of
from workflows.bindings.run_context import MEMORY_TOOLS, gate_of
from workflows.bindings.step_kinds import kind_of_step, trigger_by
from workflows.core.engine.effects import AskModel
from workflows.core.engine.program import Program
from workflows.core.engine.run import Position, RunState
from workflows.core.prompts.blocks import Blocks
from workflows.core.prompts.feedback import Feedback
from workflows.core.prompts.layered_program import (
    CannotCompose,
    Compose,
    Composed,
    LayeredProgram,
)
from workflows.core.prompts.modes import PREAMBLES
from workflows.models import Pack

MEMORY_TOOL_NAMES = frozenset(tool.name for tool in TOOLS)
Taken = Mapping[str, Any]
"""A role as a run copies it (`role_bindings.taken`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A state with a role in one run. `mode`: the mode of the run, "" for none; `names`: the names
    of the roles at all states; `owner`: the id of the run's owner, None for none."""

    state: str
    taken: Taken
    pack: Pack
    mode: str = ""
    names: Mapping[str, str]
    owner: int | None = None


def with_roles(
    program: Program,
    roles: Mapping[str, Taken],
    pack: Pack,
    mode: str = "",
    owner: int | None = None,
) -> Program:
    """The program with these roles at its states. `mode`: the mode of the run, "" for none;
    `owner`: the id of the run's owner, for whom the rendering counts."""
    names = {state: str(taken["role"]["name"]) for state, taken in roles.items()}
    composed = {
        state: _composer(
            Step(state=state, taken=taken, pack=pack, mode=mode, names=names, owner=owner)
        )
        for state, taken in roles.items()
    }
    gates = {
        state: gate_of(taken["gate"], taken["role"]["prompt_config"].get("output_templates") or {})
        for state, taken in roles.items()
        if taken.get("gate")
    }
    return LayeredProgram(program, composed, MEMORY_TOOLS, gates, rework)


def project_of(pack: Pack) -> str:
    """Project name of this pack in the memory of roles: its name and number, since names repeat."""
    return f"{pack.name[:80]} #{pack.pk}"


def _composer(step: Step) -> Compose:
    def compose(
        run: RunState, position: Position, question: AskModel, feedback: Feedback | None
    ) -> Composed:
        with work_for(step.owner):
            blocks, messages = blocks_of(step, run, position, question, feedback)
        about: dict[str, Any] = {"template": messages.template or ""}
        if messages.fallback:
            about["fallback"] = True
        return Composed(
            blocks=blocks, about=about, system=messages.system, developer=messages.developer
        )

    return compose


def blocks_of(
    step: Step,
    run: RunState,
    position: Position,
    question: AskModel,
    feedback: Feedback | None = None,
) -> tuple[Blocks, Messages]:
    """The blocks around the question of this state, and the role's messages with their warnings.

    The role's task template is the task, and the state's own text is part of it. A program that
    separates identity and task itself provides both. Raises CannotCompose."""
    own = question.prompt.get("blocks", {"task": question.system})
    messages = _messages(step, run, position, own["task"], feedback)
    blocks = Blocks(
        system=own.get("system", ""),
        role=messages.system_and_developer,
        mode=own.get("mode") or PREAMBLES.get(step.mode, ""),
        task=messages.user,
        override=joined(own.get("override", ""), step.taken["override"]),
    )
    return blocks, messages


def _messages(
    step: Step, run: RunState, position: Position, prompt: str, feedback: Feedback | None
) -> Messages:
    role, kind = step.taken["role"], kind_of_step(step.taken)
    context: dict[str, Any] = {
        "project.name": step.pack.name,
        "project.id": str(step.pack.pk),
        "pipeline.name": step.pack.name,
        "pipeline.step": step.state,
        "role_local.name": role["name"],
        "role_local.description": role.get("description", ""),
    }
    if "context.memory" in str(role["prompt_config"]):
        context["context.memory"] = memory_block(role["id"], project_of(step.pack))
    variables = variables_of(
        run,
        position,
        kind=kind,
        prompt=prompt,
        feedback=feedback.reason if feedback else "",
        sender=step.names.get(feedback.gate, feedback.gate) if feedback else "",
        context=context,
    )
    try:
        return assemble(
            prompt_config(role["prompt_config"]),
            kind=kind,
            trigger=trigger_by(run.started_by),
            variables=variables,
            addon=_addon(step, run),
            renderer=render_program,
        )
    except (CannotAssemble, BadPromptConfig) as cannot:
        raise CannotCompose(
            f"The role {role['name']!r} in {step.state!r} cannot be used: {cannot}."
        ) from cannot


def _addon(step: Step, run: RunState) -> str:
    """Text that the mode adds while its session is active."""
    mode = step.taken["mode"]
    if not mode:
        return ""
    turns = run.answered.get("model.replied", ()).count(step.state)
    return addon_of(mode["manifest"], turns)
