"""Inputs that the texts of a pack's roles name, such as the fields of a ticket."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from roles.core.jinja_syntax import BadProgram, named
from roles.core.template_choice import select
from roles.core.templates import is_program, mentions
from roles.core.variables import ALIASES, VARIABLES
from roles.models import Role
from workflows.bindings.step_kinds import kind_of_step, trigger_by
from workflows.models import Pack, State

FROM_INPUTS = ("ticket.", "chat.", "git.")
"""Beginnings of the variables that a run has only from its inputs."""
KNOWN = ("ticket.source",)


def role_inputs(pack: Pack, started_by: str) -> list[str]:
    """Names of the inputs that the roles at the states of the newest revision name, in the order of
    their texts, if a run is `started_by` this."""
    bindings = State.objects.filter(pack=pack, bound__isnull=False).order_by("pk")
    bound = [one for one in bindings.values_list("bound", flat=True) if one]
    configs = dict(
        Role.objects.filter(pk__in={one["role"] for one in bound}).values_list(
            "pk", "prompt_config"
        )
    )
    names = (
        name
        for one in bound
        for text in _texts(configs.get(one["role"], {}), one, started_by)
        for name in _names(text)
    )
    wanted = [name for name in names if name.startswith(FROM_INPUTS) and name not in KNOWN]
    return [name for name in dict.fromkeys(wanted) if name in VARIABLES]


def _texts(config: Mapping[str, Any], bound: Mapping[str, Any], started_by: str) -> Iterator[str]:
    """The texts that are sent in the state of this binding."""
    templates = config.get("templates", {})
    selected = select(kind_of_step(bound), trigger_by(started_by), templates)
    yield str(config.get("system_prompt", ""))
    yield str(config.get("developer_prompt", ""))
    yield str(templates.get(selected.template, ""))
    for name in selected.outputs:
        yield str(config.get("output_templates", {}).get(name, ""))


def _names(text: str) -> Iterator[str]:
    try:
        uses = named(text) if is_program(text) else tuple(mentions(text))
    except BadProgram:
        return
    for mention in uses:
        yield ALIASES.get(mention.name, mention.name)
