"""Preview of the exact messages of a step of a role."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from roles.core.assemble import CannotAssemble, Messages, assemble
from roles.core.modes import addon_of
from roles.core.preview import problems, read
from roles.core.problems import errors, warnings
from roles.core.prompt_config import BadPromptConfig, prompt_config
from roles.core.prompt_config import problems as config_problems
from roles.core.tokens import estimate
from roles.errors import CannotRender, Invalid
from roles.models import Role
from roles.rendering import render_program
from roles.selectors.modes import readable_mode


def preview(row: Role, body: Any, person: User) -> dict[str, Any]:
    """The messages of a step of this kind in this context. Nothing is stored. Raises Invalid for
    the request, NotThere for the mode, and CannotRender for a text that fails."""
    faults = errors(problems(body))
    if faults:
        raise Invalid(faults)
    request = read(body)
    config = row.prompt_config if request.config is None else request.config
    addon = request.addon
    if request.mode is not None:
        addon = addon_of(readable_mode(request.mode, person).manifest)
    here = {"role_local.name": row.name, "role_local.description": row.description}
    try:
        messages = assemble(
            prompt_config(config),
            kind=request.kind,
            trigger=request.trigger,
            variables={**here, **request.variables},
            addon=addon,
            renderer=render_program,
        )
    except BadPromptConfig as bad:
        raise Invalid(bad.problems) from None
    except CannotAssemble as cannot:
        path = cannot.path
        where = path if path.startswith("/mode/") else f"/prompt_config{path}"
        raise CannotRender(cannot.message, where=where) from None
    config_warnings = warnings(config_problems(config))
    return {**_shown(messages), "problems": [one.to_json() for one in config_warnings]}


def _shown(messages: Messages) -> dict[str, Any]:
    tokens = {
        "system": estimate(messages.system),
        "developer": estimate(messages.developer),
        "user": estimate(messages.user),
    }
    return {
        "template": messages.template,
        "fallback": messages.fallback,
        "system": messages.system,
        "developer": messages.developer,
        "user": messages.user,
        "task": messages.task,
        "output": messages.output,
        "system_and_developer": messages.system_and_developer,
        "warnings": [one.to_json() for one in messages.warnings],
        "tokens": {**tokens, "total": sum(tokens.values()), "estimate": True},
    }
