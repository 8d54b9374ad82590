"""Differences between two versions of a pipeline."""

from __future__ import annotations

from tests.core.test_diff import told
from tests.dialects.stages.packs import applied, source, to, when
from tests.support.checks import each_row
from workflows.core.compare.difference import difference
from workflows.core.dialects.stages import DIALECT
from workflows.core.pack.edits import (
    AddState,
    Connect,
    Edit,
    Relabel,
    RemoveState,
    RenameState,
    SetEntry,
    SetField,
)

PACK = {
    "a": to("b"), "b": to("c", "d", join="e"), "c": to(), "d": to(),
    "e": {"cases": [when(True, to("f"))], "else": to("b")}, "f": to(),
}  # fmt: skip
ROWS: list[tuple[str, Edit, set[str]]] = [
    ("a field of the entry", SetField(element="state:a", field="/maxVisits", value=9),
     {"~ state:a /maxVisits", "drawn state:a max_visits"}),
    ("a prompt", SetField(element="state:a", field="/body", value="x"), {"~ state:a /body"}),
    ("a name", SetField(element="pack", field="/name", value="x"), {"~ pack /name"}),
    ("an arrow", Connect(source="f", target="a", label="then"),
     {"+ transition f|then|a", "~ state:f /next/nextStages", "drawn state:f terminal"}),
    ("a condition", Relabel(transition="e|approved = true|f", label="approved = false"),
     {"transition e|approved = true|f > e|approved = false|f",
      "~ state:e /next/cases/0/when/value"}),
    ("an entry", SetEntry(id="b"), {"entry  a > b"}),
    ("a new stage", AddState(id="new"), {"+ state new", "file added stages/new.md"}),
    ("a branch that goes", RemoveState(id="d"),
     {"- state d", "- transition b|parallel|d", "- transition d|join|e",
      "~ state:b /next/nextStages", "file removed stages/d.md"}),
    ("another id", RenameState(id="b", new_id="build"),
     {"state b > build", "~ state:build /file", "file removed stages/b.md",
      "file added stages/build.md"}),
]  # fmt: skip


@each_row(ROWS)
def test_a_change_is_reported_at_its_place(name: str, edit: Edit, said: set[str]) -> None:
    before = source(PACK)
    assert told(difference(DIALECT, before, applied(before, edit), "documented")) == said
