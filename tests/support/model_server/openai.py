"""The chat-completions protocol: bodies and server-sent events."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.support.model_server.answers import ErrorReply, TextReply

PATH = "/chat/completions"


def whole(says: TextReply, request: Mapping[str, Any]) -> dict[str, Any]:
    """One body for an answer that is not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": text_of(says, request) or None}
    calls = calls_of(says, request)
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": _stop(says, bool(calls))}
    return {**_head(request, "chat.completion"), "choices": [choice], "usage": _usage(says)}


def pieces(says: TextReply, request: Mapping[str, Any]) -> list[bytes]:
    """The server-sent events of a streamed answer: a few words or one call each."""
    head = _head(request, "chat.completion.chunk")
    calls = calls_of(says, request)
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word} for word in words(text_of(says, request))]
    for index, call in enumerate(calls):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        middle = len(arguments) // 2
        begun = {"index": index, "id": call["id"], "type": "function"}
        deltas.append(
            {"tool_calls": [{**begun, "function": {"name": name, "arguments": arguments[:middle]}}]}
        )
        rest = {"index": index, "function": {"arguments": arguments[middle:]}}
        deltas.append({"tool_calls": [rest]})
    chunks = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in deltas
    ]
    stop = {"index": 0, "delta": {}, "finish_reason": _stop(says, bool(calls))}
    chunks.append({**head, "choices": [stop]})
    chunks.append({**head, "choices": [], "usage": _usage(says)})
    return [*(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks), END]


END = b"data: [DONE]\n\n"


def failure(fails: ErrorReply) -> dict[str, Any]:
    return {"error": {"message": fails.message, "type": fails.kind, "code": None, "param": None}}


def text_of(says: TextReply, request: Mapping[str, Any]) -> str:
    if says.structured is not None and "response_format" in request:
        return json.dumps(says.structured)
    return says.text


def calls_of(says: TextReply, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    calls = list(says.tool_calls)
    if says.structured is not None and "response_format" not in request and request.get("tools"):
        calls.append((request["tools"][-1]["function"]["name"], says.structured))
    return [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(calls, 1)
    ]


def words(text: str) -> list[str]:
    return re.findall(r"\s*\S+ ?|\s+", text)


def _head(request: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "chat-1", "object": kind, "created": 1_760_000_000, "model": request["model"]}


def _stop(says: TextReply, calls: bool) -> str:
    return says.stop or ("tool_calls" if calls else "stop")


def _usage(says: TextReply) -> dict[str, int]:
    taken, output_tokens = says.tokens
    return {
        "prompt_tokens": taken,
        "completion_tokens": output_tokens,
        "total_tokens": taken + output_tokens,
    }
