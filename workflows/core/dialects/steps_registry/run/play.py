"""What every part of a run is given: the pack, and which of the two readings holds."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.events import Draft

Drafts = tuple[Draft, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """A pack under a profile."""

    source: RegistrySource
    profile: str

    @property
    def climpt(self) -> bool:
        return self.profile == "climpt"
