"""Check of a call's arguments against the tool's parameters, before the call is made."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from workflows.core.json_schemas.size import TooLarge
from workflows.core.json_schemas.validation import Misfit, pack_schema
from workflows.core.patterns import PatternError

MAX_PROBLEMS = 5
MAX_MESSAGE = 300


def argument_problem(name: str, parameters: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    """The problem of the arguments, for the model; "" if they fit. Parameters that are no JSON
    Schema check nothing."""
    try:
        errors = list(islice(pack_schema(parameters).iter_errors(dict(arguments)), MAX_PROBLEMS))
    except PatternError as unusable:
        return f"{name} was not called: in the schema of its parameters, {unusable.message}."
    except TooLarge as large:
        return f"{name} was not called: the schema of its parameters is too large, {large.message}."
    except (ValueError, TypeError):
        return ""
    if not errors:
        return ""
    return f"The arguments of {name} do not fit its parameters, so it was not called. " + " ".join(
        f"{_described(error)}." for error in errors
    )


def _described(error: Misfit) -> str:
    where = "".join(f"/{part}" for part in error.instance_path)
    text = error.message.partition("\n")[0].rstrip(".")
    text = text if len(text) <= MAX_MESSAGE else f"{text[:MAX_MESSAGE]}…"
    return f"{where}: {text}" if where else text
