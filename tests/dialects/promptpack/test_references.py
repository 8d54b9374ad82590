"""Renames: every reference to an object changes with it (promptpack.md section 8)."""

from __future__ import annotations

import json
from typing import Any

from tests.dialects.promptpack.full_pack import at
from tests.dialects.promptpack.packs import (
    DIALECT,
    applied,
    codes,
    pack,
    prompt,
    source,
    tree_of,
)
from tests.dialects.promptpack.rule_rows import EVAL, STEP, TOOL, S, composed
from tests.support.checks import each_row
from workflows.core.pack.edits import Edit, Relabel, RenameObject, RenameState

Changes = dict[str, Any]
OLD, NEW = "draft", "sketch"
STEPS = "compositions/c/steps"


def checks(kind: str, **params: Any) -> Changes:
    return {"evals": [{**EVAL, "type": kind, "params": params}]}


def team(**members: Any) -> Changes:
    return {"agents": {"entry": next(iter(members)), "members": members}}


def branch(**fields: Any) -> Changes:
    predicate = {"path": "${input}", "exists": True}
    return {"id": "b", "kind": "branch", "predicate": predicate, "then": "one", **fields}


def tooled(**fields: Any) -> Changes:
    return {"tools": {"find": TOOL}, **fields}


def duty(**control: Any) -> Changes:
    promised = {"id": "o", "obligation": "x", "controls": [control]}
    return {"metadata": {"governance": {"obligations": [promised]}}}


STATE = RenameState(id=OLD, new_id=NEW)
PROMPT = RenameObject(element=f"prompt:{OLD}", new_key=NEW)
FIND = RenameObject(element="tool:find", new_key="seek")
LOG = RenameObject(element="artifact:log", new_key="diary")
TEXT = RenameObject(element="fragment:text", new_key="words")
COMPOSED = RenameObject(element="composition:c", new_key="plan")
ONE = RenameState(id="c/one", new_id="c/first")
CHECK = RenameObject(element="eval:e", new_key="score")
FAST = RenameObject(element="provider:fast", new_key="quick")
NEEDS: Changes = {"requires": {"providers": ["fast"]}}
LOGGED: Changes = {
    f"{S}/draft/artifacts": {"log": {"type": "text/plain"}},
    f"{S}/review/artifacts": {"log": {"type": "text/plain"}},
}

FOLLOWED: list[tuple[str, Edit, Changes, str, Any]] = [
    ("state: entry", STATE, {}, "workflow/entry", NEW),
    (
        "state: every on_event target",
        STATE,
        {f"{S}/review/on_event/Reject": OLD},
        f"{S}/review/on_event/Reject",
        NEW,
    ),
    (
        "state: on_max_visits",
        STATE,
        {f"{S}/review/max_visits": 2, f"{S}/review/on_max_visits": OLD},
        f"{S}/review/on_max_visits",
        NEW,
    ),
    ("state: agents", STATE, team(review={"state": OLD}), "agents/members/review/state", NEW),
    (
        "state: eval state",
        STATE,
        checks("workflow_state_is", state=OLD),
        "evals/0/params/state",
        NEW,
    ),
    (
        "state: eval sequence",
        STATE,
        checks("workflow_transition_order", sequence=[OLD, "done"]),
        "evals/0/params/sequence/0",
        NEW,
    ),
    (
        "state: eval rules",
        STATE,
        checks("workflow_tool_access", rules=[{"state": OLD, "allowed": []}]),
        "evals/0/params/rules/0/state",
        NEW,
    ),
    ("prompt: prompt_task", PROMPT, {}, f"{S}/draft/prompt_task", NEW),
    ("prompt: agents.entry", PROMPT, team(draft={}), "agents/entry", NEW),
    (
        "prompt: key of the member",
        PROMPT,
        team(draft={"tags": ["x"]}),
        "agents/members/sketch/tags/0",
        "x",
    ),
    (
        "prompt: other prompts' tools",
        PROMPT,
        {**team(draft={}, review={}), "prompts/review/tools": [OLD]},
        "prompts/review/tools/0",
        NEW,
    ),
    ("prompt: steps", PROMPT, composed(STEP), f"{STEPS}/0/prompt_task", NEW),
    ("prompt: its id", PROMPT, {}, "prompts/sketch/id", NEW),
    (
        "tool: prompts",
        FIND,
        tooled(**{"prompts/draft/tools": ["find"]}),
        "prompts/draft/tools/0",
        "seek",
    ),
    (
        "tool: blocklist",
        FIND,
        tooled(**{"prompts/draft/tool_policy": {"blocklist": ["find"]}}),
        "prompts/draft/tool_policy/blocklist/0",
        "seek",
    ),
    (
        "tool: step.tool",
        FIND,
        tooled(**composed({"id": "t", "kind": "tool", "tool": "find"})),
        f"{STEPS}/0/tool",
        "seek",
    ),
    (
        "tool: step.tools",
        FIND,
        tooled(**composed({**STEP, "kind": "agent", "tools": ["find"]})),
        f"{STEPS}/0/tools/0",
        "seek",
    ),
    (
        "tool: termination",
        FIND,
        tooled(**composed({**STEP, "kind": "agent", "termination": {"tool_called": "find"}})),
        f"{STEPS}/0/termination/tool_called",
        "seek",
    ),
    (
        "tool: eval params, a list",
        FIND,
        tooled(**checks("tools_called", tool_names=["find"])),
        "evals/0/params/tool_names/0",
        "seek",
    ),
    (
        "tool: eval params, a word",
        FIND,
        tooled(**checks("tool_args", tool_name="find")),
        "evals/0/params/tool_name",
        "seek",
    ),
    (
        "tool: eval params, a sequence",
        FIND,
        tooled(**checks("tool_call_sequence", sequence=["find"])),
        "evals/0/params/sequence/0",
        "seek",
    ),
    (
        "tool: eval params, rules",
        FIND,
        tooled(**checks("workflow_tool_access", rules=[{"state": "draft", "allowed": ["find"]}])),
        "evals/0/params/rules/0/allowed/0",
        "seek",
    ),
    (
        "tool: when of an eval",
        FIND,
        tooled(evals=[{**EVAL, "when": {"tool_called": "find"}}]),
        "evals/0/when/tool_called",
        "seek",
    ),
    (
        "artifact: templates",
        LOG,
        {**LOGGED, "prompts/draft/system_template": "See {{artifacts.log}}."},
        "prompts/draft/system_template",
        "See {{artifacts.diary}}.",
    ),
    (
        "artifact: templates of fragments",
        LOG,
        {**LOGGED, "fragments": {"f": "{{artifacts.log}}"}},
        "fragments/f",
        "{{artifacts.diary}}",
    ),
    (
        "artifact: every state that shares it",
        LOG,
        LOGGED,
        f"{S}/review/artifacts/diary/type",
        "text/plain",
    ),
    *(
        (
            f"fragment: written {before}",
            TEXT,
            {"fragments": {"text": "x"}, "prompts/draft/system_template": f"A {{{{{before}}}}}"},
            "prompts/draft/system_template",
            f"A {{{{{after}}}}}",
        )
        for before, after in (
            ("fragments.text", "fragments.words"),
            ("fragment:text", "fragment:words"),
            ("text", "words"),
        )
    ),
    (
        "fragment: overrides for models",
        TEXT,
        {
            "fragments": {"text": "x"},
            "prompts/draft/model_overrides": {"m": {"system_template_suffix": "{{text}}"}},
        },
        "prompts/draft/model_overrides/m/system_template_suffix",
        "{{words}}",
    ),
    ("composition: states", COMPOSED, composed(STEP), f"{S}/done/composition", "plan"),
    ("step: then", ONE, composed(branch(), STEP), f"{STEPS}/0/then", "first"),
    (
        "step: else",
        ONE,
        composed(branch(then="two", **{"else": "one"}), STEP, {**STEP, "id": "two"}),
        f"{STEPS}/0/else",
        "first",
    ),
    (
        "step: depends_on",
        ONE,
        composed(STEP, {**STEP, "id": "two", "depends_on": ["one"]}),
        f"{STEPS}/1/depends_on/0",
        "first",
    ),
    ("step: output", ONE, composed(STEP, output="one"), "compositions/c/output", "first"),
    (
        "step: references in an input",
        ONE,
        composed(STEP, {**STEP, "id": "two", "input": {"a": "x ${one.output.b} y"}}),
        f"{STEPS}/1/input/a",
        "x ${first.output.b} y",
    ),
    (
        "step: references in arguments",
        ONE,
        composed(STEP, {"id": "t", "kind": "tool", "tool": "x", "args": {"a": ["${one.output}"]}}),
        f"{STEPS}/1/args/a/0",
        "${first.output}",
    ),
    (
        "step: references in a condition",
        ONE,
        composed(STEP, branch(predicate={"not": {"path": "${one.output}", "exists": True}})),
        f"{STEPS}/1/predicate/not/path",
        "${first.output}",
    ),
    (
        "eval: modifiers",
        CHECK,
        {**composed({**STEP, "modifiers": {"eval": ["e"]}}), "evals": [EVAL]},
        f"{STEPS}/0/modifiers/eval/0",
        "score",
    ),
    (
        "eval: controls of an obligation",
        CHECK,
        {"evals": [EVAL], **duty(eval="e")},
        "metadata/governance/obligations/0/controls/0/eval",
        "score",
    ),
    (
        "eval: reviews",
        CHECK,
        {"evals": [EVAL], "metadata": {"governance": {"reviews": [{"id": "r", "eval": "e"}]}}},
        "metadata/governance/reviews/0/eval",
        "score",
    ),
    (
        "eval: governance of an agent",
        CHECK,
        {"evals": [EVAL], **team(draft={"governance": {"reviews": [{"eval": "e"}]}})},
        "agents/members/draft/governance/reviews/0/eval",
        "score",
    ),
    (
        "eval: prompts that replace it",
        CHECK,
        {"evals": [EVAL], "prompts/draft/evals": [EVAL]},
        "prompts/draft/evals/0/id",
        "score",
    ),
    (
        "provider: prompts",
        FAST,
        {**NEEDS, "prompts/draft/provider": "fast"},
        "prompts/draft/provider",
        "quick",
    ),
    (
        "provider: steps",
        FAST,
        {**NEEDS, **composed({**STEP, "provider": "fast"})},
        f"{STEPS}/0/provider",
        "quick",
    ),
]


@each_row([row[1:] for row in FOLLOWED])
def test_every_reference_has_the_new_name(
    edit: Edit, changes: Changes, pointer: str, value: Any
) -> None:
    before = source(pack(changes))
    after = applied(before, edit)
    path = [int(key) if key.isdigit() else key for key in pointer.split("/")]
    assert at(tree_of(after), tuple(path)) == value


@each_row([(row[1], row[2]) for row in FOLLOWED])
def test_a_rename_adds_no_finding_and_can_be_undone(edit: Edit, changes: Changes) -> None:
    tree = pack(changes)
    before = source(tree)
    after = applied(before, edit)
    assert codes(json.loads(after.files[after.main])) == codes(tree)
    assert tree_of(applied(after, _back(edit))) == tree


def _back(edit: Edit) -> Edit:
    if isinstance(edit, RenameState):
        return RenameState(id=edit.new_id, new_id=edit.id)
    assert isinstance(edit, RenameObject)
    kind, _, key = edit.element.partition(":")
    return RenameObject(element=f"{kind}:{edit.new_key}", new_key=key)


def test_an_event_belongs_to_its_own_state() -> None:
    twice = {f"{S}/review/on_event": {"Submit": "done"}}
    after = applied(source(pack(twice)), Relabel(transition="draft|Submit|review", label="Send"))
    states = tree_of(after)["workflow"]["states"]
    assert states["draft"]["on_event"] == {"Send": "review"}
    assert states["review"]["on_event"] == {"Submit": "done"}


def test_a_prompt_that_mentions_the_old_event_is_reported() -> None:
    changes = {"prompts/draft/system_template": "When done, send `Submit`."}
    assert "PP228" not in codes(pack(changes))
    after = applied(source(pack(changes)), Relabel(transition="draft|Submit|review", label="Send"))
    assert "PP228" in codes(tree_of(after))


def test_similar_names_stay_unchanged() -> None:
    tree = pack(
        {
            "prompts/draft/system_template": "{{draft}} {{fragments.draft}} {{artifacts.draft}}",
            "prompts/draft/variables": [{"name": "draft", "type": "string", "required": False}],
            "fragments": {"draft": "x"},
            "metadata": {"draft": "draft"},
        }
    )
    after = tree_of(applied(source(tree), STATE))
    draft, *others = tree["prompts"]
    assert list(after["prompts"]) == ["sketch", *others], "its own prompt is renamed with it"
    assert after["prompts"]["sketch"] == {**tree["prompts"][draft], "id": "sketch"}
    assert after["metadata"] == tree["metadata"]
    assert after["workflow"]["states"][NEW]["prompt_task"] == NEW


def test_the_links_of_an_element_lead_to_its_references() -> None:
    found = source(pack({**tooled(**{"prompts/draft/tools": ["find"]}), "prompts/x": prompt("x")}))
    form = DIALECT.fields(found, "tool:find", "documented")
    assert ("prompt:draft", "Used by draft") in form.links
    assert DIALECT.fields(found, "prompt:x", "documented").links == ()
