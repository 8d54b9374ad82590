"""Find, replace, the ranges of elements, and copies: the work and the answer stay in proportion to
the pack."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from roles.core.file_diffs import MOST_CHARACTERS
from workflows.actions import packs
from workflows.core.dialects import dialects
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.dialects.base import Dialect
from workflows.core.dialects.promptpack.graph.composition_flow import Flow
from workflows.core.dialects.steps_registry.edits import clipboard
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    definition,
)
from workflows.core.dialects.steps_registry.schemas.resolve import resolve
from workflows.core.dialects.steps_registry.schemas.resolved_size import MAX_RESOLVED
from workflows.core.pack import replacement as replacement_module
from workflows.core.pack.copy_size import MAX_COPY
from workflows.core.pack.edits import EditRefused, Paste
from workflows.core.pack.files import Files
from workflows.core.pack.find import MAX_ADDED, TOO_LONG, FindResult, Query, find
from workflows.core.pack.graph import Graph
from workflows.core.pack.occurrences import LONGEST_SHOWN, Occurrences
from workflows.core.pack.replacement import FEW, replacement
from workflows.core.pack.text_points import TextPoints
from workflows.core.pack.text_ranges import ElementIndex, PackRanges
from workflows.core.text.json.document import JsonText
from workflows.isolation.jobs import MAX_MATCHES
from workflows.selectors.text import find as find_in_pack

Tree = dict[str, bytes]


def stages(count: int) -> Tree:
    """A pipeline of stages in files of their own."""
    entries: dict[str, Any] = {
        f"s{n}": {
            "file": f"stages/s{n}.md",
            "setup": {f"k{n}": {"from": "run.input.a"}},
            "next": {"nextStages": [f"s{n + 1}"] if n + 1 < count else []},
        }
        for n in range(count)
    }
    pipeline = {"format": "signalbox.stud-pipeline/1", "entryStage": "s0", "stages": entries}
    files = {
        f"stages/s{n}.md": f"---\nid: s{n}\nname: s{n}\n---\nWork.\n".encode() for n in range(count)
    }
    return {"pipeline.json": json.dumps(pipeline).encode(), **files}


def prompt_pack(metadata: Any = None, fragments: int = 0) -> Tree:
    pack = {
        "id": "a",
        "name": "a",
        "version": "1.0.0",
        "template_engine": {"version": "v1", "syntax": "{{variable}}"},
        "prompts": {"x": {"id": "x", "name": "x", "version": "1.0.0", "system_template": "Hi."}},
        "fragments": {f"f{n}": f"{{{{f{n + 1}}}}}" for n in range(fragments)},
        "metadata": {"notes": metadata},
    }
    return {"p.pack.json": json.dumps(pack).encode()}


def registry(steps: int, references: int, properties: int) -> Tree:
    """Steps with one schema, each of whose fields refers to the same large object."""

    def step(id: str) -> dict[str, Any]:
        return {
            "stepId": id, "name": id, "c2": "initial", "c3": "s", "edition": "default",
            "outputSchemaRef": {"file": "a.schema.json", "schema": "s"},
            "transitions": {"next": {"target": "initial.s0"}},
        }  # fmt: skip

    large = {
        "type": "object",
        "properties": {f"k{n}": {"type": "string"} for n in range(properties)},
    }
    fields = {f"q{n}": {"$ref": "#/definitions/x"} for n in range(references)}
    schemas = {"definitions": {"x": large}, "s": {"type": "object", "properties": fields}}
    ids = [f"initial.s{n}" for n in range(steps)]
    main = {"agentId": "a", "version": "1", "c1": "steps", "entryStep": ids[0]}
    main |= {"steps": {id: step(id) for id in ids}}
    return {
        "steps_registry.json": json.dumps(main).encode(),
        "schemas/a.schema.json": json.dumps(schemas).encode(),
    }


def team(count: int) -> Tree:
    """Agents with a template each."""
    nodes = [{"id": f"n{n}", "role": f"r{n}"} for n in range(count)]
    graph = {"agent_graph": 1, "name": "t", "entry": "n0", "nodes": nodes, "edges": []}
    header = '[template]\nname = "r"\nversion = "1"\ncapabilities = []\nconstraints = []\n\nHi'
    files = {f"docs/templates/r{n}.md": header.encode() for n in range(count)}
    return {"team.agents.json": json.dumps(graph).encode(), **files}


def opened(dialect: str, tree: Tree) -> tuple[Dialect, Any, Graph]:
    one = dialects()[dialect]
    source = one.read(Files.of(tree))
    assert source.readable
    return one, source, one.graph(source, one.profiles[0])


def ids(graph: Graph) -> tuple[str, ...]:
    return tuple(state.id for state in graph.states)


@pytest.mark.parametrize(
    ("dialect", "tree"),
    [
        ("stages", stages(40)),
        ("promptpack", prompt_pack(fragments=40)),
        ("agent_graph", team(40)),
        ("steps_registry", registry(40, 1, 1)),
    ],
)
def test_find_makes_no_form_and_places_each_element_once(
    dialect: str, tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, source, graph = opened(dialect, tree)
    forms: list[str] = []
    places: Counter[str] = Counter()
    place = type(one).element_place

    def placed(self: Dialect, source: Any, element: str, profile: str) -> Any:
        places[element] += 1
        return place(self, source, element, profile)

    monkeypatch.setattr(type(one), "fields", lambda self, source, element, _: forms.append(element))
    monkeypatch.setattr(type(one), "element_place", placed)
    assert find(one, source, graph, Query(text="e")).matches
    assert forms == []
    # Once for the ranges of all files, and once for the name of the object.
    assert max(places.values(), default=0) <= 2


def test_the_elements_of_a_text_are_found_by_their_order() -> None:
    one, source, graph = opened("promptpack", prompt_pack(fragments=300))
    ranges = PackRanges(one, source, graph).of(source.main)
    index = ElementIndex(ranges)
    for wanted in ranges:
        inside = [r for r in ranges if r.start <= wanted.start <= r.end]
        smallest = min(inside, key=lambda r: r.end - r.start)
        same = {r.element for r in inside if (r.start, r.end) == (smallest.start, smallest.end)}
        assert set(index.at(wanted.start)) <= same
    assert index.at(0) == ("pack",)


def test_columns_of_a_long_line_are_those_of_its_text() -> None:
    text = "\ufeff" + "aé→😀" * 900 + "\r\nö x"
    points = TextPoints(text.encode())
    for at in (0, 1, 2, 3, 4, 5, 2000, 3000, 3601, 3604):
        before = text[:at]
        line = before.replace("\r\n", "\n").rpartition("\n")[2].removeprefix("\ufeff")
        point = points.at(len(before.encode()))
        assert point.line == before.count("\n") + 1
        assert point.column == len(line.encode("utf-16-le")) // 2


def test_all_replacements_in_a_file_are_one_pass_with_the_same_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tree = prompt_pack([{"a": "a/é", "b": ["a<a", "b"]}, "a", "A"] * 40)
    one, source, graph = opened("promptpack", tree)
    text = JsonText.parse(source.files[source.main])
    for index in range(40):
        for pointer in ((3 * index, "a"), (3 * index, "b", 0), (3 * index + 1,), (3 * index + 2,)):
            whole = ("metadata", "notes", *pointer)
            text = text.set(whole, text.get(whole).replace("a", '"x/ü').replace("A", '"x/ü'))

    def refused(*_: Any) -> None:
        raise AssertionError("one value was set at a time")

    monkeypatch.setattr(JsonText, "set", refused)
    query = Query(text="a", replacement='"x/ü', only=_notes(one, source, graph))
    (edit,) = find(one, source, graph, query).edits
    assert edit.to_json()["text"] == text.data.decode()


def _notes(one: Dialect, source: Any, graph: Graph) -> set[str]:
    matches = find(one, source, graph, Query(text="a")).matches
    return {match.key for match in matches if "/notes/" in match.key}


def test_a_replacement_that_becomes_too_long_is_refused_before_it_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one, source, graph = opened("promptpack", prompt_pack(["a" * 3_000] * 4))
    built: list[int] = []
    replaced = Occurrences.replaced

    def recorded(self: Occurrences, new: str) -> str:
        text = replaced(self, new)
        built.append(len(text))
        return text

    monkeypatch.setattr(Occurrences, "replaced", recorded)
    result = find(one, source, graph, Query(text="a", replacement="b" * 5_000))
    assert result.edits == ()
    assert result.refused == TOO_LONG
    assert sum(built) <= MAX_ADDED + 100_000
    assert max(len(match.replaced) for match in result.matches) <= 5_001 + LONGEST_SHOWN
    plan = replacement(one, source, result)
    assert plan.problems == (TOO_LONG,)
    assert plan.files is source.files


def test_a_replacement_up_to_the_limit_is_made() -> None:
    one, source, graph = opened("promptpack", prompt_pack(["a" * 300]))
    query = Query(text="a", replacement="b" * 5_000, only=_notes(one, source, graph))
    plan = replacement(one, source, find(one, source, graph, query))
    assert plan.problems == ()
    assert len(plan.files[source.main]) > 1_500_000


def test_the_first_lines_of_a_replacement_are_those_of_the_whole_text() -> None:
    for text in ("a", "xax" * 300, " " * 90 + "bab" + " a" * 400, "b" * 500 + "a" + "c" * 500):
        for new in ("", "b", "bb" * 200, "xa"):
            found = Occurrences.of(Query(text="a").pattern, text)
            assert found is not None
            whole = found.replaced(new)
            assert found.replaced_length(new) == len(whole)
            start = max(max(whole.find(new), 0) - LONGEST_SHOWN // 3, 0)
            part = " ".join(whole[start : start + LONGEST_SHOWN].split())
            rest = "…" if start + LONGEST_SHOWN < len(whole) else ""
            assert found.shown_replaced(new) == f"{'…' if start else ''}{part}{rest}"


def test_a_replacement_of_too_many_edits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    one, source, graph = opened("stages", stages(FEW))
    result = find(one, source, graph, Query(text="s", replacement="zz", areas=("states", "files")))
    assert len(result.edits) > FEW
    applied: list[Any] = []
    monkeypatch.setattr(type(one), "apply", lambda self, source, edit: applied.append(edit))
    monkeypatch.setattr(replacement_module, "MAX_READ", 1)
    plan = replacement(one, source, result)
    assert applied == []
    assert plan.edits == ()
    assert "accepts 100 at once" in plan.problems[0]


def test_reasons_against_edits_are_listed_once() -> None:
    one, source, graph = opened("promptpack", prompt_pack(fragments=60))
    query = Query(text="f", replacement="", areas=("prompts",), match_case=True)
    result = FindResult(matches=(), edits=find(one, source, graph, query).edits * 3)
    plan = replacement(one, source, result)
    assert len(plan.problems) == len(set(plan.problems)) <= 21


@pytest.mark.django_db
def test_the_answer_to_a_replacement_is_bounded() -> None:
    tree = prompt_pack(["~"] * 3_000)
    (made,) = packs.import_files(Files.of(tree), owner=None).packs
    answer = find_in_pack(made, {"query": "~", "replacement": "b" * 600})
    assert len(answer["matches"]) == MAX_MATCHES
    assert answer["truncated"] is True
    assert len(answer["edits"]) == 1
    assert len(answer["files"][0]["diff"]) < MOST_CHARACTERS
    refused = find_in_pack(made, {"query": "~", "replacement": "b" * 2_000})
    assert refused["edits"] == refused["files"] == []
    assert refused["refused"] == [TOO_LONG]
    assert len(json.dumps(refused)) < 1_000_000


def test_a_shared_schema_is_resolved_once_for_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    one, source, graph = opened("steps_registry", registry(30, 10, 10))
    calls: list[Any] = []

    def recorded(*arguments: Any, **named: Any) -> Any:
        calls.append(arguments)
        return resolve(*arguments, **named)

    monkeypatch.setattr(clipboard, "resolve", recorded)
    copy: Any = one.copy(source, ids(graph))
    assert len(calls) == 1
    assert len(copy["steps"]) == 30
    assert all(
        len(item["schema"]["properties"]["q9"]["properties"]) == 10 for item in copy["steps"]
    )


def test_a_copy_that_becomes_too_large_is_refused() -> None:
    one, source, graph = opened("steps_registry", registry(60, 60, 50))
    with pytest.raises(EditRefused) as refused:
        one.copy(source, ids(graph))
    assert f"{MAX_COPY:,} characters" in refused.value.message
    assert refused.value.hint == "Copy fewer states at a time."
    assert one.copy(source, ids(graph)[:5])


def test_stages_with_one_large_file_are_not_copied_together() -> None:
    tree = stages(60)
    pipeline = json.loads(tree["pipeline.json"])
    for entry in pipeline["stages"].values():
        entry["file"] = "stages/s0.md"
    tree = {
        "pipeline.json": json.dumps(pipeline).encode(),
        "stages/s0.md": tree["stages/s0.md"] + b"x" * 50_000,
    }
    one, source, graph = opened("stages", tree)
    with pytest.raises(EditRefused):
        one.copy(source, ids(graph))
    assert one.copy(source, ids(graph)[:5])


@pytest.mark.parametrize("references", [2, 400])
def test_a_schema_that_references_multiply_is_not_resolved(references: int) -> None:
    """`d0` has two references to `d1` and so on, or one object has 400 to the same large one."""
    tree = registry(1, references, 200)
    if references == 2:
        nested: dict[str, Any] = {
            f"d{n}": {"properties": {k: {"$ref": f"#/definitions/d{n + 1}"} for k in "ab"}}
            for n in range(40)
        }
        schemas = {"definitions": {**nested, "d25": {}}, "s": {"$ref": "#/definitions/d0"}}
        tree["schemas/a.schema.json"] = json.dumps(schemas).encode()
    _, source, _ = opened("steps_registry", tree)
    location = definition(source, source.steps["initial.s0"])
    assert location is not None
    with pytest.raises(SchemaProblem, match=f"{MAX_RESOLVED:,} characters"):
        resolve(source, location)


def test_a_schema_that_contains_itself_is_found_before_it_is_resolved() -> None:
    tree = registry(1, 1, 1)
    doubled: dict[str, Any] = {
        f"d{n}": {"properties": {k: {"$ref": f"#/definitions/d{n + 1}"} for k in "ab"}}
        for n in range(25)
    }
    inner = {"a": {"$ref": "#/definitions/d0"}, "z": {"$ref": "#/s"}}
    definitions = {**doubled, "d25": {}, "y": {"properties": inner}}
    schemas = {"definitions": definitions, "s": {"properties": {"y": {"$ref": "#/definitions/y"}}}}
    tree["schemas/a.schema.json"] = json.dumps(schemas).encode()
    _, source, _ = opened("steps_registry", tree)
    for pointer in (("definitions", "y"), ("s",), ("definitions", "y")):
        with pytest.raises(SchemaProblem, match="contains itself"):
            resolve(source, SchemaLocation("schemas/a.schema.json", pointer))


def test_templates_are_pasted_with_one_change_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    one, source, graph = opened("agent_graph", team(40))
    fragment = one.copy(source, ids(graph))
    changes: list[Any] = []
    with_files = GraphSource.with_files

    def recorded(self: GraphSource, files: Any) -> GraphSource:
        changes.append(files)
        return with_files(self, files)

    monkeypatch.setattr(GraphSource, "with_files", recorded)
    after: Any = one.apply(source, Paste(fragment=fragment))
    assert len(changes) == 1
    assert len(after.shape.nodes) == 80
    assert len(after.template_files) == 80


def test_the_steps_and_links_of_a_composition_are_read_once_for_all_forms(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps: list[dict[str, Any]] = [
        {"id": f"t{n}", "kind": "prompt", "prompt_task": "x", "depends_on": ["t0"] if n else []}
        for n in range(40)
    ]
    pack = json.loads(prompt_pack()["p.pack.json"])
    pack["compositions"] = {"c": {"version": 1, "steps": steps}}
    one, source, graph = opened("promptpack", {"p.pack.json": json.dumps(pack).encode()})
    read: list[Flow] = []
    links = Flow._links

    def recorded(self: Flow) -> Any:
        read.append(self)
        return links(self)

    monkeypatch.setattr(Flow, "_links", recorded)
    elements = [item.element for item in (*graph.states, *graph.transitions)]
    for element in elements:
        one.fields(source, element, graph.profile)
    assert len(elements) > 75
    assert len(read) <= 1
