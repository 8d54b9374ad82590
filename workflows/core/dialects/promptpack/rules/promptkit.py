"""What PromptKit does otherwise than the format says (section 4.17): profile promptkit only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.promptpack.format.parts import (
    Object,
    Parts,
    Pointer,
    listed,
    objects,
    word,
)
from workflows.core.dialects.promptpack.format.templates import fragment_of, missing, placeholders
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix
from workflows.core.rules.kit import Note

ONLY = ("promptkit",)
GUARDRAILS = frozenset(
    (
        "banned_words", "content_excludes", "length", "max_length", "min_length", "max_sentences",
        "sentence_count", "required_fields", "field_presence", "regex", "contains", "contains_any",
        "json_valid", "json_schema", "pii_leakage", "toxicity", "bias", "role_violation",
        "topic_policy",
    )
)  # fmt: skip
FIRED = ("every_turn", "on_session_complete", "sample_turns", "sample_sessions")
TYPES = ("string", "number", "boolean", "object", "array")
FORMATS = {
    "image": ("jpeg", "jpg", "png", "webp", "gif", "bmp"),
    "audio": ("mp3", "wav", "opus", "flac", "m4a", "aac", "ogg"),
    "video": ("mp4", "webm", "mov", "avi", "mkv"),
}
DETAILS = ("low", "high", "auto")
LATER = {
    "State": ("control", "extensions"),
    "Prompt": ("provider", "extensions"),
    "Tool": ("extensions", "action_scope"),
    "Validator": ("message", "id", "extensions"),
    "Eval": ("threshold", "message", "when", "groups", "extensions"),
    "Agent": ("governance", "extensions"),
    "Composition": ("extensions",),
}


@pack_rule("PP901", "warning", "PromptKit wants on_event", profiles=ONLY)
def events_written_out(parts: Parts) -> Iterable[Note]:
    """PromptKit's own schema refuses a state that has neither `on_event` nor `terminal: true`. An
    empty `on_event` is understood by every runtime."""
    for name, state in parts.states.items():
        if "on_event" not in state and state.get("terminal") is not True:
            here = ("workflow", "states", name)
            yield Note(
                message=f"PromptKit refuses {name!r}, which has no on_event.",
                pointer=here,
                fix=set_fix(parts, "Write an empty on_event", (*here, "on_event"), {}),
            )


@pack_rule("PP902", "warning", "PromptKit switches this validator off", profiles=ONLY)
def enabled_written_out(parts: Parts) -> Iterable[Note]:
    """The format takes a validator without `enabled` as switched on; PromptKit's schema refuses it,
    and where the schema is skipped it counts as switched off. Write it out."""
    for pointer, item in parts.validators:
        if "enabled" not in item:
            yield Note(
                message=f"PromptKit switches the validator {item.get('type')!r} off.",
                pointer=pointer,
                fix=set_fix(parts, "Switch it on", (*pointer, "enabled"), True),
            )


@pack_rule("PP903", "warning", "PromptKit does not know this field", profiles=ONLY)
def later_fields(parts: Parts) -> Iterable[Note]:
    """PromptKit's own schema is older than the format in places and refuses a pack with this field.
    Leave it out for packs that have to run there."""
    if "requires" in parts.tree:
        yield Note(message="PromptKit does not know `requires`.", pointer=("requires",))
    for pointer, item, kind in _objects(parts):
        for field in LATER[kind]:
            if field in item:
                yield Note(
                    message=f"PromptKit does not know {field!r} of a {kind.lower()}.",
                    pointer=(*pointer, field),
                )
    for key, prompt in parts.prompts.items():
        for index, variable in listed(prompt.get("variables")):
            if "binding" in variable:
                yield Note(
                    message="PromptKit does not know 'binding' of a variable.",
                    pointer=("prompts", key, "variables", index, "binding"),
                )
    for pointer, step in parts.steps:
        if "." in word(step.get("kind")):
            yield Note(
                message=f"PromptKit does not know steps of kind {step['kind']!r}.",
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


@pack_rule("PP904", "error", "PromptKit has no such validator", profiles=ONLY)
def unknown_validator(parts: Parts) -> Iterable[Note]:
    """PromptKit opens no conversation with a validator of a type it does not know. Some types that
    documents show as examples, such as regex_match and sentiment, are not among its own."""
    for pointer, item in parts.validators:
        kind = item.get("type")
        if isinstance(kind, str) and kind not in GUARDRAILS:
            yield Note(
                message=f"PromptKit has no validator of type {kind!r}.",
                pointer=(*pointer, "type"),
                fix=set_fix(parts, "Change to regex", (*pointer, "type"), "regex")
                if kind == "regex_match"
                else None,
            )


@pack_rule("PP905", "warning", "PromptKit leaves fragments as they are", profiles=ONLY)
def unresolved_fragment(parts: Parts) -> Iterable[Note]:
    """PromptKit does not fill fragments into the texts of a pack it loads, and sends the model the
    raw template then. Write the text out where the pack has to run there."""
    for pointer, text, key in parts.templates:
        if key and any(fragment_of(item, parts, set()) for item in placeholders(text)):
            yield Note(message=f"PromptKit fills no fragments into {key!r}.", pointer=pointer)


@pack_rule("PP906", "warning", "PromptKit cannot hand over to this state", profiles=ONLY)
def required_on_arrival(parts: Parts) -> Iterable[Note]:
    """On the way into another state PromptKit passes on artifacts and the context only. A prompt
    with a required variable and no default then fails, even if the host gave it a value before."""
    entered = {target for events in parts.events.values() for target in events.values()}
    lacks = {key: found for key, prompt in parts.prompts.items() if (found := missing(prompt, {}))}
    for name in parts.states:
        task = word(parts.states[name].get("prompt_task"))
        if name in entered and task in lacks:
            yield Note(
                message=f"PromptKit cannot enter {name!r}: {lacks[task][0]!r} would be missing.",
                pointer=("workflow", "states", name, "prompt_task"),
            )


@pack_rule("PP907", "hint", "PromptKit does not read the tool policy", profiles=ONLY)
def idle_policy(parts: Parts) -> Iterable[Note]:
    """PromptKit never hands a pack's `tool_policy` to its tool loop: nothing is blocked and 50
    rounds are allowed. Enforce the policy in the host."""
    for key, prompt in parts.prompts.items():
        if "tool_policy" in prompt:
            yield Note(
                message=f"PromptKit does not read the tool policy of {key!r}.",
                pointer=("prompts", key, "tool_policy"),
            )


@pack_rule("PP908", "warning", "PromptKit never fires this eval", profiles=ONLY)
def idle_trigger(parts: Parts) -> Iterable[Note]:
    """The trigger is a legal one, but PromptKit's schema refuses it or none of its runners looks at
    it, so the eval never runs there."""
    for pointer, item in parts.evals:
        trigger = item.get("trigger")
        if isinstance(trigger, str) and trigger not in FIRED:
            yield Note(message=f"PromptKit never fires {trigger!r}.", pointer=(*pointer, "trigger"))


@pack_rule("PP909", "warning", "PromptKit cannot show an unset artifact", profiles=ONLY)
def unset_artifact(parts: Parts) -> Iterable[Note]:
    """As long as an artifact has no value, PromptKit leaves its placeholder unfilled and therefore
    sends the whole prompt unfilled. The entry state is always reached before anything is set."""
    task = parts.states.get(parts.entry, {}).get("prompt_task")
    for pointer, text, key in parts.templates:
        if key == task and any(item.startswith("artifacts.") for item in placeholders(text)):
            yield Note(
                message=f"PromptKit sends the prompt {key!r} unfilled until its artifacts are set.",
                pointer=pointer,
            )


@pack_rule("PP910", "hint", "PromptKit's max_sentences never fires", profiles=ONLY)
def idle_sentences(parts: Parts) -> Iterable[Note]:
    """PromptKit scores every reply as good when it counts sentences, so this validator never holds
    one back. Use max_length instead."""
    for pointer, item in parts.validators:
        if item.get("type") in ("max_sentences", "sentence_count"):
            yield Note(message="PromptKit never counts sentences.", pointer=(*pointer, "type"))


@pack_rule("PP911", "hint", "PromptKit's compiler misses compilation", profiles=ONLY)
def not_compiled(parts: Parts) -> Iterable[Note]:
    """PromptKit's compiler writes into `compilation` what a pack was made from, and its checks warn
    where that is missing. A pack that was written by hand has none, and runs all the same."""
    if "compilation" not in parts.tree:
        yield Note(message="PromptKit's compiler would warn: there is no compilation.")


@pack_rule("PP912", "warning", "PromptKit does not take this value", profiles=ONLY)
def closed_words(parts: Parts) -> Iterable[Note]:
    """The format takes any word here, but PromptKit's own schema is older and takes only a few:
    five types of variables, certain file types of media. It refuses a pack with another one."""
    for key, prompt in parts.prompts.items():
        for pointer, value, known in _closed(("prompts", key), prompt):
            if isinstance(value, str) and value not in known:
                yield Note(
                    message=f"PromptKit does not take {value!r} in the prompt {key!r}.",
                    pointer=pointer,
                    hint=f"It takes {', '.join(known)}.",
                )


def _closed(here: Pointer, prompt: Object) -> Iterator[tuple[Pointer, Any, tuple[str, ...]]]:
    for index, variable in listed(prompt.get("variables")):
        yield (*here, "variables", index, "type"), variable.get("type"), TYPES
    media = objects(prompt.get("media"))
    for kind, known in FORMATS.items():
        formats = media.get(kind, {}).get("allowed_formats")
        for index, name in enumerate(formats if isinstance(formats, list) else []):
            yield (*here, "media", kind, "allowed_formats", index), name, known
    detail = media.get("image", {}).get("default_detail")
    yield (*here, "media", "image", "default_detail"), detail, DETAILS
