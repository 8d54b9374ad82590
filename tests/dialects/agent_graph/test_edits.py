"""Every edit: what it does to the bytes, what it refuses, and that nothing else moves."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.agent_graph.packs import (
    DIALECT,
    MAIN,
    applied,
    changed,
    findings_of,
    ids_of,
    pack,
    team,
    transitions_of,
)
from tests.support.checks import each_row
from workflows.core.pack.edits import (
    AddObject,
    AddState,
    Connect,
    Disconnect,
    DuplicateState,
    Edit,
    EditRefused,
    Paste,
    Relabel,
    RemoveFile,
    RemoveObject,
    RemoveState,
    RenameObject,
    RenameState,
    Retarget,
    SetEntry,
    SetField,
    UnsetField,
    WriteFile,
)
from workflows.core.pack.files import Files

FORTH, BACK = "lead|task|coder", "coder|task|lead"
DIFF, REPORT = "coder|diff|checker", "checker|report|lead"


def connect(source: str, target: str, label: str = "task") -> Connect:
    return Connect(source=source, target=target, label=label)


def set_field(element: str, field: str, value: Any) -> SetField:
    return SetField(element=element, field=field, value=value)


def test_a_two_way_edge_is_an_arrow_each_way() -> None:
    assert transitions_of(pack()) == [FORTH, BACK, DIFF, REPORT]


ARROWS: list[tuple[Edit, int, int, list[str] | None]] = [
        (connect("lead", "checker"), 1, 2, [FORTH, BACK, DIFF, REPORT, "lead|task|checker"]),
        (connect("lead", "checker", "look"), 1, 2, [
            FORTH, BACK, DIFF, REPORT, "lead|look|checker"
        ]),
        (connect("lead", "checker", "report"), 1, 1, [
            FORTH, BACK, DIFF, REPORT, "lead|report|checker"
        ]),
        (connect("checker", "coder", "diff"), 1, 1, [
            FORTH, BACK, DIFF, "checker|diff|coder", REPORT
        ]),
        (connect("checker", "coder", "other"), 1, 2, [
            FORTH, BACK, DIFF, REPORT, "checker|other|coder"
        ]),
        (Disconnect(transition=DIFF), 1, 0, [FORTH, BACK, REPORT]),
        (Disconnect(transition=REPORT), 2, 1, [FORTH, BACK, DIFF]),
        (Disconnect(transition=BACK), 1, 1, [FORTH, DIFF, REPORT]),
        (Disconnect(transition=FORTH), 1, 1, [BACK, DIFF, REPORT]),
        (Retarget(transition=DIFF, target="lead"), 1, 1, None),
        (Retarget(transition=REPORT, target="coder"), 1, 1, [
            FORTH, BACK, DIFF, "checker|report|coder"
        ]),
        (Retarget(transition=REPORT, source="coder"), 1, 1, [
            FORTH, BACK, DIFF, "coder|report|lead"
        ]),
        (Retarget(transition=BACK, source="checker"), 1, 1, [
            "lead|task|checker", "checker|task|lead", DIFF, REPORT
        ]),
        (Relabel(transition=BACK, label="job"), 1, 1, [
            "lead|job|coder", "coder|job|lead", DIFF, REPORT
        ]),
        (Relabel(transition=DIFF, label=""), 1, 1, [
            FORTH, BACK, "coder|task|checker", REPORT
        ]),
        (set_field(f"transition:{DIFF}", "/bidirectional", True), 1, 1, [
            FORTH, BACK, DIFF, "checker|diff|coder", REPORT
        ]),
        (set_field(f"transition:{BACK}", "/bidirectional", False), 1, 1, [BACK, DIFF, REPORT]),
        (set_field(f"transition:{FORTH}", "/bidirectional", False), 1, 1, [FORTH, DIFF, REPORT]),
        (set_field(f"transition:{DIFF}", "/type", "report"), 1, 1, [FORTH, BACK, DIFF, REPORT]),
        (set_field(f"transition:{DIFF}", "/target", "lead"), 1, 1, None),
        (UnsetField(element=f"transition:{REPORT}", field="/type"), 1, 1, [
            FORTH, BACK, DIFF, "checker|task|lead"
        ]),
]  # fmt: skip


@each_row(ARROWS)
def test_an_arrow_is_changed_and_nothing_else(
    edit: Edit, gone: int, come: int, transitions: list[str] | None
) -> None:
    before = pack()
    if transitions is None:
        with pytest.raises(EditRefused, match="already"):
            DIALECT.apply(before, edit)
        return
    after = applied(before, edit)
    assert transitions_of(after) == transitions
    lines = changed(before, after)
    assert (len(lines[0]), len(lines[1])) == (gone, come)


REFUSED: list[Edit] = [
    connect("lead", "coder"),
    connect("coder", "lead"),
    connect("lead", "lead"),
    connect("lead", "nobody"),
    connect("nobody", "lead"),
    Disconnect(transition="lead|x|coder"),
    Retarget(transition=DIFF, target="coder"),
    Retarget(transition=DIFF, target="nobody"),
    AddState(id="lead"),
    AddState(id=" "),
    AddState(id="IMPL"),
    AddState(id="x", kind="teleporter"),
    RemoveState(id="nobody"),
    RenameState(id="lead", new_id="coder"),
    RenameState(id="lead", new_id="impl"),
    RenameState(id="lead", new_id=""),
    DuplicateState(id="lead", new_id="lead"),
    SetEntry(id="nobody"),
    set_field("state:lead", "/rights", "all"),
    set_field("state:lead", "/id", 7),
    set_field("state:lead", "", {}),
    set_field("state:lead", "label", "x"),
    set_field("state:lead", "/role/x", "x"),
    set_field("state:nobody", "/label", "x"),
    set_field("state:lead", "/label", "\ud83d"),
    set_field("pack", "/nodes/9/id", "x"),
    set_field(f"transition:{DIFF}", "/type", "chat"),
    set_field("template:own", "/text", 1),
    set_field("template:nobody", "/text", "x"),
    UnsetField(element="state:lead", field="/role"),
    UnsetField(element=f"transition:{DIFF}", field="/target"),
    AddObject(kind="tool", key="x"),
    AddObject(kind="template", key="../../secret"),
    AddObject(kind="template", key="own"),
    AddObject(kind="template", key="x", value=1),
    AddObject(kind="template", key="x", value="\ud83d"),
    RemoveObject(element="template:nobody"),
    RenameObject(element="template:own", new_key="a/b"),
    Paste(fragment={"dialect": "stages"}),
    Paste(fragment={"dialect": "agent_graph", "nodes": [1, {}]}),
    Paste(fragment=None),
    WriteFile(path="../x", text="x"),
    WriteFile(path="docs/templates/a.b.md", text="x"),
    WriteFile(path="other.json", text="{}"),
    RemoveFile(path=MAIN),
    RemoveFile(path="docs/templates/nobody.md"),
]


def test_a_renamed_agent_is_followed_by_its_edges_and_the_entry() -> None:
    before = pack()
    after = applied(before, RenameState(id="lead", new_id="boss"))
    assert ids_of(after) == ["boss", "coder", "checker"]
    assert after.shape.declared_entry == "boss"
    assert transitions_of(after)[0] == "boss|task|coder"
    assert all("lead" in line for line in changed(before, after)[0])
    assert applied(after, RenameState(id="boss", new_id="lead")).files == before.files


def test_a_removed_agent_takes_its_edges_and_the_entry_along() -> None:
    after = applied(pack(), RemoveState(id="lead"))
    assert ids_of(after) == ["coder", "checker"]
    assert transitions_of(after) == [DIFF]
    assert after.shape.entry == "coder"
    assert "lead" not in after.files[MAIN].decode()


def test_a_copy_follows_its_original_and_hands_off_to_the_same_agents() -> None:
    after = applied(pack(), DuplicateState(id="coder", new_id="coder-2"))
    assert ids_of(after) == ["lead", "coder", "coder-2", "checker"]
    assert after.shape.nodes["coder-2"].alias == ""
    assert "coder-2|diff|checker" in transitions_of(after)
    assert "coder-2|task|lead" in transitions_of(after)


@each_row(DIALECT.palette())
def test_each_kind_of_the_palette_gives_an_agent_without_a_fault(item: Any) -> None:
    after = applied(
        pack(),
        AddState(id="fresh", kind=item.kind, name="Somebody new"),
        connect("lead", "fresh"),
    )
    assert [finding.code for finding in findings_of(after)] == ["AG111"]
    assert after.shape.nodes["fresh"].label == "Somebody new"
    assert after.role(after.shape.nodes["fresh"].role)


def test_an_agent_of_ones_own_brings_its_template() -> None:
    after = applied(pack(), AddState(id="fact checker", kind="agent"))
    assert after.shape.nodes["fact checker"].role == "fact-checker"
    assert after.templates["fact-checker"].diagnostics == ()


def test_fields_are_set_at_any_depth_and_taken_out_again() -> None:
    before = pack()
    there = applied(
        before,
        set_field("state:coder", "/capabilities/writeCode", False),
        set_field("state:coder", "/label", "Coder"),
        set_field("pack", "/limits/turns", 9),
    )
    assert there.shape.nodes["coder"].capabilities.write_code is False
    assert there.shape.most_turns == 9
    back = applied(
        there,
        UnsetField(element="state:coder", field="/capabilities"),
        UnsetField(element="state:coder", field="/label"),
        UnsetField(element="pack", field="/limits"),
        UnsetField(element="pack", field="/nothing"),
    )
    assert back.files == before.files


def test_an_id_is_renamed_from_the_form_as_well() -> None:
    after = applied(pack(), set_field("state:lead", "/id", "boss"))
    assert after.shape.entry == "boss"


def test_templates_are_added_renamed_written_and_removed() -> None:
    before = team(nodes=[{"id": "a", "role": "orchestrator"}])
    with_own = applied(before, AddObject(kind="template", key="orchestrator"))
    assert with_own.role("orchestrator").source == "pack"
    renamed = applied(with_own, RenameObject(element="template:orchestrator", new_key="conductor"))
    assert renamed.shape.nodes["a"].role == "conductor"
    assert list(renamed.templates) == ["conductor"]
    told = applied(renamed, set_field("template:conductor", "/text", "# Other\n"))
    assert told.files["docs/templates/conductor.md"] == b"# Other\n"
    path = "docs/templates/conductor.md"
    assert applied(told, WriteFile(path=path, text="x")).files[path] == b"x"
    for edit in (RemoveObject(element="template:conductor"), RemoveFile(path=path)):
        assert path not in applied(told, edit).files


def test_templates_are_in_the_folder_of_the_pack() -> None:
    files = {"a/b/x.agents.json": pack().files[MAIN], "docs/templates/own.md": b"# Elsewhere"}
    (found,) = DIALECT.recognises(Files.of(files))
    assert found.paths == ("a/b/x.agents.json",)
    after = applied(
        DIALECT.read(Files.of({found.main: files[found.main]})),
        AddObject(kind="template", key="own"),
    )
    assert "a/b/docs/templates/own.md" in after.files


def test_copied_agents_bring_their_edges_and_templates_along() -> None:
    source = pack(reviewer="[template]\nname = 'reviewer'\n\n# Ours")
    fragment = DIALECT.copy(source, ("coder", "checker"))
    here = applied(source, Paste(fragment=fragment))
    assert ids_of(here) == ["lead", "coder", "checker", "coder-2", "checker-2"]
    assert "coder-2|diff|checker-2" in transitions_of(here)
    assert here.shape.nodes["coder-2"].alias == "impl-2"
    assert list(here.templates) == ["reviewer", "reviewer-2"], "its user keeps it for itself"
    other = team(nodes=[{"id": "a", "role": "orchestrator"}], edges=...)
    there = applied(other, Paste(fragment=fragment))
    assert ids_of(there) == ["a", "coder", "checker"]
    assert there.templates["reviewer"].body == "# Ours"
    again = applied(pack(reviewer="# Theirs"), Paste(fragment=fragment))
    assert again.shape.nodes["checker-2"].role == "reviewer-2"


def test_two_edges_that_are_called_the_same_can_both_be_drawn() -> None:
    edges = [
        {"from": "a", "to": "b", "bidirectional": False, "label": "x"},
        {"from": "a", "to": "b", "bidirectional": False, "label": "x", "type": "report"},
        {"from": "a", "to": "b", "bidirectional": False, "label": "x"},
    ]
    source = team(edges=edges)
    assert transitions_of(source) == ["a|x|b", "a|x (report)|b", "a|x (handoff)|b"]
    after = applied(source, Disconnect(transition="a|x (handoff)|b"))
    assert transitions_of(after) == ["a|x|b", "a|x (report)|b"]
