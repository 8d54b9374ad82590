"""Recognition of packs by their content, never by name alone (specs of the format, section 7)."""

from __future__ import annotations

import json
from posixpath import basename, dirname
from typing import Any

from workflows.core.dialects.base import PackLocation
from workflows.core.pack.files import Files

NAME = "steps_registry.json"


def recognises(files: Files) -> list[PackLocation]:
    """Every registry of the tree with the files that belong to it.

    An agent's whole folder is its pack, with the config files that begin with its name. A registry
    without a folder of its own is a pack of one file.
    """
    mains: dict[str, str] = {}
    for path in files:
        if not path.endswith(".json") or not _may_be_registry(path, files[path]):
            continue
        if (name := _registry_name(path, files[path])) is not None:
            mains[path] = name
    mains = _without_copies(mains)
    folders = [dirname(path) for path in mains]
    agents = {basename(dirname(path)) for path in mains if _in_agent_folder(path)}
    locations = []
    for main, name in mains.items():
        alone = folders.count(dirname(main)) > 1 or not _owns_folder(files, main)
        paths = (main,) if alone else _paths(files, main, agents, set(folders))
        locations.append(PackLocation(dialect="steps_registry", name=name, main=main, paths=paths))
    return sorted(locations, key=lambda pack: pack.main)


def _may_be_registry(path: str, data: bytes) -> bool:
    """False if the file's name and text rule out that it is a registry."""
    named = basename(path) == NAME
    return named or (b'"agentId"' in data and b'"steps"' in data)


def _registry_name(path: str, data: bytes) -> str | None:
    """The pack's name if the file is a registry, else None."""
    named = basename(path) == NAME
    fallback = basename(dirname(path)) or "agent"
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        return fallback if named else None
    if not isinstance(value, dict):
        return fallback if named and _in_agent_folder(path) else None
    steps, agent = value.get("steps"), value.get("agentId")
    shaped = isinstance(steps, dict) and any(
        isinstance(step, dict) and "stepId" in step for step in steps.values()
    )
    empty = isinstance(agent, str) and (steps == {} or (named and "steps" not in value))
    if (isinstance(agent, str) and (shaped or _looks_like_steps(steps))) or empty:
        return str(agent) or fallback
    return fallback if named and (shaped or _in_agent_folder(path)) else None


def _looks_like_steps(steps: Any) -> bool:
    """Steps without a `stepId` are recognised by a gate, rules or an address."""
    marks = ("structuredGate", "transitions", "c2", "stepKind", "outputSchemaRef")
    return isinstance(steps, dict) and any(
        isinstance(step, dict) and any(mark in step for mark in marks) for step in steps.values()
    )


def _in_agent_folder(path: str) -> bool:
    return basename(dirname(dirname(path))) == ".agent"


def _without_copies(mains: dict[str, str]) -> dict[str, str]:
    """Without copies: in an agent's folder, only `steps_registry.json` is a pack of its own."""
    owners = {dirname(path) for path in mains if basename(path) == NAME}
    return {
        path: name
        for path, name in mains.items()
        if basename(path) == NAME
        or not any(f"{path}/".startswith(f"{folder}/") for folder in owners if folder)
    }


def _owns_folder(files: Files, main: str) -> bool:
    """True if the folder is an agent's: it is in `.agent`, or has the files of an agent."""
    if _in_agent_folder(main):
        return True
    prefix = f"{dirname(main)}/" if dirname(main) else ""
    signs = (f"{prefix}agent.json", f"{prefix}schemas/", f"{prefix}prompts/")
    return any(path.startswith(signs) for path in files)


def _paths(files: Files, main: str, agents: set[str], folders: set[str]) -> tuple[str, ...]:
    folder = dirname(main)
    prefix = f"{folder}/" if folder else ""
    others = tuple(f"{other}/" for other in folders if other != folder and other.startswith(prefix))
    own = [path for path in files if path.startswith(prefix) and not path.startswith(others)]
    if _in_agent_folder(main):
        config = f"{dirname(folder)}/climpt/config/"
        name = basename(folder)
        own += [path for path in files if path.startswith(config) and _owner(path, agents) == name]
    return (main, *sorted(path for path in set(own) if path != main))


def _owner(path: str, agents: set[str]) -> str | None:
    """The agent of a config file: the longest agent name that the file name begins with."""
    if not path.endswith((".yml", ".yaml")):
        return None
    name = basename(path)
    return max((agent for agent in agents if name.startswith(f"{agent}-")), key=len, default=None)


def main_of(files: Files) -> str:
    """The registry of one pack's files; the first JSON file if none is recognised."""
    if locations := recognises(files):
        return locations[0].main
    named = [path for path in files if basename(path) == NAME]
    jsons = [path for path in files if path.endswith(".json")]
    return next(iter((*named, *jsons, *files)), NAME)
