"""The most model calls or agents of one run, with assumptions for what only a run knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBound:
    """`formula` is the bound as text. `most` is its value with the assumptions; None if one of the
    `open` unknowns has neither a limit nor an assumption."""

    formula: str
    most: int | None
    open: tuple[str, ...] = ()
    phases: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """The shape in reports: `agents` is the formula, `most` null without a limit."""
        return {
            "agents": self.formula,
            "most": self.most,
            "open": list(self.open),
            "phases": dict(self.phases),
            "models": dict(self.models),
        }
