"""The examples of the document about Climpt's steps registry, each completed to an agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tests.documents.example import Arrow, Completed, Contradiction, Example
from tests.documents.quotes import edges_after, json_after

DOCUMENT = "steps-registry"
ROOT = ".agent/iterator"
MAIN = f"{ROOT}/steps_registry.json"
END = "End"
KINDS = {"closing": "closure", "escalate": "verification"}
Tree = dict[str, Any]


def says(intent: str, **more: Any) -> Tree:
    """The structured answer with an intent."""
    return {"structured": {"next_action": {"action": intent}, **more}}


def answer_schema(intents: Iterable[str], **properties: Any) -> Tree:
    action = {"type": "string", "enum": list(intents)}
    details = {"type": "object", "properties": {"target": {"type": "string"}}}
    return {
        "type": "object",
        "properties": {
            "next_action": {
                "type": "object",
                "properties": {"action": action, "details": details},
                "required": ["action"],
            },
            **properties,
        },
        "required": ["next_action"],
    }


def step(id: str, rules: Mapping[str, Any], kind: str = "", **more: Any) -> Tree:
    """A step with a gate for the intents of its rules. Its prompt address is its id."""
    first, second, *rest = id.split(".")
    kind = kind or next((KINDS[intent] for intent in rules if intent in KINDS), "work")
    return {
        "stepId": id,
        "name": id,
        "stepKind": kind,
        "c2": first,
        "c3": second,
        "edition": ".".join(rest) or "default",
        "outputSchemaRef": {"file": "issue.schema.json", "schema": id},
        "structuredGate": {
            "allowedIntents": list(rules),
            "intentSchemaRef": "#/properties/next_action/properties/action",
            "intentField": "next_action.action",
        },
        "transitions": dict(rules),
        **more,
    }


def agent(steps: Mapping[str, Tree], *, verdict: str = "poll:state", **more: Any) -> Tree:
    """The files of an agent with these steps: registry, agent.json, schemas and prompts."""
    registry = {
        "agentId": "iterator",
        "version": "1.0.0",
        "c1": "steps",
        "entryStep": next(iter(steps)),
        "steps": dict(steps),
        **more,
    }
    schemas = {
        id: answer_schema(value["structuredGate"]["allowedIntents"])
        for id, value in steps.items()
        if "structuredGate" in value
    }
    prompts = {
        f"{ROOT}/prompts/steps/{value['c2']}/{value['c3']}/f_{value['edition']}.md": f"Do {id}; "
        "answer with next_action."
        for id, value in steps.items()
    }
    return {
        MAIN: registry,
        f"{ROOT}/agent.json": {
            "name": "iterator",
            "parameters": {"issue": {"type": "number", "required": True}},
            "runner": {"verdict": {"type": verdict, "config": {"maxIterations": 30}}},
        },
        **({f"{ROOT}/schemas/issue.schema.json": schemas} if schemas else {}),
        **prompts,
    }


def of_edges(edges: Iterable[Arrow], **more: Any) -> dict[str, Tree]:
    """The steps of a chart: a rule for each of its arrows."""
    rules: dict[str, Tree] = {}
    for source, label, target in edges:
        rules.setdefault(source, {})[label] = {"target": None if target == END else target}
    return {id: step(id, found, **more) for id, found in rules.items()}


def _arrows(steps: Mapping[str, Tree]) -> frozenset[Arrow]:
    found = set()
    for id, value in steps.items():
        for intent, rule in value.get("transitions", {}).items():
            if intent == "closing" and rule.get("target", "") is None:
                found.add((id, intent, ""))
            if isinstance(rule.get("target"), str):
                found.add((id, intent, rule["target"]))
            for key, target in rule.get("targets", {}).items():
                found.add((id, f"{intent}: {key}", target))
    return frozenset(found)


def completed(
    steps: Mapping[str, Tree], walk: Iterable[str], replies: Iterable[Tree], **more: Any
) -> Completed:
    return Completed(
        **{
            "files": agent(steps),
            "path": MAIN,
            "states": frozenset(steps),
            "transitions": _arrows(steps),
            "inputs": {"issue": "7"},
            **more,
        },
        walk=tuple(walk),
        replies=tuple(replies),
    )


def issue_flow() -> Completed:
    steps = of_edges(edges_after(DOCUMENT, "The simplest pattern"))
    return completed(
        steps,
        [id for id in ("initial.issue", "continuation.issue", "closure.issue") for _ in range(2)],
        map(says, ["repeat", "next", "next", "handoff", "repeat", "closing"]),
    )


def project_flow() -> Completed:
    """Review hands off to its closure and repeats as another step; preparation hands off to
    review."""
    steps = of_edges(edges_after(DOCUMENT, "A project flow with preparation"))
    return completed(
        steps,
        [
            "initial.project.preparation",
            "initial.project.review",
            "initial.project.again",
            "continuation.project.again",
            "initial.project.review",
            "continuation.project.review",
            "initial.project.closure",
        ],
        map(says, ["handoff", "repeat", "next", "handoff", "next", "handoff", "closing"]),
    )


def minimal() -> Completed:
    """The three steps that the document lists as the minimum, in its words."""
    steps = {
        "initial.issue": step("initial.issue", {"next": {"target": "continuation.issue"}}),
        "continuation.issue": step("continuation.issue", {"handoff": {"target": "closure.issue"}}),
        "closure.issue": step("closure.issue", {"closing": {"target": None}}),
    }
    return completed(steps, steps, map(says, ["next", "handoff", "closing"]))


def retry_flow() -> Completed:
    """A failed validator sends the retry prompt in the closure step's folder to the work step."""
    edges = edges_after(DOCUMENT, "The simplest pattern")
    steps = of_edges(edges)
    clean = json_after(DOCUMENT, "command-based checks executed before closure.")
    guards = json_after(DOCUMENT, "with closure steps:")
    dirty = json_after(DOCUMENT, "enabling specialized retry prompts.")
    types = {"type-check": {**clean["git-clean"], "failurePattern": "type-error"}}
    types["type-check"] |= {"command": "make types", "successWhen": "exitCode:0"}
    del types["type-check"]["extractParams"]
    files = agent(
        steps,
        validators=clean | types,
        failurePatterns=dirty
        | {"type-error": {"description": "Types", "edition": "failed", "adaptation": "type-error"}},
        **guards,
    )
    folder = f"{ROOT}/prompts/steps/closure/issue"
    return completed(
        steps,
        ["initial.issue", *(("continuation.issue", "closure.issue") * 2)],
        map(says, ["next", "handoff", "closing", "handoff", "closing"]),
        files=files
        | {
            f"{folder}/f_failed_git-dirty.md": "Commit the changes.",
            f"{folder}/f_failed_type-error.md": "Correct the types.",
        },
        transitions=_arrows(steps) | {("closure.issue", "retry", "continuation.issue")},
        commands=({"exit": 0, "stdout": " M a.py\n"}, {"exit": 0, "stdout": ""}, {"exit": 0}),
    )


def gate() -> Completed:
    """The gate of the document, with a targetField on a step that does not allow jump."""
    quoted = json_after(DOCUMENT, "interpreted to determine the next action.")
    (first, later, last) = minimal_steps()
    later |= quoted
    later["transitions"] = {
        "next": {"target": "continuation.issue"},
        "repeat": {"target": "continuation.issue"},
        "handoff": {"target": "closure.issue"},
    }
    steps = {item["stepId"]: item for item in (first, later, last)}
    files = agent(steps)
    analysis = {
        "type": "object",
        "properties": {"understanding": {"type": "string"}, "approach": {"type": "string"}},
    }
    schemas = files[f"{ROOT}/schemas/issue.schema.json"]
    schemas["continuation.issue"] = answer_schema(
        quoted["structuredGate"]["allowedIntents"], analysis=analysis
    )
    known = {"analysis": {"understanding": "u", "approach": "a"}}
    return completed(
        steps,
        ["initial.issue", "continuation.issue", "continuation.issue", "closure.issue"],
        [says("next"), says("next", **known), says("handoff", **known), says("closing")],
        files=files,
    )


def minimal_steps() -> list[Tree]:
    return [
        step("initial.issue", {"next": {"target": "continuation.issue"}}),
        step("continuation.issue", {"handoff": {"target": "closure.issue"}}),
        step("closure.issue", {"closing": {"target": None}}),
    ]


def transitions() -> Completed:
    """The simple, the terminal and the conditional rules of the document in one flow."""
    simple = json_after(DOCUMENT, "Simple target:")["transitions"]
    terminal = json_after(DOCUMENT, "Terminal transition")["transitions"]
    chosen = json_after(DOCUMENT, "Conditional transition:")["transitions"]
    onward = {"next": {"target": "closure.issue"}}
    steps = {
        "initial.issue": step("initial.issue", simple),
        "continuation.issue": step("continuation.issue", chosen),
        **{id: step(id, onward) for id in chosen["next"]["targets"].values()},
        "closure.issue": step("closure.issue", terminal, "closure"),
    }
    steps["continuation.issue"]["structuredGate"]["handoffFields"] = ["work.status"]
    files = agent(steps)
    work = {"type": "object", "properties": {"status": {"enum": ["ready", "blocked", "odd"]}}}
    files[f"{ROOT}/schemas/issue.schema.json"]["continuation.issue"] = answer_schema(
        ["next"], work=work
    )
    return completed(
        steps,
        ["initial.issue", "continuation.issue", "continuation.wait", "closure.issue"],
        [says("next"), says("next", work={"status": "blocked"}), says("next"), says("closing")],
        files=files,
    )


def kinds() -> Completed:
    """Every kind with every intent that the document allows it, and abort, which is always
    allowed."""
    away = {"abort": {"target": None}}
    steps = {
        "initial.issue": step(
            "initial.issue",
            {
                "next": {"target": "verification.issue"},
                "repeat": {"target": "initial.issue"},
                "jump": {"target": "verification.issue"},
                "handoff": {"target": "closure.issue"},
                **away,
            },
        ),
        "verification.issue": step(
            "verification.issue",
            {
                "next": {"target": "closure.issue"},
                "repeat": {"target": "verification.issue"},
                "jump": {"target": "initial.issue"},
                "escalate": {"target": "initial.issue"},
                **away,
            },
        ),
        "closure.issue": step(
            "closure.issue",
            {"closing": {"target": None}, "repeat": {"target": "closure.issue"}, **away},
            "closure",
        ),
    }
    for id in ("initial.issue", "verification.issue"):
        steps[id]["structuredGate"]["targetField"] = "next_action.details.target"
    return completed(
        steps,
        ["initial.issue", "verification.issue", "initial.issue", "closure.issue"],
        map(says, ["next", "escalate", "handoff", "closing"]),
    )


def entries() -> Completed:
    """An entry for each verdict type."""
    mapping = json_after(DOCUMENT, "from runner.verdict.type in the agent")
    steps = {
        **{
            id: step(id, {"handoff": {"target": "closure.issue"}})
            for id in (mapping["entryStepMapping"].values())
        },
        "closure.issue": step("closure.issue", {"closing": {"target": None}}),
    }
    files = agent(steps, **mapping)
    del files[MAIN]["entryStep"]
    return completed(
        steps,
        ["initial.polling", "closure.issue"],
        map(says, ["handoff", "closing"]),
        files=files,
    )


def counted() -> Completed:
    """A registry without gates and transitions: `count:iteration` runs the first step once, then
    its continuation."""
    steps = json_after(DOCUMENT, "fallbackKey if using fallback prompts")["steps"]
    files = agent(steps, verdict="count:iteration")
    files[f"{ROOT}/agent.json"]["runner"]["verdict"]["config"]["maxIterations"] = 3
    return completed(
        steps,
        ["initial.assess", "continuation.assess", "continuation.assess"],
        [{"text": "Assessed."}] * 3,
        files=files,
        transitions=frozenset(
            {
                ("initial.assess", "next", "continuation.assess"),
                ("continuation.assess", "count:iteration", ""),
            }
        ),
        admitted={
            "SR421": Contradiction(
                reason="The list of built-in prompts has neither initial_assess nor "
                "continuation_assess.",
                one="example for count:iteration",
                other="list of built-in prompts",
            )
        },
    )


def step_definition() -> Completed:
    """The step of the document, with the parts that it elides."""
    quoted = json_after(DOCUMENT, "Each step is a keyed entry")["initial.issue"]
    (first, later, last) = minimal_steps()
    first = {**first, **{key: value for key, value in quoted.items() if value != {}}}
    steps = {item["stepId"]: item for item in (first, later, last)}
    later["uvVariables"] = ["issue"]
    return completed(
        steps,
        steps,
        map(says, ["next", "handoff", "closing"]),
        admitted={
            "SR421": Contradiction(
                reason="The list of built-in prompts has initial_issue, not issue_initial_default.",
                one="example of a step definition",
                other="list of built-in prompts",
            )
        },
    )


def path_templates() -> Completed:
    """`userPromptsBase` and `pathTemplate` as in the document's example of a resolved path."""
    done = minimal()
    files = dict(done.files)
    files[MAIN] = files[MAIN] | {
        "userPromptsBase": ".agent/iterator/prompts",
        "pathTemplate": "{c1}/{c2}/{c3}/f_{edition}_{adaptation}.md",
    }
    assert f"{ROOT}/prompts/steps/initial/issue/f_default.md" in files
    return completed(files[MAIN]["steps"], done.walk, done.replies, files=files)


def sections() -> Completed:
    """A section is a part of a prompt without flow control."""
    (first, later, last) = minimal_steps()
    section = {
        "stepId": "section.projectcontext",
        "name": "Context",
        "c2": "section",
        "c3": "projectcontext",
        "edition": "default",
    }
    steps = {item["stepId"]: item for item in (first, later, last, section)}
    files = agent(steps)
    files[f"{ROOT}/prompts/steps/initial/issue/f_default.md"] = (
        "{project_context_section}\nAnswer with next_action."
    )
    flow = [item["stepId"] for item in (first, later, last)]
    return completed(steps, flow, map(says, ["next", "handoff", "closing"]), files=files)


EXAMPLES = tuple(
    Example(place=f"{DOCUMENT}: {heading}", complete=make)
    for heading, make in (
        ("Step Definition", step_definition),
        ("entryStepMapping", entries),
        ("count:iteration", counted),
        ("stepKind and allowed intents", kinds),
        ("structuredGate", gate),
        ("transitions", transitions),
        ("Path templates", path_templates),
        ("Issue flow", issue_flow),
        ("Project flow", project_flow),
        ("Validation and retry", retry_flow),
        ("Sections", sections),
        ("Minimal registry", minimal),
    )
)
