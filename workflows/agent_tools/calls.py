"""Calls of tools, whose errors are answers."""

from __future__ import annotations

import json
import os
from typing import Any

from workflows.agent_tools.answers import LONGEST_ERROR, shortened
from workflows.agent_tools.packs import Answer, Arguments, Packs, Report
from workflows.agent_tools.tools import TOOLS, call_tool
from workflows.core.json_schemas.validation import pack_schema
from workflows.core.pack.edits import EditRefused
from workflows.core.text.json.errors import JsonTextError
from workflows.errors import BadRequest

NEXT: dict[type[Exception], str] = {
    EditRefused: "`graph` lists states and transitions, `offers` the other elements, kinds, fields "
    "and labels.",
    OSError: "Look at the permissions and the space of this folder, then read the pack again.",
}
"""Next steps for errors without one of their own."""


class CallEnded(Exception):
    """The client has cancelled this call, or is gone."""


def answered(
    packs: Packs, name: str, given: Arguments, report: Report = lambda stage: None
) -> tuple[Answer, bool]:
    """The short answer of a tool, and whether it is an error: `{"error", "next"}`. Raises what
    `report` raises as CallEnded."""
    try:
        misfit = next(pack_schema(TOOLS[name].schema).iter_errors(given), None)
        if misfit is not None:
            place = "/".join(map(str, misfit.instance_path))
            raise BadRequest(f"{misfit.message}.", where=place)
        return shortened(call_tool(packs, name, given, report)), False
    except CallEnded:
        raise
    except Exception as error:
        if os.environ.get("SIGNALBOX_TRACEBACK"):
            raise
        return shortened(_error_json(error), LONGEST_ERROR), True


def as_text(answer: Answer) -> str:
    """The JSON of an answer."""
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode()  # Half a surrogate pair.


def _error_json(error: Exception) -> dict[str, str]:
    """Every error of callers and files has a `message`; `hint` and `where` are optional."""
    message, where = getattr(error, "message", ""), getattr(error, "where", "")
    hint: Any = getattr(error, "hint", "")
    match error:
        case JsonTextError():
            where = f"line {error.line}, column {error.column}"
        case OSError():
            message, where = f"{error.strerror or error}.", error.filename or ""
        case UnicodeDecodeError():
            byte = error.object[error.start]
            message = f"This is not UTF-8 text: byte {error.start} is {byte:#04x}."
    if not message:
        message = f"Internal error: {type(error).__name__}: {error}"
        hint = "Please report it. SIGNALBOX_TRACEBACK=1 prints the traceback."
    elif not hint:
        hint = next((step for kind, step in NEXT.items() if isinstance(error, kind)), "")
    text = f"{where}: {message}" if where else message
    return {"error": text, **({"next": hint} if hint else {})}
