"""Packs with one error each, and a larger number without errors: the cases of the rule tests."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.packs import GONE, prompt

S = "workflow/states"
EVAL = {"id": "e", "type": "contains", "trigger": "every_turn", "params": {"patterns": ["x"]}}
STEP = {"id": "one", "kind": "prompt", "prompt_task": "draft"}
COMPOSED = {
    f"{S}/done": {"orchestration": "composition", "composition": "c", "terminal": True},
    "prompts/done": GONE,
}
TOOL = {"name": "find", "description": "Find it."}


def composed(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**COMPOSED, "compositions": {"c": {"version": 1, "steps": list(steps), **more}}}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"name": GONE}, "PP110"),
    ({f"{S}/draft/prompt_task": GONE}, "PP110"),
    ({f"{S}/draft": {"orchestration": "composition", "on_event": {"Submit": "review"}}}, "PP110"),
    ({"author": "me"}, "PP111"),
    ({f"{S}/draft/colour": "red"}, "PP111"),
    ({"prompts/draft/name": 7}, "PP112"),
    ({f"{S}/draft/orchestration": "intern"}, "PP113"),
    ({"compositions": {"c": {"version": 2, "steps": [STEP]}}}, "PP113"),
    ({"id": "Not_Good"}, "PP114"),
    ({"version": "1.0"}, "PP114"),
    ({"prompts/draft/parameters": {"temperature": 3}}, "PP115"),
    ({"prompts": {}}, "PP115"),
    ({"skills": [{"path": "a", "name": "b"}]}, "PP116"),
    (composed({**STEP, "input": 7}), "PP116"),
    ({"$schema": "https://x.org/schema/v1.3/p.json", f"{S}/draft/control": "user"}, "PP120"),
    (
        {
            "$schema": "https://x.org/schema/v1.2/p.json",
            "workflow": GONE,
            "prompts/draft/validators": [{"type": "topic_policy", "enabled": True}],
        },
        "PP120",
    ),
    ({"$schema": "https://x.org/schema/2025.1/p.json"}, "PP123"),
    ({"workflow/version": 3}, "PP201"),
    ({"workflow/entry": "drift"}, "PP202"),
    ({f"{S}/review/prompt_task": "reviews"}, "PP203"),
    ({f"{S}/draft/on_event/Submit": "rewiev"}, "PP204"),
    ({f"{S}/draft/on_event": {"submit_it": "review"}}, "PP205"),
    ({f"{S}/draft/persistence": "forever"}, "PP206"),
    (
        {f"{S}/draft/composition": "c", "compositions": {"c": {"version": 1, "steps": [STEP]}}},
        "PP207",
    ),
    ({f"{S}/done": {"orchestration": "composition", "composition": "x"}}, "PP208"),
    ({f"{S}/draft/max_visits": 2, f"{S}/draft/on_max_visits": "nowhere"}, "PP209"),
    (
        {
            f"{S}/draft/max_visits": 2,
            f"{S}/draft/on_max_visits": "review",
            f"{S}/review/max_visits": 2,
        },
        "PP210",
    ),
    ({f"{S}/draft/max_visits": 2, f"{S}/draft/on_max_visits": "draft"}, "PP211"),
    ({f"{S}/draft/on_max_visits": "done"}, "PP212"),
    ({f"{S}/done/on_event": {"Again": "draft"}}, "PP213"),
    ({f"{S}/done/terminal": GONE}, "PP214"),
    ({f"{S}/done": {"prompt_task": "done", "orchestration": "external"}}, "PP215"),
    ({f"{S}/review/on_event": {"Approve": "done", "Reject": "draft"}}, "PP220"),
    ({f"{S}/draft/on_event": {"Submit": "review", "More": "draft"}}, "PP220"),
    ({f"{S}/draft/max_visits": 9, "workflow/engine": {"budget": {"max_total_visits": 5}}}, "PP221"),
    ({f"{S}/draft/max_visits": 1, f"{S}/review/on_event/Reject": "draft"}, "PP222"),
    (
        {
            f"{S}/draft/control": "agent",
            f"{S}/review/control": "agent",
            f"{S}/review/on_event": {"Reject": "draft"},
            "workflow/engine": {"budget": {"max_total_visits": 50}},
        },
        "PP223",
    ),
    ({f"{S}/done/control": "agent"}, "PP224"),
    ({"prompts/review/system_template": "Read {{artifacts.text}}."}, "PP225"),
    (
        {
            f"{S}/draft/artifacts": {"log": {"type": "text/plain", "mode": "append"}},
            f"{S}/review/artifacts": {"log": {"type": "text/plain"}},
        },
        "PP226",
    ),
    ({f"{S}/draft/skills": "skills/a"}, "PP227"),
    ({"prompts/draft/system_template": "Then send `Submitted`."}, "PP228"),
    ({f"{S}/draft/skills": "skills/b", "skills": ["skills/a"]}, "PP229"),
    ({"prompts/draft/system_template": "Emit the Submitted event."}, "PP228"),
    ({"prompts/draft/system_template": "{{fragments.hello}}"}, "PP301"),
    ({"prompts/draft/system_template": "{{fragment:hello}}", "fragments": {"hullo": "x"}}, "PP301"),
    ({"prompts/draft/system_template": "Dear {{name}}"}, "PP302"),
    (
        {"prompts/draft/variables": [{"name": "n", "type": "string", "required": False}]},
        "PP303",
    ),
    (
        {
            "prompts/draft": prompt(
                "draft",
                "{{n}}",
                variables=[{"name": "n", "type": "string", "required": True, "default": "x"}],
            )
        },
        "PP304",
    ),
    (
        {
            "prompts/draft": prompt(
                "draft", "{{n}}", variables=[{"name": "n", "type": "string", "required": False}] * 2
            )
        },
        "PP305",
    ),
    ({"prompts/draft/system_template": "Dear {{ name }}"}, "PP306"),
    ({"fragments": {"a": "{{fragments.b}}", "b": "{{a}}"}}, "PP307"),
    ({"fragments": {"a": "Hello"}}, "PP308"),
    ({"template_engine/features": ["loops"]}, "PP309"),
    ({"prompts/draft/id": "review"}, "PP310"),
    ({"template_engine/version": ""}, "PP311"),
    ({"prompts/draft/tools": ["find"]}, "PP320"),
    ({"tools": {"find": TOOL}}, "PP321"),
    ({"tools": {"find": {**TOOL, "name": "seek"}}, "prompts/draft/tools": ["find"]}, "PP322"),
    (
        {
            "tools": {
                "find": {
                    **TOOL,
                    "parameters": {"type": "object", "properties": {}, "required": ["q"]},
                }
            },
            "prompts/draft/tools": ["find"],
        },
        "PP323",
    ),
    ({"prompts/draft/tool_policy": {"blocklist": ["find"]}}, "PP324"),
    ({"prompts/spare": prompt("spare")}, "PP325"),
    ({"prompts/draft/provider": "fast"}, "PP326"),
    ({"requires": {"providers": ["a", {"key": "a", "role": "llm"}]}}, "PP327"),
    (
        {
            "requires": {"providers": [{"key": "a", "role": "tts"}]},
            "prompts/draft/provider": "a",
        },
        "PP328",
    ),
    ({"prompts/draft/media": {"enabled": True}}, "PP329"),
    ({"skills": ["./a", {"path": "./a"}]}, "PP330"),
    ({"skills": ["../a"]}, "PP330"),
    ({"agents": {"entry": "draft", "members": {"review": {}}}}, "PP401"),
    ({"agents": {"entry": "ghost", "members": {"ghost": {}}}}, "PP402"),
    ({"agents": {"entry": "draft", "members": {"draft": {"state": "x"}}}}, "PP403"),
    ({"agents": {"entry": "draft", "members": {"draft": {"input_modes": ["text"]}}}}, "PP404"),
    ({"agents": {"entry": "draft", "members": {"draft": {"tags": [" "]}}}}, "PP405"),
    (
        {"agents": {"entry": "draft", "members": {"draft": {}}}, "prompts/draft/tools": ["draft"]},
        "PP406",
    ),
    (
        {"agents": {"entry": "draft", "members": {"draft": {}}}, "prompts/draft/tools": ["review"]},
        "PP407",
    ),
    ({"evals": [EVAL, EVAL]}, "PP501"),
    ({"evals": [{**EVAL, "trigger": "every_turns"}]}, "PP502"),
    (
        {
            "evals": [
                {**EVAL, "metric": {"name": "m", "type": "gauge", "range": {"min": 2, "max": 1}}}
            ]
        },
        "PP503",
    ),
    (
        {"evals": [{**EVAL, "metric": {"name": "m", "type": "gauge", "labels": {"__a": "b"}}}]},
        "PP504",
    ),
    ({"evals": [{**EVAL, "sample_percentage": 10}]}, "PP505"),
    ({"prompts/draft/validators": [{"type": "regex", "fail_on_violation": False}]}, "PP506"),
    ({"prompts/draft/validators": [{"type": "regex", "id": "a"}] * 2}, "PP507"),
    (
        {
            "metadata": {
                "governance": {
                    "obligations": [{"id": "o", "obligation": "x", "controls": [{"eval": "e"}]}]
                }
            }
        },
        "PP508",
    ),
    ({"evals": [{**EVAL, "type": "workflow_state_is", "params": {"state": "x"}}]}, "PP509"),
    ({"evals": [{**EVAL, "threshold": {"operator": ">=", "value": 1}}]}, "PP510"),
    ({"prompts/draft/validators": [{"type": "banned_words", "params": {"words": []}}]}, "PP511"),
    ({"prompts/draft/validators": [{"type": "max_length"}]}, "PP511"),
    ({"prompts/draft/validators": [{"type": "regex", "params": {"pattern": "("}}]}, "PP511"),
    ({"evals": [{**EVAL, "type": "content_matches", "params": {}}]}, "PP511"),
    ({"evals": [{**EVAL, "type": "lm_judge"}]}, "PP512"),
    ({"compositions": {"workflow__transition": {"version": 1, "steps": [STEP]}}}, "PP601"),
    (composed(STEP, STEP), "PP602"),
    (composed({**STEP, "prompt_task": "x"}), "PP603"),
    (composed({**STEP, "input": "${two.output}"}), "PP604"),
    (composed({**STEP, "tools": []}), "PP605"),
    (
        composed(
            {
                "id": "p",
                "kind": "parallel",
                "branches": [STEP, {**STEP, "id": "two"}],
                "reduce": {"strategy": "sum", "into": "x"},
            }
        ),
        "PP606",
    ),
    (composed({**STEP, "depends_on": ["two"]}, {**STEP, "id": "two"}), "PP608"),
    (composed({**STEP, "depends_on": ["two"]}, {**STEP, "id": "two"}), "PP610"),
    ({"compositions": {"c": {"version": 1, "steps": [STEP]}}}, "PP611"),
    (
        composed(
            {
                "id": "b",
                "kind": "branch",
                "predicate": {"path": "${input}", "exists": True},
                "then": "one",
            },
            STEP,
            output="b",
        ),
        "PP612",
    ),
]

FINE: list[dict[str, Any]] = [
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
    {"prompts/draft/validators": [{"type": "json_valid", "id": "a"}, {"type": "bias", "id": "b"}]},
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
    composed(STEP, {**STEP, "id": "two", "input": {"a": "${one.output.x}", "b": "${input.y}"}}),
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
]

PROMPTKIT: list[tuple[dict[str, Any], str]] = [
    ({f"{S}/done": {"prompt_task": "done"}}, "PP901"),
    ({"prompts/draft/validators": [{"type": "regex"}]}, "PP902"),
    ({f"{S}/draft/control": "agent"}, "PP903"),
    ({"prompts/draft/validators": [{"type": "sentiment", "enabled": True}]}, "PP904"),
    ({"fragments": {"a": "x"}, "prompts/draft/system_template": "{{fragments.a}}"}, "PP905"),
    (
        {
            "prompts/review": prompt(
                "review", "{{n}}", variables=[{"name": "n", "type": "string", "required": True}]
            )
        },
        "PP906",
    ),
    ({"prompts/draft/tool_policy": {"max_rounds": 2}}, "PP907"),
    ({"evals": [{**EVAL, "trigger": "on_workflow_step"}]}, "PP908"),
    (
        {
            f"{S}/draft/artifacts": {"a": {"type": "text/plain"}},
            "prompts/draft/system_template": "{{artifacts.a}}",
        },
        "PP909",
    ),
    ({"prompts/draft/validators": [{"type": "max_sentences", "enabled": True}]}, "PP910"),
    ({}, "PP911"),
    (
        {"prompts/draft/variables": [{"name": "n", "type": "date", "required": False}]},
        "PP912",
    ),
    (
        {
            "prompts/draft/media": {
                "enabled": True,
                "supported_types": ["image"],
                "image": {"allowed_formats": ["svg"]},
            }
        },
        "PP912",
    ),
]
