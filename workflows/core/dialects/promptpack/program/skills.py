"""Skills: which a state offers, and what of them reaches the prompt (promptpack.md section 4.15).

Skills written in the pack itself can be taken up. Those it only names by a path lie outside of it:
they are said to be missing, and nothing is made up for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from workflows.core.dialects.promptpack.format.parts import Object, Parts, listed, skill_label, word
from workflows.core.engine.run import Position, RunState

NONE = "none"
MEMORY = "skills"
"""Where the run's memory has the names of the skills taken up now."""


@dataclass(frozen=True, kw_only=True)
class Skills:
    """The skills of one pack. PromptKit does not look at what a state says about them."""

    parts: Parts
    promptkit: bool = False

    @cached_property
    def own(self) -> dict[str, Object]:
        """The skills written in the pack, by name; of two with one name the first counts."""
        found: dict[str, Object] = {}
        for _, item in listed(self.parts.tree.get("skills")):
            if word(item.get("name")) and word(item.get("instructions")):
                found.setdefault(word(item["name"]), item)
        return found

    @cached_property
    def elsewhere(self) -> tuple[str, ...]:
        """The paths of skills that are not part of the pack."""
        value = self.parts.tree.get("skills")
        labels = [skill_label(item) for item in value] if isinstance(value, list) else []
        return tuple(label for label in labels if label and label not in self.own)

    def offered(self, filter: str) -> dict[str, str]:
        """What can be taken up in a state with this filter: name → description."""
        if self._closed(filter):
            return {}
        return {name: word(item.get("description")) for name, item in self.own.items()}

    def missing(self, filter: str) -> list[str]:
        """The skills such a state would offer, were their files here."""
        if self._closed(filter):
            return []
        return [path for path in self.elsewhere if self.promptkit or in_scope(path, filter)]

    def _closed(self, filter: str) -> bool:
        return not self.promptkit and filter.casefold() == NONE

    def active(self, run: RunState, filter: str) -> list[str]:
        """The skills taken up now that this state offers."""
        offered = self.offered(filter)
        return [name for name in run.memory.get(MEMORY, self._preloaded) if name in offered]

    @cached_property
    def _preloaded(self) -> tuple[str, ...]:
        """The skills that are taken up from the start."""
        return tuple(name for name, item in self.own.items() if item.get("preload") is True)

    def instructions(self, name: str) -> str:
        return word(self.own[name].get("instructions"))

    def added(self, position: Position, filter: str) -> str:
        """What the system prompt says besides: the skills that were taken up before this stay. What
        is taken up during it stands in the conversation."""
        offered = self.offered(filter)
        names = [name for name in position.memory.get(MEMORY, self._preloaded) if name in offered]
        texts = [f"\n\n# Skill: {name}\n{self.instructions(name)}" for name in names]
        return "".join(texts)


def in_scope(path: str, filter: str) -> bool:
    """Whether a state's filter lets a skill's path through: the path itself, a folder above it, or
    a pattern such as `skills/*`."""
    wanted, here = plain_path(filter), plain_path(path)
    return (
        not wanted or here == wanted or here.startswith(f"{wanted}/") or fnmatchcase(here, wanted)
    )


def plain_path(path: str) -> str:
    return path.removeprefix("./").rstrip("/")
