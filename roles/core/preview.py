"""Requests for a preview: the kind of step, a sample context, and optionally an unsaved config."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from roles.core.json_limits import unkeepable
from roles.core.problems import Problem, Problems, pointer
from roles.core.prompt_config import problems as config_problems
from roles.core.role_fields import in_envelope
from roles.core.template_choice import StepKind, Trigger
from roles.core.templates import flat

TASKS: Mapping[str, tuple[StepKind, Trigger]] = MappingProxyType(
    {
        "ticket_task": ("agent", "ticket"),
        "chat_task": ("chat", "chat"),
        "gate_eval": ("gate", "ticket"),
        "cron_task": ("agent", "cron"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewRequest:
    """`config`: an unsaved config, None for the role's own. `mode`: its id, if any."""

    kind: StepKind
    trigger: Trigger
    variables: dict[str, Any]
    config: Any = None
    addon: str = ""
    mode: int | None = None


def problems(body: Any) -> Problems:
    """Every problem of a preview request, with pointers from its root."""
    if not isinstance(body, Mapping):
        return (Problem(path="", code="type", message="The body is an object."),)
    return tuple(_problems(body))


def read(body: Mapping[str, Any]) -> PreviewRequest:
    """A validated request."""
    kind, trigger = TASKS[body["task_type"]]
    return PreviewRequest(
        kind=kind,
        trigger=trigger,
        variables=flat(body.get("context", {})),
        config=body.get("prompt_config"),
        addon=body.get("system_addon", ""),
        mode=body.get("mode"),
    )


def _problems(body: Mapping[str, Any]) -> Iterator[Problem]:
    if "task_type" not in body:
        yield Problem(path="/task_type", code="missing", message="`task_type` is required.")
    elif body["task_type"] not in tuple(TASKS):
        message = f"`task_type` is one of {', '.join(TASKS)}."
        yield Problem(path="/task_type", code="choice", message=message)
    yield from _context(body.get("context", {}))
    if not isinstance(body.get("system_addon", ""), str):
        yield Problem(path="/system_addon", code="type", message="`system_addon` is a text.")
    mode = body.get("mode")
    whole = isinstance(mode, int) and not isinstance(mode, bool) and 0 <= mode < 2**53
    if mode is not None and not whole:
        yield Problem(path="/mode", code="type", message="`mode` is the number of a mode.")
    if "prompt_config" in body:
        yield from in_envelope(config_problems(body["prompt_config"]))


def _context(context: Any) -> Iterator[Problem]:
    if not isinstance(context, dict):
        yield Problem(path="/context", code="type", message="`context` is an object of sections.")
        return
    for section, values in context.items():
        if not isinstance(values, dict):
            message = f"The section `{section}` is an object of values."
            yield Problem(path=pointer("context", section), code="type", message=message)
    yield from unkeepable(context, "context")
