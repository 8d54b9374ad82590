"""The input of a model call: the filled-in system prompt, and the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.format.profiles import DEFAULT, Behaviour
from workflows.core.dialects.promptpack.format.templates import (
    declared_variables,
    defaults,
    placeholders,
    render,
    to_text,
)
from workflows.core.dialects.promptpack.program.tools import Policy
from workflows.core.engine.effects import Message
from workflows.core.engine.run import Position, RunState
from workflows.core.text.tolerant import as_object_map, as_str

OPENING_INPUT = "input"
"""The run input that opens the conversation. It is an ordinary variable too."""
DEFAULT_INPUT = "Begin."
"""The opening of a run without that input."""
PROMPTKIT_PARAMETERS = ("temperature", "max_tokens")
NO_VALUES: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptBuilder:
    """Fills in a pack's texts with a run's values."""

    parts: Parts
    behaviour: Behaviour = DEFAULT

    def system(
        self,
        run: RunState,
        position: Position,
        prompt: Object,
        *,
        model: str = "",
        values: Mapping[str, str] = NO_VALUES,
    ) -> tuple[str, tuple[str, ...]]:
        """The system prompt, and the unfilled placeholders, which stay in the text. PromptKit sends
        the whole raw template in this case. `values` belong to this call and override the run's
        values."""
        template = self._template(prompt, model)
        if "{{" not in template:
            return template, ()
        values_by_name = {**self._values(run, position), **values}
        filled = render(template, self._texts(prompt, template), values_by_name)
        if filled.unresolved and self.behaviour.promptkit:
            return template, filled.unresolved
        return filled.text, filled.unresolved

    def _template(self, prompt: Object, model: str) -> str:
        """The prompt's text for this model: the override of the model, else the usual text between
        the override's prefix and suffix. PromptKit 1 ignores model overrides."""
        base = as_str(prompt.get("system_template"))
        override = self._override(prompt, model)
        if not override:
            return base
        if "system_template" in override:
            return as_str(override["system_template"])
        before = as_str(override.get("system_template_prefix"))
        return f"{before}{base}{as_str(override.get('system_template_suffix'))}"

    def _override(self, prompt: Object, model: str) -> Object:
        if self.behaviour.ignores_overrides or not model:
            return {}
        return as_object_map(prompt.get("model_overrides")).get(model, {})

    def parameters(self, prompt: Object, policy: Policy, *, model: str, first: bool) -> Object:
        """The prompt's parameters, overridden by those for this model. A forced tool choice applies
        to the first round only. PromptKit 1 reads two of them."""
        values: dict[str, Any] = {}
        for block in (prompt, self._override(prompt, model)):
            if block and isinstance(own := block.get("parameters"), dict):
                values.update(own)
        if self.behaviour.ignores_overrides:
            values = {name: values[name] for name in PROMPTKIT_PARAMETERS if name in values}
        if policy.choice == "required" and first:
            values["tool_choice"] = "required"
        return values

    def messages(self, run: RunState, position: Position) -> tuple[Message, ...]:
        """The conversation of this visit."""
        return tuple([to_message(turn) for turn in self.turns(run, position)])

    def turns(self, run: RunState, position: Position) -> Sequence[Mapping[str, Any]]:
        """The conversation of this visit in its stored form. A new one opens with the context from
        the previous state, else with the run's input, else with a default message."""
        turns: Sequence[Mapping[str, Any]] = position.memory.get("messages") or ()
        if turns:
            return turns
        opening = position.memory.get("context") or run.inputs.get(OPENING_INPUT) or DEFAULT_INPUT
        return ({"role": "user", "text": opening},)

    def _values(self, run: RunState, position: Position) -> dict[str, str]:
        """The values of a run: its inputs, the artifacts, and the context from the previous
        state."""
        values = dict(run.inputs)
        values.setdefault("workflow_context", "")
        if position.memory.get("context"):
            values["workflow_context"] = position.memory["context"]
        if not self.behaviour.promptkit:
            values.update({f"artifacts.{slot}": "" for slot in self.parts.artifacts})
        values.update({f"artifacts.{name}": to_text(item) for name, item in run.artifacts.items()})
        return values

    def _texts(self, prompt: Object, template: str) -> dict[str, str]:
        """The pack's own texts by placeholder: fragments override defaults, the run's values
        override both. PromptKit does not fill fragments into a loaded pack."""
        texts = dict(defaults(prompt))
        if self.behaviour.promptkit or not (self.parts.fragments and placeholders(template)):
            return texts
        variables = declared_variables(prompt)
        for name, text in self.parts.fragments.items():
            texts[f"fragments.{name}"] = text
            texts[f"fragment:{name}"] = text
            if name not in variables:
                texts[name] = text
        return texts


def to_message(turn: Any) -> Message:
    """A turn of a conversation, from its stored form."""
    return Message(
        role=turn["role"],
        text=turn.get("text", ""),
        tool_calls=tuple(turn.get("tool_calls", ())),
        tool_call_id=turn.get("tool_call_id", ""),
    )


def stored_turn(turn: Message) -> dict[str, Any]:
    """The stored form of a turn."""
    fields: dict[str, Any] = {"role": turn.role, "text": turn.text}
    if turn.tool_calls:
        fields["tool_calls"] = [dict(call) for call in turn.tool_calls]
    if turn.tool_call_id:
        fields["tool_call_id"] = turn.tool_call_id
    return fields
