"""Files of tired authors as data: one mistake each, in a sample that has no finding without it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DIALECTS = Path(__file__).parents[2] / "workflows/core/dialects"
Change = Callable[[bytes], bytes]


@dataclass(frozen=True, kw_only=True)
class Tired:
    """A mistake in the file `path`. The leading finding is in the file and on the line with `at`,
    and its words contain `says`."""

    sample: str
    path: str
    change: Change
    at: str
    says: tuple[str, ...]
    found_in: str


def swap(*pairs: str) -> Change:
    """Replace the first of each pair of texts by the second, once each."""

    def change(data: bytes) -> bytes:
        for old, new in zip(pairs[::2], pairs[1::2], strict=True):
            assert old.encode() in data, old
            data = data.replace(old.encode(), new.encode(), 1)
        return data

    return change


def value(change: Callable[[Any], object]) -> Change:
    """Change the JSON value of a file."""

    def changed(data: bytes) -> bytes:
        tree = json.loads(data)
        change(tree)
        return json.dumps(tree, indent=2).encode()

    return changed


def utf16(data: bytes) -> bytes:
    return data.decode().encode("utf-16")


def empty(data: bytes) -> bytes:
    return b""


def sample_files(name: str) -> dict[str, bytes]:
    """The files of a sample (`stages/review-loop`), with their paths in a repository."""
    dialect, _, inside = name.partition("/")
    root = DIALECTS / dialect / "samples" / inside
    if root.is_file():
        where = ".claude/workflows/" if root.suffix == ".js" else ""
        return {f"{where}{root.name}": root.read_bytes()}
    found = {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}
    return {f".{path}" if path.startswith("agent/") else path: data for path, data in found.items()}


def of(sample: str, path: str) -> Callable[..., Tired]:
    """A maker of mistakes in this file of this sample."""

    def row(change: Change, at: str, *says: str, found_in: str = "") -> Tired:
        return Tired(
            sample=sample, path=path, change=change, at=at, says=says, found_in=found_in or path
        )

    return row


AGENT = ".agent/triage-bot"
registry = of("steps_registry/triage-bot", f"{AGENT}/steps_registry.json")
answers = of("steps_registry/triage-bot", f"{AGENT}/schemas/triage.schema.json")
agent = of("steps_registry/triage-bot", f"{AGENT}/agent.json")
read_prompt = of("steps_registry/triage-bot", f"{AGENT}/prompts/steps/initial/read/f_default.md")
pipeline = of("stages/feature-delivery", "pipeline.json")
plan = of("stages/feature-delivery", "stages/plan.md")
loop = of("stages/review-loop", "stages/draft.md")
implement = of("stages/feature-delivery", "stages/implement.md")
hunt = of("workflow_scripts/flaky-hunt.js", ".claude/workflows/flaky-hunt.js")
review = of("workflow_scripts/contract-review.js", ".claude/workflows/contract-review.js")
support = of("promptpack/customer-support.pack.json", "customer-support.pack.json")
desk = of("agent_graph/research-desk", "research-desk.agents.json")
checker = of("agent_graph/research-desk", "docs/templates/fact-checker.md")
issues = of("climpt_workflow/issue-flow", ".agent/workflow.json")


def steps_as_a_list(tree: Any) -> None:
    tree["steps"] = list(tree["steps"].values())


def transitions_in_the_gate(tree: Any) -> None:
    step = tree["steps"]["closure.report"]
    step["structuredGate"]["transitions"] = step.pop("transitions")


def setup_in_next(tree: Any) -> None:
    entry = tree["stages"]["plan"]
    entry["next"]["setup"] = entry.pop("setup")


def budget_beside_engine(tree: Any) -> None:
    tree["workflow"]["budget"] = tree["workflow"].pop("engine")["budget"]


def events_in_artifacts(tree: Any) -> None:
    state = tree["workflow"]["states"]["answer"]
    state["artifacts"]["on_event"] = state.pop("on_event")


# ruff: noqa: E501
REGISTRY = {
    "missing comma": registry(swap('"c1": "steps",', '"c1": "steps"'), '"entryStepMapping"', "comma"),
    "curly quotes": registry(swap('"c1": "steps"', '"c1": “steps”'), "“steps”", "quote"),
    "lost brace": registry(swap('"closure.report" }\n      }\n    },', '"closure.report" }\n      }\n    ,'), '"continuation.ask"', "}"),
    "bracket for a brace": registry(swap('"steps": {', '"steps": ['), '"initial.read": {', "["),
    "boolean of Python": registry(swap('"required": true }', '"required": True }'), "True", "true"),
    "comment": registry(swap('  "validators"', '  // what we check\n  "validators"'), "// what we check", "omment"),
    "UTF-16": registry(utf16, "", "UTF-8"),
    "empty": registry(empty, "", "empty"),
    "steps as a list": registry(value(steps_as_a_list), '"steps"', "steps", "list"),
    "typo in steps": registry(swap('"steps": {', '"setps": {'), '"setps"', "setps", "steps"),
    "typo in transitions": registry(swap('"transitions": {\n        "next": { "target": "cont', '"transitons": {\n        "next": { "target": "cont'), '"transitons"', "transitons", "transitions"),
    "transitions in the gate": registry(value(transitions_in_the_gate), '"transitions"', "transitions", "structuredGate"),
    "typo in an intent": registry(swap('["next", "handoff"]', '["next", "handof"]'), "handof", "handof", "handoff"),
    "typo in a target": registry(swap('{ "target": "verification.review" }', '{ "target": "verification.reveiw" }'), "reveiw", "verification.reveiw", "verification.review"),
    "typo in a conditional target": registry(swap('"unclear": "continuation.ask"', '"unclear": "continuation.aks"'), "continuation.aks", "continuation.aks", "continuation.ask"),
    "typo in a condition": registry(swap('"condition": "readiness"', '"condition": "readyness"'), "readyness", "readyness", "readiness"),
    "typo in the intent's field": registry(swap('"next_action.action"', '"next_action.acton"'), "next_action.acton", "next_action.acton", "next_action.action"),
    "typo in a kind": registry(swap('"stepKind": "verification"', '"stepKind": "verifcation"'), "verifcation", "verifcation", "verification"),
    "typo in a verdict type": registry(swap('"count:iteration": "initial', '"count:iterations": "initial'), "count:iterations", "count:iterations", "count:iteration"),
    "typo in a validator": registry(swap('"validator": "notes-written"', '"validator": "notes-writen"'), "notes-writen", "notes-writen", "notes-written"),
    "typo in a failure pattern": registry(swap('"failurePattern": "notes-missing"', '"failurePattern": "notes-mising"'), "notes-mising", "notes-mising", "notes-missing"),
    "typo in a key of validationSteps": registry(swap('"closure.iteration": {', '"closure.reprot": {'), "closure.reprot", "closure.reprot", "closure.report"),
    "exit code with a space": registry(swap('"exitCode:0"', '"exit code 0"'), "exit code 0", "exitCode:0"),
    "typo in an action": registry(swap('"action": "retry"', '"action": "rety"'), "rety", "rety", "retry"),
    "attempts as a text": registry(swap('"maxAttempts": 2', '"maxAttempts": "2"'), '"maxAttempts"', "maxAttempts", "number"),
    "typo in a schema file": registry(swap('"file": "triage.schema.json", "schema": "continuation.ask"', '"file": "triage.shema.json", "schema": "continuation.ask"'), "triage.shema.json", "triage.shema.json", "triage.schema.json"),
    "typo in a definition": registry(swap('"schema": "continuation.ask"', '"schema": "continuation.aks"'), "continuation.aks", "continuation.aks", "continuation.ask"),
    "typo in a variable": registry(swap('"c3": "answer",\n      "edition": "default",\n      "uvVariables": ["issue"]', '"c3": "answer",\n      "edition": "default",\n      "uvVariables": ["isue"]'), '["isue"]', "isue", "issue"),
    "variable with its prefix": registry(swap('"c3": "answer",\n      "edition": "default",\n      "uvVariables": ["issue"]', '"c3": "answer",\n      "edition": "default",\n      "uvVariables": ["uv-issue"]'), '["uv-issue"]', "uv-issue", "'issue'"),
    "intent missing in the schema": answers(swap('["next", "handoff"]', '["next"]'), "handoff", "handoff", found_in=f"{AGENT}/steps_registry.json"),
    "trailing comma in a schema": answers(swap('"reason": { "type": "string" }', '"reason": { "type": "string" },'), '"reason"', "comma"),
    "typo in a placeholder": read_prompt(swap("{uv-issue}", "{uv-isue}"), "{uv-isue}", "isue", "issue"),
    "front matter without an end": read_prompt(swap("uvVariables: [issue]\n---\n", "uvVariables: [issue]\n"), "---", "---"),
    "tools as a text": agent(swap('["Read", "Grep", "Glob"]', '"Read, Grep, Glob"'), '"Read, Grep, Glob"', "allowedTools", "list"),
}  # fmt: skip
STAGES = {
    "no end of the front matter": plan(swap("resolutionPolicy: retry-later\n---\n", "resolutionPolicy: retry-later\n"), "---", "three hyphens"),
    "blank line before the front matter": plan(swap("---\nid: plan", "\n---\nid: plan"), "", "empty line", "three hyphens"),
    "lost indentation": loop(swap("  type: object\n  additionalProperties: false\n  required: [text]\n  properties:", "type: object\nadditionalProperties: false\nrequired: [text]\nproperties:"), "completionSchema", "completionSchema", "ndent"),
    "hard spaces": loop(swap("  type: object", "\u00a0\u00a0type: object"), "type: object", "space"),
    "tabs": loop(swap("  type: object", "\ttype: object"), "type: object", "tab"),
    "open bracket": plan(swap("[read, grep, glob]", "[read, grep, glob"), "allowedTools", "]"),
    "colon in a text": plan(swap("description: Reads", "description: Planning: reads"), "Planning: reads", ":", "Quote"),
    "enum without brackets": plan(swap("{ enum: [low, medium, high] }", "{ enum: low, medium, high }"), "enum: low", "enum", "list"),
    "duplicate key": plan(swap("turnCap: 12\n", "turnCap: 12\nturnCap: 20\n"), "turnCap", "turnCap"),
    "typo in a key": plan(swap("completionTool:", "completionTol:"), "completionTol", "completionTol", "completionTool"),
    "number as a word": plan(swap("turnCap: 12", "turnCap: twelve"), "twelve", "turnCap", "number"),
    "tools as a text": plan(swap("[read, grep, glob]", "read, grep, glob"), "allowedTools", "allowedTools", "list"),
    "typo in a tool": plan(swap("[read, grep, glob]", "[read, grp, glob]"), "grp", "grp", "grep"),
    "typo in a type": plan(swap("title: { type: string }", "title: { type: strng }"), "strng", "strng", "string"),
    "completion tool of a real tool": plan(swap("completionTool: submit_plan", "completionTool: read"), "completionTool", "read"),
    "typo in a field": plan(swap("{{ctx.task}}", "{{ctx.tsk}}"), "{{ctx.tsk}}", "tsk", "task"),
    "missing brace": plan(swap("{{ctx.task}}", "{{ctx.task}"), "{{ctx.task}", "{{ctx.task}}"),
    "typo in an id": implement(swap("id: implement\n", "id: implment\n"), "implment", "implment", "implement", found_in=""),
    "UTF-16": plan(utf16, "", "UTF-8"),
    "empty stage": plan(empty, "", "empty"),
    "empty pipeline": pipeline(empty, "", "empty"),
    "no format": pipeline(swap('  "format": "signalbox.stud-pipeline/1",\n', ""), "", "format", "signalbox.stud-pipeline/1"),
    "missing comma": pipeline(swap('"id": "feature-delivery",', '"id": "feature-delivery"'), '"name"', "comma"),
    "brace for a bracket": pipeline(swap('"nextStages": ["implement"]', '"nextStages": ["implement"}'), '["implement"}', "]"),
    "typo in a successor": pipeline(swap('["implement"]', '["implemnt"]'), "implemnt", "implemnt", "implement"),
    "typo in the entry": pipeline(swap('"entryStage": "plan"', '"entryStage": "plna"'), "plna", "plna", "plan"),
    "typo in a join": pipeline(swap('"join": "review-verdict"', '"join": "review-verdit"'), "review-verdit", "review-verdit", "review-verdict"),
    "typo in a file": pipeline(swap("stages/implement.md", "stages/implment.md"), "stages/implment.md", "stages/implment.md", "stages/implement.md"),
    "successor as a text": pipeline(swap('"nextStages": ["handoff"]', '"nextStages": "handoff"'), '"handoff"', "nextStages", "list"),
    "typo in an operator": pipeline(swap('"op": "equals"', '"op": "equal"'), '"equal"', "equal", "equals"),
    "typo in a condition's field": pipeline(swap("result.parsed.approved", "result.parsed.aproved"), "aproved", "aproved", "approved"),
    "text for a boolean": pipeline(swap('"result.parsed.approved", "op": "equals", "value": true', '"result.parsed.approved", "op": "equals", "value": "true"'), '"true"', "true", "boolean"),
    "typo in an input": pipeline(swap('"run.input.task"', '"run.input.tsk"'), "run.input.tsk", "tsk", "task"),
    "typo in a slot": pipeline(swap('{ "from": "slot.branch" }', '{ "from": "slot.brnch" }'), "slot.brnch", "brnch", "branch"),
    "typo in an execution": pipeline(swap('"execution": "parallel"', '"execution": "paralell"'), "paralell", "paralell", "parallel"),
    "setup in next": pipeline(value(setup_in_next), '"setup"', "setup", "next"),
}  # fmt: skip
SCRIPTS = {
    "lost parenthesis": hunt(swap("    }),\n  ),\n)\n\nreturn", "    }),\n  ),\n\nreturn"), "", ")"),
    "curly quotes": hunt(swap("'flaky-hunt'", "‘flaky-hunt’"), "‘flaky-hunt’", "quote"),
    "UTF-16": hunt(utf16, "", "UTF-8"),
    "empty": hunt(empty, "", "empty"),
    "no export": hunt(swap("export const meta", "const meta"), "meta", "export"),
    "typo in a function": hunt(swap("await parallel(", "await paralel("), "paralel(", "paralel", "parallel"),
    "typo in an option": hunt(swap("label: `hunt", "lable: `hunt"), "lable", "lable", "label"),
    "typo in a phase": hunt(swap("phase: 'Hunt'", "phase: 'Hnut'"), "Hnut", "Hnut", "Hunt"),
    "typo in a type": hunt(swap("type: 'object'", "type: 'objct'"), "objct", "objct", "object"),
    "typo in a variable": hunt(swap("dry < DRY_LIMIT", "dry < DRY_LIMT"), "DRY_LIMT", "DRY_LIMT", "DRY_LIMIT"),
    "calls for functions": hunt(swap("(how, i) => () =>\n", "(how, i) =>\n"), "", "() =>"),
    "missing await": review(swap("const answer = await agent(", "const answer = agent("), "answer = agent(", "await"),
}  # fmt: skip
PACKS = {
    "brace for a bracket": support(swap('["search_help", "look_up_order"]', '["search_help", "look_up_order"}'), "look_up_order", "]"),
    "UTF-16": support(utf16, "", "UTF-8"),
    "empty": support(empty, "", "empty"),
    "typo in a tool": support(swap('["search_help",', '["serach_help",'), "serach_help", "serach_help", "search_help"),
    "typo in an artifact": support(swap("{{artifacts.request}}", "{{artifacts.reqest}}"), "{{artifacts.reqest}}", "reqest", "request"),
    "typo in a redirect": support(swap('"on_max_visits": "handover"', '"on_max_visits": "handovr"'), "handovr", "handovr", "handover"),
    "words as a text": support(swap('["guarantee", "lawsuit"]', '"guarantee, lawsuit"'), '"guarantee, lawsuit"', "words", "list"),
    "misspelt parameter": support(swap('{ "words":', '{ "word":'), '"word"', "word", "words"),
    "artifact of no MIME type": support(swap('"type": "text/plain"', '"type": "text"'), '"text"', "MIME", "text/plain"),
    "visits as a text": support(swap('"max_visits": 6', '"max_visits": "6"'), '"6"', "max_visits", "number"),
    "budget beside engine": support(value(budget_beside_engine), '"budget"', "budget", "engine"),
    "events in the artifacts": support(value(events_in_artifacts), '"on_event"', "on_event", "artifacts"),
}  # fmt: skip
GRAPHS = {
    "UTF-16": desk(utf16, "", "UTF-8"),
    "typo in a mode": desk(swap('"INTERACTIVE"', '"INTERACTVE"'), "INTERACTVE", "INTERACTVE", "INTERACTIVE"),
    "open quote in a template": checker(swap('name = "fact-checker"', 'name = "fact-checker'), "fact-checker", "double quotes"),
    "typo in a capability": checker(swap('"read_repo"', '"raed_repo"'), "raed_repo", "raed_repo", "read_repo"),
    "list closed too early": desk(swap('"role": "investigator" },', '"role": "investigator" }],'), "investigator", "]"),
}  # fmt: skip
WORKFLOWS = {
    "typo in a phase": issues(swap('"kind:build": "build-pending"', '"kind:build": "biuld-pending"'), "biuld-pending", "biuld-pending", "build-pending"),
    "typo in an agent": issues(swap('"agent": "builder"', '"agent": "bulider"'), "bulider", "bulider", "builder"),
    "typo in a type": issues(swap('"type": "terminal"', '"type": "terminl"'), "terminl", "terminl", "terminal"),
    "text for a number": issues(swap('"maxCycles": 9', '"maxCycles": "9"'), '"9"', "maxCycles", "number"),
}  # fmt: skip
