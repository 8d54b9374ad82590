"""What the model is told: the system prompt filled in, and the conversation so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts, objects, word
from workflows.core.dialects.promptpack.format.templates import (
    declared,
    defaults,
    placeholders,
    render,
    spoken,
)
from workflows.core.dialects.promptpack.program.tools import Policy
from workflows.core.engine.effects import Message
from workflows.core.engine.run import Position, RunState

OPENING = "input"
"""The run input that opens the conversation. It is an ordinary variable too."""
PROMPTKIT_PARAMETERS = ("temperature", "max_tokens")
NOTHING: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompting:
    """Fills in a pack's texts with a run's values."""

    parts: Parts
    promptkit: bool = False

    def system(
        self,
        run: RunState,
        position: Position,
        prompt: Object,
        *,
        model: str = "",
        values: Mapping[str, str] = NOTHING,
    ) -> tuple[str, tuple[str, ...]]:
        """The system prompt, and the placeholders nothing filled. They stay as they are; PromptKit
        sends the whole raw template then. `values` are this call's own and go before the run's."""
        template = self._template(prompt, model)
        known = {**self._values(run, position), **values}
        filled = render(template, self._texts(prompt, template), known)
        if filled.unresolved and self.promptkit:
            return template, filled.unresolved
        return filled.text, filled.unresolved

    def _template(self, prompt: Object, model: str) -> str:
        """The prompt's text for this model: its own in place of the usual one, else the usual one
        between its prefix and suffix. PromptKit drops what a pack says about models."""
        base = word(prompt.get("system_template"))
        override = self._override(prompt, model)
        if "system_template" in override:
            return word(override["system_template"])
        before = word(override.get("system_template_prefix"))
        return f"{before}{base}{word(override.get('system_template_suffix'))}"

    def _override(self, prompt: Object, model: str) -> Object:
        if self.promptkit or not model:
            return {}
        return objects(prompt.get("model_overrides")).get(model, {})

    def parameters(self, prompt: Object, policy: Policy, *, model: str, first: bool) -> Object:
        """The prompt's parameters, those for this model over them; a forced tool choice holds for
        the first round only. PromptKit reads two of them."""
        found: dict[str, Any] = {}
        for block in (prompt.get("parameters"), self._override(prompt, model).get("parameters")):
            found.update(block if isinstance(block, dict) else {})
        if self.promptkit:
            found = {name: found[name] for name in PROMPTKIT_PARAMETERS if name in found}
        if policy.choice == "required" and first:
            found["tool_choice"] = "required"
        return found

    def messages(self, run: RunState, position: Position) -> tuple[Message, ...]:
        """The conversation of this stay. A fresh one opens with what the state before handed on,
        else with the run's input, else with a plain word to begin."""
        turns = position.memory.get("messages")
        if turns:
            return tuple(message(turn) for turn in turns)
        opening = position.memory.get("context") or run.inputs.get(OPENING) or "Begin."
        return (Message(role="user", text=opening),)

    def _values(self, run: RunState, position: Position) -> dict[str, str]:
        """What the run knows: its inputs, the artifacts, and what the state before handed on."""
        values = dict(run.inputs)
        values.setdefault("workflow_context", "")
        if position.memory.get("context"):
            values["workflow_context"] = position.memory["context"]
        if not self.promptkit:
            values.update({f"artifacts.{slot}": "" for slot in self.parts.artifacts})
        values.update({f"artifacts.{name}": spoken(item) for name, item in run.artifacts.items()})
        return values

    def _texts(self, prompt: Object, template: str) -> dict[str, str]:
        """The pack's own texts by placeholder: fragments over defaults, the run's values over both.
        PromptKit knows no fragments in a pack it loads."""
        texts = dict(defaults(prompt))
        if self.promptkit or not (self.parts.fragments and placeholders(template)):
            return texts
        variables = declared(prompt)
        for name, text in self.parts.fragments.items():
            texts[f"fragments.{name}"] = text
            texts[f"fragment:{name}"] = text
            if name not in variables:
                texts[name] = text
        return texts


def message(turn: Any) -> Message:
    """A turn of a conversation, from how a stay keeps it."""
    return Message(
        role=turn["role"],
        text=turn.get("text", ""),
        tool_calls=tuple(turn.get("tool_calls", ())),
        tool_call_id=turn.get("tool_call_id", ""),
    )


def kept(turn: Message) -> dict[str, Any]:
    """A turn of a conversation, as a stay keeps it."""
    found: dict[str, Any] = {"role": turn.role, "text": turn.text}
    if turn.tool_calls:
        found["tool_calls"] = [dict(call) for call in turn.tool_calls]
    if turn.tool_call_id:
        found["tool_call_id"] = turn.tool_call_id
    return found
