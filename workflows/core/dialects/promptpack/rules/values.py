"""Rules over what states keep and load: artifacts and skills."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from workflows.core.dialects.promptpack.format.parts import Parts, objects, skill_paths, word
from workflows.core.dialects.promptpack.format.templates import placeholders
from workflows.core.dialects.promptpack.program.skills import plain_path
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.rules.kit import Note, short_list


@pack_rule("PP225", "warning", "Artifact is not declared")
def undeclared_artifact(parts: Parts) -> Iterable[Note]:
    """The prompt of this state reads an artifact that the state does not declare. The value is
    still found if another state sets it, but a reader of the state cannot tell, and where no state
    declares it, nothing ever sets it. Declare it in the state's artifacts."""
    read = {
        key: [name[10:] for name in placeholders(text) if name.startswith("artifacts.")]
        for (_, text, key) in parts.templates
        if key
    }
    for name, state in parts.states.items():
        for artifact in read.get(word(state.get("prompt_task")), ()):
            if artifact in objects(state.get("artifacts")):
                continue
            here = ("workflow", "states", name, "artifacts", artifact)
            slot = dict(parts.artifacts.get(artifact, {"type": "text/plain"}))
            yield Note(
                message=f"The prompt of {name!r} reads the artifact {artifact!r}, "
                "which the state does not declare.",
                pointer=("workflow", "states", name),
                fix=set_fix(parts, f"Declare {artifact}", here, slot),
            )


@pack_rule("PP226", "warning", "Artifact with two modes")
def artifact_modes(parts: Parts) -> Iterable[Note]:
    """Two states declare the same artifact, one to replace it and the other to append. Which one
    holds in a third state is left to chance by some runtimes. Use one mode everywhere."""
    modes: dict[str, str] = {}
    for name, state in parts.states.items():
        for artifact, slot in objects(state.get("artifacts")).items():
            mode = word(slot.get("mode")) or "replace"
            first = modes.setdefault(artifact, mode)
            if mode != first:
                here = ("workflow", "states", name, "artifacts", artifact, "mode")
                yield Note(
                    message=f"The artifact {artifact!r} is set to {mode} in {name!r}, "
                    f"and to {first} before.",
                    pointer=here[:-1],
                    fix=set_fix(parts, f"Change to {first}", here, first),
                )


@pack_rule("PP227", "warning", "Skills without skills")
def skills_filter(parts: Parts) -> Iterable[Note]:
    """The state chooses among the pack's skills, but the pack has none, so the choice has no
    effect. Add skills or take the field out."""
    if parts.skills:
        return
    for name, state in parts.states.items():
        if word(state.get("skills")) not in ("", "none"):
            here = ("workflow", "states", name, "skills")
            yield Note(
                message=f"{name!r} chooses among skills, but the pack has none.",
                pointer=here,
                fix=unset_fix(parts, "Take the choice out", here),
            )


@pack_rule("PP229", "warning", "State chooses skills that are not there")
def skills_chosen(parts: Parts) -> Iterable[Note]:
    """The state chooses among the pack's skills by a path or pattern, and none of the paths that
    the pack lists can match it, so the state has no skill at all. Skills that are written in the
    pack itself have no path; they are there anyway. Correct the path, or write `none`."""
    paths = [plain_path(path) for path in skill_paths(parts.tree.get("skills"))]
    for name, state in parts.states.items():
        choice = word(state.get("skills"))
        if not parts.skills or choice.lower() in ("", "none"):
            continue
        if not any(_may_match(path, plain_path(choice)) for path in paths):
            yield Note(
                message=f"{name!r} chooses the skills {choice!r}, which match none of the pack's.",
                pointer=("workflow", "states", name, "skills"),
                hint=f"The pack has {short_list(parts.skills)}.",
            )


def _may_match(path: str, choice: str) -> bool:
    """Whether a skill at or below this path may be meant. What lies in a folder or in an installed
    skill is not known here."""
    fixed = choice.split("*")[0].split("?")[0].rstrip("/")
    inside = path.startswith(f"{fixed}/") or fixed.startswith(f"{path}/") or path.startswith("@")
    return inside or fixed in ("", path) or fnmatchcase(path, choice)
