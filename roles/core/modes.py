"""Modes: a manifest that is active for some turns (section 5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from roles.core.jinja_syntax import BadProgram, named
from roles.core.json_limits import unkeepable
from roles.core.problems import Problem, Problems, pointer
from roles.core.templates import is_program, mentions
from roles.core.variables import doubt

MODE_TYPES = ("authoring", "investigation", "review", "custom")
MAX_TURNS = 50
MOST_TURNS = 10_000
AUTO_SAVE_INTERVAL = 5
EXIT_COMMANDS = ("/exit", "/done", "/finish")

_TEXTS = {
    "prompt": ("system_addon", "entry_message", "exit_message"),
    "artifact": ("type", "format", "filename_template", "output_template"),
}
_LISTS = {
    "prompt": ("guidelines",),
    "tools": ("allow", "deny", "additional_scopes", "activate_mcp"),
    "session": ("exit_commands",),
}
_NUMBERS = {"session": ("max_turns", "auto_save_interval")}
_PARTS = ("prompt", "tools", "artifact", "session")
ADDON = "system_addon"


def addon_of(manifest: Mapping[str, Any], turns: int = 0) -> str:
    """Text that a mode adds to the developer prompt, not yet rendered; "" after its last turn. The
    one of `prompt` precedes one at the top level."""
    prompt, session = _object(manifest, "prompt"), _object(manifest, "session")
    if turns >= int(session.get("max_turns", MAX_TURNS)):
        return ""
    return str(prompt.get(ADDON) or manifest.get(ADDON, ""))


def _object(manifest: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = manifest.get(name, {})
    return part if isinstance(part, Mapping) else {}


def problems(manifest: Any) -> Problems:
    """Every problem of a mode's manifest."""
    if not isinstance(manifest, dict):
        return (Problem(path="", code="type", message="A mode's manifest is an object."),)
    return tuple(_problems(manifest))


def _problems(manifest: dict[str, Any]) -> Iterator[Problem]:
    unkept = tuple(unkeepable(manifest))
    yield from unkept
    if unkept:
        return
    if manifest.get("schema_version", 1) != 1:
        message = "Only version 1 of mode manifests is known."
        yield Problem(path="/schema_version", code="version", message=message)
    if "mode_type" not in manifest:
        yield Problem(path="/mode_type", code="missing", message="`mode_type` is required.")
    elif manifest["mode_type"] not in MODE_TYPES:
        message = f"`mode_type` is one of {', '.join(MODE_TYPES)}."
        yield Problem(path="/mode_type", code="choice", message=message)
    for part in _PARTS:
        if part not in manifest:
            continue
        if not isinstance(manifest[part], dict):
            yield Problem(path=f"/{part}", code="type", message=f"`{part}` is an object.")
        else:
            yield from _part(part, manifest[part])
    yield from _unknown(manifest, ("schema_version", "mode_type", ADDON, *_PARTS))
    for holder, *above in ((manifest,), (manifest.get("prompt"), "prompt")):
        addon = holder.get(ADDON, "") if isinstance(holder, dict) else ""
        path = pointer(*map(str, above), ADDON)
        if isinstance(addon, str):
            yield from _addon(addon, path)
        elif not above:
            yield Problem(path=path, code="type", message=f"`{ADDON}` is a text.")


def _part(part: str, fields: dict[str, Any]) -> Iterator[Problem]:
    texts, lists = _TEXTS.get(part, ()), _LISTS.get(part, ())
    numbers = _NUMBERS.get(part, ())
    for name in texts:
        if name in fields and not isinstance(fields[name], str):
            yield Problem(path=pointer(part, name), code="type", message=f"`{name}` is a text.")
    for name in lists:
        if name not in fields:
            continue
        if not isinstance(fields[name], list):
            message = f"`{name}` is a list of texts."
            yield Problem(path=pointer(part, name), code="type", message=message)
            continue
        for index, item in enumerate(fields[name]):
            if not isinstance(item, str):
                message = f"Each item of `{name}` is a text."
                yield Problem(path=pointer(part, name, index), code="type", message=message)
    for name in numbers:
        number = fields.get(name, 1)
        whole = isinstance(number, int) and not isinstance(number, bool)
        if not whole or not 1 <= number <= MOST_TURNS:
            message = f"`{name}` is a whole number from 1 to {MOST_TURNS:,}."
            yield Problem(path=pointer(part, name), code="type", message=message)
    yield from _unknown(fields, (*texts, *lists, *numbers), part)


def _addon(addon: str, path: str) -> Iterator[Problem]:
    """Problems of the addon at `path`, which may name the variables of the developer prompt."""
    try:
        uses = named(addon) if is_program(addon) else tuple(mentions(addon))
    except BadProgram as bad:
        yield Problem(path=path, code="syntax", message=bad.message, start=bad.start, end=bad.end)
        return
    for one in uses:
        message = doubt(one.name, "/developer_prompt")
        if message:
            yield Problem(
                path=path,
                code="unknown_variable",
                message=message,
                level="warning",
                start=one.start,
                end=one.end,
            )


def _unknown(fields: dict[str, Any], allowed: tuple[str, ...], *above: str) -> Iterator[Problem]:
    for key in fields:
        if key not in allowed:
            message = f"Unknown key `{key}`. Keys: {', '.join(allowed)}."
            yield Problem(
                path=pointer(*above, key), code="unknown_key", message=message, level="warning"
            )
