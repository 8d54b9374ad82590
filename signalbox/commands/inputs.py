"""JSON files and inputs of a command."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from signalbox.commands.errors import Trouble


def read_json(argument: str) -> Any:
    """The JSON in a file, or on standard input for `-`. Raises Trouble with line and column."""
    data = sys.stdin.buffer.read() if argument == "-" else Path(argument).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as bad:
        raise Trouble(f"{argument}: this is not UTF-8 text.") from bad
    return parse_json(text, argument)


def parse_json(text: str, name: str, *, line: int = 0, hint: str = "") -> Any:
    """The JSON in a text, which may be one line of a file. Raises Trouble with the place."""
    place = f"{name}:{line}" if line else name
    try:
        return json.loads(text)
    except json.JSONDecodeError as bad:
        where = f"{place}:{bad.colno}" if line else f"{name}:{bad.lineno}:{bad.colno}"
        raise Trouble(f"{where}: this is not JSON: {bad.msg}.", hint=hint) from bad
    except RecursionError:
        raise Trouble(f"{place}: this JSON is nested too deeply.") from None
    except ValueError:
        raise Trouble(f"{place}: a number in it has too many digits.") from None


def read_inputs(pairs: Iterable[str], file: str | None) -> dict[str, str]:
    """The inputs of a run: those in the file, then those on the command line."""
    body = read_json(file) if file else {}
    if not isinstance(body, dict):
        raise Trouble(f"{file}: inputs are an object of names and values.")
    inputs = {
        name: value if isinstance(value, str) else json.dumps(value) for name, value in body.items()
    }
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise Trouble(f"--input {pair!r} is not of the form name=value.")
        inputs[name] = value
    return inputs
