"""Skills: those that a state offers, and their text in the prompt (promptpack.md section 4.15).

Skills whose files are outside the pack are reported as missing and never simulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property

from workflows.core.dialects.promptpack.format.profiles import DEFAULT, Behaviour
from workflows.core.dialects.promptpack.format.skill_files import Skill, SkillSet
from workflows.core.engine.run import Position, RunState

NONE = "none"
MAX_PATTERN = 200
"""Characters of a filter that is read as a pattern."""
MEMORY = "skills"
"""Key of the active skills in the run's memory."""


@dataclass(frozen=True, kw_only=True)
class Skills:
    """The skills of one pack. PromptKit ignores a state's skill filter."""

    loaded: SkillSet
    behaviour: Behaviour = DEFAULT

    @property
    def own(self) -> dict[str, Skill]:
        """The skills that can be used, by name."""
        return self.loaded.by_name

    def offered(self, filter: str) -> dict[str, str]:
        """The skills that can be activated in a state with this filter: name → description. A skill
        written in the pack has no path and is offered unless the filter is "none"."""
        if self._is_none(filter):
            return {}
        return {
            name: skill.description
            for name, skill in self.own.items()
            if not skill.path or self._in_scope(skill.path, filter)
        }

    def missing(self, filter: str) -> list[str]:
        """The skills without a file that a state with this filter would offer."""
        if self._is_none(filter):
            return []
        return [path for path in self.loaded.missing.values() if self._in_scope(path, filter)]

    def _in_scope(self, path: str, filter: str) -> bool:
        return self.behaviour.promptkit or in_scope(path, filter)

    def _is_none(self, filter: str) -> bool:
        return not self.behaviour.promptkit and filter.casefold() == NONE

    def active(self, run: RunState) -> list[str]:
        """The active skills, also those that the current state does not offer: a filter is for one
        state, and later states have them again."""
        return list(run.memory.get(MEMORY, self._preloaded))

    @cached_property
    def _preloaded(self) -> tuple[str, ...]:
        """The skills that are active from the start."""
        return tuple(name for name, skill in self.own.items() if skill.preload)

    def instructions(self, name: str) -> str:
        return self.own[name].instructions

    def prompt_section(self, position: Position, filter: str) -> str:
        """The instructions of skills that were activated before this visit, for the system prompt.
        Those activated during the visit are in the conversation."""
        if not self.own:
            return ""
        offered = self.offered(filter)
        names = [name for name in position.memory.get(MEMORY, self._preloaded) if name in offered]
        texts = [f"\n\n# Skill: {name}\n{self.instructions(name)}" for name in names]
        return "".join(texts)


def in_scope(path: str, filter: str) -> bool:
    """Return True if a state's filter matches a skill's path: the path itself, a parent folder, or
    a pattern such as `skills/*`."""
    wanted, here = plain_path(filter), plain_path(path)
    return not wanted or here == wanted or here.startswith(f"{wanted}/") or fits(here, wanted)


def fits(path: str, pattern: str) -> bool:
    """Return True if a pattern such as `skills/*` matches a path. Long patterns match nothing,
    because the time to read one grows with the square of its length."""
    return len(pattern) <= MAX_PATTERN and fnmatchcase(path, pattern)


def plain_path(path: str) -> str:
    return path.removeprefix("./").rstrip("/")
