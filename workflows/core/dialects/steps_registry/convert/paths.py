"""Paths of an agent's files, and ids of its steps."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workflows.core.convert.neutral import Machine, State, slug, unique_name, word
from workflows.core.dialects.steps_registry.format.prompt_paths import folder_name

C2_OF_KIND = {"verification": "verification", "closure": "closure"}
FOLDERS = ("initial", "continuation", "verification", "closure", "section", "retry")
_PLACEHOLDER_NAME = re.compile(r"\w+(\.\w+)*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """The address of a step's prompt: `<c2>/<c3>/f_<edition>.md`."""

    c2: str
    c3: str
    edition: str

    @property
    def file(self) -> str:
        return f"{self.c2}/{self.c3}/f_{self.edition}.md"


def addresses(machine: Machine, kinds: dict[str, str]) -> dict[str, Address]:
    """The address of every state. Addresses are unique."""
    result: dict[str, Address] = {}
    taken: set[tuple[str, str, str]] = set()
    for state in machine.states:
        c2, c3 = _folders(state.id, kinds[state.id], first=state.id == machine.entry)
        edition = "default"
        if (c2, c3, edition) in taken:
            edition = slug(state.id)
        while (c2, c3, edition) in taken:
            edition += "-2"
        taken.add((c2, c3, edition))
        result[state.id] = Address(c2=c2, c3=c3, edition=edition)
    return result


def _folders(id: str, kind: str, *, first: bool) -> tuple[str, str]:
    """c2 from the id if it starts with a folder name, else from the kind; c3 from the rest of the
    id."""
    head, dot, rest = id.partition(".")
    c2 = C2_OF_KIND.get(kind) or ("initial" if first else "continuation")
    if dot and head in FOLDERS:
        wanted = C2_OF_KIND.get(kind, head)
        c2 = head if wanted == head else c2
    return c2, folder_name(rest if dot and head in FOLDERS else id) or "step"


def step_ids(machine: Machine) -> dict[str, str]:
    """The step id of every state. Only a step whose values appear in prompts needs an id that is
    valid in a placeholder; other states keep their id."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for state in machine.states:
        id = state.id
        if _is_shown(machine, state) and not _PLACEHOLDER_NAME.fullmatch(id):
            id = word(id)
        ids[state.id] = unique_name(id, taken)
        taken.add(ids[state.id])
    return ids


def _is_shown(machine: Machine, state: State) -> bool:
    return any(slot in machine.slots_shown for slot in state.writes)
