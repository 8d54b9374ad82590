"""Template of a step, by its kind and by the trigger of the run (section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

StepKind = Literal[
    "agent", "council", "gate", "cron", "chat", "lambda", "terminal", "terminal_fail"
]
Trigger = Literal["ticket", "webhook", "cron", "chat"]
STEP_KINDS: tuple[StepKind, ...] = get_args(StepKind)
TRIGGERS: tuple[Trigger, ...] = get_args(Trigger)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """`template`: a key of `templates`, None for steps without a prompt. `fallback`: `ticket_task`
    replaces a missing or blank `cron_task`; it is shown in the run."""

    template: str | None
    fallback: bool = False

    @property
    def outputs(self) -> tuple[str, ...]:
        """The output templates, which define the form of the answer."""
        if self.template is None:
            return ()
        return ("gate_pass", "gate_fail") if self.template == "gate_eval" else ("agent_done",)


def select(kind: StepKind, trigger: Trigger, templates: Mapping[str, str]) -> Selected:
    """The template for a step of this kind in a run with this trigger.

    `templates`: the existing ones; a blank one counts as missing. A webhook delivers a ticket.
    """
    match kind:
        case "gate":
            return Selected(template="gate_eval")
        case "chat" | "council":
            return Selected(template="chat_task")
        case "cron":
            return _scheduled(templates)
        case "agent" if trigger == "cron":
            return _scheduled(templates)
        case "agent":
            return Selected(template="chat_task" if trigger == "chat" else "ticket_task")
        case _:
            return Selected(template=None)


def _scheduled(templates: Mapping[str, str]) -> Selected:
    if templates.get("cron_task", "").strip():
        return Selected(template="cron_task")
    return Selected(template="ticket_task", fallback=True)
