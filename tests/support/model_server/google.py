"""The generate-content protocol: bodies and server-sent events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.support.model_server.answers import ErrorReply, TextReply
from tests.support.model_server.openai import words

PATH = ":streamGenerateContent"


def whole(says: TextReply, request: Mapping[str, Any]) -> dict[str, Any]:
    """One body for an answer that is not streamed."""
    return _body(says, _parts(says, request), _stop(says))


def pieces(says: TextReply, request: Mapping[str, Any]) -> list[bytes]:
    """The server-sent events of a streamed answer."""
    parts: list[dict[str, Any]] = []
    for part in _parts(says, request):
        parts += [{"text": word} for word in words(part["text"])] if "text" in part else [part]
    bodies = [_body(says, [part], "") for part in parts]
    bodies.append(_body(says, [{"text": ""}], _stop(says)))
    return [f"data: {json.dumps(body)}\r\n\r\n".encode() for body in bodies]


def failure(fails: ErrorReply) -> dict[str, Any]:
    return {"error": {"code": fails.status, "message": fails.message, "status": fails.kind}}


def _parts(says: TextReply, request: Mapping[str, Any]) -> list[dict[str, Any]]:
    native = "responseJsonSchema" in (request.get("generationConfig") or {})
    text = json.dumps(says.structured) if says.structured is not None and native else says.text
    calls = list(says.tool_calls)
    if says.structured is not None and not native and request.get("tools"):
        declared = request["tools"][-1]["functionDeclarations"]
        calls.append((declared[-1]["name"], says.structured))
    parts = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
    return [*([{"text": text}] if text else []), *parts]


def _body(says: TextReply, parts: list[dict[str, Any]], stop: str) -> dict[str, Any]:
    taken, output_tokens = says.tokens
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model", "parts": parts}}
    if stop:
        candidate["finishReason"] = stop
    counted = {"promptTokenCount": taken, "candidatesTokenCount": output_tokens}
    usage = {**counted, "totalTokenCount": taken + output_tokens}
    return {"candidates": [candidate], "usageMetadata": usage, "responseId": "g-1"}


def _stop(says: TextReply) -> str:
    return says.stop or "STOP"
