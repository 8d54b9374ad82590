"""Cached findings equal the findings of a fresh source after each edit."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.dialects.steps_registry.packs import (
    AGENT,
    MAIN,
    SCHEMA,
    Change,
    findings,
    pack,
    step,
)
from tests.support.checks import each_row, each_seed, seed_ranges
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.rules.incremental_rules import cached_by_step, inputs
from workflows.core.dialects.steps_registry.rules.kit import step_of, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import (
    AddState,
    Connect,
    Disconnect,
    Edit,
    EditRefused,
    RemoveFile,
    RemoveState,
    RenameState,
    SetEntry,
    SetField,
    UnsetField,
    WriteFile,
)
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note


def _fresh(source: RegistrySource) -> RegistrySource:
    return DIALECT.read(source.files)


def _said(source: RegistrySource) -> list[str]:
    return sorted(repr(found) for found in findings(source))


def _some_edit(random: Random, source: RegistrySource, turn: int) -> Edit:
    """One of the edits that reach across: into schemas, prompts, agent.json, other steps."""
    ids = list(source.steps) or ["initial.a"]
    one, other = random.choice(ids), random.choice(ids)
    transitions = [arrow.id for each in source.steps.values() for arrow in each.transitions] or [""]
    prompt = random.choice([path for path in source.files if path.endswith(".md")] or ["x.md"])
    schema = json.dumps({"definitions": {one: {"$ref": f"#/definitions/{other}"}, other: {}}})
    intents: Any = random.sample(["next", "repeat", "jump", "handoff", "closing"], 2)
    inputs: Any = {"value": {"from": f"{other}.summary", "required": True}}
    edits: list[Edit] = [
        Connect(source=one, target=other, label=random.choice(["next", "jump", "handoff"])),
        Disconnect(transition=random.choice(transitions)),
        AddState(id=f"continuation.x{turn}", kind=random.choice(["work", "verification"])),
        RemoveState(id=one),
        RenameState(id=one, new_id=f"{one.split('.')[0]}.y{turn}"),
        SetEntry(id=one),
        SetField(element=f"state:{one}", field="/stepKind", value="closure"),
        SetField(element=f"state:{one}", field="/structuredGate/allowedIntents", value=intents),
        SetField(element=f"state:{one}", field="/inputs", value=inputs),
        SetField(element=f"state:{one}", field="/uvVariables", value=["issue", "free"]),
        SetField(element=f"state:{one}", field="/adaptation", value="short"),
        UnsetField(element=f"state:{one}", field="/transitions"),
        SetField(element="pack", field="/c1", value=random.choice(["steps", "other"])),
        SetField(element="agent:", field="/parameters", value={"free": {"required": False}}),
        WriteFile(path=prompt, text="---\nuvVariables: [extra]\n---\n{uv-other} next_action"),
        RemoveFile(path=prompt),
    ]
    if turn % 7 == 6:
        edits = [WriteFile(path=SCHEMA, text=schema), RemoveFile(path=random.choice(list(FILES)))]
    return random.choice(edits)


FILES = (SCHEMA, AGENT)


@pytest.mark.parametrize("seeds", seed_ranges(3, 12))
def test_after_any_edits_the_remembered_findings_are_those_of_a_fresh_reading(seeds: range) -> None:
    each_seed(seeds, after_any_edits_the_remembered_findings_are_those_of_a_fresh_reading)


def after_any_edits_the_remembered_findings_are_those_of_a_fresh_reading(seed: int) -> None:
    random = Random(seed)
    source = pack()
    done = 0
    for turn in range(25):
        try:
            source = DIALECT.apply(source, _some_edit(random, source, turn))
        except EditRefused:
            continue
        done += 1
        assert _said(source) == _said(_fresh(source)), turn
        for profile in DIALECT.profiles:
            assert DIALECT.graph(source, profile) == DIALECT.graph(_fresh(source), profile)
    assert done >= 8


def test_reverting_an_edit_restores_the_findings() -> None:
    before = pack()
    said = _said(before)
    after = DIALECT.apply(before, RemoveState(id="continuation.a"))
    assert _said(after) != said
    assert _said(before) == said
    assert _said(after) == _said(_fresh(after))


def _adapted(whole: dict[str, Any]) -> None:
    whole["registry"]["steps"]["initial.a"]["adaptation"] = "short"
    whole["files"][ADAPTED] = "next_action"


def _shared_enum(whole: dict[str, Any]) -> None:
    """The definition of initial.a refers to one that no other step uses."""
    action = whole["schema"]["initial.a"]["properties"]["next_action"]["properties"]
    whole["schema"]["common"] = action["action"]
    action["action"] = {"$ref": "#/common"}


ADAPTED = ".agent/t/prompts/steps/initial/a/f_default_short.md"
REACHING: list[tuple[str, Change, Edit, str]] = [
    ("its own prompt", _adapted, WriteFile(path=ADAPTED, text="{uv-free} next_action"), "SR408"),
    (
        "a definition that its own refers to",
        _shared_enum,
        SetField(element=f"file:{SCHEMA}", field="/common/enum", value=["next"]),
        "SR304",
    ),
    (
        "the kind of the step it leads to",
        lambda whole: None,
        SetField(element="state:continuation.a", field="/stepKind", value="closure"),
        "SR740",
    ),
]


@each_row([row[1:] for row in REACHING])
def test_a_step_is_looked_at_again_when_this_changes(change: Change, edit: Edit, code: str) -> None:
    source = pack(change)
    assert code not in {found.code for found in findings(source)}
    source = DIALECT.apply(source, edit)
    assert code in {found.code for found in findings(source)}
    assert _said(source) == _said(_fresh(source))


def _chain(length: int) -> RegistrySource:
    def change(whole: dict[str, Any]) -> None:
        for number in range(length):
            id = f"continuation.n{number}"
            whole["registry"]["steps"][id] = step(
                id, "work", ["next"], {"next": {"target": f"continuation.n{number + 1}"}}
            )

    return pack(change)


def test_an_edit_looks_again_at_the_steps_it_touches_and_those_that_name_them() -> None:
    source = _chain(200)
    looked: list[str] = []

    def look(source: RegistrySource, steps: Any) -> Any:
        for one in steps:
            looked.append(one.id)
            yield one.id, one.id

    assert len(cached_by_step(source, "test", look)) == len(looked) == 203
    looked.clear()
    edit = SetField(element="state:continuation.n50", field="/name", value="Other")
    source = DIALECT.apply(source, edit)
    assert len(cached_by_step(source, "test", look)) == 203
    assert looked == ["continuation.n49", "continuation.n50"]
    assert cached_by_step(source, "test", look) is cached_by_step(source, "test", look)


def test_a_change_that_all_prompts_depend_on_looks_at_everything_again() -> None:
    source = _chain(20)
    before = inputs(source)
    source = DIALECT.apply(source, SetField(element="pack", field="/c1", value="other"))
    assert len(inputs(source).changed_since(before)) == 23
    assert MAIN in source.files


def test_a_result_belongs_to_its_step_in_any_loop_order() -> None:
    """The check has read all its steps before it yields a first result."""
    source = _chain(3)

    def check(source: RegistrySource, steps: Any) -> Any:
        ids = [one.id for one in steps]
        return [(id, f"about {id}") for id in reversed(ids)]

    results = cached_by_step(source, "test", check)
    assert results == {id: (f"about {id}",) for id in source.steps}
    assert list(results) == list(source.steps)


def test_a_rule_that_reads_all_steps_first_is_cached_by_the_places_of_its_notes() -> None:
    @step_rule("SR999", "hint", "Test", profiles=EVERY)
    def unnamed(source: RegistrySource, steps: Any) -> list[Note]:
        """Every step needs a name."""
        return [
            Note(message=f"{one.id} has no name.", pointer=("steps", one.id), element=one.element)
            for one in sorted(steps, key=lambda one: one.id, reverse=True)
            if not str(one.value.get("name")).startswith("Named")
        ]

    def elements(source: RegistrySource) -> list[str]:
        found = unnamed.check(source, DIALECT.graph(source, "documented"))
        return [finding.place.element for finding in found]

    source = _chain(5)
    assert elements(source) == [f"state:{id}" for id in source.steps]
    edit = SetField(element="state:continuation.n2", field="/name", value="Named")
    source = DIALECT.apply(source, edit)
    assert elements(source) == elements(_fresh(source))
    assert "state:continuation.n2" not in elements(source)


@each_row(
    [
        Note(message="x", pointer=("validators", "v")),
        Note(message="x", element="pack"),
        Note(message="x", path="a.md", pointer=("steps", "initial.a")),
    ]
)
def test_a_note_without_a_step_fails(note: Note) -> None:
    with pytest.raises(ValueError, match="no place in a step"):
        step_of(note)


@each_row(
    [
        (Note(message="x", pointer=("steps", "a", "name"), element="transition:b|next|c"), "a"),
        (Note(message="x", path="a.md", element="state:a"), "a"),
        (Note(message="x", pointer=("steps", "b"), element="state:b", owner="state:a"), "a"),
        (Note(message="x", path="a.json", pointer=("steps", "b"), element="state:a"), "a"),
    ]
)
def test_a_note_belongs_to_the_step_at_its_place(note: Note, id: str) -> None:
    assert step_of(note) == id


def test_a_result_for_a_step_that_was_not_given_fails() -> None:
    source = _chain(3)

    def check(source: RegistrySource, steps: Any) -> Any:
        return [("continuation.n0", one.id) for one in steps]

    assert cached_by_step(source, "test", check)
    edit = SetField(element="state:continuation.n2", field="/name", value="Other")
    with pytest.raises(ValueError, match=r"'continuation\.n0', which it was not given"):
        cached_by_step(DIALECT.apply(source, edit), "test", check)
