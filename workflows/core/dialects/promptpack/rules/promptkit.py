"""Rules for the profiles of PromptKit: differences between PromptKit and the format (section
4.17).

Most hold for its first generation only: the second one generates its types from the format.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.promptpack.format.governance import governance_errors
from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer
from workflows.core.dialects.promptpack.format.profiles import FIRST, PROMPTKIT, SECOND
from workflows.core.dialects.promptpack.format.templates import (
    fragment_of,
    missing_variables,
    placeholders,
)
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix
from workflows.core.rules.kit import Note
from workflows.core.text.tolerant import as_list, as_object_map, as_str, indexed_objects

GUARDRAILS = frozenset(
    (
        "banned_words", "content_excludes", "length", "max_length", "min_length", "max_sentences",
        "sentence_count", "required_fields", "field_presence", "regex", "contains", "contains_any",
        "json_valid", "json_schema", "pii_leakage", "toxicity", "bias", "role_violation",
        "topic_policy",
    )
)  # fmt: skip
TRIGGERS = ("every_turn", "on_session_complete", "sample_turns", "sample_sessions")
TYPES = ("string", "number", "boolean", "object", "array")
FORMATS = {
    "image": ("jpeg", "jpg", "png", "webp", "gif", "bmp"),
    "audio": ("mp3", "wav", "opus", "flac", "m4a", "aac", "ogg"),
    "video": ("mp4", "webm", "mov", "avi", "mkv"),
}
DETAILS = ("low", "high", "auto")
UNKNOWN_FIELDS = {
    "State": ("control", "extensions"),
    "Prompt": ("provider", "extensions"),
    "Tool": ("extensions", "action_scope"),
    "Validator": ("message", "id", "extensions"),
    "Eval": ("threshold", "message", "when", "groups", "extensions"),
    "Agent": ("governance", "extensions"),
    "Composition": ("extensions",),
}


@pack_rule("PP901", "warning", "PromptKit requires on_event", profiles=FIRST)
def events_written_out(parts: Parts) -> Iterable[Note]:
    """PromptKit's own schema refuses a state that has neither `on_event` nor `terminal: true`.
    Every runtime accepts an empty `on_event`."""
    for name, state in parts.states.items():
        if "on_event" not in state and state.get("terminal") is not True:
            here = ("workflow", "states", name)
            yield Note(
                message=f"PromptKit refuses state {name!r}, which has no on_event.",
                pointer=here,
                fix=set_fix(parts, "Add an empty on_event", (*here, "on_event"), {}),
            )


@pack_rule("PP902", "warning", "PromptKit disables this validator", profiles=FIRST)
def enabled_written_out(parts: Parts) -> Iterable[Note]:
    """In the format, a validator without `enabled` is enabled. PromptKit's schema refuses it, and
    if the schema check is skipped, the validator is disabled. Set `enabled` explicitly."""
    for pointer, item in parts.validators:
        if "enabled" not in item:
            yield Note(
                message=f"PromptKit disables validator {item.get('type')!r}, which has no enabled.",
                pointer=pointer,
                fix=set_fix(parts, "Enable it", (*pointer, "enabled"), True),
            )


@pack_rule("PP903", "warning", "PromptKit does not know this field", profiles=FIRST)
def later_fields(parts: Parts) -> Iterable[Note]:
    """The schema of PromptKit 1 lacks some newer fields of the format and refuses a pack with this
    field. Remove it from packs that must run there, or use PromptKit 2, which has all of them."""
    if "requires" in parts.tree:
        yield Note(message="PromptKit 1 does not know `requires`.", pointer=("requires",))
    for pointer, item, kind in _objects(parts):
        for field in UNKNOWN_FIELDS[kind]:
            if field in item:
                yield Note(
                    message=f"PromptKit 1 does not know the field {field!r} of a {kind.lower()}.",
                    pointer=(*pointer, field),
                )
    for key, prompt in parts.prompts.items():
        for index, variable in indexed_objects(prompt.get("variables")):
            if "binding" in variable:
                yield Note(
                    message="PromptKit 1 does not know the field 'binding' of a variable.",
                    pointer=("prompts", key, "variables", index, "binding"),
                )
    for pointer, step in parts.steps:
        if "." in as_str(step.get("kind")):
            yield Note(
                message=f"PromptKit 1 does not know steps of kind {step['kind']!r}.",
                pointer=(*pointer, "kind"),
            )


def _objects(parts: Parts) -> Iterator[tuple[Pointer, Object, str]]:
    for name, state in parts.states.items():
        yield ("workflow", "states", name), state, "State"
    for key, prompt in parts.prompts.items():
        yield ("prompts", key), prompt, "Prompt"
    for key, tool in parts.tools.items():
        yield ("tools", key), tool, "Tool"
    for pointer, item in parts.validators:
        yield pointer, item, "Validator"
    for pointer, item in parts.evals:
        yield pointer, item, "Eval"
    for key, member in parts.members.items():
        yield ("agents", "members", key), member, "Agent"
    for name, composition in parts.compositions.items():
        yield ("compositions", name), composition, "Composition"


@pack_rule("PP904", "error", "PromptKit does not know this validator", profiles=PROMPTKIT)
def unknown_validator(parts: Parts) -> Iterable[Note]:
    """PromptKit starts no conversation with a validator of an unknown type. Some types that
    documents show as examples, such as regex_match and sentiment, are unknown to it."""
    for pointer, item in parts.validators:
        kind = item.get("type")
        if isinstance(kind, str) and kind not in GUARDRAILS:
            yield Note(
                message=f"PromptKit does not know the validator type {kind!r}.",
                pointer=(*pointer, "type"),
                fix=set_fix(parts, "Change to regex", (*pointer, "type"), "regex")
                if kind == "regex_match"
                else None,
            )


@pack_rule("PP905", "warning", "PromptKit does not fill in fragments", profiles=PROMPTKIT)
def unresolved_fragment(parts: Parts) -> Iterable[Note]:
    """PromptKit does not fill fragments into the texts of a loaded pack, and then sends the raw
    template to the model. Write the text of the fragment into the prompt if the pack must run
    there."""
    for pointer, text, key in parts.templates:
        if key and any(fragment_of(item, parts, set()) for item in placeholders(text)):
            yield Note(
                message=f"PromptKit does not fill the fragments into prompt {key!r}.",
                pointer=pointer,
            )


@pack_rule("PP906", "warning", "PromptKit cannot enter this state", profiles=FIRST)
def required_on_arrival(parts: Parts) -> Iterable[Note]:
    """On a transition PromptKit passes only artifacts and the context. A prompt with a required
    variable and no default then fails, even if the host set the variable before."""
    entered = {target for events in parts.events.values() for target in events.values()}
    lacks = {
        key: missing
        for key, prompt in parts.prompts.items()
        if (missing := missing_variables(prompt, {}))
    }
    for name in parts.states:
        task = as_str(parts.states[name].get("prompt_task"))
        if name in entered and task in lacks:
            yield Note(
                message=f"PromptKit cannot enter {name!r} without variable {lacks[task][0]!r}.",
                pointer=("workflow", "states", name, "prompt_task"),
            )


@pack_rule("PP907", "hint", "PromptKit ignores the tool policy", profiles=FIRST)
def idle_policy(parts: Parts) -> Iterable[Note]:
    """PromptKit does not pass a pack's `tool_policy` to its tool loop: no tool is blocked and 50
    rounds are allowed. Enforce the policy in the host."""
    for key, prompt in parts.prompts.items():
        if "tool_policy" in prompt:
            yield Note(
                message=f"PromptKit ignores the tool policy of prompt {key!r}.",
                pointer=("prompts", key, "tool_policy"),
            )


@pack_rule("PP908", "warning", "PromptKit never runs this eval", profiles=FIRST)
def idle_trigger(parts: Parts) -> Iterable[Note]:
    """The trigger is valid, but PromptKit's schema refuses it or none of its runners handles it, so
    the eval never runs there."""
    for pointer, item in parts.evals:
        trigger = item.get("trigger")
        if isinstance(trigger, str) and trigger not in TRIGGERS:
            yield Note(
                message=f"PromptKit never fires the trigger {trigger!r}.",
                pointer=(*pointer, "trigger"),
            )


@pack_rule("PP909", "warning", "PromptKit cannot fill in an unset artifact", profiles=PROMPTKIT)
def unset_artifact(parts: Parts) -> Iterable[Note]:
    """While an artifact has no value, PromptKit leaves its placeholder unfilled and therefore sends
    the whole prompt unfilled. The entry state is always reached before any artifact is set."""
    task = parts.states.get(parts.entry, {}).get("prompt_task")
    for pointer, text, key in parts.templates:
        if key == task and any(item.startswith("artifacts.") for item in placeholders(text)):
            yield Note(
                message=f"PromptKit sends prompt {key!r} unfilled until its artifacts are set.",
                pointer=pointer,
            )


@pack_rule("PP910", "hint", "PromptKit's max_sentences never fires", profiles=PROMPTKIT)
def idle_sentences(parts: Parts) -> Iterable[Note]:
    """PromptKit gives every reply the full score for its sentence count, so this validator never
    blocks one. Use max_length instead."""
    for pointer, item in parts.validators:
        if item.get("type") in ("max_sentences", "sentence_count"):
            yield Note(
                message="PromptKit never counts sentences. Use max_length instead.",
                pointer=(*pointer, "type"),
            )


@pack_rule("PP911", "hint", "PromptKit's compiler expects compilation", profiles=PROMPTKIT)
def not_compiled(parts: Parts) -> Iterable[Note]:
    """PromptKit's compiler records the sources of a pack in `compilation`, and its checks warn if
    the field is missing. A hand-written pack has none and still runs."""
    if "compilation" not in parts.tree:
        yield Note(message="The pack has no 'compilation', so PromptKit's compiler warns.")


@pack_rule("PP912", "warning", "PromptKit does not accept this value", profiles=FIRST)
def closed_words(parts: Parts) -> Iterable[Note]:
    """The format accepts any string here, but PromptKit's own older schema accepts only a few: five
    variable types, certain media file types. It refuses packs with other values."""
    for key, prompt in parts.prompts.items():
        for pointer, value, choices in _closed(("prompts", key), prompt):
            if isinstance(value, str) and value not in choices:
                yield Note(
                    message=f"PromptKit does not accept {value!r} in prompt {key!r}.",
                    pointer=pointer,
                    hint=f"It accepts {', '.join(choices)}.",
                )


def _closed(here: Pointer, prompt: Object) -> Iterator[tuple[Pointer, Any, tuple[str, ...]]]:
    for index, variable in indexed_objects(prompt.get("variables")):
        yield (*here, "variables", index, "type"), variable.get("type"), TYPES
    media = as_object_map(prompt.get("media"))
    for kind, choices in FORMATS.items():
        for index, name in enumerate(as_list(media.get(kind, {}).get("allowed_formats"))):
            yield (*here, "media", kind, "allowed_formats", index), name, choices
    detail = media.get("image", {}).get("default_detail")
    yield (*here, "media", "image", "default_detail"), detail, DETAILS


@pack_rule("PP913", "error", "PromptKit refuses this governance", profiles=SECOND)
def refused_governance(parts: Parts) -> Iterable[Note]:
    """PromptKit 2 opens no pack whose governance refers to something that the pack does not
    declare: an eval, a validator, an obligation or another field. It also refuses ids that are
    used twice and a review without a duration as its cadence. Correct the declaration."""
    for error in governance_errors(parts):
        yield Note(message=f"PromptKit opens no such pack: {error.message}", pointer=error.pointer)


@pack_rule("PP914", "warning", "PromptKit blocks despite fail_on_violation", profiles=PROMPTKIT)
def always_blocks(parts: Parts) -> Iterable[Note]:
    """PromptKit does not read `fail_on_violation`: every violated validator changes the reply. The
    author of this one wants a report only. Make it an eval."""
    for pointer, item in parts.validators:
        if item.get("fail_on_violation") is False:
            yield Note(
                message=f"PromptKit blocks replies that violate {as_str(item.get('type'))!r}, "
                "despite fail_on_violation: false.",
                pointer=(*pointer, "fail_on_violation"),
                hint="To report only, make it an eval.",
            )
