"""Workflows with one change each, to be judged by Climpt's loader and by our rules."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.climpt_workflow import DIALECT
from workflows.core.pack.files import Files

MAIN = ".agent/workflow.json"
A, B = "1.13.27", "1.14.0"
Tree = dict[str, Any]
Changes = Mapping[str, Any]

BINDING = {
    "inheritProjectsForCreateIssue": True,
    "donePhase": "done",
    "evalPhase": "review-pending",
    "planPhase": "build-pending",
    "sentinelLabel": "sentinel",
}
SENTINEL = {"color": "ededed", "description": "One per project", "role": "marker"}
BOUND: Changes = {"projectBinding": BINDING, "labels/sentinel": SENTINEL}
REVIEWER = "agents/reviewer"

ROWS: dict[str, tuple[str, Changes]] = {
    "sample": (A, {}),
    "next": (B, {}),
    "no version": (A, {"version": ...}),
    "no phases": (A, {"phases": ...}),
    "no mapping": (A, {"labelMapping": ...}),
    "no agents": (A, {"agents": ...}),
    "other type": (A, {"phases/done/type": "final"}),
    "no agent": (A, {"phases/build-pending/agent": ...}),
    "null agent": (A, {"phases/build-pending/agent": None}),
    "terminal without agent": (A, {"phases/done/agent": None}),
    "no priority": (A, {"phases/build-pending/priority": ...}),
    "empty mapping": (A, {"labelMapping": {}, "labels": {}}),
    "label to nowhere": (A, {"labelMapping/done": "gone"}),
    "undeclared label": (A, {"labels/done": ...}),
    "unused label": (A, {"labels/extra": {"color": "ededed", "description": "x"}}),
    "marker label": (B, {"labels/extra": SENTINEL}),
    "no declarations": (A, {"labels": ...}),
    "color with hash": (A, {"labels/done/color": "#0e8a16"}),
    "no cycles": (A, {"rules/maxCycles": 0}),
    "negative delay": (A, {"rules/cycleDelayMs": -1}),
    "no rules": (A, {"rules": ...}),
    "unknown agent": (A, {"phases/build-pending/agent": "smith"}),
    "fallback to nowhere": (A, {f"{REVIEWER}/fallbackPhase": "gone"}),
    "no fallback": (A, {f"{REVIEWER}/fallbackPhase": ...}),
    "output to nowhere": (A, {"agents/builder/outputPhase": "gone"}),
    "outcome to nowhere": (A, {f"{REVIEWER}/outputPhases/approved": "gone"}),
    "prioritizer": (
        A,
        {"prioritizer": {"agent": "sorter", "labels": ["o:1"]},
         "labels/o:1": {"color": "ededed", "description": "First"}},
    ),
    "prioritizer undeclared": (A, {"prioritizer": {"agent": "sorter", "labels": ["o:1"]}}),
    "condition without closing": (A, {f"{REVIEWER}/closeCondition": "approved"}),
    "condition": (
        A, {f"{REVIEWER}/closeCondition": "approved", f"{REVIEWER}/closeOnComplete": True}
    ),
    "unknown condition": (
        A, {f"{REVIEWER}/closeCondition": "liked", f"{REVIEWER}/closeOnComplete": True}
    ),
    "binding condition": (
        B, {f"{REVIEWER}/closeBinding": {"primary": {"kind": "direct"}, "condition": "approved"}}
    ),
    "binding without closing": (
        B, {f"{REVIEWER}/closeBinding": {"primary": {"kind": "none"}, "condition": "approved"}}
    ),
    "unknown binding condition": (
        B, {f"{REVIEWER}/closeBinding": {"primary": {"kind": "direct"}, "condition": "liked"}}
    ),
    "no source": (B, {"issueSource": ..., **BOUND}),
    "other source": (B, {"issueSource": {"kind": "mail"}}),
    "project source": (B, {"issueSource": {"kind": "ghProject", "project": {"id": "p"}}}),
    "project missing": (B, {"issueSource": {"kind": "ghProject"}}),
    "explicit source": (B, {"issueSource": {"kind": "explicit", "issueIds": [1]}}),
    "explicit without ids": (B, {"issueSource": {"kind": "explicit", "issueIds": []}}),
    "other membership": (
        B, {"issueSource": {"kind": "ghRepoIssues", "projectMembership": "some"}}
    ),
    "bound": (B, BOUND),
    "unknown done": (B, {**BOUND, "projectBinding/donePhase": "gone"}),
    "done not terminal": (B, {**BOUND, "projectBinding/donePhase": "blocked"}),
    "done without label": (
        B, {**BOUND, "labelMapping/done": ..., "labels/done": ...}
    ),
    "unknown eval": (B, {**BOUND, "projectBinding/evalPhase": "gone"}),
    "eval not actionable": (B, {**BOUND, "projectBinding/evalPhase": "done"}),
    "eval without label": (
        B, {**BOUND, "labelMapping/kind:review": ..., "labels/kind:review": ...}
    ),
    "unknown plan": (B, {**BOUND, "projectBinding/planPhase": "gone"}),
    "plan not actionable": (B, {**BOUND, "projectBinding/planPhase": "blocked"}),
    "plan without label": (
        B, {**BOUND, "labelMapping/kind:build": ..., "labels/kind:build": ...}
    ),
    "unknown sentinel": (B, {"projectBinding": BINDING}),
    "sentinel not a marker": (
        B, {"projectBinding": {**BINDING, "sentinelLabel": "done"}}
    ),
}  # fmt: skip


def base() -> Tree:
    sample: Tree = json.loads(DIALECT.samples()["issue-flow"][MAIN])
    return sample


def workflow(release: str, changes: Changes) -> Tree:
    """The sample for a release, with values set, or (`...`) removed, by path."""
    whole = base()
    if release == B:
        whole["issueSource"] = {"kind": "ghRepoIssues", "projectMembership": "unbound"}
    for path, value in changes.items():
        *keys, last = path.split("/")
        node: Any = whole
        for key in keys:
            node = node[key]
        if value is ...:
            del node[last]
        else:
            node[last] = copy.deepcopy(value)
    return whole


def files(value: Any) -> Files:
    return Files.of({MAIN: (json.dumps(value, indent=2) + "\n").encode()})
