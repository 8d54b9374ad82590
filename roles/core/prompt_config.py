"""The shape of a prompt config, and all its problems (sections 1 and 2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from roles.core.jinja_syntax import BadProgram, named
from roles.core.json_limits import plain, unkeepable
from roles.core.problems import Problem, Problems, errors, pointer
from roles.core.templates import Mention, is_program, mentions
from roles.core.variables import doubt

TEMPLATES = ("ticket_task", "chat_task", "gate_eval", "cron_task")
OPTIONAL_TEMPLATES = ("cron_task",)
OUTPUT_TEMPLATES = ("agent_done", "gate_pass", "gate_fail")
FOCUS_LISTS = ("core_focus", "project_focus", "priority_categories")
UNCLOSED = re.compile(r"(?<!\\)\{\{[ \t]*([A-Za-z_][\w.]{0,80})(?![\w.]|[ \t]*\}\})[ \t]*\}?")
"""A placeholder without its closing braces."""
PARTS = ("system_prompt", "developer_prompt", "templates", "output_templates", "memory_profile")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptConfig:
    """A config without errors. A missing or blank template is absent from `templates`."""

    system_prompt: str
    developer_prompt: str
    templates: Mapping[str, str]
    output_templates: Mapping[str, str]
    memory_profile: Mapping[str, tuple[str, ...]]


class BadPromptConfig(Exception):
    """A config that cannot be used, with its errors."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        super().__init__("; ".join(f"{one.path}: {one.message}" for one in problems))


def prompt_config(config: Any) -> PromptConfig:
    """The config for assembling prompts. Raises BadPromptConfig: nothing is sent for an invalid
    config."""
    faults = errors(problems(config))
    if faults:
        raise BadPromptConfig(faults)
    profile = config.get("memory_profile", {})
    return PromptConfig(
        system_prompt=config["system_prompt"],
        developer_prompt=config.get("developer_prompt", ""),
        templates=_texts(config["templates"], TEMPLATES),
        output_templates=_texts(config["output_templates"], OUTPUT_TEMPLATES),
        memory_profile=MappingProxyType(
            {name: tuple(profile[name]) for name in FOCUS_LISTS if profile.get(name)}
        ),
    )


def problems(config: Any) -> Problems:
    """Every problem, errors and warnings, in the order of the shape. Pointers begin inside the
    config: `/templates/gate_eval`."""
    if not isinstance(config, dict):
        return (_type("", "A prompt config is an object."),)
    return tuple(_problems(config))


def _problems(config: Mapping[str, Any]) -> Iterator[Problem]:
    yield from _system_prompt(config)
    if "developer_prompt" in config:
        yield from _text(config["developer_prompt"], "/developer_prompt", may_be_blank=True)
    yield from _texts_of(config, "templates", TEMPLATES, OPTIONAL_TEMPLATES)
    yield from _texts_of(config, "output_templates", OUTPUT_TEMPLATES, ())
    if "memory_profile" in config:
        yield from _memory_profile(config["memory_profile"])
    yield from _unknown_keys(config, PARTS)


def _system_prompt(config: Mapping[str, Any]) -> Iterator[Problem]:
    path = "/system_prompt"
    if "system_prompt" not in config:
        yield _missing(path, "system_prompt")
    elif isinstance(config["system_prompt"], str) and not config["system_prompt"].strip():
        yield Problem(path=path, code="empty", message="The system prompt is empty.")
    else:
        yield from _text(config["system_prompt"], path)


def _texts_of(
    config: Mapping[str, Any], part: str, names: tuple[str, ...], optional: tuple[str, ...]
) -> Iterator[Problem]:
    if part not in config:
        yield _missing(f"/{part}", part)
        return
    texts = config[part]
    if not isinstance(texts, dict):
        yield _type(f"/{part}", f"`{part}` is an object of texts.")
        return
    for name in names:
        if name in texts:
            yield from _text(texts[name], f"/{part}/{name}")
        elif name not in optional:
            yield _missing(f"/{part}/{name}", name)
    yield from _unknown_keys(texts, names, part)


def _memory_profile(profile: Any) -> Iterator[Problem]:
    part = "memory_profile"
    if not isinstance(profile, dict):
        yield _type(f"/{part}", "A memory profile is an object of lists.")
        return
    for name in FOCUS_LISTS:
        items = profile.get(name, [])
        if not isinstance(items, list):
            yield _type(pointer(part, name), f"`{name}` is a list of texts.")
            continue
        for index, item in enumerate(items):
            path = pointer(part, name, index)
            if not isinstance(item, str):
                yield _type(path, f"Each item of `{name}` is a text.")
            else:
                yield from unkeepable(item, part, name, index)
    yield from _unknown_keys(profile, FOCUS_LISTS, part)


def _text(text: Any, path: str, *, may_be_blank: bool = False) -> Iterator[Problem]:
    if not isinstance(text, str):
        yield _type(path, "This is a text.")
        return
    unkept = tuple(unkeepable(text, *path.strip("/").split("/")))
    yield from unkept
    if unkept:
        return
    if not text.strip():
        if not may_be_blank:
            message = "This is blank, so nothing is sent here."
            yield Problem(path=path, code="blank", message=message, level="warning")
        return
    try:
        named_here = _mentions(text)
    except BadProgram as bad:
        yield Problem(path=path, code="syntax", message=bad.message, start=bad.start, end=bad.end)
        return
    for unclosed in UNCLOSED.finditer(text):
        yield Problem(
            path=path,
            code="unclosed",
            message=f"`{unclosed[0].strip()}` has no closing braces and is sent as it is. "
            f"Write `{{{{ {unclosed[1]} }}}}`.",
            level="warning",
            start=unclosed.start(),
            end=unclosed.end(),
        )
    for mention in named_here:
        message = doubt(mention.name, path)
        if message:
            yield Problem(
                path=path,
                code="unknown_variable",
                message=message,
                level="warning",
                start=mention.start,
                end=mention.end,
            )


def _mentions(text: str) -> tuple[Mention, ...]:
    return named(text) if is_program(text) else tuple(mentions(text))


def _unknown_keys(
    fields: Mapping[str, Any], names: tuple[str, ...], *above: str
) -> Iterator[Problem]:
    """Problems of unknown keys: they are kept, so they must be storable."""
    for key, value in fields.items():
        if key in names:
            continue
        if not plain(key):
            message = "A key holds NUL or a lone surrogate, which cannot be stored."
            yield Problem(path=pointer(*above), code="characters", message=message)
            continue
        choices = ", ".join(f"`{name}`" for name in names)
        message = f"Unknown key `{key}`. Keys: {choices}."
        path = pointer(*above, key)
        yield Problem(path=path, code="unknown_key", message=message, level="warning")
        yield from unkeepable(value, *above, key)


def _missing(path: str, name: str) -> Problem:
    return Problem(path=path, code="missing", message=f"`{name}` is required.")


def _type(path: str, message: str) -> Problem:
    return Problem(path=path, code="type", message=message)


def _texts(texts: Mapping[str, str], names: tuple[str, ...]) -> Mapping[str, str]:
    present = {name: texts[name] for name in names if texts.get(name, "").strip()}
    return MappingProxyType(present)
