"""The context of a run outside its pack: the mode, the roles and gates at its states, and role
templates of the server.

`run.started` records it, and a script that was saved from a run contains it, so a recorded run can
be replayed without its server. The wording differs then: the texts of roles are not recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from roles.core import verdict
from roles.core.assemble import rework
from roles.core.memory_tools import TOOLS
from roles.core.verdict import Verdict, follow, markers, read_verdict
from workflows.core.engine.effects import AskModel, ToolSpec
from workflows.core.engine.program import Program
from workflows.core.engine.replay.recording import CONTEXT_FIELDS, InvalidRecording
from workflows.core.engine.run import Position, RunState
from workflows.core.prompts.blocks import Blocks, join_blocks
from workflows.core.prompts.feedback import Feedback
from workflows.core.prompts.gates import Gate
from workflows.core.prompts.layered_program import Composed, LayeredProgram
from workflows.core.prompts.modes import PREAMBLES

MEMORY_TOOLS = tuple(
    ToolSpec(name=tool.name, description=tool.description, parameters=tool.parameters)
    for tool in TOOLS
)
VERDICT_TOOL = ToolSpec(**verdict.TOOL)


def in_context(
    program: Program,
    mode: str,
    templates: Mapping[str, str],
    tools: Mapping[str, Mapping[str, Any]] | None = None,
) -> Program:
    """The program in its run's mode ("" for none), with the server's role templates by name.
    `tools`: the server's tools by name, `{"description", "parameters"}`; None for a run of an older
    release, which did not check the arguments of calls."""
    if tools is not None:
        program = program.with_tools({name: tool_spec(name, tool) for name, tool in tools.items()})
    if templates:
        program = program.with_templates(templates)
    return program.with_mode(mode) if mode else program


def tool_spec(name: str, body: Mapping[str, Any]) -> ToolSpec:
    """A tool of the session from `run.started`."""
    return ToolSpec(
        name=name,
        description=str(body.get("description", "")),
        parameters=body.get("parameters") or {},
    )


def tools_of(context: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]] | None:
    """The tools in a run's context: those in `session`. None if it has no `tools`. Raises
    InvalidRecording."""
    if "tools" not in context:
        return None
    session = context["tools"].get("session", {})
    valid = isinstance(session, Mapping) and all(
        isinstance(tool, Mapping) and isinstance(tool.get("parameters", {}), Mapping)
        for tool in session.values()
    )
    if not valid:
        raise InvalidRecording("`tools` of a run's context must have tools by name in `session`.")
    return dict(session)


def tools_context(session: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The tools as a field of `run.started`: never empty, because its absence means a run of an
    older release."""
    return {"checked": True, **({"session": dict(session)} if session else {})}


def gate_of(gate: Mapping[str, str], outputs: Mapping[str, str]) -> Gate:
    """A gate whose verdicts take the transitions `pass` and `fail`. `outputs`: the output templates
    of its role, whose first words mark a verdict in plain text."""
    words = markers(outputs)
    begin = f", or begin your answer with {words[0]} or {words[1]}" if words else ""
    return Gate(
        passes=gate["pass"],
        fails=gate["fail"],
        tool=VERDICT_TOOL,
        judge=partial(_judged, outputs),
        again=f"I could read no verdict in this. Call {VERDICT_TOOL.name}{begin}.",
    )


def run_context(
    roles: Mapping[str, Mapping[str, Any]], templates: Mapping[str, str]
) -> dict[str, Any]:
    """Fields of `run.started` from a run's bindings (`role_bindings.taken_along`)."""
    names = {state: taken["role"]["name"] for state, taken in roles.items()}
    gates = {
        state: {**taken["gate"], "outputs": taken["role"]["prompt_config"].get("output_templates")}
        for state, taken in roles.items()
        if taken.get("gate")
    }
    fields = {"roles": names, "gates": gates, "templates": dict(templates)}
    return {name: value for name, value in fields.items() if value}


def program_from_log(program: Program, context: Mapping[str, Any]) -> Program:
    """The program with the context in `context`: the fields of a `run.started`, or `beside` of a
    script. Raises InvalidRecording for an invalid context."""
    mode = context.get("mode", "")
    if mode and not (isinstance(mode, str) and mode in PREAMBLES):
        raise InvalidRecording(f"Unknown mode {mode!r:.60}.")
    for name in CONTEXT_FIELDS[1:]:
        if not isinstance(context.get(name, {}), Mapping):
            raise InvalidRecording(f"`{name}` of a run's context must be an object.")
    gates = {state: _gate_in(state, gate) for state, gate in context.get("gates", {}).items()}
    templates = context.get("templates", {})
    if not all(isinstance(text, str) for text in templates.values()):
        raise InvalidRecording("`templates` of a run's context must be texts by name.")
    program = in_context(program, mode, templates, tools_of(context))
    roles = dict.fromkeys([*context.get("roles", {}), *gates], _own_blocks)
    return LayeredProgram(program, roles, MEMORY_TOOLS, gates, rework) if roles else program


def _gate_in(state: str, body: Any) -> Gate:
    words = [body.get(name) for name in ("pass", "fail")] if isinstance(body, Mapping) else [None]
    outputs = body.get("outputs") or {} if isinstance(body, Mapping) else {}
    texts = list(outputs.values()) if isinstance(outputs, Mapping) else [None]
    if not all(isinstance(text, str) for text in (*words, *texts)):
        raise InvalidRecording(
            f"The gate at {state!r:.80} needs two transitions, and outputs by name."
        )
    return gate_of(body, outputs)


def _own_blocks(
    run: RunState, position: Position, question: AskModel, feedback: Feedback | None
) -> Composed:
    blocks = Blocks(**question.prompt.get("blocks", {"system": question.system}))
    reason = rework(feedback.reason) if feedback else ""
    return Composed(blocks=replace(blocks, task=join_blocks(blocks.task, reason)))


def _judged(
    outputs: Mapping[str, str], text: str, called: Mapping[str, Any] | None, attempt: int
) -> tuple[Verdict, Literal["pass", "fail", "retry"]]:
    read = read_verdict(text, outputs, called)
    return read, follow(read, attempt)
