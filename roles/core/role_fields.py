"""Fields of a role besides its prompts: name, description, colour, scopes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from roles.core.json_limits import plain
from roles.core.problems import Problem, Problems, pointer
from roles.core.prompt_config import problems as config_problems

LONGEST_NAME = 100
LONGEST_DESCRIPTION = 10_000
LONGEST_SCOPE = 100
MOST_SCOPES = 100
NEEDED = ("name", "prompt_config")
COLOR = re.compile(r"#[0-9A-Fa-f]{6}")


def problems(body: Any, *, new: bool) -> Problems:
    """Every problem of a role's fields, with pointers from the body's root. A new role needs a name
    and a prompt config; a change needs nothing."""
    if not isinstance(body, Mapping):
        return (Problem(path="", code="type", message="The body is an object."),)
    return tuple(_problems(body, new))


def scope_problems(scopes: Any) -> Iterator[Problem]:
    """A list of distinct, short, plain texts."""
    path = "/platform_scopes"
    if not isinstance(scopes, list) or len(scopes) > MOST_SCOPES:
        message = f"The scopes are a list of at most {MOST_SCOPES} texts."
        yield Problem(path=path, code="type", message=message)
        return
    for index, scope in enumerate(scopes):
        if not _fits(scope, LONGEST_SCOPE) or not scope.strip():
            message = f"A scope is a text of 1 to {LONGEST_SCOPE} characters."
            yield Problem(path=path + pointer(index), code="type", message=message)
        elif scope in scopes[:index]:
            message = "This scope is in the list already."
            yield Problem(path=path + pointer(index), code="duplicate", message=message)


def cleaned_name(name: str) -> str:
    """A name with single spaces."""
    return " ".join(name.split())


def name_problems(name: Any) -> Iterator[Problem]:
    if not _fits(name, LONGEST_NAME) or not cleaned_name(name):
        message = f"A name is a text of 1 to {LONGEST_NAME} characters."
        code = "empty" if isinstance(name, str) and not name.strip() else "type"
        yield Problem(path="/name", code=code, message=message)


def _problems(body: Mapping[str, Any], new: bool) -> Iterator[Problem]:
    for field in NEEDED:
        if new and field not in body:
            yield Problem(path=f"/{field}", code="missing", message=f"`{field}` is required.")
    if "name" in body:
        yield from name_problems(body["name"])
    if "description" in body and not _fits(body["description"], LONGEST_DESCRIPTION):
        message = f"A description is a text of at most {LONGEST_DESCRIPTION:,} characters."
        yield Problem(path="/description", code="type", message=message)
    color = body.get("color", "#000000")
    if not isinstance(color, str) or not COLOR.fullmatch(color):
        yield Problem(path="/color", code="type", message="A colour is written #RRGGBB.")
    if "platform_scopes" in body:
        yield from scope_problems(body["platform_scopes"])
    if "prompt_config" in body:
        yield from in_envelope(config_problems(body["prompt_config"]))


def in_envelope(problems: Problems) -> Iterator[Problem]:
    """The problems of a config, with pointers from the root of a body that holds it."""
    for one in problems:
        yield Problem(
            path=f"/prompt_config{one.path}",
            code=one.code,
            message=one.message,
            level=one.level,
            start=one.start,
            end=one.end,
        )


def _fits(value: Any, longest: int) -> bool:
    return isinstance(value, str) and len(value) <= longest and plain(value)
