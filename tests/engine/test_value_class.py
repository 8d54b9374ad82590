"""Values of the engine: equal and hashed by their fields, copied with `replace`, and frozen for
mypy."""

from __future__ import annotations

import pickle
import subprocess
import sys
from copy import copy
from dataclasses import dataclass, fields, replace
from pathlib import Path

from workflows.core.dialects.steps_registry.format.steps import read_step
from workflows.core.engine.events import Event
from workflows.core.engine.program import Take
from workflows.core.engine.signals import Reply

ROOT = Path(__file__).parents[2]
ASSIGNMENT = """
from workflows.core.value_class import value_class

@value_class(frozen=True, slots=True, kw_only=True)
class Point:
    x: int

point = Point(x=1)
point.x = 2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """The fields of `Take`, as a frozen dataclass."""

    target: str
    label: str
    redirected: bool = False
    original_target: str = ""
    memory: tuple[tuple[str, object], ...] = ()
    sources: tuple[str, ...] = ()
    enters: bool = True


def test_values_are_equal_and_hashed_like_frozen_ones() -> None:
    take, plain = Take(target="b", label="Next"), Frozen(target="b", label="Next")
    assert take == Take(target="b", label="Next")
    assert take != Take(target="b", label="Back")
    assert hash(take) == hash(plain)
    assert [field.name for field in fields(take)] == [field.name for field in fields(plain)]
    assert not hasattr(take, "__dict__")


def test_values_without_equality_are_compared_and_hashed_by_identity() -> None:
    one, other = (read_step("draft", {"c2": "initial"}) for _ in range(2))
    assert one != other
    assert len({one, other}) == 2


def test_values_are_copied() -> None:
    reply = Reply(at=1.0, key="0:1", text="Done.")
    event = Event(n=1, at=1.0, type="run.started", fields={"inputs": {}})
    assert replace(reply, text="Again.") == Reply(at=1.0, key="0:1", text="Again.")
    assert copy(event) == event == pickle.loads(pickle.dumps(event))


def test_mypy_refuses_an_assignment_to_a_field(tmp_path: Path) -> None:
    file = tmp_path / "assignment.py"
    file.write_text(ASSIGNMENT)
    command = [sys.executable, "-m", "mypy", f"--cache-dir={tmp_path}", "--config-file=", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 'Property "x" defined in "Point" is read-only' in done.stdout
