"""The numbered rules of the format's semantics, each with a pack that violates it and one that does
not.

The numbers are those of promptpack.md section 3.
"""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.packs import DIALECT, GONE, pack, prompt, source
from tests.dialects.promptpack.rule_rows import EVAL, STEP, TOOL, S, composed
from tests.support.checks import each_row
from workflows.core.rules.check import check

Changes = dict[str, Any]
TEAM: Changes = {"workflow": GONE, "agents": {"entry": "draft", "members": {"draft": {}}}}
LOOP: Changes = {f"{S}/review/on_event": {"Reject": "draft", "Approve": "done"}}
BUDGET: Changes = {"workflow/engine": {"budget": {"max_total_visits": 50}}}
IMAGE = {"mime_type": "image/png", "url": "x"}


def member(**fields: Any) -> Changes:
    return {"agents": {"entry": "draft", "members": {"draft": fields}}}


def variable(**fields: Any) -> Changes:
    declared = {"name": "n", "type": "string", "required": True, **fields}
    return {"prompts/draft": prompt("draft", "{{n}}", variables=[declared])}


def metric(**fields: Any) -> Changes:
    return {"evals": [{**EVAL, "metric": {"name": "m", "type": "gauge", **fields}}]}


def validator(**fields: Any) -> Changes:
    return {"prompts/draft/validators": [{"type": "json_valid", **fields}]}


def media(*parts: Changes, **fields: Any) -> Changes:
    example = {"name": "e", "role": "user", "parts": list(parts)}
    shown = {"enabled": True, "supported_types": ["image"], "examples": [example]}
    return {"prompts/draft/media": {**(shown if parts else {}), **fields}}


def provided(role: str = "llm", **more: Any) -> Changes:
    need = {"key": "p", "role": role, **more}
    return {"requires": {"providers": [need]}, "prompts/draft/provider": "p"}


def governed(**fields: Any) -> Changes:
    duty = {"id": "o", "obligation": "x", "controls": [fields]}
    return {"metadata": {"governance": {"obligations": [duty]}}}


def caps(number: int) -> Changes:
    budget = {"budget": {"max_total_visits": number}}
    return {f"{S}/draft/max_visits": 5, f"{S}/review/max_visits": 5, "workflow/engine": budget}


ROWS: list[tuple[int, str, Changes, Changes]] = [
    (1, "PP115", {"prompts": {}, "workflow": GONE}, {}),
    (2, "PP201", {"workflow/version": 7}, {"workflow/version": 1}),
    (3, "PP115", {S: {}}, {}),
    (4, "PP202", {"workflow/entry": "drafd"}, {"workflow/entry": "review"}),
    (5, "PP203", {f"{S}/draft/prompt_task": "x"}, {f"{S}/draft/prompt_task": "review"}),
    (6, "PP204", {f"{S}/draft/on_event/Submit": "x"}, {f"{S}/draft/on_event/Skip": "done"}),
    (7, "PP205", {f"{S}/draft/on_event": {"sub_mit": "review"}}, {}),
    (8, "PP206", {f"{S}/draft/persistence": "kept"}, {f"{S}/draft/persistence": "persistent"}),
    (9, "PP113", {f"{S}/draft/orchestration": "own"}, {f"{S}/draft/orchestration": "hybrid"}),
    (10, "PP110", {f"{S}/done": {"orchestration": "composition"}}, composed(STEP)),
    (10, "PP207", {f"{S}/draft/composition": "c"}, composed(STEP)),
    (11, "PP208", {**composed(STEP), f"{S}/done/composition": "d"}, composed(STEP)),
    (12, "PP209", {f"{S}/draft/max_visits": 2, f"{S}/draft/on_max_visits": "x"}, {}),
    (
        13,
        "PP210",
        {
            f"{S}/draft/max_visits": 2,
            f"{S}/draft/on_max_visits": "review",
            f"{S}/review/max_visits": 2,
        },
        {f"{S}/draft/max_visits": 2, f"{S}/draft/on_max_visits": "review"},
    ),
    (14, "PP213", {f"{S}/done/on_event": {"More": "draft"}}, {f"{S}/done/on_event": {}}),
    (
        15,
        "PP214",
        {f"{S}/done/terminal": GONE},
        {f"{S}/done": {"prompt_task": "done"}} | {"workflow/version": 1},
    ),
    (16, "PP220", LOOP, {**LOOP, **BUDGET}),
    (17, "PP221", caps(9), caps(10)),
    (
        18,
        "PP334",
        {"prompts/draft": prompt("draft", "{{artifacts.log}}")},
        {
            "prompts/draft": prompt("draft", "{{artifacts.log}}"),
            f"{S}/draft/artifacts": {"log": {"type": "text/plain"}},
        },
    ),
    (19, "PP113", {f"{S}/draft/control": "model"}, {f"{S}/draft/control": "agent"}),
    (19, "PP224", {f"{S}/done/control": "agent"}, {f"{S}/done/control": "user"}),
    (
        19,
        "PP223",
        {
            f"{S}/draft/control": "agent",
            f"{S}/review": {
                "prompt_task": "review",
                "control": "agent",
                "on_event": {"Back": "draft"},
            },
        },
        {**LOOP, **BUDGET, f"{S}/draft/control": "agent", f"{S}/review/control": "agent"},
    ),
    (20, "PP115", {"agents": {"entry": "draft", "members": {}}}, member()),
    (21, "PP110", {"agents": {"members": {"draft": {}}}}, member()),
    (21, "PP401", {"agents": {"entry": "review", "members": {"draft": {}}}}, member()),
    (22, "PP402", {"agents": {"entry": "ghost", "members": {"ghost": {}}}}, member()),
    (23, "PP403", member(state="drafd"), member(state="review")),
    (23, "PP403", {**member(state="draft"), "workflow": GONE}, {**member(), "workflow": GONE}),
    (24, "PP404", member(input_modes=["text"]), member(input_modes=["image/png"])),
    (25, "PP405", member(tags=[""]), member(tags=["one"])),
    (26, "PP406", {**TEAM, "prompts/draft/tools": ["draft"]}, TEAM),
    (26, "PP407", {**TEAM, "prompts/draft/tools": ["review"]}, TEAM),
    (27, "PP114", {"version": "1.0"}, {"version": "v1.0.0-beta.1"}),
    (27, "PP114", {"prompts/draft/version": "one"}, {"prompts/draft/version": "2.0.0"}),
    (27, "PP110", {"prompts/draft/version": GONE}, {}),
    (28, "PP302", {"prompts/draft/system_template": "{{who}}"}, variable()),
    (29, "PP110", {"template_engine": GONE}, {}),
    (29, "PP311", {"template_engine/syntax": ""}, {}),
    (
        29,
        "PP911",
        {},
        {"compilation": {"compiled_with": "x", "created_at": "2026-01-01", "schema": "v1"}},
    ),
    (
        30,
        "PP320",
        {"prompts/draft/tools": ["find"]},
        {"prompts/draft/tools": ["find"], "tools": {"find": TOOL}},
    ),
    (
        31,
        "PP301",
        {"prompts/draft/system_template": "{{fragments.a}}"},
        {"prompts/draft/system_template": "{{fragments.a}}", "fragments": {"a": "x"}},
    ),
    (32, "PP501", {"evals": [EVAL, EVAL]}, {"evals": [EVAL, {**EVAL, "id": "f"}]}),
    (32, "PP110", {"evals": [{"id": "e", "type": "json_valid"}]}, {"evals": [EVAL]}),
    (32, "PP502", {"evals": [{**EVAL, "trigger": "often"}]}, {"evals": [EVAL]}),
    (
        32,
        "PP115",
        {"evals": [{**EVAL, "trigger": "sample_turns", "sample_percentage": 101}]},
        {"evals": [{**EVAL, "trigger": "sample_turns", "sample_percentage": 100}]},
    ),
    (32, "PP114", metric(name="a-b"), metric(name="a:b")),
    (32, "PP113", metric(type="meter"), metric(type="counter")),
    (32, "PP503", metric(range={"min": 2, "max": 1}), metric(range={"min": 1, "max": 1})),
    (32, "PP504", metric(labels={"__x": "y"}), metric(labels={"x": "y"})),
    (33, "PP512", validator(type="json_vald"), validator()),
    (33, "PP904", validator(type="sentiment", enabled=True), validator(enabled=True)),
    (
        33,
        "PP511",
        validator(type="max_length", params={"max": 0}),
        validator(type="max_length", params={"max": 9}),
    ),
    (34, "PP330", {"skills": ["../a"]}, {"skills": ["./a"]}),
    (34, "PP330", {"skills": ["a", {"path": "a"}]}, {"skills": ["a", {"path": "b"}]}),
    (34, "PP116", {"skills": [{"name": "a"}]}, {"skills": [{"path": "a"}]}),
    (
        34,
        "PP229",
        {"skills": ["a"], f"{S}/draft/skills": "b"},
        {"skills": ["a"], f"{S}/draft/skills": "a"},
    ),
    (35, "PP327", {"requires": {"providers": ["p", "p"]}}, {"requires": {"providers": ["p", "q"]}}),
    (36, "PP326", {"prompts/draft/provider": "p"}, provided()),
    (36, "PP328", provided(required=False), provided(required=True)),
    (36, "PP328", provided("tts"), provided("llm")),
    (
        36,
        "PP328",
        {
            "requires": provided("image")["requires"],
            **composed({**STEP, "provider": "p"}),
        },
        {
            "requires": provided()["requires"],
            **composed({**STEP, "provider": "p"}),
        },
    ),
    (37, "PP506", validator(fail_on_violation=False), validator()),
    (38, "PP304", variable(default="x"), variable()),
    (
        39,
        "PP507",
        {"prompts/draft/validators": [{"type": "bias", "id": "a"}] * 2},
        validator(id="a"),
    ),
    (39, "PP508", governed(validator="v"), {**validator(id="v"), **governed(validator="v")}),
    (40, "PP329", media(enabled=True), media(enabled=False)),
    (
        40,
        "PP329",
        media({"type": "image", "media": {**IMAGE, "file_path": "y"}}),
        media({"type": "image", "media": IMAGE}),
    ),
    (40, "PP329", media({"type": "text"}), media({"type": "text", "text": "Look."})),
    (
        40,
        "PP329",
        media({"type": "image", "text": "Look.", "media": IMAGE}),
        media({"type": "image", "media": IMAGE}),
    ),
    (42, "GR104", {f"{S}/draft/on_event/Submit": "done"}, {}),
]
BRANCH = {
    "id": "b",
    "kind": "branch",
    "predicate": {"path": "${input}", "exists": True},
    "then": "one",
}
TWO = [{**STEP, "id": "p"}, {**STEP, "id": "q"}]
PARALLEL = {
    "id": "x",
    "kind": "parallel",
    "branches": TWO,
    "reduce": {"strategy": "append", "into": "y"},
}
AGENT = {"id": "a", "kind": "agent", "prompt_task": "draft", "termination": {"max_steps": 2}}
LAST = {**STEP, "depends_on": ["b"]}


def without(step: Changes, field: str) -> Changes:
    return {key: item for key, item in step.items() if key != field}


def asking(predicate: Any) -> Changes:
    return composed({**BRANCH, "predicate": predicate}, STEP)


COMPOSITIONS: list[tuple[str, str, Changes, Changes]] = [
    (
        "version must be 1",
        "PP113",
        {**composed(STEP), "compositions": {"c": {"version": 2, "steps": [STEP]}}},
        composed(STEP),
    ),
    (
        "a reserved runtime name",
        "PP601",
        {"compositions": {"workflow__transition": {"version": 1, "steps": [STEP]}}},
        composed(STEP),
    ),
    ("step id must match", "PP114", composed({**STEP, "id": "a-b"}), composed(STEP)),
    ("duplicate step id", "PP602", composed(STEP, STEP), composed(STEP, TWO[0])),
    (
        "duplicate across branches",
        "PP602",
        composed({**STEP, "id": "p"}, PARALLEL),
        composed(PARALLEL),
    ),
    ("unknown prompt", "PP603", composed({**STEP, "prompt_task": "x"}), composed(STEP)),
    (
        "unknown tool",
        "PP603",
        composed({"id": "t", "kind": "tool", "tool": "x"}),
        {**composed({"id": "t", "kind": "tool", "tool": "find"}), "tools": {"find": TOOL}},
    ),
    ("unknown tool of an agent", "PP603", composed({**AGENT, "tools": ["x"]}), composed(AGENT)),
    (
        "evals of the pack only",
        "PP603",
        {**composed({**STEP, "modifiers": {"eval": ["e"]}}), "prompts/review/evals": [EVAL]},
        {**composed({**STEP, "modifiers": {"eval": ["e"]}}), "evals": [EVAL]},
    ),
    (
        "references unknown",
        "PP604",
        composed({**STEP, "input": {"a": "${two.output}"}}),
        composed({**STEP, "input": {"a": "${input.two}"}}),
    ),
    (
        "references in a condition",
        "PP604",
        asking({"path": "${x}", "exists": True}),
        composed(BRANCH, STEP),
    ),
    (
        "unknown kind",
        "PP114",
        composed({**STEP, "kind": "loop"}),
        composed({"id": "v", "kind": "a.b"}),
    ),
    ("field not allowed", "PP605", composed({**STEP, "tool": "x"}), composed(STEP)),
    (
        "agent needs a termination",
        "PP110",
        composed(without(AGENT, "termination")),
        composed(AGENT),
    ),
    ("termination says when", "PP116", composed({**AGENT, "termination": {}}), composed(AGENT)),
    ("two branches", "PP115", composed({**PARALLEL, "branches": TWO[:1]}), composed(PARALLEL)),
    ("a reduce", "PP110", composed(without(PARALLEL, "reduce")), composed(PARALLEL)),
    (
        "strategy",
        "PP606",
        composed({**PARALLEL, "reduce": {"strategy": "sum", "into": "y"}}),
        composed({**PARALLEL, "reduce": {"strategy": "barrier", "into": "y"}}),
    ),
    (
        "into",
        "PP110",
        composed({**PARALLEL, "reduce": {"strategy": "append"}}),
        composed(PARALLEL),
    ),
    ("then", "PP110", composed(without(BRANCH, "then"), STEP), composed(BRANCH, STEP)),
    ("predicate", "PP110", composed(without(BRANCH, "predicate"), STEP), composed(BRANCH, STEP)),
    (
        "exactly one variant",
        "PP116",
        asking({"path": "${input}", "exists": True, "all_of": []}),
        asking({"all_of": []}),
    ),
    (
        "compare declares a path",
        "PP116",
        asking({"op": "equals", "value": 1}),
        asking({"path": "${input}", "op": "equals", "value": 1}),
    ),
    (
        "op",
        "PP116",
        asking({"path": "${input}", "op": "like", "value": 1}),
        asking({"path": "${input}", "op": "in", "value": [1]}),
    ),
    ("then is a step", "PP604", composed({**BRANCH, "then": "x"}, STEP), composed(BRANCH, STEP)),
    ("else is a step", "PP604", composed({**BRANCH, "else": "x"}, STEP), composed(BRANCH, STEP)),
    (
        "depends_on is a step",
        "PP604",
        composed({**STEP, "depends_on": ["x"]}),
        composed(BRANCH, LAST),
    ),
    ("output is a step", "PP604", composed(STEP, output="x"), composed(STEP, output="one")),
    (
        "no cycle",
        "PP608",
        composed({**STEP, "depends_on": ["p"]}, {**TWO[0], "depends_on": ["one"]}),
        composed(STEP, {**TWO[0], "depends_on": ["one"]}),
    ),
    (
        "declare the join",
        "PP609",
        composed(PARALLEL, STEP),
        composed(PARALLEL, {**STEP, "depends_on": ["x"]}),
    ),
    (
        "referenced by a state",
        "PP611",
        {"compositions": {"c": {"version": 1, "steps": [STEP]}}},
        composed(STEP),
    ),
]


def reported_codes(changes: Changes, code: str) -> set[str]:
    profile = "promptkit" if code.startswith("PP9") else "documented"
    return {item.code for item in check(DIALECT, source(pack(changes)), profile)}


@each_row(ROWS)
def test_a_numbered_rule_reports_only_packs_that_violate_it(
    row: int, code: str, wrong: Changes, fine: Changes
) -> None:
    assert code in reported_codes(wrong, code), row
    assert code not in reported_codes(fine, code), row


@each_row(COMPOSITIONS)
def test_the_rules_of_compositions_report_only_packs_that_violate_them(
    rule: str, code: str, wrong: Changes, fine: Changes
) -> None:
    assert code in reported_codes(wrong, code), rule
    assert code not in reported_codes(fine, code), rule


def test_every_number_has_a_row() -> None:
    assert {row[0] for row in ROWS} | {41} == set(range(1, 43))
