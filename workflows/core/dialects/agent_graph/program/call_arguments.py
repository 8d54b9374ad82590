"""Arguments of calls, normalised and checked. Arguments of the wrong type are refused, not dropped,
so that no call does more than the model requested."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.agent_graph.format.envelope import payload_problems
from workflows.core.dialects.agent_graph.format.model import Node
from workflows.core.dialects.agent_graph.format.vocabulary import (
    EDGE_TYPES,
    PROVIDERS,
    TOOLS,
    default_label,
)

Json = Mapping[str, Any]


class Refused(Exception):
    """A refused call. The message is for the model. `wakes`: the node gets a turn for it at
    once."""

    def __init__(self, message: str, *, wakes: bool = True) -> None:
        super().__init__(message)
        self.message = message
        self.wakes = wakes


def normalised(name: str, args: Json, caller: Node) -> dict[str, Any]:
    """The normalised request of a call. Raises Refused."""
    match name:
        case "command":
            return _command(args)
        case "read_file" | "delete_file":
            return {"path": _path(args, f"{name} requires path")}
        case "list_files":
            return {"path": _path({"path": ".", **args}, "list_files requires path")}
        case "write_file":
            return _write(args)
        case "spawn_node":
            return _spawn(args, caller)
        case "create_edge":
            return _edge(args)
        case "send_handoff":
            return _handoff(args)
        case "complete_run":
            return _complete(args)
        case _:
            raise Refused(f"unsupported tool: {name}")


def _command(args: Json) -> dict[str, Any]:
    if not _text(args.get("cmd")):
        raise Refused("command tool requires cmd")
    request: dict[str, Any] = {"cmd": args["cmd"]}
    if "cwd" in args:
        request["cwd"] = _path({"path": args["cwd"]}, "`cwd` has to be a path")
    return request


def _write(args: Json) -> dict[str, Any]:
    needs = "write_file requires path and content"
    if not isinstance(args.get("content"), str):
        raise Refused(needs)
    return {"path": _path(args, needs), "content": args["content"]}


def _path(args: Json, needs: str) -> str:
    """The path as written: spaces are part of a path."""
    if not _text(args.get("path")):
        raise Refused(needs)
    return str(args["path"])


def _spawn(args: Json, caller: Node) -> dict[str, Any]:
    label, role = _line(args.get("label")), _text(args.get("roleTemplate", args.get("role")))
    provider = _optional(args, "provider", str) or caller.provider
    if not label or not role or not provider:
        raise Refused("spawn_node requires label, roleTemplate (or role), and provider")
    if args.get("provider") is not None and provider.strip() not in PROVIDERS:
        providers = ", ".join(PROVIDERS)
        raise Refused(f"Unknown provider {provider!r:.60}. Providers: {providers}.")
    request: dict[str, Any] = {"label": label, "roleTemplate": role, "provider": provider.strip()}
    prompt = _optional(args, "customSystemPrompt", str)
    if prompt:
        request["customSystemPrompt"] = prompt
    for key in ("alias", "instructions"):
        text = _optional(args, key, str)
        if text is not None and text.strip():
            request[key] = _line(text) if key == "alias" else text.strip()
    for key in ("input", "capabilities", "permissions", "session"):
        value = _optional(args, key, Mapping)
        if value is not None:
            request[key] = dict(value)
    return request


def _edge(args: Json) -> dict[str, Any]:
    source, target = _text(args.get("from")), _text(args.get("to"))
    if not source or not target:
        raise Refused("create_edge requires from and to node ids")
    type = args.get("type", "handoff")
    if type not in EDGE_TYPES:
        raise Refused(f"The type of an edge is {' or '.join(EDGE_TYPES)}.")
    both = _optional(args, "bidirectional", bool)
    label = _line(_optional(args, "label", str))
    return {
        "from": source,
        "to": target,
        "bidirectional": True if both is None else both,
        "type": type,
        "label": label or default_label(type),
    }


def _handoff(args: Json) -> dict[str, Any]:
    to = _text(args.get("to", args.get("toNodeId")))
    message = _text(args.get("message", args.get("summary")))
    if not to or not message:
        raise Refused("send_handoff requires to and message")
    request: dict[str, Any] = {"to": to, "message": message}
    for key in ("structured", "artifacts", "status", "response"):
        if args.get(key) is not None:
            request[key] = args[key]
    payload = {key: value for key, value in request.items() if key != "to"}
    problems = payload_problems(payload)
    if problems:
        raise Refused(" ".join(problem.message for problem in problems))
    context = _optional(args, "contextRef", str)
    return {**request, **({"contextRef": context.strip()} if context and context.strip() else {})}


def _complete(args: Json) -> dict[str, Any]:
    summary = _text(args.get("summary"))
    if not summary:
        raise Refused("complete_run requires summary")
    met = args.get("met", [])
    if not isinstance(met, list) or not all(isinstance(one, str) for one in met):
        raise Refused("`met` is a list of statements of the definition of done.")
    return {"summary": summary, "met": [one.strip() for one in met]}


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _line(value: object) -> str:
    """A name: a string on one line."""
    return " ".join(_text(value).split())


def _optional(args: Json, key: str, kind: Any) -> Any:
    """The argument; None if it is missing. Raises Refused for the wrong type."""
    value = args.get(key)
    if value is None or isinstance(value, kind):
        return value
    words = {str: "a text", bool: "true or false", Mapping: "an object"}
    raise Refused(f"`{key}` must be {words[kind]}.")


SHAPES: Mapping[str, tuple[str, Mapping[str, Any], tuple[str, ...]]] = {
    "command": (
        "Run a shell command in the workspace.",
        {"cmd": {"type": "string"}, "cwd": {"type": "string"}},
        ("cmd",),
    ),
    "read_file": ("Read a text file.", {"path": {"type": "string"}}, ("path",)),
    "write_file": (
        "Write a whole text file. Creates a missing file.",
        {"path": {"type": "string"}, "content": {"type": "string"}},
        ("path", "content"),
    ),
    "list_files": ("List a folder.", {"path": {"type": "string"}}, ()),
    "delete_file": ("Delete a file.", {"path": {"type": "string"}}, ("path",)),
    "spawn_node": (
        "Add an agent to the graph.",
        {
            "label": {"type": "string"},
            "alias": {"type": "string"},
            "roleTemplate": {"type": "string"},
            "instructions": {"type": "string"},
            "input": {"type": "object"},
            "provider": {"enum": list(PROVIDERS)},
            "capabilities": {"type": "object"},
            "permissions": {"type": "object"},
            "session": {"type": "object"},
            "customSystemPrompt": {"type": "string"},
        },
        ("label", "roleTemplate"),
    ),
    "create_edge": (
        "Let one agent hand work to another.",
        {
            "from": {"type": "string"},
            "to": {"type": "string"},
            "bidirectional": {"type": "boolean"},
            "type": {"enum": list(EDGE_TYPES)},
            "label": {"type": "string"},
        },
        ("from", "to"),
    ),
    "send_handoff": (
        "Hand something to another agent over an edge.",
        {
            "to": {"type": "string"},
            "message": {"type": "string"},
            "structured": {"type": "object"},
            "artifacts": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"type": {"type": "string"}, "ref": {"type": "string"}},
                    "required": ["type", "ref"],
                },
            },
            "status": {
                "type": "object",
                "properties": {"ok": {"type": "boolean"}, "reason": {"type": "string"}},
                "required": ["ok"],
            },
            "response": {
                "type": "object",
                "properties": {
                    "expectation": {"enum": ["none", "optional", "required"]},
                    "replyTo": {"type": "string"},
                },
                "required": ["expectation"],
            },
            "contextRef": {"type": "string"},
        },
        ("to", "message"),
    ),
    "complete_run": (
        "Declare that the goal is reached; ends the run.",
        {
            "summary": {"type": "string"},
            "met": {"type": "array", "items": {"type": "string"}},
        },
        ("summary",),
    ),
}
"""Tool → description, JSON Schemas of its arguments, and required arguments."""
assert tuple(SHAPES) == TOOLS
