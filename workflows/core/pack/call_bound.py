"""The most model calls or agents of one run, with assumptions for what only a run knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBound:
    """`formula` is the bound as text, in `unit`s. `most` is its value with the assumptions; None if
    one of the `open` unknowns has neither a limit nor an assumption. `unknowns`: all that can be
    assumed."""

    formula: str
    most: int | None
    open: tuple[str, ...] = ()
    phases: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    unknowns: tuple[str, ...] = ()
    unit: str = "agents"
    states: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """State → its line, and its own bound."""
    calls: Mapping[str, int | None] = field(default_factory=dict)
    """Model → its most calls with the assumptions; None without a limit."""

    @property
    def text(self) -> str:
        """The number; without one the formula."""
        return self.formula if self.most is None else f"{self.most:,}"

    def change_from(self, before: CallBound | None) -> str:
        """Both numbers if they differ, "12 → 190", else the one."""
        if before is None or before.text == self.text:
            return self.text
        return f"{before.text} → {self.text}"

    def grown_since(self, before: CallBound) -> tuple[int, ...]:
        """The lines of states that are new or have another bound, if the whole bound grew."""
        if self.most is not None and (before.most is None or before.most >= self.most):
            return ()
        bounds = {name: bound for name, (_, bound) in before.states.items()}
        lines = {line for name, (line, own) in self.states.items() if bounds.get(name) != own}
        return tuple(sorted(lines)) if self.text != before.text else ()

    def to_json(self) -> dict[str, object]:
        """The shape in reports: `agents` is the formula, `most` null without a limit."""
        return {
            "agents": self.formula,
            "most": self.most,
            "open": list(self.open),
            "phases": dict(self.phases),
            "models": dict(self.models),
        }


def assumptions(texts: Iterable[str]) -> dict[str, int]:
    """Unknown → its number, from texts `NAME=NUMBER`. Raises ValueError with the wrong one."""
    found = {}
    for one in texts:
        name, _, number = one.rpartition("=")
        if not name or not (number := number.strip()).isdecimal() or len(number) > 9:
            raise ValueError(one)
        found[name.strip()] = int(number)
    return found
