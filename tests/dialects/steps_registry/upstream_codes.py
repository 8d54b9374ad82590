"""Messages of Climpt's validators, and the rules of this dialect with the same meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tests.dialects.steps_registry.packs import findings
from workflows.core.dialects.steps_registry.source import RegistrySource

Told = tuple[str, str]
"""A rule's code and its step; "" for the registry."""


class Same(NamedTuple):
    """A message of Climpt's, with the step in its first group, and our rules for it: any one."""

    said: str
    rules: tuple[str, ...]
    layer: str


STEP = r"steps\[\"(.+?)\"\]"
ROWS: tuple[Same, ...] = (
    # (a) JSON schema
    Same(r"steps\.(.+?)\.uvVariables: Expected type", ("SR417",), "schema"),
    Same(r"steps\.(.+?)\.usesStdin: Expected type", ("SR417",), "schema"),
    Same(r"steps\.(.+?)\.(?:model|permissionMode|stepKind|type): Value", ("SR221",), "schema"),
    Same(r"steps\.(.+?)\.structuredGate\.targetMode: Value", ("SR221",), "schema"),
    Same(
        r"steps\.(.+?)\.structuredGate\.allowedIntents\[\d+\]: Value", ("SR219", "SR103"), "schema"
    ),
    Same(r"steps\.(.+?)\.structuredGate\.intentSchemaRef: Does not match", ("SR108",), "schema"),
    Same(r"steps\.(.+?)\.structuredGate\.intentSchemaRef: Required", ("SR108",), "schema"),
    Same(r"steps\.(.+?)\.structuredGate\.intentField: Required", ("SR109",), "schema"),
    Same(r"steps\.(.+?)\.transitions\.\w+: Must match exactly one", ("SR210", "SR211"), "schema"),
    Same(r"steps\.(.+?)\.(?:c2|c3): Required", ("SR403",), "schema"),
    Same(r"steps\.(.+?)\.(?:name|edition): Required", ("SR608",), "schema"),
    Same(r"steps\.(.+?)\.stepId: Required", ("SR606",), "schema"),
    Same(r"steps\.(.+?)\.outputSchemaRef: Expected type", ("SR306",), "schema"),
    Same(r"()validationSteps\..+\.onFailure\.\w+: Value", ("SR506",), "schema"),
    Same(r"()(?:validators|failurePatterns|validationSteps)\..+: Required", ("SR510",), "schema"),
    Same(r"()(?:agentId|version|steps): Required", ("SR101",), "schema"),
    Same(r"()c1: Required", ("SR609",), "schema"),
    Same(r"()version: Does not match pattern", ("SR609",), "schema"),
    # (b) cross references
    Same(rf"{STEP}\.transitions\[.+?\]\.target references unknown step", ("SR201",), "references"),
    Same(rf"{STEP}\.transitions\[.+?\]\.fallback references", ("SR202",), "references"),
    Same(rf"{STEP}\.transitions\[.+?\]\.targets\[.+?\] references", ("SR203",), "references"),
    Same(r"()entryStepMapping\[.+?\] references", ("SR107",), "references"),
    Same(
        r"()validationSteps\[.+\]\.validator references unknown validator", ("SR501",), "references"
    ),
    Same(r"()validators\[.+\]\.failurePattern references", ("SR502",), "references"),
    # (c) typed registry, and what stops a load
    Same(r'Step key "(.+?)" does not match stepId', ("SR606",), "typed"),
    Same(r'Step "(.+?)": (?:name|edition) must be a non-empty string', ("SR608",), "typed"),
    Same(r'Step "(.+?)": c[23] must be a non-empty string', ("SR403",), "typed"),
    Same(r'Step "(.+?)": c3 ".+" is invalid', ("SR404",), "typed"),
    Same(r'Step "(.+?)": (?:uvVariables|usesStdin) must be', ("SR417", "SR608"), "typed"),
    Same(r'Step "(.+?)": Flow step .+ must have explicit stepKind', ("SR608",), "typed"),
    Same(r"Step \"(.+?)\": intent '.+' not allowed for stepKind", ("SR103",), "typed"),
    Same(r"Step \"(.+?)\": fallbackIntent '.+' not allowed", ("SR104",), "typed"),
    Same(r'Step "(.+?)": structuredGate defined but transitions missing', ("SR110",), "typed"),
    Same(r'Step "(.+?)": permissionMode must be one of', ("SR221",), "typed"),
    Same(
        r'Step "(.+?)" has structuredGate but missing required intentSchemaRef', ("SR108",), "typed"
    ),
    Same(r'Step "(.+?)" has structuredGate but missing required intentField', ("SR109",), "typed"),
    Same(r'Step "(.+?)": intentSchemaRef must be internal pointer', ("SR108",), "typed"),
    Same(r"()agentId must be a non-empty string", ("SR101",), "typed"),
    Same(r"()c1 must be a non-empty string", ("SR609",), "typed"),
    Same(r"()Step registry for \".+\" missing entry configuration", ("SR105",), "typed"),
    Same(r"()Step registry for \".+\": entryStep \".+\" does not exist", ("SR106",), "typed"),
    Same(r"()entryStepMapping\[.+?\] references non-existent step", ("SR107",), "typed"),
    Same(
        r"Steps missing (?:structuredGate|transitions|outputSchemaRef): (.+)", ("SR110",), "typed"
    ),
    # (d) paths, (f) prompts
    Same(rf"C3L prompt file not found: {STEP}", ("SR401", "SR402", "SR425"), "paths"),
    Same(rf"{STEP}\.outputSchemaRef\.file → .+ does not exist", ("SR301",), "paths"),
    Same(r'Step "(.+?)": outputSchemaRef\.schema ".+" not found', ("SR302",), "paths"),
    Same(r"()runner\.flow\.systemPromptPath → .+ does not exist", ("SR419",), "paths"),
    Same(r"()runner\.flow\.prompts\.registry → .+ does not exist", ("SR427",), "paths"),
    Same(r"()runner\.flow\.prompts\.fallbackDir is a legacy field", ("SR427",), "paths"),
    Same(rf"{STEP}\.c[23] is missing or empty", ("SR403",), "prompts"),
    Same(rf"{STEP}\.c[23] is \".+?\" but stepId", ("SR414",), "prompts"),
    Same(rf"\[PROMPT\] {STEP}: C3L file .+ not found", ("SR401", "SR402", "SR425"), "prompts"),
    # (e) flow
    Same(
        r"Step '(.+?)': transition '.+' targets '.+' which does not exist",
        ("SR201", "SR202", "SR203"),
        "flow",
    ),
    Same(r"()Entry point '.+' .+ cannot reach any closure step", ("SR603",), "flow"),
    Same(r"()No closure step is reachable from entry points", ("SR604",), "flow"),
    Same(r"Orphan flow step '(.+?)' has structuredGate", ("SR601",), "flow"),
    Same(r"Orphan steps not reachable from any entry point: (.+)", ("SR602",), "flow"),
    Same(rf"{STEP}\.transitions has unknown intent key", ("SR206",), "flow"),
    Same(r"Step '(.+?)': transition '.+' is not allowed for stepKind", ("SR207",), "flow"),
    Same(r"Step '(.+?)': allowedIntents includes '.+' but no transition", ("SR204",), "flow"),
    Same(r"Step '(.+?)': transition '.+' defined but not in allowedIntents", ("SR205",), "flow"),
    Same(r"Step '(.+?)': 'escalate' (?:is|in allowedIntents is) only valid", ("SR216",), "flow"),
    Same(r"Step '(.+?)': initial steps should not use handoff", ("SR215",), "flow"),
    Same(r"Step '(.+?)' \(\w+\): transition '.+' targets", ("SR208",), "flow"),
    Same(r"Step '(.+?)': 'next' transition targets itself", ("SR209",), "flow"),
    Same(r"Steps ([^,]+?)(?:, .+)? form a cycle with no path to closure", ("SR605",), "flow"),
    # (g) variables
    Same(r'Step "(.+?)": UV variable ".+" maps to optional CLI parameter', ("SR410",), "variables"),
    Same(r'Step "(.+?)": UV variable ".+" is continuation-only', ("SR407",), "variables"),
    Same(r'Step "(.+?)": uvVariable ".+" has no identified supply source', ("SR406",), "variables"),
    Same(rf"{STEP} exists but steps\[.+\] is missing", ("SR412",), "variables"),
    Same(
        r"steps\[.+?\] declares uvVariables .+ but steps\[\"(.+?)\"\] declares",
        ("SR411",),
        "variables",
    ),
    # (h) templates, (i) front matter
    Same(rf"{STEP}: template uses \{{uv-.+\}} but .+ is not declared", ("SR408",), "templates"),
    Same(rf"{STEP}: uvVariables declares .+ but template has no", ("SR409",), "templates"),
    Same(
        rf"{STEP}: C3L prompt file not found, UV consistency",
        ("SR401", "SR402", "SR425"),
        "templates",
    ),
    Same(
        rf"{STEP}: \".+\" is in registry uvVariables but not declared in frontmatter",
        ("SR415",),
        "front matter",
    ),
    Same(rf"{STEP}: \".+\" is .*frontmatter but", ("SR415",), "front matter"),
    # (j) handed-over inputs
    Same(r'Step "(.+?)": required input', ("SR418",), "inputs"),
    # (k) path config
    Same(rf"{STEP}\.c[23] = \".+\" does not match", ("SR405",), "config"),
)

COMPARED = frozenset(code for row in ROWS for code in row.rules)
FILES = frozenset(
    code for row in ROWS if row.layer in ("paths", "templates", "config") for code in row.rules
)
"""Codes that need files which static vectors do not have."""


def same_as(message: str) -> Same | None:
    return next((row for row in ROWS if re.search(row.said, message)), None)


def upstream(message: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """(equivalent rules; step) of one message, several if it lists steps."""
    row = same_as(message)
    if row is None:
        raise AssertionError(f"no row for {message!r}")
    found = re.search(row.said, message)
    assert found is not None
    subjects = found[1].split(", ") if row.rules in (("SR602",), ("SR110",)) else [found[1]]
    return ((row.rules, subject) for subject in subjects)


def told(source: RegistrySource, but: frozenset[str] = frozenset()) -> set[Told]:
    """The findings of the pack that have an equivalent in Climpt."""
    said = set()
    for found in findings(source, "climpt"):
        if found.code in COMPARED - but:
            said.add((found.code, step_of(found.place.pointer)))
    return said


def step_of(pointer: str) -> str:
    parts = pointer.split("/")
    return parts[2] if len(parts) > 2 and parts[1] == "steps" else ""


def messages(expected: dict[str, Any]) -> Iterator[str]:
    """Every message of a static vector, in every layer."""
    for items in expected["runtimeLoad"].values():
        for item in items:
            yield from lines(item["message"])
    for layer, given in expected["validate"].items():
        if layer == "jsonSchema":
            yield from (f"{item['path']}: {item['message']}" for item in given)
        elif isinstance(given, dict):
            yield from (*given["errors"], *given["warnings"])
        else:
            for item in given:
                yield from lines(item["message"] if isinstance(item, dict) else item)


def difference(source: RegistrySource, said: Iterable[str], but: frozenset[str]) -> str:
    """The difference between Climpt's messages and our findings; "" without any."""
    expected = [one for message in said for one in upstream(message)]
    ours = told(source, but)
    missing = [
        f"not said: {rules} of {step!r}"
        for rules, step in expected
        if not any((code, step) in ours for code in rules)
    ]
    extra = [
        f"said too much: {code} of {step!r}"
        for code, step in sorted(ours)
        if not any(code in rules and step == subject for rules, subject in expected)
    ]
    return "; ".join(missing + extra)


def lines(message: str) -> list[str]:
    """The offenders that a message lists; the message itself where it lists none."""
    listed = re.findall(r"(?m)^(?:- |Fix: )?(Step(?:s missing)? .+|entryStepMapping.+)$", message)
    body = [line.removeprefix("- ") for line in message.split("\n") if line.startswith("- ")]
    missing = [line for line in listed if line.startswith("Steps missing")]
    if body or missing:
        return body + missing
    return [re.sub(r"^\[[A-Z-]+\d+\] ", "", message.split("\n")[0])]
