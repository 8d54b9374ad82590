"""Rows for pipelines: successors, branches, conditions, hooks and grants."""

from __future__ import annotations

import json
from typing import Any

from tests.dialects.stages.rules.packs import (
    ENDS,
    FROM_SLOT,
    GONE,
    case,
    cases,
    fork,
    head,
    shape,
    to,
    written,
)
from tests.dialects.stages.rules.rows_files import Rows

APPROVED = "result.parsed.approved"
IS = {"path": APPROVED, "op": "equals", "value": True}
NO_STAGES = {
    "file pipeline.json": json.dumps(
        {"format": "signalbox.stud-pipeline/1", "entryStage": "plan", "stages": {}}
    )
}


LEVEL, SCORE = "result.parsed.level", "slot.plan"


_BOTH = [case(APPROVED, True, to("done")), case(APPROVED, False, to("again"))]
_REQUIRED = {"verdict.completionSchema/required": ["summary", "approved"]}


def _when(condition: Any) -> dict[str, Any]:
    return {"when": condition, "then": to("again")}


_AGAIN = written(head("again"), "Again.")


def _check(condition: Any, **more: Any) -> dict[str, Any]:
    return {"done/assert": [{"unless": condition, "verdict": "retry", **more}]}


def _path(path: str, value: Any = 1, op: str = "equals") -> dict[str, Any]:
    return {"path": path, "op": op, "value": value}


SUCCESSORS_WRONG: Rows = [
    (NO_STAGES, "ST401 ST115"),
    ({"/entryStage": "start"}, "ST402"),
    ({"/entryStage": GONE}, "ST402"),
    ({"/entryStage": 3}, "ST402"),
    ({"done/next": to("deploy")}, "ST403"),
    ({"plan/next": fork("look", "tests", join="verdict")}, "ST403 GR104 ST405"),
    ({"plan/onParallelFailure": to("gone")}, "ST403"),
    ({"plan/next": fork("look", "test", join="verdct")}, "ST404 GR104"),
    ({"plan/next": fork("look", "test", join="verdict")}, "ST405"),
    ({"plan/next": fork("look")}, "ST407 GR104"),
    ({"plan/next": fork("look", "verdict", join="verdict")}, "ST407 GR104 ST310"),
    ({"plan/next": fork("look", "look", "test")}, "ST408 GR104"),
    ({"done/next": to("again", "again")}, "ST419"),
    ({"done/next": to("again", join="look")}, "ST409"),
    ({"done/next": to("look"), "done/maxVisits": 2}, "ST410"),
    ({"plan/next": to("look", "test")}, "ST411 GR104 GR110"),
    ({"look/next": to("again")}, "ST412"),
    ({"done/next": "again"}, "ST413"),
    ({"done/next": {"nextStages": "again", "execution": "sequential"}}, "ST413"),
    ({"done/next": {"nextStages": []}}, "ST413"),
    ({"done/next": {"execution": "sequential"}}, "ST413"),
    ({"done/next": {"nextStages": [1], "execution": "sequential"}}, "ST413"),
    ({"done/next": {"nextStages": [], "execution": "both"}}, "ST413"),
    ({"done/next": fork("look", "test", join=3)}, "ST413 ST420"),
    ({"verdict/next": {"cases": {}, "else": ENDS}}, "ST413 GR104"),
    ({"verdict/next": {"cases": [{"when": IS}], "else": ENDS}}, "ST413 GR104 ST508"),
    ({"plan/onParallelFailure": cases()}, "ST413"),
    ({"done/next": GONE}, "ST414"),
    ({"done/onParallelFailure": ENDS}, "ST415"),
    ({"done/maxVisits": 0}, "ST416"),
    ({"done/maxVisits": "3"}, "ST416"),
    ({"done/maxVisits": True}, "ST416"),
    ({"plan/next": fork("look", "plan", "verdict", join="verdict")}, "ST417 GR104 ST412 ST420"),
    ({"done/next": {"execution": "terminate"}}, "ST418"),
    ({"again/next": to("plan")}, "ST420"),
    ({"again/next": to("verdict"), "verdict:": "Again."}, "ST420"),
    ({"done/next": cases(case(APPROVED, True, ENDS), otherwise=to("done"))}, "ST420"),
]

SUCCESSORS_FINE: list[dict[str, Any]] = [
    {"/entryStage": "plan"},
    {"plan/next": fork("verdict", "look", "test", join="verdict")},
    {"plan/next": fork("look", "test"), "verdict": GONE, "done": GONE, "again": GONE}
    | {f"file stages/{name}.md": GONE for name in ("verdict", "done", "again")},
    {"plan/onParallelFailure": to("again"), "again:": "What now?"},
    {"plan/onParallelFailure": ENDS},
    {"verdict/next": to("done"), "again": GONE, "file stages/again.md": GONE},
    {"done/next": to("again"), "verdict/next": to("done")},
    {"verdict/next": cases(case(APPROVED, True, to("done")), case(APPROVED, False, to("again")))},
    {"verdict/next": cases(case(APPROVED, True, ENDS), otherwise=to("done"))}
    | {"done/next": to("again")},
    {"again/next": to("plan"), "plan/maxVisits": 3},
    {"again/next": to("verdict"), "verdict/maxVisits": 3, "verdict:": "Again."},
    {"done/maxVisits": 1},
    {"done/maxVisits": 9},
    {"plan/next": {"cases": [], "else": fork("look", "test", "verdict", join="verdict")}},
    {
        "plan/next": cases(
            case("run.input.task", "short", to("done")),
            otherwise=fork("look", "test", "verdict", join="verdict"),
        )
    },
    {"verdict/next": cases(case(APPROVED, True, to("done")), otherwise=ENDS)}
    | {"done/next": to("again")},
    {"again/maxVisits": 2, "done/next": to("again")},
    {"plan/next": fork("look", "test", "again", "verdict", join="verdict")}
    | {"verdict/next": to("done"), "again:": "Look as well."},
    {"verdict/next/else": ENDS, "done/next": to("again")},
    shape({"plan": ENDS}),
    shape({"plan": to("done"), "done": ENDS}),
    shape({"done": to("plan"), "plan": ENDS}),
    shape({"plan": to("look"), "look": to("test"), "test": to("done"), "done": ENDS}),
    shape({"plan": fork("look", "test"), "look": ENDS, "test": ENDS}),
    shape({"plan": fork("look", "test", "done"), "look": ENDS, "test": ENDS, "done": ENDS}),
    shape(
        {
            "plan": fork("look", "test", "done", join="done"),
            "look": ENDS,
            "test": ENDS,
            "done": to("again"),
            "again": ENDS,
        }
    ),
    shape(
        {
            "plan": cases(case(APPROVED, True, to("done")), otherwise=to("again")),
            "done": ENDS,
            "again": to("done"),
        }
    ),
    shape(
        {
            "plan": cases(
                case("result.parsed.level", "low", to("done")),
                case("result.parsed.level", "high", to("again")),
                otherwise=ENDS,
            ),
            "done": ENDS,
            "again": ENDS,
        }
    ),
    shape(
        {
            "plan": cases(case(APPROVED, True, fork("look", "test")), otherwise=to("done")),
            "look": ENDS,
            "test": ENDS,
            "done": ENDS,
        }
    ),
    shape({"plan": {"cases": [], "else": to("done")}, "done": ENDS}),
    shape({"plan": {"else": to("done")}, "done": ENDS}),
    shape(
        {
            "plan": fork("look", "test", "verdict", join="verdict"),
            "look": ENDS,
            "test": ENDS,
            "verdict": fork("done", "again"),
            "done": ENDS,
            "again": ENDS,
        }
    ),
    shape({"plan": to("done"), "done": cases(case(APPROVED, True, ENDS), otherwise=to("again"))})
    | {"again": {"file": "stages/again.md", "next": ENDS}, "file stages/again.md": _AGAIN},
    {"again/next": to("done")},
    {"done/next": cases(case(APPROVED, True, ENDS), otherwise=to("done")), "done/maxVisits": 3},
    {"done/next": cases(case(APPROVED, True, to("done"))), "done/maxVisits": 3},
    {"verdict/next": cases(case(APPROVED, True, ENDS), otherwise=to("again")), "done": GONE}
    | {"file stages/done.md": GONE, "again/next": to("plan"), "plan/maxVisits": 3},
    {"again/next": to("plan"), "plan/maxVisits": 1},
    {"verdict/next/cases/0/then": to("again"), "verdict/next/else": to("done")},
]

CONDITIONS_WRONG: Rows = [
    (_check({}), "ST501"),
    (_check("approved"), "ST501"),
    (_check({"path": APPROVED}), "ST501"),
    (_check({"path": APPROVED, "op": "is", "value": 1}), "ST501"),
    (_check({"path": "env.HOME", "op": "exists"}), "ST501"),
    (_check({"path": "a b", "op": "exists"}), "ST501"),
    (_check({"path": APPROVED, "op": "in", "value": 1}), "ST501"),
    (_check({"all": IS}), "ST501"),
    (_check({"any": [IS, {"not": {}}]}), "ST501"),
    ({"done/gate": {"when": IS, "else": "defer"}}, "ST501"),
    ({"verdict/next/cases": [{"then": ENDS}]}, "ST501 GR104"),
    (_check(_path("result.approved", True)), "ST502"),
    (_check(_path("result.transcript")), "ST502"),
    (_check(_path("result.parsed.aproved", True)), "ST503"),
    (_check(_path("result.parsed.level", "mid")), "ST503"),
    (_check(_path(APPROVED, "yes")), "ST503"),
    (
        {"done.completionSchema/properties/approved": {"$ref": "#/$defs/a"}}
        | {"done.completionSchema/$defs": {"a": {"type": "boolean"}}}
        | _check(_path(APPROVED, "yes")),
        "ST503",
    ),
    (
        {"done.completionSchema/additionalProperties": GONE}
        | _check(_path("result.parsed.aproved", True)),
        "ST503",
    ),
    (_check({"not": _path("result.parsed.level", 3, "notEquals")}), "ST503"),
    (_check(_path("ctx.team")), "ST504"),
    (_check(_path("slot.plans")), "ST505"),
    (_check(_path("run.user")), "ST506"),
    (_check(_path("run.input.tasks")), "ST506"),
    (_check(_path("run.visits.gone")), "ST506"),
    *(
        ({"verdict/next": cases(*(_when(each) for each in asked), otherwise=to("done"))}, "ST507")
        for asked in (
            [_path(LEVEL, "low"), _path(LEVEL, "low")],
            [_path(LEVEL, ["low", "high"], "in"), _path(LEVEL, "high")],
            [{"path": LEVEL, "op": "exists"}, _path(LEVEL, "low")],
            [_path(LEVEL, "low", "notEquals"), _path(LEVEL, "high")],
            [_path(SCORE, 5, "gte"), _path(SCORE, 7, "gt")],
            [_path(SCORE, 5, "lt"), _path(SCORE, 5, "gte"), _path(SCORE, 3)],
            [{"all": [_path(LEVEL, "low"), _path(LEVEL, "high")]}],
            [{"all": [_path(SCORE, 5, "gt"), _path(SCORE, 5, "lt")]}],
            [{"any": []}, {"any": []}],
        )
    ),
    (
        {
            "verdict/next": cases(
                case(APPROVED, True, to("done")), case(APPROVED, True, to("again"))
            )
        },
        "ST507",
    ),
    (
        {"verdict/next": cases(case(APPROVED, True, to("done")), otherwise=to("done"))},
        "ST508 GR104",
    ),
    ({"verdict/next/else": GONE}, "ST509 GR104 GR112"),
    ({"verdict/next": {"cases": _BOTH}}, "ST509"),
    ({"verdict/next": {"cases": _BOTH[:1]}, **_REQUIRED}, "ST509 GR104 GR112"),
]

CONDITIONS_FINE: list[dict[str, Any]] = [
    _check(IS),
    _check(_path("result.verdict", "ok")),
    _check(_path("result.capHit", False)),
    _check(_path("result.attemptCount", 2, "lt")),
    _check(_path("result.parsed.level", "low", "notEquals")),
    _check(_path("result.parsed.level", ["low", "high"], "in")),
    _check(_path("result.parsed.parts[0]", "a")),
    _check(_path("result.parsed.parts", ["a"])),
    _check(_path("result.parsed.summary", "m", "gte")),
    _check({"path": "result.parsed", "op": "exists"}),
    _check({"path": "result.parsed.level", "op": "exists"}),
    _check({"path": "result.parsed.level", "op": "exists", "value": False}),
    _check({"path": "result", "op": "exists"}),
    _check({"all": [IS, _path("result.parsed.level", "low")]}),
    _check({"any": [IS, {"not": _path("result.parsed.level", "low")}]}),
    _check({"not": IS}),
    _check(_path("slot.plan", "x")),
    _check(_path("run.input.task", "x")),
    _check(_path("run.input", None, "notEquals")),
    _check(_path("run.workflowRunId", "x")),
    _check(_path("run.visits.done", 3, "lt")),
    _check(_path("ctx.workflowRunId", "x")),
    _check(_path("ctx.upstream[0].verdict", "ok")),
    {"again/gate": {"when": _path("slot.plan", "x"), "else": "block"}},
    {"plan/gate": {"when": _path("ctx.task", "x"), "else": "defer"}},
    {"done.completionSchema": {"type": "object"}, **_check(_path("result.parsed.any", 1))},
    {"done.completionSchema/additionalProperties": True} | _check(_path("result.parsed.any", 1)),
    {"done.completionSchema/properties/approved": {"$ref": "#/$defs/a"}}
    | {"done.completionSchema/$defs": {"a": {"type": "boolean"}}}
    | _check(_path(APPROVED, True)),
    {"done.completionSchema/properties/approved": {}, **_check(_path(APPROVED, "yes"))},
    *(
        {"verdict/next": cases(*(_when(each) for each in asked), otherwise=to("done"))}
        for asked in (
            [_path(LEVEL, "low"), _path(LEVEL, "high")],
            [_path(LEVEL, "low"), {"path": LEVEL, "op": "exists"}],
            [_path(LEVEL, "low"), _path(LEVEL, ["low", "high"], "in")],
            [{"path": LEVEL, "op": "exists", "value": False}, _path(LEVEL, "low")],
            [_path(SCORE, 7, "gt"), _path(SCORE, 5, "gte")],
            [_path(SCORE, 5, "lt"), _path(SCORE, 5, "gte")],
            [_path(SCORE, 5, "lt"), _path(SCORE, 5, "lte")],
            [_path(SCORE, 5, "lt"), _path(SCORE, "5")],
            [_path(SCORE, "m", "lt"), _path(SCORE, "m", "gt")],
            [{"all": [_path(SCORE, 3, "gt"), _path(SCORE, 5, "lt")]}, _path(SCORE, 5)],
            [_path(LEVEL, "low"), {"all": [_path(LEVEL, "low"), IS]}, _path(APPROVED, False)],
            [{"not": _path(LEVEL, "low")}, _path(LEVEL, "low")],
            [{"all": [_path(SCORE, 5, "gt"), _path(SCORE, 5.2, "lt")]}],
            [_path(SCORE, 5), _path(SCORE, 5.5), _path(SCORE, 6), _path(SCORE, 5, "gt")],
            [_path(SCORE, 1), _path(SCORE, True)],
        )
    ),
    {"verdict/next": {"cases": _BOTH}, **_REQUIRED},
    {"verdict/next": {"cases": [*_BOTH[:1], _when({"not": IS})]}, **_REQUIRED},
    {"/version": "1.0.0", "/author": "a team"},
]

HOOKS_WRONG: Rows = [
    ({"plan/setup": []}, "ST520 ST306"),
    ({"plan/setup/task": "run.input.task"}, "ST520"),
    ({"plan/setup/task": {"default": "x"}}, "ST520"),
    ({"plan/setup/task": {"from": "result.parsed"}}, "ST520"),
    ({"plan/setup/task": {"from": "a b"}}, "ST520"),
    ({"plan/setup/upstream": {"from": "run.input.task"}}, "ST521 ST525"),
    ({"plan/setup/a-b": {"from": "run.input.task"}}, "ST521 ST525"),
    ({"look/setup/plan/from": "slot.plna"}, "ST522 ST530"),
    ({"plan/setup/task/from": "run.input.tsak"}, "ST523"),
    ({"plan/setup/task/from": "run.user"}, "ST523"),
    ({"plan/setup/task/from": "upstream[0].parsed.x"}, "ST524"),
    ({"look/setup/plan/from": "upstream[0].parsed.summary"}, "ST524 ST530"),
    ({"done/setup": FROM_SLOT}, "ST525"),
    ({"done/gate": "always"}, "ST526"),
    ({"done/gate": {"else": "block"}}, "ST526"),
    ({"done/gate": {"when": _path("slot.plan"), "else": "stop"}}, "ST526"),
    ({"done/gate": {"when": _path("slot.plan")}}, "ST526"),
    ({"done/assert": {}}, "ST527"),
    ({"done/assert": [{"verdict": "retry"}]}, "ST527"),
    (_check(IS, verdict="again"), "ST527"),
    (_check(IS) | {"done.retryPolicy/maxAttempts": 1}, "ST528"),
    ({"plan/exit": []}, "ST529 ST522"),
    ({"plan/exit/slots": {}}, "ST529"),
    ({"plan/exit/slot/plan": "env.HOME"}, "ST529"),
    ({"plan/exit/output": {"x": 3}}, "ST529"),
    ({"plan/exit/slot/more": "result.parsed.summary"}, "ST530"),
    ({"plan/exit/slot/plan": "result.parsed.sumary"}, "ST532"),
    (
        {"done/setup": {"why": {"from": "upstream[0].parsed.sumary"}}, "done:": "{{ctx.why}}"},
        "ST532",
    ),
    (
        {"again/exit": {"slot": {"why": "result.parsed.summary"}}, "again/next": to("verdict")}
        | {"verdict/setup": {"why": {"from": "slot.why"}}, "verdict:": "{{ctx.why}}"}
        | {"verdict/maxVisits": 2},
        "ST531",
    ),
    (
        {"look/exit": {"slot": {"seen": "result.parsed.summary"}}}
        | {"test/setup/seen": {"from": "slot.seen"}, "test:": "{{ctx.plan}} {{ctx.seen}}"},
        "ST531 ST525",
    ),
    (
        {"done/exit": {"slot": {"end": "result.parsed.summary"}}}
        | {"again/setup": {"end": {"from": "slot.end"}}, "again:": "{{ctx.end}}"},
        "ST531",
    ),
    ({"/grants": {}}, "ST540"),
    ({"/grants": [{"stages": ["done"]}]}, "ST540"),
    ({"/grants": [{"tool": "bash", "stages": "done"}]}, "ST540"),
    ({"/grants": [{"tool": "bash", "stages": ["done"], "max": 0}]}, "ST540"),
    ({"/grants": [{"tool": "bash", "stages": ["dnoe"], "max": 1}]}, "ST541"),
    ({"/grants": [{"tool": "bash", "stages": ["deploy"], "max": 1}]}, "ST541"),
    ({"/grants": [{"tool": "BASH", "stages": ["done"], "max": 1}]}, "ST542"),
    ({"/grants": [{"tool": "read", "stages": ["done"], "max": 1}]}, "ST543"),
]

HOOKS_FINE: list[dict[str, Any]] = [
    {"plan/setup/task": {"from": "run.input.task", "default": "nothing"}},
    {"plan/setup/task": {"from": "run.input.task", "optional": True}},
    {"plan/setup/task": {"from": "run.workflowRunId"}},
    {"plan/setup/task": {"from": "run.input"}},
    {"plan/setup/task": {"from": "run.visits.plan"}},
    {"plan/setup/task": {"from": "run.input.other", "default": ""}},
    {"plan/setup/task": {"from": "slot.later", "optional": True}},
    {"plan/setup/task": {"from": "upstream[0].reason", "default": None}},
    {"look/setup/plan": {"from": "slot.plan", "default": {"deep": [1]}}},
    {"look/setup/plan": {"from": "slot"}},
    {"/runInputSchema": GONE, "plan/setup/task/from": "run.input.anything"},
    {"/runInputSchema": {"type": "object"}, "plan/setup/task/from": "run.input.anything"},
    {"done/setup": {"x": {"from": "upstream[0].parsed.summary"}}, "done:": "{{ctx.x}}"},
    {"verdict/setup": {"x": {"from": "upstream[1].parsed.summary"}}, "verdict:": "{{ctx.x}}"},
    {"done/setup": FROM_SLOT, **_check(_path("ctx.plan", "x"))},
    {"done/setup": FROM_SLOT, "done/exit": {"output": {"plan": "ctx.plan"}}},
    {"done/gate": {"when": _path("slot.plan"), "else": "block", "reason": "no plan"}},
    {"done/gate": {"when": _path("slot.plan"), "else": "defer"}},
    {"done/gate": {"when": _path("slot.plan"), "else": "skip"}},
    {"done/gate": {"when": {"all": []}, "else": "block"}},
    {"done/assert": []},
    _check(IS, reason="not yet"),
    _check(IS, verdict="fail"),
    _check(IS, verdict="skip") | {"done.retryPolicy/maxAttempts": 1},
    {"plan/exit/output": {"short": "result.parsed.summary", "all": "result"}},
    {"plan/exit/output": {"task": "ctx.task", "slot": "slot.plan", "id": "run.workflowRunId"}},
    {"done/exit": {}},
    {"done/exit": {"slot": {}, "output": {}}},
    {"/grants": []},
    {"/grants": [{"tool": "bash", "stages": ["done", "again"], "max": 1}]},
    {"/grants": [{"tool": "bash", "stages": ["done"]}]},
    {"/grants": [{"tool": "bash", "max": 3}]},
    {"/grants": [{"tool": "bash", "stages": []}, {"tool": "edit", "stages": ["plan"]}]},
    {"plan/exit/slot/more": "result.parsed.level", **_check(_path("slot.more", "low"))},
    {"plan/exit/slot/more": "result.parsed.level"}
    | {"done/setup": {"more": {"from": "slot.more"}}, "done:": "{{ctx.more}}"},
    {"look/exit": {"slot": {"seen": "result.parsed.summary"}}}
    | {"verdict/setup": {"seen": {"from": "slot.seen"}}, "verdict:": "{{ctx.seen}}"},
    {"look/exit": {"slot": {"seen": "result.parsed.summary"}}}
    | {"done/setup": {"seen": {"from": "slot.seen"}}, "done:": "{{ctx.seen}}"},
    {"again/exit": {"slot": {"why": "result.parsed.summary"}}, "again/next": to("verdict")}
    | {"verdict/setup": {"why": {"from": "slot.why", "default": ""}}, "verdict:": "{{ctx.why}}"}
    | {"verdict/maxVisits": 2},
    {"verdict/exit": {"slot": {"why": "result.parsed.summary"}}, "again/next": to("verdict")}
    | {"again/setup": {"why": {"from": "slot.why"}}, "again:": "{{ctx.why}}"}
    | {"verdict/maxVisits": 2},
    {"done/setup": {"plan": {"from": "slot.plan"}}, "done:": "{{ctx.plan}}"},
]
