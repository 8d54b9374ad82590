"""Tool calls in the lines of a reply, compared with the recorded vectors."""

from __future__ import annotations

import json
from typing import Any

from tests.support.checks import each_row
from tests.support.corpus import CORPUS
from workflows.core.dialects.agent_graph.format.tool_calls import ToolCall, extract, parse_line

VECTORS = CORPUS / "agent-graph/vectors"
PARSE = json.loads((VECTORS / "tool_call_parse.json").read_text())["vectors"]
EXTRACT = json.loads((VECTORS / "tool_call_extract.json").read_text())["vectors"]
CALL = '{"tool_call":{"id":"a","name":"list_files","args":{}}}'

OTHERWISE = {
    "E02": "A call inside a code fence is text here: the model is told not to fence calls."
}
"""Vectors that we knowingly do not match, with the reason."""


def _as_vector(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id or "<generated>", "name": call.name, "args": call.args}


@each_row(PARSE)
def test_a_line_is_read_as_the_strict_profile_reads_it(vector: dict[str, Any]) -> None:
    found = parse_line(vector["line"])
    assert (_as_vector(found) if isinstance(found, ToolCall) else None) == vector["strict"]


@each_row(EXTRACT)
def test_a_message_is_taken_apart_as_recorded(vector: dict[str, Any]) -> None:
    text, calls, _ = extract(vector["message"])
    same = (text, [_as_vector(call) for call in calls]) == (vector["remaining"], vector["calls"])
    assert same is (vector["id"] not in OTHERWISE)


@each_row(
    [
        (CALL, []),
        (f"Here goes.\n{CALL}\r\nDone.", []),
        ('Nothing to call.\n{}\n{"a": 1}', []),
        ("{broken}", []),
        ("The word tool_call alone is no attempt.", []),
        ('{"name": "a person", "args": {"x": 1}}', []),
        ('```json\n{"a": 1}\n```', []),
        (f"``` one line ``` is no fence\n{CALL}", []),
        (f"```\ncode\n```\n{CALL}", []),
        (f"~~~\n```\n~~~\n{CALL}", []),
        (f"```json\n{CALL}\n```", ["fenced"]),
        (f"````\n```\n{CALL}\n````", ["fenced"]),
        (f"```\nnever closed\n{CALL}", ["fenced"]),
        (f"- {CALL}", ["not_alone"]),
        (f"{CALL} ok", ["not_alone"]),
        (f"`{CALL}`", ["not_alone"]),
        (f"[{CALL}]", ["not_alone"]),
        (f"{CALL}{CALL}", ["not_json"]),
        (CALL.replace("}}}", "}}}}"), ["not_json"]),
        (CALL.replace("{}", '{"x": NaN}'), ["not_json"]),
        ('{"tool_call":' + '{"a":' * 90_000 + "}" * 90_001, ["not_json"]),
        ('{\n  "tool_call": {\n    "name": "list_files"\n  }\n}', ["not_alone"]),
        ('{"tool_call": {"args": {}}}', ["no_name"]),
        ('{"tool_call": {"name": "list_files"}}', ["no_args"]),
        ('{"tool_call": {"name": "list_files", "args": []}}', ["no_args"]),
        ('{"tool_call": {"name": "fly", "args": {}}}', ["unknown_tool"]),
        ('{"tool_call": "x"}', ["no_wrapper"]),
        ('{"tool": "list_files", "args": {}}', ["no_wrapper"]),
    ]
)
def test_an_invalid_call_is_reported(message: str, codes: list[str]) -> None:
    text, calls, rejections = extract(message)
    assert [one.code for one in rejections] == codes
    assert all(one.message.endswith(".") and len(one.text) <= 200 for one in rejections)
    if not calls:
        assert text == message


def test_a_call_under_params_is_accepted_with_a_warning() -> None:
    found = parse_line('{"tool_call": {"name": "create_edge", "params": {"from": "a", "to": "b"}}}')
    assert isinstance(found, ToolCall)
    assert found.args == {"from": "a", "to": "b"}
    assert found.warnings


def test_calls_and_rejections_name_their_lines() -> None:
    text, calls, rejections = extract(f"one\n{CALL}\n- {CALL}\n{CALL}\nlast")
    assert [call.line for call in calls] == [2, 4]
    assert [one.line for one in rejections] == [3]
    assert text == f"one\n- {CALL}\nlast"
