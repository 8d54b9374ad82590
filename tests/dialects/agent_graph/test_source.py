"""Reading: what is recognised, what the defaults are, and that nothing makes it fall over."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.agent_graph.packs import DIALECT, TEAM, findings_of, graph_of, pack, team
from tests.support.checks import each_row
from workflows.core.dialects.agent_graph.format.model import AgentGraph, Capabilities, Edge
from workflows.core.dialects.agent_graph.schemas import schema, validator
from workflows.core.pack.edits import EditRefused, SetField
from workflows.core.pack.files import Files


@each_row(
    [
        ("team.agents.json", TEAM, True),
        ("a/b/team.agents.json", '{"agent_graph": 1', True),
        ("a/b/team.agents.json", '{"nodes": [', True),
        ("team.agents.json", '{"nodes": []}', True),
        ("team.agents.json", '{"agent_graph": "1"}', True),
        ("a/b/team.agents.json", "{", False),
        ("team.agents.json", '{"permissions": {"allow": ["Bash"]}, "hooks": {}}', False),
        (".claude/settings.agents.json", '{"agents": {"coder": {"tools": []}}}', False),
        ("team.agents.json", '{"nodes": {"count": 3}}', False),
        ("team.agents.json", "[]", False),
        ("team.agents.json", "", False),
        ("team.json", TEAM, True),
        ("team.json", '{"agent_graph": 1}', True),
        ("team.json", '{"agent_graph": 99}', True),
        ("team.json", '{"nodes": []}', False),
        ("team.json", '{"inside": {"agent_graph": 1}}', False),
        ("team.json", '{"agent_graph": "1"}', False),
        ("team.json", '["agent_graph", 1]', False),
        ("team.json", '{"agent_graph": 1', False),
        ("team.txt", TEAM, False),
        ("docs/templates/x.md", "[template]", False),
    ]
)
def test_packs_are_recognised(path: str, text: str, found: bool) -> None:
    assert bool(DIALECT.recognises(Files.of({path: text.encode()}))) is found


def test_templates_in_the_folder_of_a_pack_belong_to_it() -> None:
    files = Files.of(
        {
            "x/team.agents.json": TEAM.encode(),
            "x/docs/templates/a.md": b"",
            "x/docs/templates/b c.md": b"",
            "x/docs/templates/deep/c.md": b"",
            "x/docs/other.md": b"",
            "docs/templates/d.md": b"",
        }
    )
    (found,) = DIALECT.recognises(files)
    assert found.name == "team"
    assert found.paths == (
        "x/team.agents.json",
        "x/docs/templates/a.md",
        "x/docs/templates/b c.md",
    )


def test_a_missing_value_has_the_default_of_the_format() -> None:
    graph = AgentGraph.of({"nodes": [{"id": "a"}, {"id": "b", "role": "orchestrator"}]})
    assert (graph.run_mode, graph.global_mode) == ("AUTO", "IMPLEMENTATION")
    assert (graph.stall_threshold, graph.most_nodes, graph.most_turns) == (3, 12, 60)
    assert graph.entry == "b"
    assert graph.nodes["a"].label == "a"
    assert graph.nodes["a"].provider == "custom"
    assert graph.nodes["a"].capabilities == Capabilities()
    assert Edge.of({"from": "a", "to": "b"}) == Edge(source="a", target="b")
    report = Edge.of({"from": "a", "to": "b", "type": "report"})
    assert report
    assert report.label == "report"


def test_a_written_graph_reads_the_same() -> None:
    graph = pack().shape
    again = AgentGraph.of(
        {
            "entry": graph.entry,
            "goal": graph.goal,
            "nodes": [node.to_json() for node in graph.nodes.values()],
            "edges": [edge.to_json() for edge in graph.edges],
        }
    )
    assert (again.nodes, again.edges) == (graph.nodes, graph.edges)


@each_row(
    [
        ("lead", "lead"),
        ("impl", "coder"),
        ("IMPL", "coder"),
        ("Lead", ""),
        ("", ""),
        ("nobody", ""),
    ]
)
def test_calls_mean_an_id_or_an_alias_in_any_case(name: str, meant: str) -> None:
    found = pack().shape.resolve(name)
    assert (found.id if found else "") == meant


def test_an_edge_permits_its_own_directions_only() -> None:
    graph = pack().shape
    may = {(a, b) for a in graph.nodes for b in graph.nodes if graph.lets(a, b)}
    assert may == {("lead", "coder"), ("coder", "lead"), ("coder", "checker"), ("checker", "lead")}


@each_row(sorted(DIALECT.samples()))
def test_a_sample_is_a_model_of_its_format(name: str) -> None:
    source = DIALECT.read(DIALECT.samples()[name])
    assert validator().is_valid(json.loads(source.files[source.main]))
    assert findings_of(source) == ()
    for export in DIALECT.exports():
        assert "agent_graph.schema.json" in export.make(source).files


def test_the_schema_describes_every_field() -> None:
    for name, definition in schema()["$defs"].items():
        for field, form in definition["properties"].items():
            assert "$ref" in form or form.get("description") or field in ("nodes", "edges"), name


def test_every_element_of_the_outline_and_the_graph_has_a_form() -> None:
    source = pack(own="# Own")
    graph = graph_of(source)
    elements = [item for section in DIALECT.outline(source) for item, _ in section.items]
    elements += [state.element for state in graph.states]
    elements += [arrow.element for arrow in graph.transitions]
    for element in elements:
        form = DIALECT.fields(source, element, "documented")
        assert form.element == element
        properties: Any = form.schema["properties"]
        assert set(form.values) <= {*properties, "x-own"}
    for element in ("state:nobody", "transition:a|b|c", "template:x", "tool:y", ""):
        with pytest.raises(EditRefused):
            DIALECT.fields(source, element, "documented")


def test_every_agent_has_a_card_with_its_name_and_role() -> None:
    cards = DIALECT.cards(pack(reviewer="[template]\nversion = '7'\n\n# R\n\nLooks hard.\n"))
    assert list(cards) == ["lead", "coder", "checker"]
    assert (cards["checker"]["description"], cards["checker"]["version"]) == ("Looks hard.", "7")
    assert cards["coder"]["skills"][0]["tags"][0] == "edit_code"


def test_a_shipped_template_can_be_read_and_not_written() -> None:
    form = DIALECT.fields(pack(), "template:reviewer", "documented")
    properties: Any = form.schema["properties"]
    assert "# Reviewer" in str(form.values["text"])
    assert properties["text"]["readOnly"]
    assert not form.removable
    with pytest.raises(EditRefused):
        DIALECT.apply(pack(), SetField(element=form.element, field="/text", value="x"))


def test_the_form_shows_the_effective_rights_of_an_agent() -> None:
    source = team(nodes=[{"id": "a", "role": "reviewer", "capabilities": {"writeCode": True}}])
    values = DIALECT.fields(source, "state:a", "documented").values
    assert values["rights"] == "read, hand off, run commands"
