"""Prompt blocks of a bound role around the question of its state."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from roles.core.assemble import CannotAssemble, Messages, assemble, joined
from roles.core.memory_tools import TOOLS
from roles.core.modes import Session
from roles.core.prompt_config import BadPromptConfig, prompt_config
from roles.rendering import render_program
from roles.selectors.memory import memory_block
from workflows.core.engine.effects import AskModel
from workflows.core.engine.program import Program
from workflows.core.engine.run import RunState
from workflows.core.prompts.blocks import Blocks
from workflows.core.prompts.layered_program import CannotCompose, Compose, LayeredProgram
from workflows.core.prompts.modes import PREAMBLES
from workflows.models import Pack
from workflows.run_context import MEMORY_TOOLS, gate_of

CONTEXT = (
    # prose: off (a prompt; its hash is part of recorded runs)
    "You work in one state of a workflow. What you do and say is recorded, step by step.\n"
    "Do the task of this state and nothing beyond it; another state does the rest.\n"
    "If you cannot do it, say so and say what is missing. Never invent a result."  # prose: off
)
MEMORY_TOOL_NAMES = frozenset(tool.name for tool in TOOLS)
Taken = Mapping[str, Any]
"""A role as a run copies it (`role_bindings.taken`)."""


def with_roles(program: Program, roles: Mapping[str, Taken], pack: Pack, mode: str = "") -> Program:
    """The program with these roles at its states. `mode`: the mode of the run, "" for none."""
    composed = {state: _composer(state, taken, pack, mode) for state, taken in roles.items()}
    gates = {
        state: gate_of(taken["gate"], taken["role"]["prompt_config"].get("output_templates") or {})
        for state, taken in roles.items()
        if taken.get("gate")
    }
    return LayeredProgram(program, composed, MEMORY_TOOLS, gates)


def project_of(pack: Pack) -> str:
    """Project name of this pack in the memory of roles: its name and number, since names repeat."""
    return f"{pack.name[:80]} #{pack.pk}"


def _composer(state: str, taken: Taken, pack: Pack, mode: str) -> Compose:
    def compose(run: RunState, asked: AskModel) -> Blocks:
        return blocks_of(state, taken, pack, mode, run, asked)[0]

    return compose


def blocks_of(
    state: str, taken: Taken, pack: Pack, mode: str, run: RunState, asked: AskModel
) -> tuple[Blocks, Messages]:
    """The blocks around the question of this state, and the role's part of them with its warnings.
    A program that separates identity and task itself provides both. Raises CannotCompose."""
    messages = _messages(state, taken, pack, run)
    own = asked.prompt.get("blocks", {"task": asked.system})
    output = "" if asked.schema and not taken.get("gate") else messages.output
    blocks = Blocks(
        system=joined(CONTEXT, own.get("system", "")),
        role=messages.system_and_developer,
        mode=own.get("mode") or PREAMBLES.get(mode, ""),
        task=joined(own["task"], output),
        override=joined(own.get("override", ""), taken["override"]),
    )
    return blocks, messages


def _messages(state: str, taken: Taken, pack: Pack, run: RunState) -> Messages:
    role = taken["role"]
    known = {
        "project.name": pack.name,
        "pipeline.name": pack.name,
        "pipeline.step": state,
        "role_local.name": role["name"],
        "global.run_id": run.id,
        "global.timestamp": datetime.fromtimestamp(run.now, UTC).isoformat(timespec="seconds"),
    }
    if "context.memory" in str(role["prompt_config"]):
        known["context.memory"] = memory_block(role["id"], project_of(pack))
    try:
        return assemble(
            prompt_config(role["prompt_config"]),
            kind="gate" if taken.get("gate") else "agent",
            variables={**known, **run.inputs},
            addon=_addon(taken, run, state),
            renderer=render_program,
        )
    except (CannotAssemble, BadPromptConfig) as cannot:
        raise CannotCompose(
            f"The role {role['name']!r} in {state!r} cannot be used: {cannot}."
        ) from cannot


def _addon(taken: Taken, run: RunState, state: str) -> str:
    """Text that the mode adds while its session is active."""
    if not taken["mode"]:
        return ""
    turns = run.answered.get("model.replied", ()).count(state)
    return Session(manifest=taken["mode"]["manifest"], turns=turns).addon
