"""Edits: the bytes that each one changes, and the bytes that stay."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.packs import (
    DIALECT,
    GONE,
    applied,
    codes,
    pack,
    prompt,
    source,
    tree_of,
)
from tests.support.checks import each_row
from workflows.core.pack.edits import (
    AddObject,
    AddState,
    Connect,
    Disconnect,
    DuplicateState,
    Edit,
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
from workflows.core.pack.files import MAX_FILE_BYTES

S = "workflow/states"
TOOL = {"name": "find", "description": "Find it."}
LOOKED_FOR = {"patterns": ["Write the required text of a reply here."]}
FRESH_EVAL = {"id": "e", "type": "contains", "trigger": "every_turn", "params": LOOKED_FOR}

CHANGES: list[tuple[dict[str, Any], Edit, dict[str, Any]]] = [
    (
        {},
        Connect(source="review", target="draft", label="Reject"),
        {f"{S}/review/on_event/Reject": "draft"},
    ),
    (
        {f"{S}/review/on_event": GONE},
        Connect(source="review", target="done", label="Approve"),
        {f"{S}/review/on_event": {"Approve": "done"}},
    ),
    (
        {f"{S}/review/max_visits": 2},
        Connect(source="review", target="done", label="on_max_visits"),
        {f"{S}/review/max_visits": 2, f"{S}/review/on_max_visits": "done"},
    ),
    ({}, Disconnect(transition="review|Approve|done"), {f"{S}/review/on_event": {}}),
    (
        {},
        Retarget(transition="draft|Submit|review", target="done"),
        {f"{S}/draft/on_event/Submit": "done"},
    ),
    (
        {},
        Retarget(transition="draft|Submit|review", source="review"),
        {f"{S}/draft/on_event": {}, f"{S}/review/on_event/Submit": "review"},
    ),
    (
        {},
        Relabel(transition="draft|Submit|review", label="Sent"),
        {f"{S}/draft/on_event": {"Sent": "review"}},
    ),
    ({}, SetEntry(id="review"), {"workflow/entry": "review"}),
    ({}, SetField(element="pack", field="/description", value=""), {"description": ""}),
    (
        {},
        SetField(element="budget", field="/max_tool_calls", value=3),
        {"workflow/engine": {"budget": {"max_tool_calls": 3}}},
    ),
    (
        {},
        SetField(element="prompt:draft", field="/parameters/temperature", value=0.5),
        {"prompts/draft/parameters": {"temperature": 0.5}},
    ),
    (
        {},
        SetField(element="state:draft", field="/artifacts/log", value={"type": "text/plain"}),
        {f"{S}/draft/artifacts": {"log": {"type": "text/plain"}}},
    ),
    (
        {"fragments": {"a": "Hello"}},
        SetField(element="fragment:a", field="/text", value="Bye"),
        {"fragments": {"a": "Bye"}},
    ),
    (
        {},
        SetField(element="transition:draft|Submit|review", field="/event", value="Sent"),
        {f"{S}/draft/on_event": {"Sent": "review"}},
    ),
    (
        {"skills": ["./a"]},
        SetField(element="skill:./a", field="/path", value="./b"),
        {"skills": ["./b"]},
    ),
    (
        {"requires": {"providers": ["fast"]}},
        SetField(element="provider:fast", field="/role", value="tts"),
        {"requires": {"providers": [{"key": "fast", "role": "tts"}]}},
    ),
    (
        {"description": "x"},
        UnsetField(element="pack", field="/description"),
        {},
    ),
    ({}, UnsetField(element="pack", field="/description"), {}),
    ({}, AddObject(kind="fragment", key="a", value="Hello"), {"fragments": {"a": "Hello"}}),
    (
        {},
        AddObject(kind="eval", key="e"),
        {"evals": [FRESH_EVAL]},
    ),
    (
        {},
        AddObject(kind="agent", key="draft"),
        {"agents": {"entry": "draft", "members": {"draft": {}}}},
    ),
    ({"tools": {"find": TOOL}}, RemoveObject(element="tool:find"), {"tools": {}}),
    (
        {"agents": {"entry": "draft", "members": {"draft": {}}}},
        RemoveObject(element="agent:draft"),
        {},
    ),
    (
        {"workflow/engine": {"budget": {"max_tool_calls": 3}, "own": 1}},
        RemoveObject(element="budget"),
        {"workflow/engine": {"own": 1}},
    ),
    ({}, RemoveState(id="done"), {f"{S}/done": GONE, f"{S}/review/on_event": {}}),
    (
        {},
        RemoveState(id="draft"),
        {f"{S}/draft": GONE, "workflow/entry": "review"},
    ),
    (
        {},
        DuplicateState(id="done", new_id="done-2"),
        {
            f"{S}/done-2": {"prompt_task": "done-2", "terminal": True},
            "prompts/done-2": {**prompt("done-2"), "name": "done"},
        },
    ),
]


@each_row(CHANGES)
def test_an_edit_changes_only_its_target(
    before: dict[str, Any], edit: Edit, after: dict[str, Any]
) -> None:
    done = applied(source(pack(before)), edit)
    assert tree_of(done) == pack(after)
    assert done.parts.tree == pack(after), "the shared trees say the same as the bytes"


REFUSED: list[tuple[dict[str, Any], Edit]] = [
    ({}, Connect(source="draft", target="nowhere", label="Go")),
    ({}, Connect(source="nowhere", target="draft", label="Go")),
    ({}, Connect(source="draft", target="done", label="Submit")),
    ({}, Connect(source="draft", target="done", label=" ")),
    (
        {f"{S}/draft/on_max_visits": "done"},
        Connect(source="draft", target="review", label="on_max_visits"),
    ),
    ({}, Disconnect(transition="draft|Nope|review")),
    ({}, Disconnect(transition="draft")),
    ({}, Retarget(transition="draft|Submit|review", target="nowhere")),
    ({f"{S}/draft/on_event/Skip": "done"}, Relabel(transition="draft|Submit|review", label="Skip")),
    ({}, AddState(id="draft")),
    ({}, AddState(id="")),
    ({}, AddState(id="x", kind="composition")),
    ({}, AddState(id="x", kind="agent")),
    ({}, AddState(id="x", kind="balloon")),
    ({}, RemoveState(id="nowhere")),
    ({}, RenameState(id="draft", new_id="review")),
    ({}, RenameState(id="nowhere", new_id="x")),
    ({}, DuplicateState(id="draft", new_id="done")),
    ({}, SetEntry(id="nowhere")),
    ({}, SetField(element="prompt:nowhere", field="/name", value="x")),
    ({}, SetField(element="pack", field="", value={})),
    ({}, SetField(element="pack", field="name", value="x")),
    ({}, SetField(element="pack", field="/name/deeper", value="x")),
    ({}, UnsetField(element="transition:draft|Submit|review", field="/event")),
    ({}, AddObject(kind="prompt", key="draft")),
    ({}, AddObject(kind="planet", key="mars")),
    ({}, RemoveObject(element="tool:find")),
    ({}, RemoveObject(element="workflow")),
    ({}, RenameObject(element="prompt:draft", new_key="review")),
    ({}, RenameObject(element="tool:find", new_key="seek")),
    ({}, Paste(fragment={"dialect": "stages"})),
    ({}, Paste(fragment=[])),
    ({}, RemoveFile(path="good.pack.json")),
    ({}, WriteFile(path="other.json", text="{}")),
    ({}, WriteFile(path="good.pack.json", text="\ud800")),
    ({}, SetField(element="pack", field="/description", value="\ud800")),
    ({}, WriteFile(path="good.pack.json", text=" " * (MAX_FILE_BYTES + 1))),
    ({}, SetField(element="pack", field="/description", value="x" * MAX_FILE_BYTES)),
]


def test_a_set_artifact_field_changes_all_declarations() -> None:
    slot = {"log": {"type": "text/plain"}}
    before = source(pack({f"{S}/draft/artifacts": slot, f"{S}/review/artifacts": slot}))
    after = applied(before, SetField(element="artifact:log", field="/mode", value="append"))
    states = tree_of(after)["workflow"]["states"]
    assert [states[name]["artifacts"]["log"]["mode"] for name in ("draft", "review")] == [
        "append",
        "append",
    ]
    assert applied(after, UnsetField(element="artifact:log", field="/mode")).files == before.files
    gone = tree_of(applied(before, RemoveObject(element="artifact:log")))["workflow"]["states"]
    assert [gone[name]["artifacts"] for name in ("draft", "review")] == [{}, {}]


@each_row(["", "internal", "hybrid", "external", "end"])
def test_a_new_state_comes_with_a_prompt_and_is_valid(kind: str) -> None:
    after = applied(source(pack()), AddState(id="Next Step", kind=kind, name="Next"))
    assert [code for code in codes(tree_of(after)) if code.startswith("PP11")] == []
    assert tree_of(after)["prompts"]["Next Step"]["id"] == "next-step"


def test_the_first_state_or_transition_creates_a_workflow() -> None:
    bare = source(pack({"workflow": GONE}))
    first = tree_of(applied(bare, AddState(id="draft", kind="end")))
    assert first["workflow"] == {
        "version": 1,
        "entry": "draft",
        "states": {"draft": {"prompt_task": "draft", "terminal": True}},
    }
    drawn = tree_of(applied(bare, Connect(source="draft", target="done", label="Ready")))
    assert drawn["workflow"]["states"]["draft"]["on_event"] == {"Ready": "done"}
    assert codes(drawn) == ["PP325"], "the third prompt is left over"


def test_removing_the_last_state_removes_the_workflow() -> None:
    alone = {"version": 1, "entry": "draft", "states": {"draft": {"prompt_task": "draft"}}}
    after = applied(source(pack({"workflow": alone})), RemoveState(id="draft"))
    assert "workflow" not in tree_of(after)


def test_agents_are_connected_by_their_tools() -> None:
    members: dict[str, Any] = {"draft": {}, "review": {}}
    team = source(pack({"workflow": GONE, "agents": {"entry": "draft", "members": members}}))
    drawn = applied(team, Connect(source="draft", target="review", label="review"))
    assert tree_of(drawn)["prompts"]["draft"]["tools"] == ["review"]
    graph = DIALECT.graph(drawn, "documented")
    assert [arrow.id for arrow in graph.transitions] == ["draft|review|review"]
    undone = applied(drawn, Disconnect(transition="draft|review|review"))
    assert tree_of(undone)["prompts"]["draft"]["tools"] == []
    renamed = tree_of(applied(drawn, RenameState(id="review", new_id="check")))
    assert renamed["prompts"]["draft"]["tools"] == ["check"]
    gone = tree_of(applied(drawn, RemoveState(id="review")))
    assert gone["prompts"]["draft"]["tools"] == []
    assert list(gone["agents"]["members"]) == ["draft"]


def test_pasting_into_the_same_pack_numbers_used_names_and_copies_used_prompts() -> None:
    before = source(pack())
    copied = DIALECT.copy(before, ("draft", "review"))
    tree = tree_of(applied(before, Paste(fragment=copied)))
    states = tree["workflow"]["states"]
    assert list(states) == ["draft", "review", "done", "draft-2", "review-2"]
    assert states["draft-2"] == {"prompt_task": "draft-2", "on_event": {"Submit": "review-2"}}
    assert states["review-2"]["on_event"] == {}, (
        "an arrow to a state that was not copied is left out"
    )
    assert list(tree["prompts"]) == ["draft", "review", "done", "draft-2", "review-2"]
    assert tree["prompts"]["draft-2"]["id"] == "draft-2"


def test_pasting_into_another_pack_adds_missing_objects() -> None:
    rich = source(
        pack(
            {
                "tools": {"find": TOOL},
                "fragments": {"a": "Hi {{fragments.b}}", "b": "you"},
                "prompts/draft": prompt("draft", "{{fragments.a}}", tools=["find"]),
            }
        )
    )
    other = source(pack({"tools": {"find": {**TOOL, "description": "Another one."}}}))
    tree = tree_of(applied(other, Paste(fragment=DIALECT.copy(rich, ("draft",)))))
    assert list(tree["tools"]) == ["find", "find-2"]
    assert list(tree["prompts"]) == ["draft", "review", "done", "draft-2"]
    assert tree["prompts"]["draft-2"]["tools"] == ["find-2"]
    assert tree["prompts"]["draft-2"]["id"] == "draft-2"
    assert set(tree["fragments"]) == {"a", "b"}
    assert tree["workflow"]["states"]["draft-2"]["prompt_task"] == "draft-2"


def test_names_with_bars_and_slashes_are_distinguished() -> None:
    odd = source(
        pack(
            {
                "workflow/states": {
                    "a|b": {"prompt_task": "draft", "on_event": {"x|y": "c/d~e"}},
                    "c/d~e": {"prompt_task": "done", "terminal": True},
                },
                "workflow/entry": "a|b",
            }
        )
    )
    after = applied(odd, Relabel(transition="a|b|x|y|c/d~e", label="z"))
    assert tree_of(after)["workflow"]["states"]["a|b"]["on_event"] == {"z": "c/d~e"}
    moved = applied(odd, RenameState(id="c/d~e", new_id="end"))
    assert tree_of(moved)["workflow"]["states"]["a|b"]["on_event"] == {"x|y": "end"}


def test_subtrees_that_an_edit_does_not_touch_are_the_same_objects() -> None:
    before = source(pack())
    after = applied(before, Connect(source="review", target="draft", label="Reject"))
    assert after.parts.states["draft"] is before.parts.states["draft"]
    assert after.parts.prompts is not before.parts.prompts
    assert after.parts.prompts["draft"] is before.parts.prompts["draft"]
