"""Rows for prompts: placeholders and upstream results."""

from __future__ import annotations

from typing import Any

from tests.dialects.stages.rules.packs import ENDS, GONE, case, cases, fork, to
from tests.dialects.stages.rules.rows_files import OWN, Rows, stage_object

PLAIN = {"look/setup": GONE, "test/setup": GONE, "plan/setup": GONE}
"""A pipeline without any setup."""

WRONG: Rows = [
    ({"done:": "Use {{env.API_TOKEN}}."}, "ST301"),
    ({"done:": "Use {{ settings.model }}."}, "ST301"),
    ({"done:": "It failed: {{ctx.attempts[0].parseError}}"}, "ST302"),
    ({"done:": "{{ctx.host}}"}, "ST302"),
    ({"done:": "{{ctx.attempts.last-one}}"}, "ST302"),
    ({"done:": "{{#if ctx.task}}x{{/if}}"}, "ST303"),
    ({"done:": "a {{else}} b"}, "ST303"),
    ({"done:": "{{> part}}"}, "ST303"),
    ({"done:": "{{^ctx.task}}"}, "ST303"),
    ({"done:": "Do {{task}}."}, "ST304"),
    ({"done:": "{{ctx.a-b}}"}, "ST304"),
    ({"done:": "{{ctx}}"}, "ST304"),
    ({"done:": "{{}}"}, "ST304"),
    ({"plan:": "Do ${ctx.task} for {{ctx.task}}."}, "ST305"),
    ({"plan:": "Do {{ctx.task} for {{ctx.task}}."}, "ST317"),
    ({"plan:": "Do {ctx.task} for {{ctx.task}}."}, "ST317"),
    ({"plan:": "Do {ctx.task}} for {{ctx.task}}."}, "ST317"),
    ({"plan:": "Do {{ctx.task for {{ctx.task}}."}, "ST317"),
    ({"plan:": "{{ctx.task}} of {stage.name}"}, "ST317"),
    ({"done:": "{{ctx.team}}"}, "ST306"),
    ({"plan:": "{{ctx.tsak}} {{ctx.task}}"}, "ST306"),
    ({"done:": "{{ctx.plan.title}}"}, "ST306"),
    ({"done:": "{{ctx.siblings}}"}, "ST306"),
    ({"done:": "{{ctx.team}}", "done/setup": {}, **PLAIN}, "ST306 ST530"),
    (stage_object() | {"done/setup": {}}, "ST306 ST111"),
    ({"done:": "{{stage.turnCap}}"}, "ST307"),
    ({"done:": "{{stage.name.short}}"}, "ST307"),
    ({"plan:": "{{ctx.task}} {{ctx.upstream[0].verdict}}"}, "ST308"),
    ({"look:": "{{ctx.plan}} {{ctx.upstream[0].verdict}}"}, "ST309"),
    ({"verdict:": "{{ctx.upstream[2].verdict}}"}, "ST310"),
    ({"done:": "{{ctx.upstream[1].verdict}}"}, "ST311"),
    ({"done:": "{{ctx.upstream[0].transcript}}"}, "ST312"),
    ({"done:": "{{ctx.upstream.parsed}}"}, "ST312"),
    ({"done:": "{{ctx.upstream[0].parsed.sumary}}"}, "ST313"),
    ({"verdict:": "{{ctx.upstream[1].parsed.proof}}"}, "ST313"),
    ({"done:": ""}, "ST314"),
    ({"done:": " \n\n"}, "ST314"),
    (PLAIN, "ST315 ST530"),
    ({"file pipeline.json": GONE}, "ST316 ST114"),
]

FINE: list[dict[str, Any]] = [
    {"done:": "No placeholder at all."},
    {"done:": "Write {context.task} and {ctx} and { ctx: 1 }."},
    {"plan:": "{{ctx.task}}{{ctx.task}} in {braces}"},
    {"plan:": "{{{ctx.task}}}"},
    {"done:": "f(ctx.task) { return stage.id; }"},
    {"done:": "{stage} of {stages.one}"},
    {"done:": "An open brace { and ctx.task."},
    {"done:": "{{ctx.upstream[0].parsed.approved}}"},
    {"done:": "{{ctx.workflowRunId}} {{ctx.stageExecutionId}}"},
    {"done:": "{{ stage.id }}: {{\tstage.name }}"},
    {"done:": "{{ctx.upstream}}"},
    {"done:": "{{ctx.upstream[0]}}"},
    {"done:": "{{ctx.upstream[0].verdict}} {{ctx.upstream[0].reason}}"},
    {"done:": "{{ctx.upstream[0].capHit}} {{ctx.upstream[0].attemptCount}}"},
    {"done:": "{{ctx.upstream[0].output.digest}}"},
    {"done:": "{{ctx.upstream[0].parsed}}"},
    {"done:": "{{ctx.upstream[0].parsed.parts[3]}}"},
    {"done:": "{{ctx.upstream[0].parsed.summary}} {{ctx.upstream[0].parsed.level}}"},
    {"verdict:": "{{ctx.upstream[0].parsed.level}} {{ctx.upstream[1].parsed.level}}"},
    {"verdict:": "{{ctx.upstream}}"},
    {"verdict:": "{{ctx.siblings.look.parsed.summary}} {{ctx.siblings}}"},
    {"done:": "${{ github.sha }} and ${HOME} and ${task}"},
    {"done:": "{ctx {{ctx"},
    {"done:": "A set {1, 2} and {{{stage.id}}}"},
    {"done:": "${ctx.a.b} ${ctx.a[0]} ${stage.id}"},
    {"done:": "Two lines {{\nctx.x}}"},
    {"done:": "---\n# A rule and a heading\n---\n"},
    {"done:": "```yaml\nkey: value\n```"},
    {"done:": "{{ctx.text}}", **OWN},
    {"done:": "{{ctx.text.deep[0].name}}", **OWN},
    {"done:": "{{ctx.text}}{{ctx.text}}", **OWN},
    {"plan:": "{{ctx.task}} {{ctx.upstream[0].verdict}}"}
    | {"again/next": to("plan"), "again/maxVisits": 2},
    {"done.completionSchema": {"type": "object"}, "done/next": to("more")}
    | {"more": {"file": "stages/more.md", "next": ENDS}}
    | {
        "file stages/more.md": "---\nid: more\nname: More\nallowedTools: []\n"
        "completionTool: go\ncompletionSchema: {type: object}\nretryPolicy: {maxAttempts: 1, "
        "backoff: none}\nturnCap: 2\nresolutionPolicy: retry-later\n---\n"
        "{{ctx.upstream[0].parsed.anything}}\n"
    },
    {"verdict.completionSchema/additionalProperties": True}
    | {"done:": "{{ctx.upstream[0].parsed.anything}}"},
    {"verdict.completionSchema/patternProperties": {"^x": {}}}
    | {"done:": "{{ctx.upstream[0].parsed.xyz}}"},
    {"look:": "{{ctx.plan}} at {{ctx.workflowRunId}}"},
    {
        "plan/next": fork("look", "test", "done", "verdict", join="verdict"),
        "verdict:": "{{ctx.upstream[2].verdict}}",
        "done:": "Look too.",
        "verdict/next": cases(case("result.parsed.approved", True, to("again"))),
    },
    {**PLAIN, "plan/exit": GONE, "plan:": "a", "look:": "b", "test:": "c"},
    {"done/setup": {}, "done:": "Nothing named."},
    {"done:": "Über {{stage.name}} — №1 😀"},
    {"done:": "{{ctx.upstream[0].parsed.summary}}\r\n{{stage.id}}\r\n"},
]
