"""The tables of the five format documents, row by row, as the documents have them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import pytest

from roles.core.new_role import blank_config
from roles.core.prompt_config import problems
from tests.dialects.promptpack.full_pack import at, full_pack
from tests.dialects.promptpack.packs import source as pack_source
from tests.dialects.stages.packs import folder, read, stage
from tests.dialects.steps_registry.packs import definition, findings, pack, setting
from tests.dialects.steps_registry.test_contract import checked
from tests.dialects.steps_registry.test_program import run, says
from tests.documents.quotes import after, fields_after, rows_after
from workflows.core.dialects import dialects
from workflows.core.dialects.agent_graph.format.model import Capabilities, Node
from workflows.core.dialects.agent_graph.program.call_arguments import Refused, normalised
from workflows.core.dialects.steps_registry.format.vocabulary import FALLBACK_KEYS
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import check

pytestmark = pytest.mark.third_party
REGISTRY, STAGES, PACK = "steps-registry", "stage-definitions", "promptpack"
ROLES, GRAPHS = "prompt-config", "prompts-and-agent-templates"
S = "registry/steps"
GATE = f"{S}/initial.a/structuredGate"
KINDS = ("work", "verification", "closure")


def serious(found: Iterable[Finding]) -> set[tuple[str, str]]:
    return {(one.code, one.place.pointer) for one in found if one.level != "hint"}


# -- steps registry ------------------------------------------------------------------------------


def allowed_by_document() -> list[set[tuple[str, str]]]:
    """(kind, intent) pairs of each of the three tables that have them."""
    tables = []
    for anchor in ("a fixed set of 7 defined by the Runner", "from step-gate-interpreter.ts"):
        pairs = set()
        for intent, _, kinds in rows_after(REGISTRY, anchor):
            named = KINDS if kinds.startswith("all") else re.findall("|".join(KINDS), kinds)
            pairs |= {(kind, intent) for kind in named}
        tables.append(pairs)
    by_kind = rows_after(REGISTRY, "stepKind and allowed intents")
    tables.append(
        {(row[0], intent) for row in by_kind for intent in (*row[1].split(", "), "abort")}
    )
    return tables


def test_each_kind_of_step_may_emit_its_intents_only() -> None:
    first, second, third = allowed_by_document()
    assert first == second == third
    intents = {intent for _, intent in first}
    assert len(intents) == 7
    for kind in KINDS:
        for intent in (*intents, "complete"):
            change = setting(
                (f"{GATE}/allowedIntents", [intent]), (f"{S}/initial.a/stepKind", kind)
            )
            found = {one.code for one in findings(pack(change)) if one.level == "error"}
            refused = bool(found & {"SR103", "SR206"})
            assert refused == ((kind, intent) not in first), (kind, intent, found)


def test_enum_and_transitions_match_in_every_row() -> None:
    rows = rows_after(REGISTRY, "the schema enum and transitions keys side by side")
    assert [row[0] for row in rows] == ["initial.issue", "continuation.issue", "closure.issue"]
    for (_, enum, keys), id in zip(rows, ("initial.a", "continuation.a", "closure.a"), strict=True):
        assert enum == keys
        intents = enum.split(", ")
        targets = {"handoff": "closure.a", "closing": None, "next": "continuation.a"}
        rules = {one: {"target": targets.get(one, id)} for one in intents}
        whole = (
            (f"{S}/{id}/structuredGate/allowedIntents", intents),
            (f"{S}/{id}/transitions", rules),
            (f"schema/{id}", {**definition(intents), "properties": {
                **definition(intents)["properties"], "summary": {"type": "string"}}}),
        )  # fmt: skip
        before = serious(findings(pack(setting(*whole))))
        assert before == set(), (id, before)
        for one in intents:
            without = setting(*whole, (f"{S}/{id}/transitions/{one}", ...))
            assert serious(findings(pack(without))), (id, one, "has no transition")
            fewer = [other for other in intents if other != one]
            short = definition(fewer)["properties"]["next_action"]
            change = setting(*whole, (f"schema/{id}/properties/next_action", short))
            assert serious(findings(pack(change))), (id, one, "is not in the enum")


def required(anchor: str) -> dict[str, bool]:
    return {row[0]: row[1] == "Yes" for row in rows_after(REGISTRY, anchor)}


@pytest.mark.parametrize(
    ("anchor", "place", "fields"),
    [
        ("this keeps\nthe contract consistent", "registry", 13),
        ('"failFast": true,\n"fallbackIntent"', GATE, 8),
        ('"extractParams": { "changedFiles"', "registry/validators/tests", 5),
        ('"params": ["changedFiles", "untrackedFiles"]', "registry/failurePatterns/red", 4),
    ],
)
def test_a_missing_key_is_found_if_the_table_requires_it(
    anchor: str, place: str, fields: int
) -> None:
    table = required(anchor)
    assert len(table) == fields
    prefix = place.removeprefix("registry")
    whole = setting() if place == "registry" else checked()
    before = serious(findings(pack(whole)))
    assert before == set()
    for key, needed in table.items():

        def without(tree: dict[str, Any], key: str = key) -> None:
            whole(tree)
            *path, last = f"{place}/{key}".split("/")
            node: Any = tree
            for step in path:
                node = node[step]
            node.pop(last, None)

        if key == "entryStep":  # Either it or a mapping.
            continue
        found = serious(findings(pack(without)))
        near = [one for one in found if one[1].startswith(prefix) or prefix.startswith(one[1])]
        assert bool(near) == needed, (key, found)


def test_aliases_mean_what_is_in_the_table() -> None:
    rows = rows_after(REGISTRY, "Action aliases recognized")
    aliases = {alias: intent for words, intent in rows for alias in words.split(", ")}
    assert len(aliases) == 7
    for alias, intent in aliases.items():
        for word in (alias, alias.upper()):
            before = [says("next"), says("handoff", summary="s")] if intent == "closing" else []
            played = run(lambda whole: None, [*before, says(word), says("handoff", summary="s")])
            read = [event.fields for event in played.events if event.type == "intent.read"]
            assert read[len(before)]["intent"] == intent, (word, read)


def test_every_fallback_key_of_the_document_has_a_prompt() -> None:
    keys = [
        key
        for anchor in (
            "Initial / Continuation pairs",
            "Project phase variants",
            "Closure and other",
        )
        for row in rows_after(REGISTRY, anchor)
        for key in row[0].split(" / ")
    ]
    assert len(keys) == 26
    assert set(keys) <= set(FALLBACK_KEYS)


# -- stages --------------------------------------------------------------------------------------

WRONG: dict[str, Any] = {
    "id": "Not Kebab", "name": 7, "allowedTools": "read", "completionTool": [],
    "completionSchema": 7, "retryPolicy": "twice", "turnCap": 0, "resolutionPolicy": [],
    "description": 7, "inputsSchema": 7, "tags": "a",
}  # fmt: skip


def with_head(key: str, line: str) -> Any:
    """A stage file in which the lines of a key are this line, or missing."""
    text = stage("only", "Do it.\n")
    pattern = rf"(?m)^{key}:.*\n(?:[ ].*\n)*"
    changed, count = re.subn(pattern, line, text)
    changed = changed if count else text.replace("owner: us\n", f"owner: us\n{line}")
    return read({"only.md": changed.encode()})


def test_eight_fields_of_a_stage_are_required_and_three_are_not() -> None:
    needed, optional = (
        [row[0] for row in rows_after(STAGES, anchor)]
        for anchor in ("an ordered list of concrete actions.", "fails init on the owning")
    )
    assert (len(needed), len(optional)) == (8, 3)
    stages = dialects()["stages"]
    assert serious(check(stages, folder("only"), "documented")) == set()
    for key in (*needed, *optional):
        missing = serious(check(stages, with_head(key, ""), "documented"))
        assert bool(missing) == (key in needed), (key, missing)
        wrong = with_head(key, f"{key}: {json.dumps(WRONG[key])}\n")
        assert serious(check(stages, wrong, "documented")), (key, WRONG[key])


# -- PromptPack ----------------------------------------------------------------------------------

FIELDS: dict[str, tuple[tuple[str | int, ...], int]] = {
    "A single prompt configuration within a pack.": (("prompts", "a"), 5),
    "A tool definition following": (("tools", "t"), 3),
    "A validation rule (guardrail)": (("prompts", "a", "validators", 0), 5),
    '"llm_judge", "cosine_similarity").': (("evals", 0), 5),
    "describing the eval result or failure reason.": (("evals", 0), 2),
    "Reference to a prompt key defined": (("workflow", "states", "s"), 8),
    "Declares one named slot": (("workflow", "states", "s", "artifacts", "x"), 3),
    "Resource budget for an entire": (("workflow", "engine", "budget"), 3),
    "Overrides the prompt's description if set.": (("agents", "members", "a"), 3),
}
OTHER_TYPE: dict[str, Any] = {
    "string": 7, "boolean": "yes", "object": "x", "number": "7", "integer": "7", "string[]": "x",
    "object<string, string>": ["x"],
}  # fmt: skip


def changed_pack(place: tuple[str | int, ...], change: Callable[[dict[str, Any]], None]) -> Any:
    tree = deepcopy(full_pack())
    change(at(tree, place))  # type: ignore[arg-type]
    found = check(dialects()["promptpack"], pack_source(tree), "documented")
    return {(one.code, one.place.pointer) for one in found if one.level == "error"}


@pytest.mark.parametrize("anchor", FIELDS)
def test_a_field_has_its_type_and_is_required_as_in_the_table(anchor: str) -> None:
    place, count = FIELDS[anchor]
    fields = fields_after(PACK, anchor)
    assert len(fields) == count
    before = changed_pack(place, lambda value: None)
    for name, (type, needed) in fields.items():
        own = "/" + "/".join(map(str, (*place, name)))
        missing = changed_pack(place, lambda value, name=name: value.pop(name, None)) - before
        assert bool(missing) == (needed == "Yes"), (name, missing)
        other = OTHER_TYPE[type]
        wrong = changed_pack(place, lambda value, name=name: value.update({name: other})) - before  # noqa: B023
        assert any(pointer.startswith(own) for _, pointer in wrong), (name, type, wrong)


# -- roles ---------------------------------------------------------------------------------------


def test_the_keys_of_a_prompt_config_are_required_as_in_the_tables() -> None:
    templates = [row[0] for row in rows_after(ROLES, "based on the pipeline step type.")]
    outputs = [row[0] for row in rows_after(ROLES, "for different completion states")]
    profile = [row[0] for row in rows_after(ROLES, '"performance"\n]')]
    assert (len(templates), len(outputs), len(profile)) == (4, 3, 3)
    whole = blank_config()
    whole["templates"]["cron_task"] = "Look after it."
    assert problems(whole) == ()
    for part, keys in (
        ("templates", templates), ("output_templates", outputs), ("memory_profile", profile),
    ):  # fmt: skip
        for key in keys:
            config = deepcopy(whole)
            del config[part][key]
            needed = part != "memory_profile" and key != "cron_task"
            assert [one.path for one in problems(config)] == [f"/{part}/{key}"] * needed


# -- agent graphs --------------------------------------------------------------------------------

VALUES: dict[str, tuple[Any, Any]] = {
    "string": ("docs", 7), "object": ({"a": 1}, "x"), "boolean": (True, "yes"),
    "[{type: string, ref: string}]": ([{"type": "diff", "ref": "artifact://d"}], [{"type": 1}]),
    "{ok: boolean, reason?: string}": ({"ok": True}, {"reason": "x"}),
    '{expectation: "none" | "optional" | "required", replyTo?: string}':
        ({"expectation": "required", "replyTo": "a"}, {"expectation": "soon"}),
    '"handoff" | "report"': ("report", "gossip"),
}  # fmt: skip
CALLER = Node(id="lead", role="orchestrator", capabilities=Capabilities(edge_management="all"))


def schemas() -> dict[str, dict[str, str]]:
    """Tool → argument (with `?` if it is optional) → type, of the document."""
    text = after(GRAPHS, "Tool schemas (tool_call args):\n")
    found: dict[str, dict[str, str]] = {}
    for name, shape in re.findall(r"(?m)^- `(\w+)`: `\{ (.*?) \}`", text):
        parts = re.split(r", (?=\w+\??: )(?![^{]*\})", shape)
        found[name] = dict(part.split(": ", 1) for part in parts)
    return found


def test_every_argument_of_a_call_has_the_shape_of_the_document() -> None:
    tools = schemas()
    assert len(tools) == 8
    for name, shape in tools.items():
        values = {
            key.rstrip("?"): "claude" if key == "provider?" else VALUES[type][0]
            for key, type in shape.items()
        }
        assert normalised(name, values, CALLER), name
        for key, type in shape.items():
            optional, plain = key.endswith("?"), key.rstrip("?")
            less = {other: value for other, value in values.items() if other != plain}
            if optional:
                assert normalised(name, less, CALLER), (name, plain)
            else:
                with pytest.raises(Refused):
                    normalised(name, less, CALLER)
            with pytest.raises(Refused):
                normalised(name, {**values, plain: VALUES[type][1]}, CALLER)
