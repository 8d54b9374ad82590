"""The data of canvas and inspector: graph, offers, forms."""

from __future__ import annotations

from typing import Any

import pytest

from tests.dialects.promptpack.packs import DIALECT, GONE, applied, pack, prompt, source
from tests.support.checks import each_row
from workflows.core.dialects.promptpack.graph.projection import graph
from workflows.core.dialects.promptpack.schemas.versions import newest_field
from workflows.core.pack.edits import Connect, EditRefused, SetField
from workflows.core.pack.graph import Graph

S = "workflow/states"


def drawn(changes: dict[str, Any]) -> Any:
    return DIALECT.graph(source(pack(changes)), "documented")


def test_the_graph_of_a_workflow_has_kinds_roles_and_counts() -> None:
    found = drawn(
        {
            f"{S}/draft/orchestration": "external",
            f"{S}/draft/artifacts": {"a": {"type": "text/plain"}},
            f"{S}/draft/max_visits": 3,
            f"{S}/draft/on_max_visits": "done",
            "prompts/draft/tools": ["x", "y"],
            "prompts/draft/validators": [{"type": "regex"}],
        }
    )
    first, second, last = found.states
    assert (first.kind, first.role, first.max_visits) == ("external", "draft", 3)
    assert first.counts == {"artifacts": 1, "tools": 2, "checks": 1}
    assert (second.kind, second.terminal, last.terminal) == ("internal", False, True)
    assert [(arrow.id, arrow.kind) for arrow in found.transitions] == [
        ("draft|Submit|review", "event"),
        ("draft|on_max_visits|done", "redirect"),
        ("review|Approve|done", "event"),
    ]
    assert found.to_json()["entry"] == "draft"


def test_transitions_that_are_never_taken_are_inert() -> None:
    found = drawn({f"{S}/done/on_event": {"Again": "draft"}, f"{S}/draft/on_max_visits": "done"})
    assert [arrow.id for arrow in found.transitions if arrow.inert] == [
        "draft|on_max_visits|done",
        "done|Again|draft",
    ]


def test_a_missing_target_keeps_its_transition_and_gets_no_state() -> None:
    found = drawn({f"{S}/draft/on_event/Submit": "ghost", "workflow/entry": "ghost"})
    assert "draft|Submit|ghost" in {arrow.id for arrow in found.transitions}
    assert "ghost" not in {state.id for state in found.states}
    assert found.entries == ()


def test_agents_are_the_states_of_a_pack_without_a_workflow() -> None:
    found = drawn(
        {
            "workflow": GONE,
            "agents": {"entry": "draft", "members": {"draft": {}, "review": {}}},
            "prompts/draft/tools": ["review", "done", "search"],
        }
    )
    assert [(state.id, state.kind) for state in found.states] == [
        ("draft", "agent"),
        ("review", "agent"),
    ]
    assert [(arrow.id, arrow.kind) for arrow in found.transitions] == [
        ("draft|review|review", "delegate")
    ]
    assert found.to_json()["entry"] == "draft"


def test_prompts_alone_are_states_without_transitions() -> None:
    found = drawn({"workflow": GONE})
    assert {(state.kind, state.stateless) for state in found.states} == {("prompt", True)}
    assert found.transitions == ()


def test_with_a_workflow_the_agents_are_in_the_outline_and_on_a_level_of_their_own() -> None:
    tree = pack({"agents": {"entry": "draft", "members": {"draft": {}}}})
    found = DIALECT.graph(source(tree), "documented")
    assert {state.kind for state in found.on("").states} == {"internal"}
    assert [(state.id, state.kind) for state in found.on("agents").states] == [
        ("agents/draft", "agent")
    ]
    items = {section.kind: section.items for section in DIALECT.outline(source(tree))}
    assert items["agent"] == (("agent:draft", "draft"),)
    assert ("agents", "Agents") in items["pack"]


def test_after_an_edit_only_the_changed_state_is_projected_again() -> None:
    before = source(pack())
    first = graph(before, "documented")
    after = applied(before, Connect(source="review", target="draft", label="Reject"))
    second = graph(after, "documented")
    assert second.states[0] is first.states[0]
    assert second.states[2] is first.states[2]
    assert "review|Reject|draft" in {arrow.id for arrow in second.transitions}
    assert graph(before, "documented").transitions == first.transitions


def test_another_user_of_a_prompt_changes_the_number_on_all_cards_and_no_transition() -> None:
    step = {"id": "write", "kind": "prompt", "prompt_task": "draft"}
    before = source(pack({"compositions": {"c": {"version": 1, "steps": [step]}}}))
    first = graph(before, "documented")
    field = SetField(element="state:review", field="/prompt_task", value="draft")
    second = graph(applied(before, field), "documented")

    def users(found: Graph) -> dict[str, int]:
        return {state.id: state.prompt_users for state in found.states if state.role == "draft"}

    assert users(first) == {"draft": 2, "c/write": 2}
    assert users(second) == {"draft": 3, "review": 3, "c/write": 3}
    arrows = [
        [arrow for arrow in found.transitions if arrow.source == "draft"]
        for found in (first, second)
    ]
    assert arrows[0][0] is arrows[1][0]
    assert users(graph(before, "documented")) == users(first)


def test_offers_include_events_that_the_prompt_mentions() -> None:
    text = "Send `Submit` or `Abort`; the Later event too. When NeedsWork, say so. {{NotThis}}"
    found = source(pack({"prompts/draft/system_template": text}))
    offers = DIALECT.offers(found, "draft", "documented")
    assert [offer.label for offer in offers] == ["Abort", "Later", "NeedsWork", "", "on_max_visits"]
    assert offers[-1].kind == "redirect"
    assert {offer.pattern for offer in offers[:-1]} == {"^[A-Z][a-zA-Z0-9]*$"}
    assert DIALECT.offers(found, "nowhere", "documented") == ()


def test_an_end_offers_transitions_with_a_warning() -> None:
    (offer, _) = DIALECT.offers(source(pack()), "done", "documented")
    assert "never taken" in offer.reason
    assert offer.targets is None


def test_an_agent_offers_the_agents_that_it_does_not_call() -> None:
    members: dict[str, Any] = {"draft": {}, "review": {}, "done": {}}
    team = pack({"workflow": GONE, "agents": {"entry": "draft", "members": members}})
    team["prompts"]["draft"]["tools"] = ["review"]
    (offer,) = DIALECT.offers(source(team), "draft", "documented")
    assert (offer.kind, offer.targets) == ("delegate", ("done",))


def test_a_form_has_the_values_of_the_file_and_offers_existing_names() -> None:
    form = DIALECT.fields(source(pack()), "state:review", "documented")
    assert form.values == {"prompt_task": "review", "on_event": {"Approve": "done"}}
    properties: Any = form.schema["properties"]
    assert properties["prompt_task"]["x-choices"] == ["draft", "review", "done"]
    assert properties["on_event"]["additionalProperties"]["x-choices"] == [
        "draft",
        "review",
        "done",
    ]
    assert properties["orchestration"]["enum"] == ["internal", "external", "hybrid", "composition"]
    assert properties["orchestration"]["default"] == "internal"
    assert form.links == (
        ("prompt:review", "Prompt review"),
        ("transition:draft|Submit|review", "Used by draft|Submit|review"),
    )
    assert form.renamable
    assert form.removable


def test_the_form_of_a_transition_has_an_event_and_a_target() -> None:
    found = source(pack({f"{S}/draft/max_visits": 2, f"{S}/draft/on_max_visits": "done"}))
    arrow = DIALECT.fields(found, "transition:draft|Submit|review", "documented")
    assert arrow.values == {"event": "Submit", "target": "review"}
    redirect = DIALECT.fields(found, "transition:draft|on_max_visits|done", "documented")
    assert redirect.values == {"target": "done", "max_visits": 2}
    with pytest.raises(EditRefused):
        DIALECT.fields(found, "transition:draft|Nope|review", "documented")
    with pytest.raises(EditRefused):
        DIALECT.fields(found, "planet:mars", "documented")


def test_short_forms_are_shown_as_fields() -> None:
    found = source(
        pack({"skills": ["./a"], "requires": {"providers": ["fast"]}, "fragments": {"f": "Hi"}})
    )
    assert DIALECT.fields(found, "skill:./a", "documented").values == {"path": "./a"}
    assert DIALECT.fields(found, "provider:fast", "documented").values == {"key": "fast"}
    assert DIALECT.fields(found, "fragment:f", "documented").values == {"text": "Hi"}
    assert DIALECT.fields(found, "budget", "documented").values == {}


FORM_WORDS = {
    "type", "title", "description", "default", "examples", "enum", "minimum", "maximum",
    "minLength", "maxLength", "pattern", "required", "properties", "items",
    "additionalProperties", "oneOf", "readOnly", "x-widget", "x-choices", "x-element", "x-order",
    "x-computed", "x-group", "x-rare",
}  # fmt: skip


def _words_in(schema: Any) -> set[str]:
    found = set(schema)
    for inner in schema.get("properties", {}).values():
        found |= _words_in(inner)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            found |= _words_in(schema[key])
    for inner in schema.get("oneOf", ()):
        found |= _words_in(inner)
    return found


def test_forms_use_only_keywords_that_the_inspector_supports() -> None:
    rich = source(
        pack(
            {
                "tools": {"t": {"name": "t", "description": "x"}},
                "evals": [{"id": "e", "type": "x", "trigger": "every_turn"}],
                "agents": {"entry": "draft", "members": {"draft": {}}},
                "compositions": {"c": {"version": 1, "steps": []}},
                "skills": ["./a", {"name": "n", "description": "d", "instructions": "i"}],
            }
        )
    )
    for element in (
        "pack", "workflow", "budget", "agents", "state:draft", "prompt:draft", "tool:t", "eval:e",
        "agent:draft", "composition:c", "skill:./a", "skill:n",
    ):  # fmt: skip
        form = DIALECT.fields(rich, element, "documented")
        assert _words_in(form.schema) <= FORM_WORDS, element


@each_row(
    [
        ({"workflow": GONE}, "1.0"),
        ({f"{S}/done/terminal": GONE}, "1.3"),
        ({}, "1.4"),
        ({f"{S}/draft/control": "agent"}, "1.7"),
        ({"prompts/draft/provider": "x"}, "1.9"),
        ({"evals": [{"id": "e", "type": "x", "trigger": "y", "extensions": {}}]}, "1.8"),
    ]
)
def test_the_version_a_pack_needs_is_known(changes: dict[str, Any], version: str) -> None:
    assert newest_field(pack(changes))[0] == version


def test_a_copied_agent_is_its_prompt() -> None:
    team = source(pack({"workflow": GONE, "prompts/x": prompt("x")}))
    assert list(DIALECT.copy(team, ("x",))["prompts"]) == ["x"]
    with pytest.raises(EditRefused):
        DIALECT.copy(team, ("nowhere",))
