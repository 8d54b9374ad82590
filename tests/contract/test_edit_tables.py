"""The tables of edits of all dialects: an edit can be undone to the byte, or it is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.agent_graph import test_edits as teams
from tests.dialects.climpt_workflow import test_climpt_workflow as workflows
from tests.dialects.promptpack import test_edits as packs
from tests.dialects.promptpack import test_levels as levels
from tests.dialects.stages import test_edits_fields as fields
from tests.dialects.stages import test_edits_states as states
from tests.dialects.stages import test_edits_transitions as arrows
from tests.dialects.steps_registry import test_edits as registries
from tests.dialects.workflow_scripts import test_edits as scripts
from tests.support.checks import each_row
from workflows.core.dialects import dialects
from workflows.core.pack.edits import Edit, EditRefused
from workflows.core.text import spans

Row = tuple[str, Any, Edit]
TEAM = teams.pack(own="# Own")
REGISTRY = registries.pack()
CHANGES: list[Row] = [
    *(("agent_graph", TEAM, edit) for edit, _, _, drawn in teams.ARROWS if drawn is not None),
    *(
        ("promptpack", packs.source(packs.pack(before), indent=indent), edit)
        for before, edit, _ in packs.CHANGES
        for indent in (2, 4, None)
    ),
    *(("stages", arrows.source(before), edit) for _, before, edit, _ in arrows.ROWS),
    *(("steps_registry", REGISTRY, edit) for edit in registries.EDITS),
    *(("workflow_scripts", scripts.SCRIPT, edit) for edit, _, _ in scripts.CHANGES),
]
LEVELS = levels.composed(
    levels.A,
    levels.parallel("p", levels.B, levels.C),
    levels.step("d", depends_on=["a", "p"]),
)
STAGE = fields.source({"plan": fields.to("plan")})
REFUSED: list[tuple[str, Any, Edit, str]] = [
    *(("agent_graph", TEAM, edit, r"\.$") for edit in teams.REFUSED),
    *(("climpt_workflow", workflows.read(), edit, r"\.$") for edit in workflows.REFUSED),
    *(
        ("promptpack", packs.source(packs.pack(before)), edit, r"(\.|there)$")
        for before, edit in packs.REFUSED
    ),
    *(("promptpack", LEVELS, edit, words) for _, edit, words in levels.REFUSED),
    *(("stages", STAGE, edit, words) for edit, words in fields.REFUSED),
    *(("stages", states.source(states.LOOP), edit, words) for edit, words in states.REFUSED),
    *(("stages", arrows.source(before), edit, words) for _, before, edit, words in arrows.REFUSED),
    *(("steps_registry", REGISTRY, edit, ".") for edit in registries.REFUSED),
    *(("workflow_scripts", scripts.SCRIPT, edit, words) for edit, words in scripts.REFUSED),
]


@each_row(CHANGES)
def test_an_edit_changes_few_bytes_and_can_be_undone(name: str, before: Any, edit: Edit) -> None:
    dialect = dialects()[name]
    after = dialect.apply(before, edit)
    changed = before.files.difference(after.files)
    # In these tables some edits set a value to itself; their own tests have the results.
    assert changed or name in ("promptpack", "stages")
    for path in changed.keys() & before.files.keys() & after.files.keys():
        old, new = before.files[path], after.files[path]
        changes = spans.difference(old, new)
        size = sum(end - start + len(text) for start, end, text in changes)
        assert size < 700 or name == "steps_registry"  # Its states are larger.
        assert spans.apply(new, spans.inverse(old, changes)) == old
    fresh = dialect.read(after.files)
    for profile in dialect.profiles:
        assert dialect.graph(fresh, profile) == dialect.graph(after, profile)


@each_row(REFUSED)
def test_an_edit_that_does_not_fit_is_refused(
    name: str, before: Any, edit: Edit, words: str
) -> None:
    files = dict(before.files)
    with pytest.raises(EditRefused, match=words):
        dialects()[name].apply(before, edit)
    assert dict(before.files) == files


def test_every_dialect_has_edits_here() -> None:
    assert {name for name, *_ in REFUSED} >= set(dialects()) - {"tiny"}
