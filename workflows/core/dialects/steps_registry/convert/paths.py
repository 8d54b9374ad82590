"""Where the files of an agent lie, and what its steps are called."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workflows.core.convert.neutral import Machine, State, slug, unlike, word

C2_OF_KIND = {"verification": "verification", "closure": "closure"}
FOLDERS = ("initial", "continuation", "verification", "closure", "section", "retry")
_PLACEHOLDER_NAME = re.compile(r"\w+(\.\w+)*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a step's prompt lies: `<c2>/<c3>/f_<edition>.md`."""

    c2: str
    c3: str
    edition: str

    @property
    def file(self) -> str:
        return f"{self.c2}/{self.c3}/f_{self.edition}.md"


def addresses(machine: Machine, kinds: dict[str, str]) -> dict[str, Address]:
    """The address of every state; no two share one."""
    found: dict[str, Address] = {}
    taken: set[tuple[str, str, str]] = set()
    for state in machine.states:
        c2, c3 = _folders(state.id, kinds[state.id], first=state.id == machine.entry)
        edition = "default"
        if (c2, c3, edition) in taken:
            edition = slug(state.id)
        while (c2, c3, edition) in taken:
            edition += "-2"
        taken.add((c2, c3, edition))
        found[state.id] = Address(c2=c2, c3=c3, edition=edition)
    return found


def _folders(id: str, kind: str, *, first: bool) -> tuple[str, str]:
    """c2 from the id where that begins so, else from the kind; c3 from the rest of the id."""
    head, dot, rest = id.partition(".")
    c2 = C2_OF_KIND.get(kind) or ("initial" if first else "continuation")
    if dot and head in FOLDERS:
        wanted = C2_OF_KIND.get(kind, head)
        c2 = head if wanted == head else c2
    words = re.findall(r"[a-z]+", (rest if dot and head in FOLDERS else id).lower())
    return c2, "-".join(words) or "step"


def step_ids(machine: Machine) -> dict[str, str]:
    """What every state is called here. Only a step whose values other prompts show needs a name
    that can stand in a placeholder; all others keep theirs."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for state in machine.states:
        id = state.id
        if _is_shown(machine, state) and not _PLACEHOLDER_NAME.fullmatch(id):
            id = word(id)
        found[state.id] = unlike(id, taken)
        taken.add(found[state.id])
    return found


def _is_shown(machine: Machine, state: State) -> bool:
    return any(slot in machine.slots_shown for slot in state.writes)
