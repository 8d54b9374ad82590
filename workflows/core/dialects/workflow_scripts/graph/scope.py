"""Names that are visible at a place of a script, and their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from workflows.core.dialects.workflow_scripts.format.values import Builtin, Value, either

GLOBALS = ("agent", "parallel", "pipeline", "workflow", "phase", "log", "args", "budget")
"""The names that the runtime gives."""


@dataclass(eq=False)
class Cell:
    """A variable. `level` is the number of branches and loops around its declaration."""

    value: Value
    level: int = 0
    line: int = 0


@dataclass(eq=False)
class Scope:
    """The names of a block, inside another one."""

    parent: Scope | None = None
    cells: dict[str, Cell] = field(default_factory=dict)

    def find(self, name: str) -> Cell | None:
        """The variable with this name, in the nearest block."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.cells:
                return scope.cells[name]
            scope = scope.parent
        return None

    def declare(self, name: str, value: Value, level: int = 0, line: int = 0) -> None:
        self.cells[name] = Cell(value, level, line)

    def assign(self, name: str, value: Value, level: int) -> None:
        """Assign a variable. Inside a branch or loop, it can keep its earlier value."""
        cell = self.find(name)
        if cell is not None:
            cell.value = value if level == cell.level else either((cell.value, value))

    def all(self) -> Iterator[tuple[str, Cell]]:
        """Every visible variable."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.cells.items()
            scope = scope.parent


def global_scope() -> Scope:
    """The scope around a script."""
    scope = Scope()
    for name in GLOBALS:
        scope.declare(name, Builtin(name))
    return scope
