"""A pack with compositions, skills, evals and validators, whose runs use each of them."""

from __future__ import annotations

from tests.dialects.promptpack.packs import pack
from tests.dialects.promptpack.test_compositions import branch, composed, fan, step

RICH = pack(
    {
        **composed(
            step("a", output_schema="s.json", modifiers={"eval": ["e1"]}),
            branch("r", "${a.output.kind}", "x", "f", **{"else": "z"}),
            fan(step("b"), step("c", "tool", tool="find", args={"q": "${input}"})) | {"id": "f"},
            step("z", "agent", tools=["find"], termination={"max_steps": 2}),
            events={"Ok": "done", "Again": "run"},
        ),
        "skills": [{"name": "s", "description": "d", "instructions": "i"}, "./elsewhere"],
        "evals": [
            {"id": "e1", "type": "contains", "trigger": "every_turn", "params": {"words": ["a"]}},
            {"id": "e2", "type": "llm_judge", "trigger": "every_turn", "params": {"criteria": "c"}},
            {"id": "e3", "type": "tools_called", "trigger": "on_session_complete",
             "params": {"tools": ["find"]}, "when": {"min_tool_calls": 1}},
        ],
    }
)  # fmt: skip
RICH["prompts"]["p"] |= {
    "tools": ["find"],
    "validators": [
        {"type": "banned_words", "params": {"words": ["forbidden"]}},
        {"type": "regex", "params": {"pattern": "(a+)+$", "direction": "both"}},
    ],
    "variables": [{"name": "v", "type": "string", "required": False, "default": "d"}],
}
