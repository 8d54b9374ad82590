"""Packs without errors that resemble wrong ones: no rule may refuse them."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.packs import GONE, prompt
from tests.dialects.promptpack.rule_rows import (
    AGENT,
    BRANCH,
    EVAL,
    IMAGE,
    MODIFIED,
    PARALLEL,
    STEP,
    TOOL,
    S,
    composed,
    controlled,
    example,
    provided,
    reading,
)

FINE: list[dict[str, Any]] = [
    {**provided(required=True), "prompts/draft/provider": "a"},
    {**provided(), **composed({**STEP, "provider": "a"})},
    {"requires": {"providers": ["p", "q"]}},
    {**controlled(validator="v"), "prompts/draft/validators": [{"type": "json_valid", "id": "v"}]},
    example(type="image", media=IMAGE),
    {"evals": [{**EVAL, "trigger": "sample_turns", "sample_percentage": 100}]},
    {
        "evals": [
            {**EVAL, "metric": {"name": "m", "type": "counter", "range": {"min": 1, "max": 1}}}
        ]
    },
    {"prompts/draft/validators": [{"type": "max_length", "params": {"max": 9}}]},
    {"skills": ["./a", {"path": "b"}]},
    {
        f"{S}/draft/max_visits": 5,
        f"{S}/review/max_visits": 5,
        "workflow/engine": {"budget": {"max_total_visits": 10}},
    },
    composed(PARALLEL),
    composed(PARALLEL, {**STEP, "depends_on": ["x"]}),
    composed(AGENT),
    {**composed({"id": "t", "kind": "tool", "tool": "find"}), "tools": {"find": TOOL}},
    {**composed(MODIFIED), "evals": [EVAL]},
    composed({**STEP, "input": {"a": "${input.two}"}}),
    composed(STEP, {**STEP, "id": "two", "depends_on": ["one"]}),
    composed(BRANCH, {**STEP, "depends_on": ["b"]}),
    composed({**BRANCH, "predicate": {"all_of": []}}, STEP),
    composed({**BRANCH, "predicate": {"path": "${input}", "op": "in", "value": [1]}}, STEP),
    {
        "prompts/draft/validators": [
            {
                "type": "banned_words",
                "enabled": True,
                "fail_on_violation": True,
                "params": {"words": ["x"], "match_mode": "word", "own": 1},
            }
        ]
    },
    {
        f"{S}/draft/artifacts": {"description": {"type": "text/plain"}},
        "prompts/draft/system_template": "{{artifacts.description}}",
    },
    {
        f"{S}/draft/artifacts": {"log": {"type": "text/x-python"}},
        "prompts/draft/system_template": "{{artifacts.log}}",
    },
    {
        f"{S}/draft/artifacts": {"log": {"type": "application/vnd.a+json"}},
        "prompts/draft/system_template": "{{artifacts.log}}",
    },
    {"prompts/draft/validators": [{"type": "my_own"}]},
    {"prompts/draft/validators": [{"type": "my_own", "fail_on_violation": True, "enabled": False}]},
    {"prompts/draft/validators": [{"type": "sentiment", "enabled": False}]},
    {"evals": [{**EVAL, "type": "cosine_similarity", "params": {}, "enabled": False}]},
    {"prompts/draft/validators": [{"type": "json_valid", "fail_on_violation": True}]},
    {
        "prompts/draft/validators": [
            {"type": "custom", "fail_on_violation": True, "enabled": False},
            {"type": "cosine_similarity", "fail_on_violation": True, "enabled": False},
        ]
    },
    composed(
        {**STEP, "output_schema": "#/x"}, reading("${one.output.good}"), {**STEP, "id": "two"}
    ),
    composed({**STEP, "output_schema": "#/metadata/text"})
    | {"metadata": {"text": {"type": "object", "properties": {"a": {"type": "string"}}}}},
    composed({**STEP, "output_schema": "#/metadata/list"})
    | {"metadata": {"list": {"type": "array", "items": {"type": ["string", "null"]}}}},
    composed({**STEP, "output_schema": "#/metadata/choice"})
    | {"metadata": {"choice": {"oneOf": [{"type": "string"}, {"type": "number", "minimum": 1}]}}},
    *(
        composed({**STEP, "output_schema": "#/metadata/v"}, step, {**STEP, "id": "two"})
        | {"metadata/v": schema}
        for step, schema in (
            (reading("${one.output.good}"), {"properties": {"good": {"type": "boolean"}}}),
            (reading("${one.output.good}"), {"properties": {"good": {"enum": [True, "no"]}}}),
            (
                reading("${one.output.more.good}"),
                {"properties": {"more": {"properties": {"good": {"type": "boolean"}}}}},
            ),
            (
                {
                    "id": "b",
                    "kind": "prompt",
                    "prompt_task": "draft",
                    "input": "${one.output.good}",
                },
                {"properties": {"good": {"type": "string"}}},
            ),
        )
    ),
    composed(STEP, reading("${one.output}"), {**STEP, "id": "two"}),
    composed(STEP, reading("${input.good}"), {**STEP, "id": "two"}),
    {},
    {"$schema": "https://x.org/schema/latest/p.json", f"{S}/draft/control": "agent"},
    {"$schema": "https://x.org/schema/v1.9/p.json", f"{S}/draft/control": "agent"},
    {"workflow/version": 1},
    {"workflow/version": 1, f"{S}/done/terminal": GONE},
    {f"{S}/done/terminal": GONE, f"{S}/done/max_visits": 1},
    {"metadata": {"anything": {"goes": 1}}},
    {"workflow/engine": {"own": {"x": 1}}},
    {f"{S}/draft/extensions": {"x": 1}, "prompts/draft/extensions": {"y": 2}},
    {f"{S}/draft/max_visits": 2, f"{S}/draft/on_max_visits": "done"},
    {
        f"{S}/review/on_event/Reject": "draft",
        f"{S}/draft/max_visits": 3,
        f"{S}/draft/on_max_visits": "done",
    },
    {
        f"{S}/review/on_event/Reject": "draft",
        "workflow/engine": {"budget": {"max_wall_time_sec": 60}},
    },
    {f"{S}/draft/on_event": {"Submit": "review", "Skip": "done"}},
    {f"{S}/draft/on_event": {"Submit": "review", "Hurry": "review"}},
    {f"{S}/draft/persistence": "persistent"},
    {f"{S}/draft/orchestration": "external"},
    {f"{S}/draft/orchestration": "hybrid"},
    {f"{S}/draft/skills": "none"},
    {f"{S}/draft/skills": "a/*", "skills": ["./a", {"path": "b", "preload": True}]},
    {"workflow": GONE},
    {"workflow": GONE, "agents": {"entry": "draft", "members": {"draft": {}, "review": {}}}},
    {"agents": {"entry": "draft", "members": {"draft": {}, "review": {"state": "review"}}}},
    {"skills": [{"name": "a", "description": "b", "instructions": "c"}]},
    {
        f"{S}/review/artifacts": {"text": {"type": "text/plain"}},
        "prompts/review/system_template": "Read {{artifacts.text}} after {{workflow_context}}.",
    },
    {
        "prompts/draft": prompt(
            "draft",
            "Dear {{n}}",
            variables=[{"name": "n", "type": "string", "required": True}],
        )
    },
    {"fragments": {"a": "Hello"}, "prompts/draft/system_template": "{{fragments.a}}"},
    {"fragments": {"a": "Hello"}, "prompts/draft/system_template": "{{fragment:a}}"},
    {"fragments": {"a": "Hello"}, "prompts/draft/system_template": "{{a}}"},
    {
        "fragments": {"a": "{{fragments.b}}", "b": "Hello"},
        "prompts/draft/system_template": "{{a}}",
    },
    {"tools": {"find": TOOL}, "prompts/draft/tools": ["find"]},
    {"prompts/draft/tools": ["mcp__files__read"]},
    {
        "tools": {"find": TOOL},
        "prompts/draft/tools": ["find"],
        "prompts/draft/tool_policy": {"blocklist": ["find"], "max_rounds": 3},
    },
    {"requires": {"providers": ["fast"]}, "prompts/draft/provider": "fast"},
    {"prompts/draft/provider": "default"},
    {"prompts/draft/parameters": {"top_k": None, "temperature": 0}},
    {"prompts/draft/media": {"enabled": True, "supported_types": ["image"]}},
    {"prompts/draft/media": {"enabled": False}},
    {"prompts/draft/validators": [{"type": "anything at all"}]},
    {
        "prompts/draft/validators": [
            {"type": "json_valid", "fail_on_violation": True, "message": "No."}
        ]
    },
    {"prompts/draft/validators": [{"type": "max_length", "params": {"max_characters": 9}}]},
    {"evals": [{**EVAL, "type": "academic_integrity", "params": {}}]},
    {f"{S}/draft/skills": "./skills/a/*", "skills": ["skills"]},
    {f"{S}/draft/skills": "skills/a", "skills": ["@org/kit@1.0"]},
    {"agents": {"entry": "draft", "members": {"draft": {}, "review": {"state": "review"}}}},
    {
        "agents": {"entry": "draft", "members": {"draft": {}, "review": {}}},
        "prompts/draft/tools": ["review"],
    },
    {"agents": {"entry": "draft", "members": {"draft": {"input_modes": ["a/b"], "tags": ["x"]}}}},
    {"evals": [EVAL, {**EVAL, "id": "f", "trigger": "sample_turns", "sample_percentage": 5}]},
    {"evals": [EVAL], "prompts/draft/evals": [EVAL]},
    {"evals": [{**EVAL, "type": "workflow_state_is", "params": {"state": "done"}}]},
    {"evals": [{**EVAL, "threshold": {"operator": "gte", "value": 0.5}}]},
    {"id": "good-2", "name": "G", "version": "v1.0.0-rc.1+b7", "description": "x" * 5000},
    {"template_engine": {"version": "v9", "syntax": "${x}", "features": ["fragments"]}},
    {"prompts/draft/version": "10.20.30"},
    {"skills": ["a..b/c", "@org/name@1.0"]},
    {"skills": [{"path": "a"}, {"name": "a2", "description": "b", "instructions": "c"}]},
    {"compilation": {"compiled_with": "x", "created_at": "y", "schema": "z", "more": 1}},
    {"$schema": "https://x.org/schema/v1.5/p.json"},
    {"$schema": "nonsense", f"{S}/draft/control": "user"},
    {"workflow/entry": "draft", f"{S}/review/on_event": {"Approve": "done", "A1b2": "done"}},
    {f"{S}/draft/on_event": {"S": "review"}},
    {f"{S}/draft/persistence": "transient"},
    {f"{S}/draft/max_visits": 1},
    {f"{S}/draft/max_visits": 2, "workflow/engine": {"budget": {"max_total_visits": 2}}},
    {f"{S}/draft/max_visits": 1, f"{S}/draft/on_max_visits": "review"},
    {f"{S}/done/on_event": {}},
    {f"{S}/done": {"prompt_task": "done", "terminal": True, "orchestration": "external"}},
    {
        f"{S}/draft/control": "agent",
        f"{S}/review/control": "agent",
        f"{S}/review/on_event/Reject": "draft",
        f"{S}/review/max_visits": 4,
    },
    {
        f"{S}/draft/control": "agent",
        f"{S}/review/control": "user",
        f"{S}/review/on_event/Reject": "draft",
        "workflow/engine": {"budget": {"max_tool_calls": 9}},
    },
    {f"{S}/draft/control": "agent", f"{S}/done/control": "user"},
    {
        f"{S}/draft/artifacts": {"log": {"type": "text/plain", "mode": "append"}},
        f"{S}/review/artifacts": {"log": {"type": "text/plain", "mode": "append"}},
    },
    {
        f"{S}/draft/artifacts": {"log": {"type": "text/plain"}},
        f"{S}/review/artifacts": {"log": {"type": "text/plain", "mode": "replace"}},
    },
    {"prompts/draft/system_template": "Emit the Submit event, or send `Submit` at once."},
    {"prompts/draft/system_template": "Send `json`, trigger Finger, emit a Letter or `Other`."},
    {"prompts/done/system_template": "Send `Anything` you like."},
    {"prompts/draft/system_template": "A single { brace } and {one: more}."},
    {"prompts/draft/system_template": "{{workflow_context}} {{input}}"},
    {"prompts/draft/system_template": "{{session.user}} {{#if x}}yes{{/if}}"},
    {
        "prompts/draft": prompt(
            "draft",
            "Do it.",
            variables=[{"name": "n", "type": "string", "required": False}],
            model_overrides={"m": {"system_template": "Hi {{n}}"}},
        )
    },
    {
        "fragments": {"a": "Hi {{n}}"},
        "prompts/draft": prompt(
            "draft", "{{a}}", variables=[{"name": "n", "type": "string", "required": False}]
        ),
    },
    {
        "prompts/draft": prompt(
            "draft",
            "{{n}} {{m}}",
            variables=[
                {"name": "n", "type": "anything", "required": False, "default": {"a": 1}},
                {"name": "m", "type": "string", "required": True, "binding": {"kind": "env"}},
            ],
        )
    },
    {"prompts/draft/id": "first-draft"},
    {
        "tools": {
            "find": {
                **TOOL,
                "parameters": {
                    "type": "object",
                    "properties": {"q": {"type": "string"}},
                    "required": ["q"],
                    "additionalProperties": False,
                },
            }
        },
        "prompts/draft/tools": ["find"],
    },
    {"requires": {"providers": ["a", {"key": "b", "role": "tts", "required": False}]}},
    {
        "requires": {"providers": [{"key": "a", "role": "llm", "capabilities": {"own": 1}}]},
        "prompts/draft/provider": "a",
    },
    {
        "prompts/draft/media": {
            "enabled": True,
            "supported_types": ["image", "scan"],
            "image": {"max_size_mb": 5},
            "scan": {"max_vertices": 3},
            "examples": [
                {"name": "e", "role": "user", "parts": [{"type": "text", "text": "Look"}]},
                {
                    "name": "f",
                    "role": "user",
                    "parts": [{"type": "image", "media": {"mime_type": "image/png", "url": "x"}}],
                },
            ],
        }
    },
    {"agents": {"entry": "draft", "members": {"draft": {"state": "draft"}}}},
    {
        "workflow": GONE,
        "agents": {"entry": "draft", "members": {"draft": {}, "review": {}, "done": {}}},
        "prompts/draft/tools": ["review"],
        "prompts/review/tools": ["draft", "done"],
    },
    {"workflow": GONE, "agents": {"entry": "draft", "members": {"draft": {}}}},
    {"workflow": GONE},
    {
        "tools": {"review": {**TOOL, "name": "review"}},
        "prompts/draft/tools": ["review"],
        "agents": {"entry": "draft", "members": {"draft": {}}},
    },
    {"evals": [{**EVAL, "trigger": "on_workflow_step", "groups": ["a"], "when": {"x": 1}}]},
    {
        "evals": [
            {**EVAL, "metric": {"name": "a:b", "type": "boolean", "labels": {"_a": "b"}, "own": 1}}
        ]
    },
    {
        "evals": [
            {
                **EVAL,
                "type": "workflow_transition_order",
                "params": {"sequence": ["draft", "review", "done"]},
            }
        ]
    },
    {"evals": [{**EVAL, "type": "tool_call_sequence", "params": {"sequence": ["anything"]}}]},
    {
        "prompts/draft/validators": [
            {"type": "json_valid", "id": "a"},
            {"type": "regex", "params": {"pattern": "a"}, "id": "b"},
        ]
    },
    {
        "evals": [EVAL],
        "metadata": {
            "governance": {
                "autonomy_level": "suggests",
                "obligations": [
                    {"id": "o", "obligation": "x", "controls": [{"eval": "e"}, {"external": "y"}]}
                ],
                "reviews": [
                    {
                        "id": "r",
                        "type": "t",
                        "cadence": "P3M",
                        "owner": "w",
                        "satisfies": ["o"],
                        "eval": "e",
                    }
                ],
            }
        },
    },
    composed(STEP),
    composed(STEP, description="x", input_schema="a#/b", engine={"x": 1}),
    composed({**STEP, "own_field": 1, "kind": "acme.magic"}, {**STEP, "id": "two"}),
    composed({**STEP, "kind": "agent", "termination": {"max_steps": 3}}),
    composed(
        {
            "id": "p",
            "kind": "parallel",
            "branches": [STEP, {**STEP, "id": "two"}],
            "reduce": {"strategy": "barrier", "into": "all"},
        },
        {**STEP, "id": "three", "depends_on": ["p"], "input": "${p.output.all.one}"},
        output="three",
    ),
    composed(
        {
            "id": "b",
            "kind": "branch",
            "predicate": {"not": {"path": "${input.x}", "op": "in", "value": [1]}},
            "then": "one",
            "else": "two",
        },
        STEP,
        {**STEP, "id": "two"},
        {**STEP, "id": "end", "depends_on": ["one", "two"]},
        output="end",
    ),
    composed(
        {**STEP, "output_schema": "#/x"},
        {**STEP, "id": "two", "input": {"a": "${one.output.x}", "b": "${input.y}"}},
    ),
    composed({"id": "x", "kind": "vendor.thing", "whatever": 1}),
    composed({**STEP, "modifiers": {"retry": {"max_attempts": 2}}}, output="one"),
    composed(
        {
            "id": "b",
            "kind": "branch",
            "predicate": {"all_of": [{"path": "${input}", "op": "equals", "value": 1}]},
            "then": "one",
        },
        STEP,
    ),
    {"evals": [{**EVAL, "type": "tool_result_matches", "params": {"pattern": "^(?P<n>a+)$"}}]},
    {"evals": [{**EVAL, "when": {"tool_called_pattern": "(?i)^find"}}]},
    {"prompts/draft/validators": [{"type": "regex", "params": {"pattern": r"\bno\b"}}]},
]
