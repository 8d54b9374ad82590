"""The kind and the trigger of a step, by which a role chooses its task template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roles.core.template_choice import StepKind, Trigger

TRIGGERS: Mapping[str, Trigger] = {
    "ticket": "ticket",
    "chat": "chat",
    "schedule": "cron",
    "webhook": "webhook",
}
"""`started_by` of a run → the trigger by which a role chooses its template."""
STARTED_BY = ("ticket", "chat")
"""Origins of a run that a user starts. The first one is the default."""
KINDS: tuple[StepKind, ...] = ("agent", "chat", "council", "cron")
"""Kinds of a step that a binding can name. A binding with verdicts is a gate."""


def trigger_by(started_by: str) -> Trigger:
    """The trigger of a run. A log without one is that of a ticket."""
    return TRIGGERS.get(started_by, "ticket")


def kind_of_step(bound: Mapping[str, Any]) -> StepKind:
    """The kind of the step that a role takes, from its binding or `role_bindings.taken`."""
    if bound.get("gate"):
        return "gate"
    kind: StepKind = bound.get("kind") or "agent"
    return kind
