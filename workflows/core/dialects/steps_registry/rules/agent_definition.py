"""SR118–120: agent.json, in the two layers of Climpt's own validation."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.rules.kit import CLIMPT_ONLY, DOCUMENTED, registry_rule
from workflows.core.dialects.steps_registry.rules.startup import of_rule, problems
from workflows.core.dialects.steps_registry.rules.verdicts import VERDICT_NEEDS
from workflows.core.dialects.steps_registry.schemas.agent_file import misfits
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.forms import Json
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.json.document import Pointer, pointer_text
from workflows.core.text.tolerant import as_object_map

DEFAULTS: dict[Pointer, Json] = {
    ("runner", "flow", "prompts"): {"registry": "steps_registry.json"},
    ("runner", "flow", "prompts", "registry"): "steps_registry.json",
    ("version",): "1.0.0",
    ("description",): "",
    ("runner", "boundaries"): {"allowedTools": [], "permissionMode": "default"},
    ("runner", "boundaries", "allowedTools"): [],
    ("runner", "boundaries", "permissionMode"): "default",
    ("runner", "flow", "systemPromptPath"): "prompts/system.md",
}
"""Values for keys that the schema requires."""
NO_LIST = ("runner", "boundaries", "allowedTools")
KNOWN = (
    "name", "displayName", "description", "version", "runner", "parameters", "labels", "$schema"
)  # fmt: skip


@registry_rule("SR118", "error", "Invalid agent definition", profiles=CLIMPT_ONLY)
def agent_definition(source: RegistrySource) -> Notes:
    """Climpt refuses agent.json before it reads the registry (AC-VALID-001): `name`, `displayName`
    and `runner` are required; the name consists of lower-case letters, digits and hyphens; each
    parameter has a `type` and a `cli` flag of its own that begins with `--`, and a default of its
    type; permission mode and log format are from their lists."""
    for problem in of_rule(source, "SR118"):
        line = problem.line.removeprefix("[CONFIGURATION] ").rstrip(".")
        yield Note(
            message=f"agent.json: {line} ({problem.code}).",
            path=source.agent_path,
            pointer=_existing(source, problem.pointer),
            element="agent:",
            fix=_fix(source, problem.pointer),
        )


@registry_rule(
    "SR119", "warning", "agent.json does not fit its schema", profiles=EVERY, hint_in=DOCUMENTED
)
def agent_schema(source: RegistrySource) -> Notes:
    """Climpt's `--validate` checks agent.json against a JSON Schema, which requires more than a
    run does: `version`, `description`, `runner.flow.systemPromptPath`,
    `runner.flow.prompts.registry`, `runner.boundaries` and a description of each parameter. Keys
    that it does not know are errors."""
    if not source.agent:
        return
    pointers = {problem.pointer for problem in problems(source) if problem.rule == "SR118"}
    if not isinstance(source.agent_value(*NO_LIST) or [], list):
        pointers.add(NO_LIST)
    if any(of_rule(source, "SR114")):
        pointers.add(("runner", "verdict", "type"))
    if key := VERDICT_NEEDS.get(source.verdict):
        pointers.add(("runner", "verdict", "config", key))
    for misfit in misfits(source.agent):
        if misfit.pointer not in pointers:
            yield Note(
                message=f"agent.json: {'.'.join(map(str, misfit.pointer))} {misfit.problem}.",
                path=source.agent_path,
                pointer=_existing(source, misfit.pointer),
                element="agent:",
                hint="Climpt's --validate refuses the agent.",
                fix=_fix(source, misfit.pointer),
            )


@registry_rule("SR121", "error", "allowedTools is not a list", profiles=EVERY)
def tools_are_a_list(source: RegistrySource) -> Notes:
    """`runner.boundaries.allowedTools` limits the tools of the agent. Without a list, it has all of
    Climpt's base tools, also those that write files and run commands."""
    value = source.agent_value(*NO_LIST)
    if value is None or isinstance(value, list):
        return
    names = [name.strip() for name in value.split(",")] if isinstance(value, str) else []
    yield Note(
        message="agent.json: runner.boundaries.allowedTools is not a list, so the agent may use "
        "every base tool.",
        path=source.agent_path,
        pointer=NO_LIST,
        element="agent:",
        hint='Write a list of names: ["Read", "Grep"].',
        fix=make_fix(
            "Make it a list",
            SetField(element="agent:", field=pointer_text(NO_LIST), value=[*filter(None, names)]),
        )
        if names
        else None,
    )


@registry_rule("SR120", "hint", "Incomplete parameter or unknown key in agent.json", profiles=EVERY)
def agent_hints(source: RegistrySource) -> Notes:
    """Climpt's `--validate` warns about a required parameter with a default, and about top-level
    keys that it ignores."""
    for name, item in as_object_map(source.agent.get("parameters")).items():
        if item.get("required") and item.get("default") is not None:
            yield Note(
                message=f"agent.json: the parameter {name!r} is required and has a default.",
                path=source.agent_path,
                pointer=("parameters", name),
                element="agent:",
            )
    unknown = [key for key in source.agent if key not in KNOWN]
    if unknown:
        yield Note(
            message=f"agent.json: Climpt ignores {', '.join(unknown)}.",
            path=source.agent_path,
            pointer=(unknown[0],),
            element="agent:",
        )


def _existing(source: RegistrySource, pointer: Pointer) -> Pointer:
    """The deepest part of a pointer that agent.json has."""
    text = source.json(source.agent_path)
    while pointer and (text is None or not text.has(pointer)):
        pointer = pointer[:-1]
    return pointer


def _fix(source: RegistrySource, pointer: Pointer) -> Fix | None:
    """A fix that sets the usual value of a missing key."""
    text = source.json(source.agent_path)
    if text is None or text.has(pointer):
        return None
    value = source.agent_id if pointer == ("displayName",) else DEFAULTS.get(pointer)
    if value is None:
        return None
    field = pointer_text(pointer)
    edit = SetField(element="agent:", field=field, value=value)
    return make_fix(f"Set {'.'.join(map(str, pointer))}", edit)
