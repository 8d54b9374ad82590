"""The messages protocol: bodies and server-sent events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support.model_server.answers import ErrorReply, TextReply
from tests.support.model_server.openai import words

PATH = "/v1/messages"


def whole(says: TextReply, request: Mapping[str, Any]) -> dict[str, Any]:
    """One body for an answer that is not streamed."""
    blocks = _blocks(says, request)
    taken, output_tokens = says.tokens
    return {
        **_head(request),
        "content": blocks,
        "stop_reason": _stop(says, blocks),
        "usage": {"input_tokens": taken, "output_tokens": output_tokens},
    }


def pieces(says: TextReply, request: Mapping[str, Any]) -> list[bytes]:
    """The server-sent events of a streamed answer."""
    blocks = _blocks(says, request)
    taken, output_tokens = says.tokens
    begun = {**_head(request), "content": [], "usage": {"input_tokens": taken, "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(blocks):
        events += _block_events(index, block)
    stop = {"stop_reason": _stop(says, blocks), "stop_sequence": None}
    events.append(
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": output_tokens}}
    )
    events.append({"type": "message_stop"})
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events]


def failure(fails: ErrorReply) -> dict[str, Any]:
    return {"type": "error", "error": {"type": fails.kind, "message": fails.message}}


def _block_events(index: int, block: Mapping[str, Any]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        empty: dict[str, Any] = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": word} for word in words(block["text"])]
    else:
        empty = {**block, "input": {}}
        whole_input = json.dumps(block["input"])
        middle = len(whole_input) // 2
        halves = (whole_input[:middle], whole_input[middle:])
        deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves]
    return [
        {"type": "content_block_start", "index": index, "content_block": empty},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _blocks(says: TextReply, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    native = "output_format" in request or "format" in (request.get("output_config") or {})
    text = json.dumps(says.structured) if says.structured is not None and native else says.text
    calls = list(says.tool_calls)
    if says.structured is not None and not native and request.get("tools"):
        calls.append((request["tools"][-1]["name"], says.structured))
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    for number, (name, arguments) in enumerate(calls, 1):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
        blocks.append(call)
    return blocks


def _head(request: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _stop(says: TextReply, blocks: list[dict[str, Any]]) -> str:
    calls = any(block["type"] == "tool_use" for block in blocks)
    return says.stop or ("tool_use" if calls else "end_turn")
