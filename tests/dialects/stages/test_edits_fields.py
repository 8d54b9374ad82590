"""Edits of values: in a stage's front matter, prompt, entry and transitions, and in other
elements."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.stages.packs import (
    applied,
    files,
    folder,
    read,
    source,
    stage,
    to,
    tree,
    when,
)
from tests.support.checks import each_row
from workflows.core.pack.edits import (
    AddObject,
    Edit,
    EditRefused,
    RemoveObject,
    RenameObject,
    SetField,
    UnsetField,
)

PLAN = "state:plan"


def changed_lines(
    pack: Any, edit: Edit, path: str = "stages/plan.md"
) -> tuple[list[str], list[str]]:
    """Removed and added lines."""
    before = pack.files[path].decode().split("\n")
    after = applied(pack, edit).files[path].decode().split("\n")
    return ([line for line in before if line not in after],
            [line for line in after if line not in before])  # fmt: skip


IN_HEAD: list[tuple[str, Any, list[str], list[str]]] = [
    ("/turnCap", 9, ["turnCap: 6"], ["turnCap: 9"]),
    ("/name", "yes", ["name: Plan"], ["name: 'yes'"]),
    ("/allowedTools", ["read", "grep"], ["allowedTools: [read]"], ["allowedTools: [read, grep]"]),
    (
        "/retryPolicy/maxAttempts",
        3,
        ["retryPolicy: { maxAttempts: 2, backoff: none }  # twice"],
        ["retryPolicy: { maxAttempts: 3, backoff: none }  # twice"],
    ),
    ("/completionSchema/properties/level/enum/1", "top", ["    level: { enum: [low, high] }"],
     ["    level: { enum: [low, top] }"]),
    ("/description", "What it does.", [], ["description: What it does."]),
    ("/tags", ["a"], [], ["tags: [a]"]),
    ("/owner", "them", ["owner: us"], ["owner: them"]),
]  # fmt: skip


@each_row(IN_HEAD)
def test_a_value_of_the_head_changes_its_own_line(
    field: str, value: Any, gone: list[str], come: list[str]
) -> None:
    pack = source({"plan": to()})
    lines = changed_lines(pack, SetField(element=PLAN, field=field, value=value))
    assert (lines[0], [line.replace('"', "'") for line in lines[1]]) == (gone, come) or (
        field == "/tags" and lines[0] == [] and "tags" in lines[1][0]
    )


def test_a_prompt_keeps_the_line_ends_of_its_file() -> None:
    data = stage("plan", "One.\nTwo.\n").replace("\n", "\r\n").encode()
    pack = read({**files({"plan": to()}), "stages/plan.md": data})
    after = applied(pack, SetField(element=PLAN, field="/body", value="One.\nThree.\n"))
    assert after.files["stages/plan.md"] == data.replace(b"Two", b"Three")


def test_a_value_that_is_taken_out_takes_its_line() -> None:
    pack = source({"plan": to()})
    assert changed_lines(pack, UnsetField(element=PLAN, field="/owner")) == (["owner: us"], [])
    assert applied(pack, UnsetField(element=PLAN, field="/nothing")) is pack
    assert applied(pack, UnsetField(element=PLAN, field="/body")).stages["plan"].body == ""


def test_an_entry_is_changed_in_the_pipeline() -> None:
    pack = source({"plan": to()})
    pack = applied(
        pack,
        SetField(element=PLAN, field="/setup/task/from", value="run.input.task"),
        SetField(element=PLAN, field="/maxVisits", value=2),
        SetField(element=PLAN, field="/exit/slot/plan", value="result.parsed"),
        SetField(element=PLAN, field="/assert", value=[{"unless": {}, "verdict": "retry"}]),
        SetField(element=PLAN, field="/assert/0/reason", value="again"),
        SetField(element=PLAN, field="/gate/else", value="block"),
        SetField(element=PLAN, field="/next", value=to("plan")),
        UnsetField(element=PLAN, field="/maxVisits"),
    )
    assert tree(pack)["stages"]["plan"] == {
        "file": "stages/plan.md",
        "next": to("plan"),
        "setup": {"task": {"from": "run.input.task"}},
        "exit": {"slot": {"plan": "result.parsed"}},
        "assert": [{"unless": {}, "verdict": "retry", "reason": "again"}],
        "gate": {"else": "block"},
    }
    assert pack.files["stages/plan.md"] == files({"plan": to()})["stages/plan.md"]


def test_a_field_of_the_entry_makes_the_pipeline_where_there_is_none() -> None:
    pack = applied(folder("plan"), SetField(element=PLAN, field="/maxVisits", value=2))
    assert tree(pack)["stages"]["plan"]["maxVisits"] == 2


def test_the_id_of_a_stage_is_followed_everywhere() -> None:
    pack = source({"plan": to("plan")})
    after = applied(pack, SetField(element=PLAN, field="/id", value="think"))
    assert tree(after)["stages"]["think"]["next"] == to("think")


def test_an_id_that_differs_from_its_key_is_brought_together_with_it() -> None:
    pack = read({**files({"plan": to()}), "stages/plan.md": stage("other").encode()})
    after = applied(pack, SetField(element=PLAN, field="/id", value="plan"))
    assert after.stages["plan"].values["id"] == "plan"
    assert list(after.stages) == ["plan"]


def test_the_pipeline_has_fields_of_its_own() -> None:
    pack = source({"plan": to()})
    pack = applied(
        pack,
        SetField(element="pack", field="/name", value="Other"),
        SetField(element="pack", field="/runInputSchema/properties/task", value={"type": "string"}),
        UnsetField(element="pack", field="/id"),
    )
    assert tree(pack)["name"] == "Other"
    assert tree(pack)["runInputSchema"] == {"properties": {"task": {"type": "string"}}}
    assert "id" not in tree(pack)


def test_an_arrow_has_fields() -> None:
    pack = source({"a": {"cases": [when(True, to("b", "c"))]}, "b": to(), "c": to(), "d": to()})
    name = "transition:a|approved = true|b"
    after = applied(pack, SetField(element=name, field="/when/value", value=False))
    assert tree(after)["stages"]["a"]["next"]["cases"][0]["when"]["value"] is False
    after = applied(pack, SetField(element=name, field="/join", value="d"))
    assert tree(after)["stages"]["a"]["next"]["cases"][0]["then"] == to("b", "c", join="d")
    after = applied(pack, SetField(element=name, field="/target", value="d"))
    assert tree(after)["stages"]["a"]["next"]["cases"][0]["then"] == to("d", "c")
    after = applied(pack, SetField(element=name, field="/label", value="n < 3"))
    assert tree(after)["stages"]["a"]["next"]["cases"][0]["when"]["op"] == "lt"


def test_a_stage_object_is_changed_in_its_json() -> None:
    text = '{\n  "id": "plan",\n  "body": "Do.",\n  "turnCap": 5,\n  "completionTool": "x"\n}\n'
    pack = read({"plan.json": text.encode()})
    after = applied(
        pack,
        SetField(element=PLAN, field="/turnCap", value=6),
        SetField(element=PLAN, field="/body", value="Do it."),
        SetField(element=PLAN, field="/allowedTools", value=["read"]),
        UnsetField(element=PLAN, field="/completionTool"),
    )
    assert after.stages["plan"].values == {"id": "plan", "turnCap": 6, "allowedTools": ["read"]}
    assert after.stages["plan"].body == "Do it."


def test_a_plain_text_becomes_a_stage_with_its_first_key() -> None:
    pack = read({**files({"plan": to()}), "stages/plan.md": b"Words.\n"})
    after = applied(pack, SetField(element=PLAN, field="/id", value="plan"))
    assert after.files["stages/plan.md"] == b"---\nid: plan\n---\nWords.\n"


def test_grants_come_change_and_go() -> None:
    pack = applied(
        source({"plan": to()}),
        AddObject(kind="grant", key="bash"),
        AddObject(kind="grant", key="bash", value={"tool": "bash", "stages": [], "max": 2}),
        SetField(element="grant:bash#2", field="/max", value=3),
        RenameObject(element="grant:bash", new_key="edit"),
    )
    assert tree(pack)["grants"] == [
        {"tool": "edit", "stages": ["plan"], "max": 1},
        {"tool": "bash", "stages": [], "max": 3},
    ]
    pack = applied(pack, RemoveObject(element="grant:edit"), RemoveObject(element="grant:bash"))
    assert "grants" not in tree(pack)


def test_a_field_of_ctx_is_renamed_in_the_prompt_too() -> None:
    body = "{{ctx.task}} {{ ctx.task.x }} {{ctx.tasks}} ${{ctx.task}} ctx.task\n"
    pack = read({**files({"plan": to()}), "stages/plan.md": stage("plan", body).encode()})
    pack = applied(
        pack,
        AddObject(kind="setup", key="plan/task"),
        RenameObject(element="setup:plan/task", new_key="plan/goal"),
    )
    assert tree(pack)["stages"]["plan"]["setup"] == {"goal": {"from": "run.input.task"}}
    wanted = "{{ctx.goal}} {{ ctx.goal.x }} {{ctx.tasks}} ${{ctx.task}} ctx.task\n"
    assert pack.stages["plan"].body == wanted
    assert (
        tree(applied(pack, RemoveObject(element="setup:plan/goal")))["stages"]["plan"]["setup"]
        == {}
    )


REFUSED: list[tuple[Edit, str]] = [
    (SetField(element="state:x", field="/name", value="x"), "no stage"),
    (SetField(element=PLAN, field="name", value="x"), "no.* pointer"),
    (SetField(element=PLAN, field="", value={}), "names no field"),
    (SetField(element=PLAN, field="/body", value=3), "a string"),
    (
        SetField(element=PLAN, field="/name", value="\ud83d"),
        "lone surrogate|cannot be written|unexpected type",
    ),
    (SetField(element=PLAN, field="/maxVisits", value="\ud83d"), "lone surrogate"),
    (SetField(element=PLAN, field="/name/x/y", value=1), "unexpected type"),
    (SetField(element="grant:x", field="/max", value=1), "no grant 'x'"),
    (SetField(element="robot:x", field="/max", value=1), "no robot 'x'"),
    (SetField(element="transition:plan|then|x", field="/when", value={}), "no transition"),
    (SetField(element="transition:plan|then|plan", field="/when", value={}), "no such field"),
    (UnsetField(element="transition:plan|then|plan", field="/label"), "needs both"),
    (UnsetField(element="file:stages/plan.md", field="/text"), "Remove the file"),
    (AddObject(kind="robot", key="x"), "no objects of the kind"),
    (AddObject(kind="setup", key="x/y"), "no stage"),
    (AddObject(kind="setup", key="task"), "belongs to a stage"),
    (RemoveObject(element="state:plan"), "cannot be removed"),
    (RenameObject(element="grant:x", new_key="y"), "cannot be renamed"),
]


def test_a_file_that_is_not_there_or_cannot_be_read_is_not_changed() -> None:
    pack = dict(files({"plan": to()}))
    for data, said in ((None, "is missing"), (b"---\na: [\n---\n", "cannot be read")):
        pack.pop("stages/plan.md", None)
        found = read(pack if data is None else {**pack, "stages/plan.md": data})
        for field in ("/name", "/body"):
            with pytest.raises(EditRefused, match=said):
                applied(found, SetField(element=PLAN, field=field, value="x"))
