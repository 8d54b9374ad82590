"""Agreement with Climpt's own validators: recorded verdicts, and a row for each of its codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.steps_registry.packs import (
    Change,
    definition,
    findings,
    folder,
    pack,
    put,
    setting,
    step,
)
from tests.dialects.steps_registry.scripted_run import files_of
from tests.dialects.steps_registry.upstream_codes import (
    FILES,
    ROWS,
    difference,
    lines,
    messages,
    same_as,
)
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT

S = "registry/steps"
GATE = f"{S}/initial.a/structuredGate"
NEXT = f"{S}/initial.a/transitions/next"
UNLIKE: dict[str, str] = {}
"""Static vectors that we judge otherwise, by id, each with its reason: none."""


def test_recorded_verdicts_are_ours_and_ours_are_recorded(corpus: Path) -> None:
    path = corpus / "steps-registry/_oracle/static-vectors-1.13.27.json"
    vectors = json.loads(path.read_text())["vectors"]
    wrong = {}
    for vector in vectors:
        source = DIALECT.read(files_of(vector))
        said = difference(source, messages(vector["expected"]), FILES)
        if said and vector["id"] not in UNLIKE:
            wrong[vector["id"]] = said
    assert len(vectors) >= 50
    assert wrong == {}
    print(f"{len(vectors) - len(UNLIKE)} of {len(vectors)} static vectors agree, both ways")


def _shipped(result: dict[str, Any]) -> list[str]:
    """Every message on a shipped agent. Front matter is left out: Climpt reads lists there by the
    line and takes those written over several lines for empty; we read them as YAML."""
    said = []
    for layer, given in result.items():
        if isinstance(given, dict) and layer != "frontmatterRegistryResult":
            for item in (*given.get("errors", ()), *given.get("warnings", ())):
                text = item if isinstance(item, str) else f"{item.get('path')}: {item['message']}"
                said += lines(text)
    return said


@pytest.mark.third_party
def test_shipped_agents_are_judged_as_climpt_judges_them(corpus: Path) -> None:
    path = corpus / "steps-registry/_oracle/validate-shipped-agents-1.13.27.json"
    agents = json.loads(path.read_text())["agents"]
    wrong = {}
    for name, verdict in agents.items():
        source = DIALECT.read(folder(corpus / "steps-registry" / name))
        if said := difference(source, _shipped(verdict["validateFull"]), frozenset()):
            wrong[name] = said
    assert len(agents) == 7
    assert wrong == {}


def test_every_message_of_the_recorded_verdicts_has_one_row(corpus: Path) -> None:
    path = corpus / "steps-registry/_oracle/static-vectors-1.13.27.json"
    vectors = json.loads(path.read_text())["vectors"]
    said = [message for vector in vectors for message in messages(vector["expected"])]
    assert len(said) > 70
    assert [message for message in said if same_as(message) is None] == []
    known = {rule.code for rule in DIALECT.rules()}
    assert {code for row in ROWS for code in row.rules} <= known


def _verification(escalate: Any) -> Change:
    def change(whole: dict[str, Any]) -> None:
        rules = {"next": {"target": "closure.a"}, "escalate": escalate}
        steps = whole["registry"]["steps"]
        steps["verification.a"] = step("verification.a", "verification", [*rules], rules)
        whole["schema"]["verification.a"] = definition([*rules])
        put(whole, f"{NEXT}/target", "verification.a")

    return change


def _validated(**more: Any) -> Change:
    return setting(
        ("registry/validators", {"v": {"type": "command", "command": "x", **more}}),
        (
            "registry/validationSteps",
            {
                "closure.iteration": {
                    "stepId": "c",
                    "name": "n",
                    "c2": "retry",
                    "c3": "a",
                    "validationConditions": [{"validator": "gone"}],
                }
            },
        ),
    )


def _next(**more: Any) -> Change:
    """A file of the 1.14 generation with something else in its first step."""

    def change(whole: dict[str, Any]) -> None:
        for item in whole["registry"]["steps"].values():
            item["kind"] = item.pop("stepKind")
            item["address"] = {"c1": "steps"}
            for key in ("c2", "c3", "edition"):
                item["address"][key] = item.pop(key)
            item["adaptationChain"] = ["default"]
        whole["registry"]["steps"]["initial.a"].update(more)

    return change


def _a_to(intent: str, rule: Any) -> Change:
    """initial.a may answer another intent, with this rule for it."""
    intents = ["next", "repeat", intent]
    pairs: list[tuple[str, Any]] = [
        (f"{GATE}/allowedIntents", intents),
        ("schema/initial.a", definition(intents)),
    ]
    if rule is not None:
        pairs.append((f"{S}/initial.a/transitions/{intent}", rule))
    return setting(*pairs)


def _as(verdict: str, **config: Any) -> Change:
    return setting(("agent/runner/verdict", {"type": verdict, "config": config}))


SYSTEM = ".agent/t/prompts/system.md"
PROMPT = ".agent/t/prompts/steps/initial/a/f_default.md"
ELSEWHERE = {"section.x": {"stepId": "section.x", "name": "x", "c2": "section", "c3": "x"}}
CODES: list[tuple[str, str, Change, Change | None]] = [
    ("SR-LOAD-001", "SR101", setting(("registry/version", ...)), None),
    ("SR-LOAD-002", "SR102", setting(("registry/agentId", "u")), None),
    ("SR-VALID-001", "SR103", setting((f"{GATE}/allowedIntents", ["closing"])), None),
    ("SR-VALID-001", "SR104", setting((f"{GATE}/fallbackIntent", "closing")),
     setting((f"{GATE}/fallbackIntent", "next"))),
    ("SR-VALID-002", "SR108", setting((f"{GATE}/intentSchemaRef", ...)), None),
    ("SR-VALID-002", "SR109", setting((f"{GATE}/intentField", ...)), None),
    ("SR-VALID-003", "SR301", setting((f"{S}/initial.a/outputSchemaRef/file", "x.json")), None),
    ("SR-VALID-003", "SR302", setting((f"{S}/initial.a/outputSchemaRef/schema", "x")), None),
    ("SR-VALID-003", "SR303", setting(("schema/initial.a", {"type": "object"})), None),
    ("SR-VALID-003", "SR304", setting(("schema/initial.a", definition(["next"]))),
     setting(("schema/initial.a", definition(["repeat", "next"])))),
    ("SR-VALID-003", "SR305", setting(("schema/initial.a", {"$ref": "#/nope"})), None),
    ("SR-VALID-004", "SR403", setting((f"{S}/initial.a/c2", "")), None),
    ("SR-VALID-004", "SR404", setting((f"{S}/initial.a/c3", "v2")),
     setting((f"{S}/initial.a/c3", "issue-two"))),
    ("SR-VALID-004", "SR417", setting((f"{S}/initial.a/uvVariables", None)), None),
    ("SR-VALID-004", "SR606", setting((f"{S}/initial.a/stepId", "x")), None),
    ("SR-VALID-004", "SR608", setting((f"{S}/initial.a/edition", ...)), None),
    ("SR-VALID-004", "SR422", _next(adaptationChain=["../x"]), _next(adaptationChain=["a-1"])),
    ("SR-VALID-005", "SR116", _next(stepKind="work"), _next()),
    ("SR-VALID-005", "SR116", _next(c2="initial"), _next()),
    ("SR-ENTRY-001", "SR105", setting(("registry/entryStep", ...)), None),
    ("SR-ENTRY-002", "SR106", setting(("registry/entryStep", "x")), None),
    ("SR-ENTRY-003", "SR107", setting(("registry/entryStepMapping", {"poll:state": "x"})),
     setting(("registry/entryStepMapping", {"poll:state": "initial.a"}))),
    ("SR-ENTRY-004", "SR113", setting(
        ("agent/runner/verdict/type", "detect:graph"), ("registry/entryStep", ...),
        ("registry/entryStepMapping", {"detect:graph": "initial.a"})),
     _as("detect:graph")),
    ("SR-GATE-002", "SR111", setting(
        ("registry/entryStep", ...), ("registry/entryStepMapping", {"poll:state": "initial.a"})),
     setting(("registry/entryStepMapping", {"poll:state": "initial.a"}))),
    ("SR-GATE-003", "SR110", setting((GATE, ...)), None),
    ("SR-GATE-004", "SR112", lambda whole: (
        _as("detect:graph")(whole),
        [item.pop("structuredGate") for item in whole["registry"]["steps"].values()]),
     _as("detect:graph")),
    ("SR-TRANS-001", "SR201", setting((f"{NEXT}/target", "x")), None),
    ("SR-TRANS-001", "SR203", setting((NEXT, {"condition": "a", "targets": {"b": "x"}})), None),
    ("SR-TRANS-002", "SR214", setting((f"{NEXT}/target", None)), None),
    ("SR-TRANS-002", "SR212", setting((NEXT, {"condition": "a", "targets": {"b": "closure.a"}})),
     setting((NEXT, {"condition": "a", "targets": {"default": "closure.a"}}))),
    ("SR-TRANS-003", "SR204", setting((NEXT, ...)), None),
    ("SR-TRANS-004", "SR204", _a_to("handoff", None), _a_to("handoff", {"target": "closure.a"})),
    ("SR-TRANS-004", "SR218", _a_to("handoff", {"condition": "a", "targets": {}}), None),
    ("SR-TRANS-005", "SR214", _a_to("handoff", {"target": None}), None),
    ("SR-TRANS-006", "SR201", _a_to("handoff", {"target": "x"}), None),
    ("SR-TRANS-007", "SR204", lambda whole: (
        _verification({"target": "continuation.a"})(whole),
        put(whole, f"{S}/verification.a/transitions/escalate", ...)),
     _verification({"target": "continuation.a"})),
    ("SR-TRANS-008", "SR201", _verification({"target": "x"}),
     _verification({"target": "continuation.a"})),
    ("SR-TRANS-009", "SR214", _verification({"target": None}), None),
    ("SR-TRANS-009", "SR218", _verification({"condition": "a", "targets": {}}), None),
    ("FAILED_STEP_ROUTING", "SR709", lambda whole: (
        put(whole, f"{S}/section.x", ELSEWHERE["section.x"]),
        put(whole, f"{NEXT}/target", "section.x")), None),
    ("FAILED_STEP_ROUTING", "SR610", lambda whole: (
        put(whole, f"{S}/section.x", ELSEWHERE["section.x"]),
        put(whole, "registry/entryStep", "section.x")), None),
    ("SCHEMA_POINTER_ERROR", "SR306", setting((f"{S}/initial.a/outputSchemaRef", "s.json#x")),
     None),
    ("SCHEMA_CIRCULAR_REFERENCE", "SR307", setting(
        ("schema/initial.a/properties/x", {"$ref": "#/t"}),
        ("schema/initial.a/properties/y", {"$ref": "#/t"}), ("schema/t", {"type": "string"})),
     setting(("schema/initial.a/properties/x", {"$ref": "#/t"}), ("schema/t", {"type": "string"}))),
    ("AC-VERDICT-002", "SR114", _as("detect:structured"), _as("detect:structured", signalType="x")),
    ("AC-VERDICT-003", "SR114", _as("meta:composite"), _as("meta:composite", conditions=[{}])),
    ("AC-VERDICT-004", "SR114", _as("meta:custom"), _as("meta:custom", handlerPath="x.ts")),
    ("AC-VERDICT-005", "SR114", _as("x"), None),
    ("PR-C3L-002", "SR405", lambda whole: whole["files"].update({
        ".agent/climpt/config/t-steps-user.yml":
            'params:\n  two:\n    directiveType:\n      pattern: "^(closure|continuation)$"\n'}),
     None),
    ("PR-C3L-003", "SR710", lambda whole: [
        item.pop("stepKind") for item in whole["registry"]["steps"].values()], None),
    ("PR-C3L-004", "SR401", lambda whole: whole["files"].pop(PROMPT), None),
    ("PR-RESOLVE-001", "SR401", lambda whole: whole["files"].pop(
        PROMPT.replace("initial", "closure")), None),
    ("PR-RESOLVE-003", "SR406", setting((f"{S}/initial.a/uvVariables", ["foo"])),
     setting((f"{S}/initial.a/uvVariables", ["issue"]))),
    ("PR-RESOLVE-003", "SR407", setting((f"{S}/initial.a/uvVariables", ["previous_summary"])),
     setting((f"{S}/continuation.a/uvVariables", ["previous_summary"]))),
    ("PR-RESOLVE-004", "SR413", setting((f"{S}/initial.a/usesStdin", True)), None),
    ("PR-RESOLVE-005", "SR408", lambda whole: whole["files"].update({PROMPT: "{uv-x}"}),
     lambda whole: whole["files"].update({PROMPT: "{uv-iteration}"})),
    ("PR-SYSTEM-001", "SR419", lambda whole: whole["files"].pop(SYSTEM), None),
    ("PR-FALLBACK-002", "SR421", setting((f"{S}/initial.a/fallbackKey", "initial.issue"),
        (f"{S}/continuation.a/fallbackKey", "initial_issue"),
        (f"{S}/closure.a/fallbackKey", "issue_closure_default")),
     setting(*((f"{S}/{id}/fallbackKey", "initial_issue")
               for id in ("initial.a", "continuation.a", "closure.a")))),
    ("AGENT_QUERY_ERROR", "SR501", _validated(), None),
    ("AGENT_ADAPTATION_CHAIN_EXHAUSTED", "SR423", lambda whole: (
        _next()(whole), whole["registry"]["steps"]["initial.a"].pop("adaptationChain")), _next()),
    ("GATE_INTERPRETATION_ERROR", "SR805", lambda whole: whole["files"].update({PROMPT: "Do."}),
     lambda whole: whole["files"].update({PROMPT: "Answer next or repeat."})),
]  # fmt: skip


@each_row(CODES)
def test_a_finding_names_the_climpt_code_of_its_rule(
    code: str, ours: str, wrong: Change, fine: Change | None
) -> None:
    told = [found for found in findings(pack(wrong), "climpt") if found.code == ours]
    assert told
    assert any(code in f"{found.message} {found.hint}" for found in told), told[0].message
    assert not [found for found in findings(pack(fine), "climpt") if found.code == ours]
