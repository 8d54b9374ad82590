"""Rules as a table: one change to a valid agent, and the resulting codes above hint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.steps_registry.packs import (
    Change,
    definition,
    findings,
    loud,
    pack,
    put,
    setting,
    step,
)
from tests.dialects.steps_registry.scripted_run import files_of
from tests.support.checks import each_row
from workflows.core.dialects.steps_registry import DIALECT
from workflows.core.dialects.steps_registry.rules import startup
from workflows.core.pack.edits import AddState, Connect, EditRefused
from workflows.core.rules.check import check

S = "registry/steps"
GATE = f"{S}/initial.a/structuredGate"
NEXT = f"{S}/initial.a/transitions/next"


def _verification(whole: dict[str, Any]) -> None:
    whole["registry"]["steps"]["verification.a"] = step(
        "verification.a",
        "verification",
        ["next", "escalate"],
        {"next": {"target": "closure.a"}, "escalate": {"target": "continuation.a"}},
    )
    whole["schema"]["verification.a"] = definition(["next", "escalate"])
    whole["files"][".agent/t/prompts/steps/verification/a/f_default.md"] = "next_action"
    put(whole, f"{NEXT}/target", "verification.a")


def _conditional(whole: dict[str, Any]) -> None:
    put(whole, NEXT, {"condition": "status", "targets": {"ready": "continuation.a"}})
    whole["registry"]["steps"]["initial.a"]["transitions"]["next"]["targets"]["default"] = (
        "continuation.a"
    )
    put(whole, f"{GATE}/handoffFields", ["res.status"])
    status = {"type": "string", "enum": ["ready", "not yet"]}
    result = {"type": "object", "properties": {"status": status}}
    whole["schema"]["initial.a"]["properties"]["res"] = result


CHECKS = {
    "type": "command",
    "command": "check",
    "successWhen": "exitCode:0",
    "failurePattern": "dirty",
    "extractParams": {},
}
PATTERN = {"description": "d", "edition": "failed"}
GUARD = {
    "stepId": "closure.iteration",
    "name": "n",
    "c2": "retry",
    "c3": "a",
    "validationConditions": [{"validator": "clean"}],
    "onFailure": {"action": "retry", "maxAttempts": 3},
}


def _validated(**more: Any) -> Change:
    def change(whole: dict[str, Any]) -> None:
        whole["registry"]["validators"] = {"clean": {**CHECKS, **more}}
        whole["registry"]["failurePatterns"] = {"dirty": PATTERN}
        whole["registry"]["validationSteps"] = {"closure.iteration": GUARD}
        whole["files"][".agent/t/prompts/steps/retry/a/f_failed.md"] = "again"

    return change


FINE: dict[str, Change | None] = {
    "as it is": None,
    "with a verification step": _verification,
    "with a condition": _conditional,
    "with validators": _validated(),
    "success told by text": _validated(successWhen="contains:ok"),
    "success told by a pattern": _validated(successWhen="matches:^ok"),
    "success told by silence": _validated(successWhen="empty"),
    "unknown keys anywhere": setting((f"{S}/initial.a/priority", 3), ("registry/x", {"y": None})),
    "an entry by verdict type": setting(
        ("registry/entryStep", ...), ("registry/entryStepMapping", {"count:iteration": "initial.a"})
    ),
    "enum in another order": setting(("schema/initial.a", definition(["repeat", "next"]))),
    "a section": setting(
        (
            f"{S}/section.x",
            {"stepId": "section.x", "name": "x", "c2": "section", "c3": "x", "edition": "default"},
        ),
    ),
    "a declared parameter": setting(
        (f"{S}/initial.a/uvVariables", ["issue"]), (f"{S}/continuation.a/uvVariables", ["issue"])
    ),
    "a runtime variable": setting(
        (f"{S}/initial.a/uvVariables", ["iteration"]),
        (f"{S}/continuation.a/uvVariables", ["iteration"]),
    ),
    "a model": setting((f"{S}/initial.a/model", "haiku")),
    "a permission mode": setting((f"{S}/initial.a/permissionMode", "plan")),
    "a fallback intent": setting((f"{GATE}/fallbackIntent", "next")),
    "failFast off with an allowed fallback": setting(
        (f"{GATE}/failFast", False), (f"{GATE}/fallbackIntent", "repeat")
    ),
    "the definition under $defs": setting(
        ("schema/$defs", {"initial.a": definition(["next", "repeat"])}), ("schema/initial.a", ...)
    ),
    "a pointer as schema name": setting((f"{S}/initial.a/outputSchemaRef/schema", "#/initial.a")),
    "an optional input": setting(
        (f"{S}/closure.a/inputs", {"s": {"from": "continuation.a.summary"}})
    ),
    "the enum through a reference": setting(
        (
            "schema/initial.a",
            {"type": "object", "properties": {"next_action": {"$ref": "#/$defs/n"}}},
        ),
        ("schema/$defs", {"n": definition(["next", "repeat"])["properties"]["next_action"]}),
    ),
    "the enum through allOf": setting(
        ("schema/initial.a", {"allOf": [{"$ref": "#/$defs/base"}], "type": "object"}),
        ("schema/$defs", {"base": definition(["next", "repeat"])}),
    ),
}

WRONG: list[tuple[str, Change, list[str]]] = [
    ("no version", setting(("registry/version", ...)), ["SR101"]),
    ("another agentId", setting(("registry/agentId", "u")), ["SR102"]),
    ("abort", setting((f"{GATE}/allowedIntents", ["next", "repeat", "abort"])), ["SR103", "SR304"]),
    ("a fallback of another kind", setting((f"{GATE}/fallbackIntent", "escalate")), ["SR104"]),
    ("no entry", setting(("registry/entryStep", ...)), ["SR105", "SR601", "SR604"]),
    ("an entry that is no step", setting(("registry/entryStep", "x")), ["SR106", "SR601", "SR604"]),
    (
        "a mapping that is no step",
        setting(("registry/entryStepMapping", {"poll:state": "x"})),
        ["SR107"],
    ),
    ("no pointer", setting((f"{GATE}/intentSchemaRef", ...)), ["SR108"]),
    ("an outside pointer", setting((f"{GATE}/intentSchemaRef", "x.json#/a")), ["SR108"]),
    ("no intentField", setting((f"{GATE}/intentField", ...)), ["SR109"]),
    ("no gate", setting((GATE, ...)), ["SR110"]),
    (
        "no entry for the verdict",
        setting(
            ("registry/entryStep", ...), ("registry/entryStepMapping", {"poll:state": "initial.a"})
        ),
        ["SR111"],
    ),
    (
        "a graph without entryStep",
        setting(
            ("agent/runner/verdict/type", "detect:graph"),
            ("registry/entryStep", ...),
            ("registry/entryStepMapping", {"detect:graph": "initial.a"}),
        ),
        ["SR113"],
    ),
    ("an unknown verdict", setting(("agent/runner/verdict/type", "x")), ["SR114"]),
    (
        "a target that is no step",
        setting((f"{NEXT}/target", "x")),
        ["SR201", "SR601", "SR603", "SR604"],
    ),
    ("a fallback that is no step", setting((f"{NEXT}/fallback", "x")), ["SR202", "SR712"]),
    (
        "an intent that leads nowhere",
        setting((f"{S}/continuation.a/transitions/handoff", ...)),
        ["SR204", "SR601", "SR603", "SR604"],
    ),
    (
        "a dead rule",
        setting((f"{S}/initial.a/transitions/jump", {"target": "continuation.a"})),
        ["SR205"],
    ),
    (
        "an unknown rule",
        setting((f"{S}/initial.a/transitions/complete", {"target": "continuation.a"})),
        ["SR205", "SR206", "SR207"],
    ),
    ("next to closure", setting((f"{NEXT}/target", "closure.a")), ["SR208", "SR601"]),
    ("both forms", setting((f"{NEXT}/condition", "x"), (f"{NEXT}/targets", {})), ["SR210"]),
    ("neither form", setting((NEXT, {})), ["SR210", "SR601", "SR603", "SR604"]),
    ("null", setting((f"{NEXT}/target", None)), ["SR214", "SR601", "SR603", "SR604"]),
    ("no schema file", setting((f"{S}/initial.a/outputSchemaRef/file", "x.json")), ["SR301"]),
    ("no schema name", setting((f"{S}/initial.a/outputSchemaRef/schema", "x")), ["SR302"]),
    ("no enum", setting(("schema/initial.a", {"type": "object"})), ["SR303"]),
    ("another enum", setting(("schema/initial.a", definition(["next"]))), ["SR304"]),
    ("a reference to nothing", setting(("schema/initial.a", {"$ref": "#/nope"})), ["SR305"]),
    (
        "a schema as text",
        setting((f"{S}/initial.a/outputSchemaRef", "s.json#initial.a")),
        ["SR306"],
    ),
    (
        "no prompt",
        (lambda whole: whole["files"].pop(".agent/t/prompts/steps/initial/a/f_default.md")),
        ["SR401"],
    ),
    ("a capital in c3", setting((f"{S}/initial.a/c3", "aB")), ["SR401", "SR404", "SR405"]),
    ("a variable without source", setting((f"{S}/closure.a/uvVariables", ["foo"])), ["SR406"]),
    (
        "a late variable at first",
        setting((f"{S}/initial.a/uvVariables", ["previous_summary"])),
        ["SR407", "SR411"],
    ),
    ("stdin", setting((f"{S}/initial.a/usesStdin", True)), ["SR413"]),
    (
        "an unknown validator",
        (lambda whole: (_validated()(whole), put(whole, "registry/validators", {}))),
        ["SR501"],
    ),
    ("an unknown pattern", _validated(failurePattern="gone"), ["SR502"]),
    ("success never", _validated(successWhen="non-empty"), ["SR503"]),
    ("an invalid success pattern", _validated(successWhen="matches:("), ["SR514"]),
    ("no extractParams", _validated(extractParams=...), ["SR504"]),
    ("an unknown extractor", _validated(extractParams={"x": "parseBranchName"}), ["SR505"]),
    (
        "a condition on a text answer",
        lambda whole: (_conditional(whole), put(whole, f"{S}/initial.a/outputSchemaRef", ...)),
        ["SR110", "SR230"],
    ),
    ("stepId differs", setting((f"{S}/initial.a/stepId", "x")), ["SR606"]),
    (
        "repeat elsewhere",
        setting((f"{S}/initial.a/transitions/repeat/target", "continuation.a")),
        ["SR701"],
    ),
    (
        "closure reads elsewhere",
        setting((f"{S}/closure.a/structuredGate/intentField", "x")),
        ["SR705"],
    ),
    ("a closure variable", setting((f"{S}/closure.a/uvVariables", ["remaining"])), ["SR711"]),
]


UNDER_CLIMPT = {
    "SR102",
    "SR113",
    "SR208",
    "SR404",
    "SR405",
    "SR407",
    "SR413",
    "SR504",
    "SR701",
    "SR705",
    "SR711",
}
"""Codes of the table that are hints or not found under `documented`."""


@each_row(FINE)
def test_a_good_agent_has_no_findings(name: str) -> None:
    source = pack(FINE[name])
    for profile in DIALECT.profiles:
        assert set(loud(source, profile)) <= {"SR401"}, profile


@each_row(WRONG)
def test_a_wrong_agent(name: str, change: Change, codes: list[str]) -> None:
    def whole_change(whole: dict[str, Any]) -> None:
        change(whole)
        for item in whole["registry"].get("validators", {}).values():
            if item.get("extractParams") is ...:
                del item["extractParams"]

    source = pack(whole_change)
    told = findings(source, "climpt")
    assert sorted({finding.code for finding in told if finding.level != "hint"}) == codes
    milder = [
        code for code in codes if code not in UNDER_CLIMPT and (code, name) != ("SR103", "abort")
    ]
    milder += ["SR311"] if name == "closure reads elsewhere" else []
    assert loud(source, "documented") == milder
    for finding in told:
        if finding.fix is not None:
            after = source
            for edit in finding.fix.edits:
                after = DIALECT.apply(after, edit)
            left = {item.message for item in findings(after, "climpt") if item.code == finding.code}
            assert finding.message not in left, finding


def test_broken_json_is_a_finding_with_its_line() -> None:
    source = DIALECT.read(pack().files.changed({".agent/t/steps_registry.json": b'{\n "a": }'}))
    assert not source.readable
    assert [(found.code, found.place.line) for found in source.findings] == [("SR001", 2)]
    assert DIALECT.graph(source, "documented").states == ()
    with pytest.raises(EditRefused):
        DIALECT.apply(source, AddState(id="x"))


def test_an_error_that_blocks_a_load_upstream_blocks_it_here(corpus: Path) -> None:
    """The static vectors: which load-time validators complain, by code."""
    path = corpus / "steps-registry/_oracle/static-vectors-1.13.27.json"
    groups = {
        "validateStepKindIntents": startup.kinds,
        "validateEntryStepMapping": startup.entries,
        "validateIntentSchemaRef": startup.pointers,
        "validateFlowSteps": startup.flow,
    }
    wrong = []
    vectors = json.loads(path.read_text())["vectors"]
    for vector in vectors:
        source = DIALECT.read(files_of(vector))
        for name, group in groups.items():
            expected = vector["expected"]["runtimeLoad"].get(name) or []
            lines = [line for item in expected for line in item["message"].split("\n")]
            problems = list(group(source))
            same = {item["code"] for item in expected} == {problem.code for problem in problems}
            if not same or not all(_told(problem.line, lines) for problem in problems):
                wrong.append((vector["id"], name))
    assert len(vectors) >= 50
    assert wrong == []


def _told(line: str, lines: list[str]) -> bool:
    return any(line in told or line.split(":")[0] in told for told in lines)


def _retry_prompt_of_the_closure(whole: dict[str, Any]) -> None:
    _validated()(whole)
    whole["registry"]["failurePatterns"]["dirty"]["adaptation"] = "dirty"
    del whole["files"][".agent/t/prompts/steps/retry/a/f_failed.md"]
    whole["files"][".agent/t/prompts/steps/closure/a/f_failed_dirty.md"] = "again"


def _closure_by_kind(whole: dict[str, Any]) -> None:
    """The last step of the document's project flow: a closure step whose c2 is `initial`."""
    put(whole, f"{S}/closure.a/c2", "initial")
    put(whole, f"{S}/closure.a/c3", "end")
    prompts = whole["files"]
    prompts[".agent/t/prompts/steps/initial/end/f_default.md"] = "next_action"


def _built_in_prompts(whole: dict[str, Any]) -> None:
    for path in [path for path in whole["files"] if "/initial/" in path]:
        del whole["files"][path]
    for id in whole["registry"]["steps"]:
        put(whole, f"{S}/{id}/fallbackKey", "initial_issue")


ALLOWED_BY_THE_DOCUMENT: dict[str, tuple[Change, list[str]]] = {
    "a handoff from an initial step": (
        lambda whole: (
            put(whole, f"{S}/initial.a/transitions/handoff", {"target": "continuation.a"}),
            put(whole, f"{GATE}/allowedIntents", ["next", "repeat", "handoff"]),
            put(whole, "schema/initial.a", definition(["next", "repeat", "handoff"])),
        ),
        ["SR208", "SR215"],
    ),
    "next to the same step": (
        lambda whole: (
            put(whole, f"{S}/continuation.a/transitions/next", {"target": "continuation.a"}),
            put(whole, f"{S}/continuation.a/structuredGate/allowedIntents", LATER_INTENTS),
            put(
                whole,
                "schema/continuation.a/properties/next_action",
                definition(LATER_INTENTS)["properties"]["next_action"],
            ),
        ),
        ["SR209"],
    ),
    "a targetField without jump": (setting((f"{GATE}/targetField", "next_action.target")), []),
    "steps with the keys of the examples only": (
        setting(
            (f"{S}/initial.a/name", ...),
            (f"{S}/initial.a/uvVariables", ...),
            (f"{S}/initial.a/usesStdin", ...),
            (f"{S}/initial.a/stepKind", ...),
        ),
        ["SR608"],
    ),
    "no path config": (
        lambda whole: [
            whole["files"].pop(path) for path in list(whole["files"]) if "/config/" in path
        ],
        ["SR416"],
    ),
    "no extractParams": (_validated(extractParams=None), ["SR504"]),
    "a retry prompt in the closure step's folder": (
        _retry_prompt_of_the_closure,
        ["SR507", "SR720"],
    ),
    "a closure step by its kind": (_closure_by_kind, ["SR603", "SR604"]),
    "a built-in prompt": (_built_in_prompts, ["SR401"]),
    "repeat as another step": (
        setting((f"{S}/initial.a/transitions/repeat/target", "continuation.a")),
        ["SR701"],
    ),
}
LATER_INTENTS = ["repeat", "handoff", "next"]


@each_row(ALLOWED_BY_THE_DOCUMENT)
def test_a_rule_of_climpt_is_not_found_under_documented(name: str) -> None:
    change, codes = ALLOWED_BY_THE_DOCUMENT[name]
    assert loud(pack(change), "documented") == []
    assert loud(pack(change), "climpt") == codes


def test_the_canvas_offers_the_transitions_that_the_profile_allows() -> None:
    """The document's project flow hands off from work to work, and repeats as another step."""
    change = setting(
        (f"{S}/initial.a/transitions/repeat", ...),
        (f"{GATE}/allowedIntents", ["next"]),
        ("schema/initial.a", definition(["next"])),
    )
    source = pack(change)
    targets = {
        profile: {
            offer.label: set(offer.targets)
            for offer in DIALECT.offers(source, "initial.a", profile)
        }
        for profile in DIALECT.profiles
    }
    everything = {"initial.a", "continuation.a", "closure.a"}
    assert targets["documented"]["handoff"] == targets["documented"]["repeat"] == everything
    assert targets["climpt"]["handoff"] == {"initial.a", "closure.a"}
    drawn = DIALECT.apply(
        source, Connect(source="initial.a", target="continuation.a", label="handoff")
    )
    assert "SR208" not in {found.code for found in findings(drawn, "documented")}
    (told,) = [found for found in findings(drawn, "documented") if found.code == "SR740"]
    assert "SR208" in told.hint
    assert "SR208" in loud(drawn, "climpt")


def test_a_registry_without_gates_has_no_dead_ends() -> None:
    """Its verdict ends a run, at any step."""

    def change(whole: dict[str, Any]) -> None:
        for value in whole["registry"]["steps"].values():
            for key in ("structuredGate", "transitions", "outputSchemaRef"):
                del value[key]
        del whole["registry"]["steps"]["closure.a"]

    source = pack(change)
    for profile in DIALECT.profiles:
        codes = {found.code for found in check(DIALECT, source, profile)}
        assert not codes & {"GR105", "GR107", "GR108"}
    documented = {found.code for found in check(DIALECT, source, "documented")}
    assert not documented & {"SR601", "SR602", "SR603", "SR604", "SR605"}
    assert loud(source, "climpt") == ["SR602", "SR603", "SR604", "SR723"]
