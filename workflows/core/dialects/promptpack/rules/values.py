"""Rules about the artifacts and skills of states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from workflows.core.dialects.promptpack.format.parts import Parts, skill_paths
from workflows.core.dialects.promptpack.format.templates import placeholders
from workflows.core.dialects.promptpack.program.skills import fits, plain_path
from workflows.core.dialects.promptpack.program.tools import artifact_tool
from workflows.core.dialects.promptpack.rules.agents import is_mime
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, source_rule, unset_fix
from workflows.core.dialects.promptpack.schemas import definition_at
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.engine.rehearsal.answer_gaps import read_gap
from workflows.core.pack.findings import EVERY, Place
from workflows.core.pack.naming import did_you_mean
from workflows.core.rules.kit import Note, short_list
from workflows.core.text.tolerant import as_object_map, as_str


@pack_rule("PP225", "warning", "Artifact is not declared", profiles=EVERY)
def undeclared_artifact(parts: Parts) -> Iterable[Note]:
    """The prompt of this state reads an artifact that another state declares. The value is found,
    but the state's definition does not show it. Declare it in the state's artifacts."""
    for name, artifact in _artifacts_read(parts):
        if artifact in parts.artifacts:
            yield _undeclared(parts, name, artifact, "The state does not declare it.")


@pack_rule("PP334", "error", "Artifact that no state declares", profiles=EVERY)
def unknown_artifact(parts: Parts) -> Iterable[Note]:
    """The prompt of this state reads an artifact that no state declares. The tool that sets
    artifacts does not offer its name, so it never has a value. Correct the name, or declare the
    artifact in the state that sets it."""
    tool = artifact_tool(sorted(parts.artifacts))
    for name, artifact in _artifacts_read(parts):
        missing = read_gap(tool.parameters, ("name",), artifact)
        if missing is not None:
            note = _undeclared(parts, name, artifact, "No state declares it, so it is never set.")
            prompt = as_str(parts.states[name].get("prompt_task"))
            yield replace(
                note,
                pointer=("prompts", prompt, "system_template"),
                hint=did_you_mean(artifact, parts.artifacts),
            )


def _artifacts_read(parts: Parts) -> Iterator[tuple[str, str]]:
    """State and name of each artifact that a state's prompt reads and the state does not
    declare."""
    read = {
        key: [name[10:] for name in placeholders(text) if name.startswith("artifacts.")]
        for (_, text, key) in parts.templates
        if key
    }
    for name, state in parts.states.items():
        for artifact in read.get(as_str(state.get("prompt_task")), ()):
            if artifact not in as_object_map(state.get("artifacts")):
                yield name, artifact


def _undeclared(parts: Parts, state: str, artifact: str, what: str) -> Note:
    here = ("workflow", "states", state, "artifacts", artifact)
    slot = dict(parts.artifacts.get(artifact, {"type": "text/plain"}))
    return Note(
        message=f"The prompt of {state!r} reads artifact {artifact!r}. {what}",
        pointer=("workflow", "states", state),
        fix=set_fix(parts, f"Declare {artifact}", here, slot),
    )


@pack_rule("PP117", "error", "Field of a state in its artifacts", profiles=EVERY)
def misplaced_field(parts: Parts) -> Iterable[Note]:
    """A field of the state, such as `on_event`, is inside its `artifacts`, where it would be an
    artifact. Move it out of `artifacts`."""
    for name, state in parts.states.items():
        here = ("workflow", "states", name)
        fields = definition_at(here, parts.tree).get("properties", {})
        for key, slot in as_object_map(state.get("artifacts")).items():
            if key in fields and key not in state and "type" not in slot:
                yield Note(
                    message=f"{key!r} of state {name!r} is inside its artifacts.",
                    pointer=(*here, "artifacts", key),
                    hint="Move it out of 'artifacts', to the state.",
                )


@pack_rule("PP226", "warning", "Artifact with two modes", profiles=EVERY)
def artifact_modes(parts: Parts) -> Iterable[Note]:
    """Two states declare the same artifact, one with mode replace and the other with mode append.
    In a third state, some runtimes use either mode at random. Use one mode everywhere."""
    modes: dict[str, str] = {}
    for name, state in parts.states.items():
        for artifact, slot in as_object_map(state.get("artifacts")).items():
            mode = as_str(slot.get("mode")) or "replace"
            first = modes.setdefault(artifact, mode)
            if mode != first:
                here = ("workflow", "states", name, "artifacts", artifact, "mode")
                yield Note(
                    message=f"Artifact {artifact!r} has the mode {mode} in {name!r}, "
                    f"but {first} in an earlier state.",
                    pointer=here[:-1],
                    fix=set_fix(parts, f"Change to {first}", here, first),
                )


COMMON_TYPES = {
    "text": "text/plain",
    "plain": "text/plain",
    "string": "text/plain",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "json": "application/json",
    "object": "application/json",
    "html": "text/html",
    "yaml": "application/yaml",
    "python": "text/x-python",
}
"""Words for a content type → its MIME type."""


@pack_rule("PP333", "error", "Artifact without a MIME type", profiles=EVERY)
def artifact_types(parts: Parts) -> Iterable[Note]:
    """The type of an artifact is required, and a MIME type: runtimes store and show the value by
    it. Write text/plain, text/markdown, application/json or another MIME type."""
    for name, state in parts.states.items():
        for artifact, slot in as_object_map(state.get("artifacts")).items():
            type = slot.get("type")
            if not isinstance(type, str) or is_mime(type):
                continue
            here = ("workflow", "states", name, "artifacts", artifact, "type")
            meant = COMMON_TYPES.get(type.strip().casefold(), "text/plain")
            has = f"the type {type!r}, which is no MIME type" if type.strip() else "no type"
            yield Note(
                message=f"Artifact {artifact!r} of {name!r} has {has}.",
                pointer=here,
                hint=f"Did you mean {meant!r}?"
                if type.strip()
                else "Write text/plain, or another.",
                fix=set_fix(parts, f"Change to {meant}", here, meant),
            )


@pack_rule("PP227", "warning", "Skill filter in a pack without skills", profiles=EVERY)
def skills_filter(parts: Parts) -> Iterable[Note]:
    """The state filters the pack's skills, but the pack has none, so the filter has no effect. Add
    skills or remove the field."""
    if parts.skills:
        return
    for name, state in parts.states.items():
        if as_str(state.get("skills")) not in ("", "none"):
            here = ("workflow", "states", name, "skills")
            yield Note(
                message=f"State {name!r} filters skills, but the pack has none.",
                pointer=here,
                fix=unset_fix(parts, "Remove the filter", here),
            )


@pack_rule("PP229", "warning", "Skill filter matches no skill", profiles=EVERY)
def skills_chosen(parts: Parts) -> Iterable[Note]:
    """The state filters the pack's skills by a path or pattern, and no listed path can match it, so
    the state has no skill from a path. Skills written in the pack itself have no path and are
    always available. Correct the path, or write `none`."""
    paths = [plain_path(path) for path in skill_paths(parts.tree.get("skills"))]
    for name, state in parts.states.items():
        choice = as_str(state.get("skills"))
        if not parts.skills or choice.lower() in ("", "none"):
            continue
        if not any(_may_match(path, plain_path(choice)) for path in paths):
            yield Note(
                message=f"The skill filter {choice!r} of {name!r} matches no skill of the pack.",
                pointer=("workflow", "states", name, "skills"),
                hint=f"Skills of the pack: {short_list(parts.skills)}.",
            )


def _may_match(path: str, choice: str) -> bool:
    """Return whether the filter can match a skill at or below this path.

    The content of a folder or of an installed skill is unknown here, so it may match.
    """
    fixed = choice.split("*")[0].split("?")[0].rstrip("/")
    inside = path.startswith(f"{fixed}/") or fixed.startswith(f"{path}/") or path.startswith("@")
    return inside or fixed in ("", path) or fits(path, choice)


@source_rule("PP331", "hint", "Skill without files", profiles=EVERY)
def skill_without_files(source: PackSource) -> Iterable[Note]:
    """The pack names a skill by a path, but it has no SKILL.md at that path, so runs do without the
    skill and report it as missing. Import the folder that holds the pack together with its skills,
    or add the file in the text view."""
    listed = source.parts.tree.get("skills")
    for index, label in source.skills.missing.items():
        item = listed[index] if isinstance(listed, list) else None
        if isinstance(item, dict) and "path" not in item:
            continue  # Written in the pack: the rules of the schema find what it lacks.
        yield Note(
            message=f"The files of skill {label!r} are not part of the pack.",
            pointer=("skills", index),
            hint="Import the pack's folder, or add a SKILL.md there.",
        )


@source_rule("PP332", "warning", "Unreadable skill file", profiles=EVERY)
def unreadable_skill(source: PackSource) -> Iterable[Note]:
    """The file of a skill cannot be used: its front matter is not valid YAML, it is not UTF-8, or
    it has no instructions after the front matter. Runs do without this skill. Correct the file in
    the text view."""
    for skill in source.skills.unreadable:
        yield Note(
            message=f"The skill file {skill.path!r} cannot be read: {skill.message}",
            place=Place(path=skill.path, line=skill.line),
        )
