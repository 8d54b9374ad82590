"""Validators that a model judges. They run only if the run's options enable judges (options.py).

The reply is held back in the memory of the visit under `held` until the judges have answered; then
it is handled with their scores, as if they were measured at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.context import PackContext
from workflows.core.dialects.promptpack.program.conversation import remember
from workflows.core.dialects.promptpack.program.criteria import criteria_of, is_judged
from workflows.core.dialects.promptpack.program.judge import ANSWER_SCHEMA, SYSTEM, read_score
from workflows.core.dialects.promptpack.program.measures.base import ALIASES
from workflows.core.dialects.promptpack.program.options import JUDGES, is_enabled
from workflows.core.dialects.promptpack.program.replies import reply_text
from workflows.core.dialects.promptpack.program.validators import (
    SCORES,
    Validators,
    directions,
    params_of,
)
from workflows.core.engine.effects import AskModel, Effect, Message
from workflows.core.engine.program import Again, Ask, Outcome
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Reply, Signal, ToolCall
from workflows.core.text.tolerant import as_str, indexed_objects

MEMORY = "held"
SCALE = "Give a score from 0 (no) to 1 (yes)."


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedValidators:
    """Calls the judges of a reply one after the other."""

    context: PackContext
    validators: Validators

    def hold(
        self, run: RunState, position: Position, signal: Signal, effect: Effect
    ) -> Outcome | None:
        """Hold back a reply that judges have to check first. None: there is nothing to judge."""
        if not isinstance(signal, Reply) or not isinstance(effect, AskModel) or effect.judge:
            return None
        text = reply_text(signal)
        if signal.error or not text.strip() or not is_enabled(run, JUDGES):
            return None
        prompt = self.context.prompt_at(position.state)[1]
        left = [
            {
                "index": str(index),
                "criteria": criteria,
                "model": as_str(params_of(item).get("model")),
            }
            for index, item in indexed_objects(prompt.get("validators"))
            if (criteria := self._criteria(item))
        ]
        if not left:
            return None
        held = {"reply": _stored(signal), "text": text, "left": left, SCORES: {}}
        return Outcome(drafts=(remember(**{MEMORY: held}),), next=Again())

    def _criteria(self, item: Object) -> str:
        kind = as_str(item.get("type"))
        kind = ALIASES.get(kind, kind)
        wanted = self.validators.is_on(item) and "output" in directions(item) and is_judged(kind)
        return criteria_of(item, kind) if wanted and self.validators.measure(kind) is None else ""

    def ask(self, position: Position, key: str) -> Outcome | None:
        """The call of the next judge."""
        held = position.memory.get(MEMORY)
        if not held or not held["left"]:
            return None
        job = held["left"][0]
        effect = AskModel(
            key=key,
            position=position.id,
            state=position.state,
            system=SYSTEM,
            messages=(
                Message(
                    role="user",
                    text="\n\n".join([job["criteria"], SCALE, "The reply:", held["text"]]),
                ),
            ),
            schema=ANSWER_SCHEMA,
            model=job["model"],
            judge=True,
        )
        return Outcome(next=Ask(effect=effect))

    def answer(
        self, position: Position, effect: Effect, signal: Signal
    ) -> Outcome | tuple[Position, Reply] | None:
        """The next step after a judge's answer. After the last one: the reply that was held back,
        at a position whose memory has the scores."""
        held = position.memory.get(MEMORY)
        if not held or not isinstance(signal, Reply) or not isinstance(effect, AskModel):
            return None
        job, *left = held["left"]
        scores = {**held[SCORES], job["index"]: read_score(signal)}
        if left:
            kept = remember(**{MEMORY: {**held, "left": left, SCORES: scores}})
            return Outcome(drafts=(kept,), next=Again())
        memory = {**position.memory, MEMORY: None, SCORES: scores}
        return replace(position, memory=memory), _restored(held["reply"], signal)


RELEASED = remember(**{MEMORY: None})
"""The event that ends holding back a reply."""


def _stored(reply: Reply) -> dict[str, Any]:
    calls = [
        {"name": call.name, "arguments": dict(call.arguments), "id": call.id}
        for call in reply.tool_calls
    ]
    return {"text": reply.text, "structured": reply.structured, "tool_calls": calls}


def _restored(stored: Mapping[str, Any], judged: Reply) -> Reply:
    calls = tuple(ToolCall(**call) for call in stored["tool_calls"])
    return Reply(
        at=judged.at,
        key=judged.key,
        text=stored["text"],
        structured=stored["structured"],
        tool_calls=calls,
    )
