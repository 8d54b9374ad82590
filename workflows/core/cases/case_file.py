"""A case as a file: a scenario of PromptArena that also has answers.

`spec.context.signalbox` is a script (`core.engine.replay.script_file`): inputs, answers, budget and
expectations of a run. A scenario without its own expectations is checked by its assertions about
the workflow. Everything else of the document stays as its author wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from workflows.core.engine.events import Event
from workflows.core.engine.fold import WORKSPACE_DIFF, fold_all
from workflows.core.engine.replay.recording import script_of
from workflows.core.engine.replay.script_file import BadScript, ScriptFile, read_script
from workflows.core.text.json.document import JsonText
from workflows.core.text.json.errors import JsonTextError
from workflows.core.text.tolerant import as_object
from workflows.core.text.yaml.document import YamlText
from workflows.core.text.yaml.errors import YamlTextError

VERSION = "promptkit.altairalabs.ai/v1alpha1"
SCRIPT = ("spec", "context", "signalbox")
FROM_OUTSIDE = ("run.fired", "run.told")
"""Events that no answer causes, so a case cannot repeat them."""
Text: TypeAlias = JsonText | YamlText


class BadCase(Exception):
    """The file is not a case. The message names the line or the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`script`: None for a scenario without answers, which only a model can run. `unchecked`: the
    types of assertions that a replay does not check."""

    name: str
    description: str
    script: ScriptFile | None
    unchecked: tuple[str, ...] = ()


def read_case(data: bytes) -> Case:
    """Raises BadCase."""
    body = as_object(_text(data).value)
    if body.get("kind") != "Scenario":
        raise BadCase("This is not a scenario. Its `kind` has to be `Scenario`.")
    spec = as_object(body.get("spec"))
    script = as_object(spec.get("context")).get(SCRIPT[-1])
    expects, unchecked = _asserted(spec)
    try:
        read = None if script is None else read_script({**_expecting(expects), **script})
    except (BadScript, TypeError) as bad:
        raise BadCase(f"`{'.'.join(SCRIPT)}` cannot be read: {bad}") from None
    return Case(
        name=str(as_object(body.get("metadata")).get("name") or spec.get("id") or ""),
        description=str(spec.get("description") or "").strip(),
        script=read,
        unchecked=unchecked,
    )


def has_answers(data: bytes) -> bool:
    """False for a scenario that only a model can run."""
    try:
        return read_case(data).script is not None
    except BadCase:
        return True


def case_script(events: Sequence[Event]) -> dict[str, Any]:
    """The script of a case that repeats this ended run. A completed run is expected to take the
    same path to the same artifacts. Of one that failed the same answers are expected to lead to the
    end, or as far as they reach. Raises BadCase."""
    run = fold_all(events)
    outside = next((one for one in events if one.type in FROM_OUTSIDE), None)
    if outside is not None:
        raise BadCase(
            f"Event {outside.n} ({outside.type}) came from outside. A case has only answers."
        )
    if not run.finished:
        raise BadCase("The run has not ended yet.")
    script = script_of(events)
    expects = script.pop("expects")
    artifacts = {name: one for name, one in run.artifacts.items() if name != WORKSPACE_DIFF}
    if run.status == "completed":
        expects |= {"artifacts": artifacts} if artifacts else {}
    elif run.status == "cancelled":
        expects["status"] = ""
    else:
        expects = {"status": "completed", "open": True}
    budget = events[0].fields.get("budget")
    return {**script, **({"budget": dict(budget)} if budget else {}), "expects": expects}


def new_case(name: str, events: Sequence[Event]) -> bytes:
    """The file of a new case of an ended run. Raises BadCase."""
    script, run = case_script(events), fold_all(events)
    entry = next((one.fields["state"] for one in events if one.type == "state.entered"), "")
    ended = run.status.replace("_", " ") + (f": {run.reason}" if run.reason else "")
    said = "\n\n".join(map(str, run.inputs.values())) or "Start."
    body: dict[str, Any] = {
        "apiVersion": VERSION,
        "kind": "Scenario",
        "metadata": {"name": name},
        "spec": {
            "description": f"A run that ended as {ended}",
            "task_type": entry,
            "turns": [{"role": "user", "content": said}],
            "context": {SCRIPT[-1]: script},
        },
    }
    try:
        return YamlText.parse(b"").set((), body).data
    except (YamlTextError, ValueError):  # Too large for the reader. JSON is YAML too.
        return json.dumps(body, indent=2).encode() + b"\n"


def with_answers(data: bytes, events: Sequence[Event]) -> bytes:
    """A scenario with the answers of a run. Its assertions stay the expectations. Raises BadCase
    for one that has answers."""
    if read_case(data).script is not None:
        raise BadCase("There is a case of this name. Choose another name.")
    script = {name: one for name, one in case_script(events).items() if name != "expects"}
    return _set(_text(data), SCRIPT, script)


def with_expectations(data: bytes, expects: Mapping[str, Any]) -> bytes:
    """A case with other expectations."""
    return _set(_text(data), (*SCRIPT, "expects"), dict(expects))


def renamed(data: bytes, name: str) -> bytes:
    """A case with another name. Raises BadCase."""
    return _set(_text(data), ("metadata", "name"), name)


def _text(data: bytes) -> Text:
    try:
        is_json = data.lstrip().startswith(b"{")
        return JsonText.parse(data) if is_json else YamlText.parse(data)
    except (JsonTextError, YamlTextError) as bad:
        raise BadCase(f"Line {bad.line}: {bad.message}") from None


def _set(text: Text, pointer: tuple[str, ...], value: Any) -> bytes:
    """Write a value, with the objects around it that are missing."""
    around: Any = text.value
    for depth, key in enumerate(pointer[:-1], start=1):
        around = as_object(around).get(key)
        if not isinstance(around, Mapping):
            for inner in reversed(pointer[depth:]):
                value = {inner: value}
            pointer = pointer[:depth]
            break
    try:
        return text.set(pointer, value).data
    except (ValueError, YamlTextError) as bad:
        raise BadCase(f"`{'.'.join(pointer)}` cannot be written: {bad}") from None


def _expecting(expects: Mapping[str, Any]) -> dict[str, Any]:
    return {"expects": dict(expects)} if expects else {}


def _asserted(spec: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The expectations in the assertions of a scenario, and the types of its other ones."""
    states, expects, others = list[list[str]](), dict[str, Any](), dict[str, None]()
    for one in _assertions(spec):
        match one:
            case {"type": "transitioned_to", "params": {"state": str(state)}}:
                states.append([state])
            case {"type": "workflow_transition_order", "params": {"sequence": [*sequence]}}:
                states.append(list(map(str, sequence)))
            case {"type": "workflow_complete"}:
                expects["status"] = "completed"
            case {"type": str(type)}:
                others[type] = None
    return {**expects, **({"states": states} if states else {})}, tuple(others)


def _assertions(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    turns = spec.get("turns")
    holders = [(turn, "assertions") for turn in turns] if isinstance(turns, list) else []
    for holder, name in [*holders, (spec, "conversation_assertions")]:
        found = as_object(holder).get(name)
        yield from map(as_object, found if isinstance(found, list) else ())
