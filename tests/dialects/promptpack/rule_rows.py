"""Packs with one error each: the cases of the rule tests."""

from __future__ import annotations

from typing import Any

from tests.dialects.promptpack.packs import GONE, prompt
from tests.support.doubling_schemas import doubling

S = "workflow/states"
EVAL = {"id": "e", "type": "contains", "trigger": "every_turn", "params": {"patterns": ["x"]}}
STEP = {"id": "one", "kind": "prompt", "prompt_task": "draft"}
COMPOSED = {
    f"{S}/done": {"orchestration": "composition", "composition": "c", "terminal": True},
    "prompts/done": GONE,
}
TOOL = {"name": "find", "description": "Find it."}
BRANCH = {
    "id": "b",
    "kind": "branch",
    "predicate": {"path": "${input}", "exists": True},
    "then": "one",
}
PARALLEL = {
    "id": "x",
    "kind": "parallel",
    "branches": [{**STEP, "id": "p"}, {**STEP, "id": "q"}],
    "reduce": {"strategy": "append", "into": "y"},
}
AGENT = {**STEP, "id": "a", "kind": "agent", "termination": {"max_steps": 2}}
IMAGE = {"mime_type": "image/png", "url": "x"}
MODIFIED = {**STEP, "modifiers": {"eval": ["e"]}}
TEAM = {"workflow": GONE, "agents": {"entry": "draft", "members": {"draft": {"state": "draft"}}}}


def example(**part: Any) -> dict[str, Any]:
    """An example of a prompt's media with this part."""
    shown = {"name": "e", "role": "user", "parts": [part]}
    media = {"enabled": True, "supported_types": ["image"], "examples": [shown]}
    return {"prompts/draft/media": media}


def provided(role: str = "llm", **more: Any) -> dict[str, Any]:
    return {"requires": {"providers": [{"key": "a", "role": role, **more}]}}


def controlled(**control: Any) -> dict[str, Any]:
    duty = {"id": "o", "obligation": "x", "controls": [control]}
    return {"metadata": {"governance": {"obligations": [duty]}}}


def composed(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**COMPOSED, "compositions": {"c": {"version": 1, "steps": list(steps), **more}}}


def reading(path: str, whole: str = "") -> dict[str, Any]:
    """A branch step that reads a path, or that negates it."""
    compared = {"path": path, "op": "equals", "value": True}
    return {
        "id": "b",
        "kind": "branch",
        "predicate": {whole: compared} if whole else compared,
        "then": "two",
    }


# The codes of a row are those of all findings of its pack: first the one that the row is about.
WRONG: list[tuple[dict[str, Any], str]] = [
    (TEAM, "PP403"),
    ({"prompts/draft/validators": [{"type": "json_vald"}]}, "PP512"),
    ({**provided(required=False), "prompts/draft/provider": "a"}, "PP328"),
    ({**provided("image"), **composed({**STEP, "provider": "a"})}, "PP328"),
    (controlled(validator="v"), "PP508"),
    (example(type="image", media={**IMAGE, "file_path": "y"}), "PP329"),
    (example(type="text"), "PP329"),
    (example(type="image", text="Look.", media=IMAGE), "PP329"),
    (composed({**STEP, "id": "p"}, PARALLEL), "PP602"),
    (composed({"id": "t", "kind": "tool", "tool": "x"}), "PP603"),
    (composed({**AGENT, "tools": ["x"]}), "PP603"),
    ({**composed(MODIFIED), "prompts/review/evals": [EVAL]}, "PP603"),
    (composed({**BRANCH, "predicate": {"path": "${x}", "exists": True}}, STEP), "PP604"),
    (composed({**BRANCH, "then": "x"}, STEP), "PP604 PP609"),
    (composed({**BRANCH, "else": "x"}, STEP), "PP604"),
    (composed({**STEP, "depends_on": ["x"]}), "PP604"),
    (composed(STEP, output="x"), "PP604"),
    (
        {
            f"{S}/draft/artifacts": {"log": {"type": ""}},
            "prompts/draft/system_template": "{{artifacts.log}}",
        },
        "PP333",
    ),
    (
        {
            f"{S}/draft/artifacts": {"log": {"type": "markdown"}},
            "prompts/draft/system_template": "{{artifacts.log}}",
        },
        "PP333",
    ),
    ({"prompts/draft/validators": [{"type": "my_own", "fail_on_violation": True}]}, "PP517"),
    ({"name": GONE}, "PP110"),
    ({f"{S}/draft/prompt_task": GONE}, "PP110 PP325"),
    (
        {f"{S}/draft": {"orchestration": "composition", "on_event": {"Submit": "review"}}},
        "PP110 PP325",
    ),
    ({"author": "me"}, "PP111"),
    ({f"{S}/draft/colour": "red"}, "PP111"),
    ({"prompts/draft/name": 7}, "PP112"),
    ({f"{S}/draft/orchestration": "intern"}, "PP113"),
    ({"compositions": {"c": {"version": 2, "steps": [STEP]}}}, "PP113 PP611"),
    ({"id": "Not_Good"}, "PP114"),
    ({"version": "1.0"}, "PP114"),
    ({"prompts/draft/parameters": {"temperature": 3}}, "PP115"),
    ({"prompts": {}}, "PP115 PP203"),
    ({"skills": [{"path": "a", "name": "b"}]}, "PP116"),
    (composed({**STEP, "input": 7}), "PP116"),
    ({"$schema": "https://x.org/schema/v1.3/p.json", f"{S}/draft/control": "user"}, "PP120"),
    (
        {
            "$schema": "https://x.org/schema/v1.2/p.json",
            "workflow": GONE,
            "prompts/draft/validators": [{"type": "topic_policy", "enabled": True}],
        },
        "PP120 PP514",
    ),
    ({"$schema": "https://x.org/schema/2025.1/p.json"}, "PP123"),
    ({"workflow/version": 3}, "PP201"),
    ({"workflow/entry": "drift"}, "PP202"),
    ({f"{S}/review/prompt_task": "reviews"}, "PP203 PP325"),
    ({f"{S}/draft/on_event/Submit": "rewiev"}, "PP204 GR104"),
    ({f"{S}/draft/on_event": {"submit_it": "review"}}, "PP205"),
    ({f"{S}/draft/persistence": "forever"}, "PP206"),
    (
        {f"{S}/draft/composition": "c", "compositions": {"c": {"version": 1, "steps": [STEP]}}},
        "PP207",
    ),
    ({f"{S}/done": {"orchestration": "composition", "composition": "x"}}, "PP208 PP214 PP325"),
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
    ({f"{S}/done": {"prompt_task": "done", "orchestration": "external"}}, "PP215 PP214"),
    (
        {"tools": {"t": {"name": "t", "description": "d", "parameters": doubling(29)}}},
        "PP216 PP321",
    ),
    (
        composed({**STEP, "output_schema": "#/metadata/map"})
        | {"metadata": {"map": {"type": "object", "additionalProperties": {"type": "string"}}}},
        "PP217",
    ),
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
        "PP223 GR104 GR108",
    ),
    ({f"{S}/done/control": "agent"}, "PP224"),
    (
        {
            f"{S}/draft/artifacts": {"text": {"type": "text/plain"}},
            "prompts/review/system_template": "Read {{artifacts.text}}.",
        },
        "PP225",
    ),
    ({"prompts/review/system_template": "Read {{artifacts.text}}."}, "PP334"),
    ({"prompts/review/system_template": "Read {{topic}."}, "PP312"),
    (
        {
            "prompts/review/validators": [
                {
                    "type": "banned_words",
                    "enabled": True,
                    "fail_on_violation": True,
                    "params": {"words": ["x"], "mach_mode": "word"},
                }
            ]
        },
        "PP518",
    ),
    (
        {f"{S}/review/on_event": GONE, f"{S}/review/artifacts": {"on_event": {"Approve": "done"}}},
        "PP117 PP110 PP111 PP214 GR104",
    ),
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
    (
        {"prompts/draft/system_template": "{{fragment:hello}}", "fragments": {"hullo": "x"}},
        "PP301 PP308",
    ),
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
    ({**provided("tts"), "prompts/draft/provider": "a"}, "PP328"),
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
    ({"prompts/draft/validators": [{"type": "regex", "fail_on_violation": False}]}, "PP506 PP511"),
    ({f"{S}/draft/skills": "a/*", "skills": ["./a", {"path": "b", "preload": True}]}, "PP331"),
    ({"prompts/draft/validators": [{"type": "json_valid", "message": "No."}]}, "PP513"),
    ({"prompts/draft/validators": [{"type": "sentiment"}]}, "PP514"),
    ({"evals": [{**EVAL, "type": "custom", "params": {}}]}, "PP514"),
    ({"evals": [{**EVAL, "type": "cosine_similarity", "params": {}}]}, "PP515"),
    (
        {"evals": [{**EVAL, "type": "custom", "params": {}, "fail_on_violation": True}]},
        "PP517 PP111",
    ),
    ({"prompts/draft/validators": [{"type": "custom", "fail_on_violation": True}]}, "PP517"),
    (
        {"prompts/draft/validators": [{"type": "cosine_similarity", "fail_on_violation": True}]},
        "PP517",
    ),
    ({"prompts/draft/validators": [{"type": "regex", "id": "a"}] * 2}, "PP507 PP511"),
    (controlled(eval="e"), "PP508"),
    ({"evals": [{**EVAL, "type": "workflow_state_is", "params": {"state": "x"}}]}, "PP509"),
    ({"evals": [{**EVAL, "threshold": {"operator": ">=", "value": 1}}]}, "PP510"),
    ({"prompts/draft/validators": [{"type": "banned_words", "params": {"words": []}}]}, "PP511"),
    ({"prompts/draft/validators": [{"type": "max_length"}]}, "PP511"),
    ({"prompts/draft/validators": [{"type": "regex", "params": {"pattern": "("}}]}, "PP511"),
    ({"evals": [{**EVAL, "type": "content_matches", "params": {}}]}, "PP511"),
    ({"prompts/draft/validators": [{"type": "regex", "params": {"pattern": "(?=a)"}}]}, "PP516"),
    ({"evals": [{**EVAL, "type": "tool_result_matches", "params": {"pattern": "("}}]}, "PP516"),
    ({"evals": [{**EVAL, "when": {"tool_called_pattern": "(?:a{300}){300}"}}]}, "PP516"),
    ({"evals": [{**EVAL, "type": "lm_judge"}]}, "PP512"),
    ({"compositions": {"workflow__transition": {"version": 1, "steps": [STEP]}}}, "PP601 PP611"),
    (composed(STEP, STEP), "PP602 PP608"),
    (composed({**STEP, "prompt_task": "x"}), "PP603"),
    (composed({**STEP, "input": "${two.output}"}), "PP604"),
    (composed({**STEP, "tools": []}), "PP605"),
    (composed({**PARALLEL, "reduce": {"strategy": "sum", "into": "x"}}), "PP606"),
    (composed({**STEP, "depends_on": ["two"]}, {**STEP, "id": "two"}), "PP608 GR108 PP610"),
    (composed({**STEP, "depends_on": ["two"]}, {**STEP, "id": "two"}), "PP610 GR108 PP608"),
    ({"compositions": {"c": {"version": 1, "steps": [STEP]}}}, "PP611"),
    (composed(BRANCH, STEP, output="b"), "PP612"),
    (composed(STEP, reading("${one.output.good}"), {**STEP, "id": "two"}), "PP630"),
    *(
        (
            composed(
                {**STEP, "output_schema": "#/metadata/v"}, reading(path), {**STEP, "id": "two"}
            )
            | {"metadata/v": {"type": "object", "properties": {"good": {"enum": ["yes", "no"]}}}},
            "PP631",
        )
        for path in ("${one.output.god}", "${one.output.good}", "${one.output.good.deep}")
    ),
    (
        composed(
            {**STEP, "output_schema": "#/metadata/v"},
            {**STEP, "id": "two", "input": "Use ${one.output.god}."},
        )
        | {"metadata/v": {"type": "object", "properties": {"good": {"enum": ["yes", "no"]}}}},
        "PP631",
    ),
    (
        composed(STEP, reading("${one.output.good}", whole="not"), {**STEP, "id": "two"}),
        "PP630",
    ),
    (composed(STEP, {**STEP, "id": "two", "input": "Use ${one.output.good}."}), "PP630"),
    (
        composed(
            {
                "id": "both",
                "kind": "parallel",
                "branches": [STEP, {**STEP, "id": "other"}],
                "reduce": {"strategy": "barrier", "into": "all"},
            },
            reading("${both.output.all.one.good}"),
            {**STEP, "id": "two"},
        ),
        "PP630 PP609",
    ),
]

PROMPTKIT: list[tuple[dict[str, Any], str]] = [
    ({f"{S}/done": {"prompt_task": "done"}}, "PP901 PP214"),
    ({"prompts/draft/validators": [{"type": "regex"}]}, "PP902 PP511"),
    ({f"{S}/draft/control": "agent"}, "PP903"),
    ({"prompts/draft/validators": [{"type": "sentiment", "enabled": True}]}, "PP904 PP514"),
    ({"fragments": {"a": "x"}, "prompts/draft/system_template": "{{fragments.a}}"}, "PP905"),
    ({"prompts/draft/validators": [{"type": "regex", "id": "a"}] * 2}, "PP913 PP507 PP511"),
    (
        {
            "prompts/draft/validators": [
                {"type": "json_valid", "enabled": True, "fail_on_violation": False}
            ]
        },
        "PP914 PP506",
    ),
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
    ({"prompts/draft/validators": [{"type": "max_sentences", "enabled": True}]}, "PP910 PP511"),
    ({}, "PP911"),
    (
        {"prompts/draft/variables": [{"name": "n", "type": "date", "required": False}]},
        "PP912 PP303",
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
