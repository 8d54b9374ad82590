"""What every part of a run is given: the pack, and which reading of it holds."""

from __future__ import annotations

from dataclasses import dataclass

from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.events import Draft

Drafts = tuple[Draft, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """A pack under a profile. `climpt` runs it as the Climpt does that its generation is for."""

    source: RegistrySource
    profile: str

    @property
    def climpt(self) -> bool:
        return self.profile == "climpt"

    @property
    def older(self) -> bool:
        """As Climpt 1.13.15: one check after the answer, errors forgiven, iterations untold."""
        return self.climpt and self.source.generation == "S"

    @property
    def newer(self) -> bool:
        """As Climpt 1.14: a failed check before the model ends the run, attempts are counted."""
        return self.climpt and self.source.generation == "B"
