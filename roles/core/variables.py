"""The variables that prompts may name, the texts in which each has a value, and its content.

Section 7.1 of the specification: project is available everywhere; ticket in `ticket_task` and
`gate_eval`; chat in `chat_task`; gate in `gate_eval`. Git, step, pipeline and the rest belong to no
kind of step. An output template is rendered together with the task template of its kind.
`step.prompt` and `gate.feedback` are Signalbox's own: a state has a prompt, and a gate sends work
back to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

ALIASES: Mapping[str, str] = MappingProxyType({"message": "chat.message"})
OPEN = ("step.metadata", "project.metadata")
"""Objects defined by the author: any key below them may be named."""

EVERYWHERE = (
    "/system_prompt",
    "/developer_prompt",
    "/templates/ticket_task",
    "/templates/chat_task",
    "/templates/gate_eval",
    "/templates/cron_task",
    "/output_templates/agent_done",
    "/output_templates/gate_pass",
    "/output_templates/gate_fail",
)
GATE = ("/templates/gate_eval", "/output_templates/gate_pass", "/output_templates/gate_fail")
CHAT = ("/templates/chat_task", "/output_templates/agent_done")
TICKET = ("/templates/ticket_task", "/output_templates/agent_done", *GATE)
WORK = (
    "/templates/ticket_task",
    "/templates/chat_task",
    "/templates/cron_task",
    "/output_templates/agent_done",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """`places`: JSON pointers of the texts in which it has a value. `example` is for a preview."""

    name: str
    about: str
    places: tuple[str, ...]
    example: Any

    @property
    def section(self) -> str:
        return self.name.partition(".")[0]


_TABLE: tuple[tuple[tuple[str, ...], str, str, Any], ...] = (
    (TICKET, "ticket.title", "the ticket's title", "Add GET /hello"),
    (TICKET, "ticket.description", "the ticket's text", "Return a greeting as JSON."),
    (
        TICKET,
        "ticket.acceptance_criteria",
        "when the ticket is done",
        '- 200 with {"hello": "world"}\n- covered by a test',
    ),
    (TICKET, "ticket.tags", "tags, comma between", "api, good-first-issue"),
    (TICKET, "ticket.source", "`user`, or the role that sent it", "user"),
    (TICKET, "ticket.id", "the ticket's id", "7f0c"),
    (TICKET, "ticket.status", "the ticket's status", "ready"),
    (TICKET, "ticket.priority", "how urgent it is", "low"),
    (TICKET, "ticket.type", "feature, bug…", "feature"),
    (TICKET, "ticket.slug", "a name for branches", "add-get-hello"),
    (TICKET, "ticket.complexity", "how large it is", "1"),
    (CHAT, "chat.message", "the person's message", "Where do the handlers live?"),
    (GATE, "gate.criteria", "the criteria of the gate", "Tests pass, docs updated"),
    (
        GATE,
        "gate.previous_output",
        "the output of the previous step",
        "All 12 tests pass. README updated.",
    ),
    (WORK, "gate.feedback", "the reason of the gate that sent the work back", ""),
    (WORK, "step.prompt", "the state's own prompt", "Write the handler, and a test for it."),
    (EVERYWHERE, "project.name", "the project", "Greeter"),
    (EVERYWHERE, "project.id", "the project's id", "p-1"),
    (EVERYWHERE, "project.description", "the project's description", "A tiny HTTP service"),
    (EVERYWHERE, "project.working_dir", "the folder the work is done in", "/srv/greeter"),
    (EVERYWHERE, "project.metadata", "settings of the project, as JSON", {"language": "Python"}),
    (EVERYWHERE, "git.branch", "the branch worked on", "agent/add-get-hello"),
    (EVERYWHERE, "git.target_branch", "where pull requests go", "main"),
    (EVERYWHERE, "git.work_dir", "the working copy", "/srv/greeter"),
    (EVERYWHERE, "global.timestamp", "when this is sent, ISO 8601", "2026-03-01T02:00:00Z"),
    (EVERYWHERE, "global.run_id", "the run", "run-9"),
    (EVERYWHERE, "context.documents", "documents of the project, as XML", ""),
    (EVERYWHERE, "context.memory", "the role's memory, as XML", ""),
    (EVERYWHERE, "context.roles", "all roles, as XML", ""),
    (EVERYWHERE, "context.pipelines", "all pipelines, as XML", ""),
    (EVERYWHERE, "context.skills", "skills that may be cited, as XML", ""),
    (EVERYWHERE, "context.modes", "modes that are active, as XML", ""),
    (EVERYWHERE, "step.metadata", "settings of the step, as JSON", {"strict": True}),
    (EVERYWHERE, "pipeline.name", "the pipeline", "Default"),
    (EVERYWHERE, "pipeline.step", "the step within it", "implement"),
    (EVERYWHERE, "role_local.name", "the role's name", "developer"),
    (EVERYWHERE, "role_local.description", "the role's description", "Writes code"),
)
VARIABLES: Mapping[str, Variable] = MappingProxyType(
    {
        name: Variable(name=name, about=about, places=places, example=example)
        for places, name, about, example in _TABLE
    }
)


def variable_named(name: str) -> Variable | None:
    """The variable of this name or alias, or the author-defined object above it."""
    name = ALIASES.get(name, name)
    above = next((one for one in OPEN if name.startswith(one + ".")), name)
    return VARIABLES.get(above)


def doubt(name: str, path: str) -> str:
    """The reason why a text at `path` should not name this variable; "" if it may."""
    variable = variable_named(name)
    if variable is None:
        return f"Unknown variable `{name}`; it will be empty."
    if path not in variable.places:
        there = " and ".join(one.rpartition("/")[2] for one in variable.places)
        return f"`{name}` has no value here, only in {there}; it will be empty."
    return ""
