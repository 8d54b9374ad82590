"""Edits change the right places in the right files, and no other byte."""

from __future__ import annotations

import json
from typing import Any

from tests.dialects.steps_registry.packs import (
    AGENT,
    MAIN,
    SCHEMA,
    definition,
    findings,
    loud,
    pack,
    put,
    setting,
)
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.source import RegistrySource
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

PROMPT = ".agent/t/prompts/steps"


def changed(source: RegistrySource, edit: Edit) -> tuple[RegistrySource, set[str]]:
    after = DIALECT.apply(source, edit)
    return after, set(source.files.difference(after.files))


def step(source: RegistrySource, id: str) -> Any:
    return source.value["steps"][id]


def enum(source: RegistrySource, id: str) -> Any:
    text = source.json(SCHEMA)
    assert text is not None
    return text.value[id]["properties"]["next_action"]["properties"]["action"]["enum"]  # type: ignore[index,call-overload]


EDITS: list[Edit] = [
    Connect(source="initial.a", target="continuation.a", label="jump"),
    Connect(source="initial.a", target="continuation.a", label="next", value="ready"),
    Disconnect(transition="continuation.a|handoff|closure.a"),
    Retarget(transition="initial.a|next|continuation.a", target="initial.a"),
    Relabel(transition="initial.a|next|continuation.a", label="jump"),
    AddState(id="verification.b", kind="verification"),
    AddState(id="section.tone", kind="section"),
    AddState(id="closure.other", kind="closure", name="Other"),
    RemoveState(id="continuation.a"),
    RenameState(id="continuation.a", new_id="continuation.b"),
    DuplicateState(id="continuation.a", new_id="continuation.b"),
    SetEntry(id="continuation.a"),
    SetEntry(id="continuation.a", key="poll:state"),
    SetField(element="state:initial.a", field="/name", value="Anfang"),
    SetField(element="state:initial.a", field="/model", value="haiku"),
    SetField(element="state:initial.a", field="/prompt/text", value="new"),
    SetField(element="state:initial.a", field="/schema/description", value="x"),
    SetField(element="state:initial.a", field="/structuredGate/allowedIntents", value=["next"]),
    SetField(
        element="transition:initial.a|next|continuation.a", field="/target", value="initial.a"
    ),
    SetField(element="pack", field="/version", value="2.0.0"),
    SetField(element="agent:", field="/runner/verdict/type", value="detect:keyword"),
    UnsetField(element="state:initial.a", field="/edition"),
    AddObject(kind="validator", key="clean"),
    AddObject(kind="failurePattern", key="dirty"),
    AddObject(kind="validationStep", key="closure.iteration"),
    AddObject(kind="entry", key="poll:state", value="initial.a"),
    AddObject(kind="file", key=".agent/t/notes.md", value="x"),
    RemoveObject(element="entry:"),
    WriteFile(path=".agent/t/README.md", text="hello"),
    RemoveFile(path=".agent/t/prompts/system.md"),
]


def test_a_new_intent_is_written_to_gate_schema_and_transitions() -> None:
    after, paths = changed(pack(), Connect(source="initial.a", target="closure.a", label="handoff"))
    assert paths == {MAIN, SCHEMA}
    assert step(after, "initial.a")["structuredGate"]["allowedIntents"] == [
        "next",
        "repeat",
        "handoff",
    ]
    assert step(after, "initial.a")["transitions"]["handoff"] == {"target": "closure.a"}
    assert enum(after, "initial.a") == ["next", "repeat", "handoff"]


def test_an_intent_leaves_all_three_with_its_last_arrow() -> None:
    after, paths = changed(pack(), Disconnect(transition="initial.a|next|continuation.a"))
    assert paths == {MAIN, SCHEMA}
    assert step(after, "initial.a")["structuredGate"]["allowedIntents"] == ["repeat"]
    assert enum(after, "initial.a") == ["repeat"]
    assert "next" not in step(after, "initial.a")["transitions"]


def test_an_intent_stays_while_another_arrow_has_it() -> None:
    source = DIALECT.apply(
        pack(), Connect(source="initial.a", target="initial.a", label="next", value="again")
    )
    after, paths = changed(source, Disconnect(transition="initial.a|next: again|initial.a"))
    assert paths == {MAIN}
    assert enum(after, "initial.a") == ["next", "repeat"]
    assert step(after, "initial.a")["transitions"]["next"]["targets"] == {
        "default": "continuation.a"
    }


def test_a_value_makes_a_plain_rule_conditional() -> None:
    after, _ = changed(
        pack(), Connect(source="initial.a", target="initial.a", label="next", value="again")
    )
    rule = step(after, "initial.a")["transitions"]["next"]
    assert rule["targets"] == {"again": "initial.a", "default": "continuation.a"}
    assert step(after, "initial.a")["structuredGate"]["handoffFields"] == [rule["condition"]]
    assert loud(after) == []


def _shared(whole: dict[str, Any]) -> None:
    """Both work steps take their next_action from one place in another file."""
    action = definition(["next", "repeat"])["properties"]["next_action"]
    whole["files"][".agent/t/schemas/common.json"] = json.dumps({"$defs": {"n": action}})
    for id in ("initial.a", "continuation.a"):
        put(whole, f"schema/{id}/properties/next_action", {"$ref": "common.json#/$defs/n"})
    gate = whole["registry"]["steps"]["continuation.a"]
    gate["structuredGate"]["allowedIntents"] = ["next", "repeat"]
    gate["transitions"] = {"next": {"target": "continuation.a"}}


def test_a_shared_enum_is_not_changed_under_another_step() -> None:
    source = pack(_shared)
    after, paths = changed(
        source, Connect(source="continuation.a", target="closure.a", label="handoff")
    )
    assert paths == {MAIN, SCHEMA}
    assert enum(after, "continuation.a") == ["next", "repeat", "handoff"]
    assert not any(found.code.startswith("SR3") for found in findings(after))


def test_one_definition_for_two_steps_is_split() -> None:
    def one(whole: dict[str, Any]) -> None:
        _shared(whole)
        put(whole, "registry/steps/continuation.a/outputSchemaRef/schema", "initial.a")

    after, _ = changed(
        pack(one), Connect(source="continuation.a", target="closure.a", label="handoff")
    )
    assert step(after, "continuation.a")["outputSchemaRef"]["schema"] != "initial.a"
    assert not [found for found in findings(after) if found.code in ("SR302", "SR303", "SR304")]


def test_an_alone_used_reference_is_changed_where_it_is_written() -> None:
    def alone(whole: dict[str, Any]) -> None:
        action = definition(["next", "repeat"])["properties"]["next_action"]
        whole["files"][".agent/t/schemas/common.json"] = json.dumps({"$defs": {"n": action}})
        put(whole, "schema/initial.a/properties/next_action", {"$ref": "common.json#/$defs/n"})

    after, paths = changed(
        pack(alone), Connect(source="initial.a", target="closure.a", label="handoff")
    )
    assert paths == {MAIN, ".agent/t/schemas/common.json"}
    assert not any(found.code.startswith("SR3") for found in findings(after))


def test_connecting_a_step_without_a_gate_gives_it_all_it_needs() -> None:
    def bare(whole: dict[str, Any]) -> None:
        for key in ("structuredGate", "transitions", "outputSchemaRef"):
            del whole["registry"]["steps"]["initial.a"][key]
        del whole["schema"]["initial.a"]

    after, paths = changed(
        pack(bare), Connect(source="initial.a", target="continuation.a", label="next")
    )
    assert paths == {MAIN, SCHEMA}
    assert enum(after, "initial.a") == ["next"]
    assert loud(after) == []


@each_row(["work", "verification", "closure", "section"])
def test_a_new_step_passes_the_load_rules_and_has_its_prompt(kind: str) -> None:
    id = f"{kind if kind != 'work' else 'continuation'}.fresh"
    after, paths = changed(pack(), AddState(id=id, kind=kind))
    assert f"{PROMPT}/{id.replace('.', '/')}/f_default.md" in paths
    codes = [code for code in loud(after) if code != "SR601"]
    assert codes == []


def test_a_first_step_becomes_the_entry() -> None:
    empty = setting(("registry/steps", {}), ("registry/entryStep", ...), ("schema", {}))
    after, _ = changed(pack(empty), AddState(id="initial.x", kind="work"))
    assert after.value["entryStep"] == "initial.x"


def _named(whole: dict[str, Any]) -> None:
    steps = whole["registry"]["steps"]
    steps["closure.a"]["inputs"] = {"s": {"from": "continuation.a.summary"}}
    steps["closure.a"]["uvVariables"] = ["continuation_a_summary"]
    whole["registry"]["entryStepMapping"] = {"poll:state": "continuation.a"}
    whole["registry"]["validationSteps"] = {
        "continuation.a": {"stepId": "continuation.a", "name": "n", "c2": "retry", "c3": "a"}
    }
    whole["files"][f"{PROMPT}/closure/a/f_default.md"] = (
        "next_action {uv-continuation_a_summary} {uv-continuation_a_summary}"
    )
    whole["files"][f"{PROMPT}/continuation/a/f_default.md"] = (
        "---\nstepId: continuation.a\n---\nnext_action of continuation.a"
    )
    put(whole, "schema/continuation.a/properties/stepId", {"const": "continuation.a"})


def test_a_rename_follows_every_reference_and_spares_validation_keys() -> None:
    after, paths = changed(
        pack(_named), RenameState(id="continuation.a", new_id="continuation.work")
    )
    value = after.value
    assert list(value["steps"]) == ["initial.a", "continuation.work", "closure.a"]
    assert value["entryStepMapping"] == {"poll:state": "continuation.work"}
    assert list(value["validationSteps"]) == ["continuation.a"]
    renamed = step(after, "continuation.work")
    assert renamed["stepId"] == renamed["outputSchemaRef"]["schema"] == "continuation.work"
    assert step(after, "initial.a")["transitions"]["next"]["target"] == "continuation.work"
    closing = step(after, "closure.a")
    assert closing["inputs"]["s"]["from"] == "continuation.work.summary"
    assert closing["uvVariables"] == ["continuation_work_summary"]
    prompt = after.files[f"{PROMPT}/closure/a/f_default.md"]
    assert prompt.count(b"{uv-continuation_work_summary}") == 2
    own = after.files[f"{PROMPT}/continuation/work/f_default.md"]
    assert own == b"---\nstepId: continuation.work\n---\nnext_action of continuation.a"
    schema = after.json(SCHEMA)
    assert schema is not None
    assert list(schema.value)[1] == "continuation.work"
    assert paths == {
        MAIN,
        SCHEMA,
        f"{PROMPT}/closure/a/f_default.md",
        f"{PROMPT}/continuation/a/f_default.md",
        f"{PROMPT}/continuation/work/f_default.md",
    }


def test_removing_a_step_takes_all_that_led_to_it() -> None:
    after, _ = changed(pack(_named), RemoveState(id="continuation.a"))
    assert list(after.value["steps"]) == ["initial.a", "closure.a"]
    assert step(after, "initial.a")["structuredGate"]["allowedIntents"] == ["repeat"]
    assert after.value["entryStepMapping"] == {}
    assert "s" not in step(after, "closure.a")["inputs"]
    assert f"{PROMPT}/continuation/a/f_default.md" not in after.files
    assert not any(found.code in ("SR201", "SR304") for found in findings(after))


def test_a_validator_keeps_its_users_when_renamed() -> None:
    source = pack()
    for edit in (
        AddObject(kind="failurePattern", key="dirty"),
        AddObject(kind="validator", key="clean"),
        AddObject(kind="validationStep", key="closure.iteration"),
        RenameObject(element="validator:clean", new_key="tidy"),
        RenameObject(element="failurePattern:dirty", new_key="untidy"),
    ):
        source = DIALECT.apply(source, edit)
    value = source.value
    assert value["validationSteps"]["closure.iteration"]["validationConditions"] == [
        {"validator": "tidy"}
    ]
    assert value["validators"]["tidy"]["failurePattern"] == "untidy"


def test_a_copy_lands_in_another_pack_with_schema_and_prompt() -> None:
    fragment = DIALECT.copy(pack(), ("continuation.a", "closure.a"))
    after, paths = changed(pack(), Paste(fragment=fragment))
    assert "continuation.a-2" in after.value["steps"]
    copied = step(after, "continuation.a-2")
    assert copied["transitions"]["handoff"]["target"] == "closure.a-2"
    assert enum(after, "continuation.a-2") == ["repeat", "handoff"]
    assert MAIN in paths
    assert SCHEMA in paths


REFUSED: list[Edit] = [
    Connect(source="nope", target="initial.a", label="next"),
    Connect(source="initial.a", target="nope", label="next"),
    Connect(source="initial.a", target="closure.a", label="escalate"),
    Connect(source="initial.a", target="closure.a", label="banana"),
    Connect(source="initial.a", target="closure.a", label="next"),
    Connect(source="closure.a", target="initial.a", label="closing"),
    Connect(source="initial.a", target="continuation.a", label="next"),
    Disconnect(transition="initial.a|jump|closure.a"),
    AddState(id="initial.a"),
    AddState(id="a|b"),
    AddState(id="x", kind="banana"),
    RenameState(id="initial.a", new_id="closure.a"),
    SetField(element="state:nope", field="/name", value="x"),
    SetField(element="state:initial.a", field="/name/deep", value="x"),
    UnsetField(element="state:initial.a", field="/nothing"),
    RemoveObject(element="validator:nope"),
    RemoveFile(path=MAIN),
    WriteFile(path="../x", text=""),
    Paste(fragment={"dialect": "other"}),
]


def test_the_agent_file_is_edited_in_place() -> None:
    after, paths = changed(
        pack(),
        SetField(element="agent:", field="/runner/verdict/config/maxIterations", value=3),
    )
    assert paths == {AGENT}
    assert after.verdict_config["maxIterations"] == 3
