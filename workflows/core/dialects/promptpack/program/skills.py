"""Skills: those that a state offers, and their text in the prompt (promptpack.md section 4.15).

Skills written in the pack can be activated. Skills that the pack only names by path are outside it:
they are reported as missing and never simulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from workflows.core.dialects.promptpack.format.parts import (
    Object,
    Parts,
    as_str,
    indexed_objects,
    skill_label,
)
from workflows.core.engine.run import Position, RunState

NONE = "none"
MEMORY = "skills"
"""Key of the active skills in the run's memory."""


@dataclass(frozen=True, kw_only=True)
class Skills:
    """The skills of one pack. PromptKit ignores a state's skill filter."""

    parts: Parts
    promptkit: bool = False

    @cached_property
    def own(self) -> dict[str, Object]:
        """The skills written in the pack, by name. The first of two equal names wins."""
        found: dict[str, Object] = {}
        for _, item in indexed_objects(self.parts.tree.get("skills")):
            if as_str(item.get("name")) and as_str(item.get("instructions")):
                found.setdefault(as_str(item["name"]), item)
        return found

    @cached_property
    def external(self) -> tuple[str, ...]:
        """The paths of skills outside the pack."""
        value = self.parts.tree.get("skills")
        labels = [skill_label(item) for item in value] if isinstance(value, list) else []
        return tuple(label for label in labels if label and label not in self.own)

    def offered(self, filter: str) -> dict[str, str]:
        """The skills that can be activated in a state with this filter: name → description."""
        if self._is_none(filter):
            return {}
        return {name: as_str(item.get("description")) for name, item in self.own.items()}

    def missing(self, filter: str) -> list[str]:
        """The external skills that a state with this filter would offer."""
        if self._is_none(filter):
            return []
        return [path for path in self.external if self.promptkit or in_scope(path, filter)]

    def _is_none(self, filter: str) -> bool:
        return not self.promptkit and filter.casefold() == NONE

    def active(self, run: RunState, filter: str) -> list[str]:
        """The active skills that this state offers."""
        offered = self.offered(filter)
        return [name for name in run.memory.get(MEMORY, self._preloaded) if name in offered]

    @cached_property
    def _preloaded(self) -> tuple[str, ...]:
        """The skills that are active from the start."""
        return tuple(name for name, item in self.own.items() if item.get("preload") is True)

    def instructions(self, name: str) -> str:
        return as_str(self.own[name].get("instructions"))

    def prompt_section(self, position: Position, filter: str) -> str:
        """The instructions of skills that were activated before this visit, for the system prompt.
        Those activated during the visit are in the conversation."""
        offered = self.offered(filter)
        names = [name for name in position.memory.get(MEMORY, self._preloaded) if name in offered]
        texts = [f"\n\n# Skill: {name}\n{self.instructions(name)}" for name in names]
        return "".join(texts)


def in_scope(path: str, filter: str) -> bool:
    """Return True if a state's filter matches a skill's path: the path itself, a parent folder, or
    a pattern such as `skills/*`."""
    wanted, here = plain_path(filter), plain_path(path)
    return (
        not wanted or here == wanted or here.startswith(f"{wanted}/") or fnmatchcase(here, wanted)
    )


def plain_path(path: str) -> str:
    return path.removeprefix("./").rstrip("/")
