"""Modes: list, create, change, delete. The form has the known fields; other keys of a manifest are
kept. Works without JavaScript."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from roles.actions import modes as actions
from roles.core.modes import AUTO_SAVE_INTERVAL, EXIT_COMMANDS, MAX_TURNS, MODE_TYPES
from roles.errors import BadRequest, CallerError, Invalid
from roles.request_user import request_user
from roles.selectors import modes as read
from roles.views.form_data import complain, lines, number, query, text

Field = tuple[str, str, str, str]
"""Name in the manifest, kind (line, text, list, number), label, help."""

PARTS: tuple[tuple[str, str, tuple[Field, ...]], ...] = (
    (
        "prompt",
        "Prompt",
        (
            (
                "system_addon",
                "text",
                "Add-on to the developer prompt",
                "Sent after the role's developer prompt for as long as the mode is on. It may name "
                "the variables that a developer prompt may name.",
            ),
            ("guidelines", "list", "Guidelines", "One a line."),
            ("entry_message", "line", "Message at the start", ""),
            ("exit_message", "line", "Message at the end", ""),
        ),
    ),
    (
        "tools",
        "Tools",
        (
            ("allow", "list", "Only these tools", "One a line. Empty: all that are not denied."),
            ("deny", "list", "Never these tools", "One a line."),
            ("additional_scopes", "list", "Further scopes", "One a line."),
            ("activate_mcp", "list", "MCP servers to switch on", "One a line."),
        ),
    ),
    (
        "artifact",
        "Artifact",
        (
            ("type", "line", "Type", "Type of the document, such as prd."),
            ("format", "line", "Format", "Such as markdown."),
            ("filename_template", "line", "File name", "Such as docs/{{ ticket.slug }}.md."),
            ("output_template", "text", "Output template", ""),
        ),
    ),
    (
        "session",
        "Session",
        (
            ("max_turns", "number", "Maximum turns", f"Default: {MAX_TURNS}."),
            (
                "auto_save_interval",
                "number",
                "Turns between saves",
                f"Default: {AUTO_SAVE_INTERVAL}.",
            ),
            (
                "exit_commands",
                "list",
                "Exit commands",
                f"One a line. Empty: {', '.join(EXIT_COMMANDS)}.",
            ),
        ),
    ),
)


@require_GET
def modes(request: HttpRequest) -> HttpResponse:
    """A user's modes; `q` filters them."""
    return _list(request)


def _list(request: HttpRequest, sent: QueryDict | None = None) -> HttpResponse:
    q = query(request, "q")
    rows = read.modes(request_user(request))
    if q:
        rows = rows.filter(name__icontains=q)
    context = {
        "modes": rows,
        "q": q,
        "types": MODE_TYPES,
        "written": {name: text(sent, name) for name in ("name", "mode_type")} if sent else {},
    }
    return render(request, "roles_modes.html", context)


@require_POST
def change_modes(request: HttpRequest) -> HttpResponse:
    """A form of the list, chosen by `do`: new, delete."""
    form, who = request.POST, request_user(request)
    try:
        match form.get("do"):
            case "new":
                manifest = {"schema_version": 1, "mode_type": form.get("mode_type", "")}
                made = actions.create({"name": text(form, "name"), "manifest": manifest}, who)
                return redirect("mode", mode=made.pk)
            case "delete":
                row = read.readable_mode(number(form.get("mode")) or 0, who)
                actions.delete(row.pk, who)
                messages.success(request, f"{row.name} was deleted.")
            case _:
                raise BadRequest("Unknown form.")
    except CallerError as refused:
        complain(request, refused)
        if form.get("do") == "new":
            return _list(request, form)
    return redirect("modes")


@require_http_methods(["GET", "POST"])
def mode(request: HttpRequest, mode: int) -> HttpResponse:
    """One mode with all of its known fields."""
    row = read.readable_mode(mode, request_user(request))
    name, manifest, errors = row.name, row.manifest, {}
    if request.method == "POST":
        name, manifest = text(request.POST, "name"), filled(row.manifest, request.POST)
        try:
            row = actions.change(mode, {"name": name, "manifest": manifest}, request_user(request))
        except Invalid as refused:
            errors = {one["path"]: one["message"] for one in refused.extra["details"]}
            messages.error(request, "Nothing was saved. Correct the marked fields.")
        except CallerError as refused:
            complain(request, refused)
        else:
            messages.success(request, f"{row.name} was saved.")
            return redirect("mode", mode=mode)
    warnings = read.mode_json(row)["warnings"] if not errors else []
    context = {
        "mode": row,
        "name": name,
        "mode_type": manifest.get("mode_type", ""),
        "types": MODE_TYPES,
        "parts": shown(manifest, errors),
        "problems": [message for path, message in errors.items() if not _has_field(path)],
        "warnings": warnings,
        "name_problem": errors.get("/name", ""),
    }
    return render(request, "roles_mode.html", context)


def filled(manifest: Mapping[str, Any], form: QueryDict) -> dict[str, Any]:
    """The manifest with the form's values. Empty fields are left out, and so are sections without
    any."""
    result = deepcopy(dict(manifest))
    result["mode_type"] = text(form, "mode_type")
    for part, _, fields in PARTS:
        before = result.get(part, {})
        values = dict(before) if isinstance(before, Mapping) else {}
        for name, kind, _, _ in fields:
            value = _value(form, f"{part}.{name}", kind)
            values.pop(name, None)
            if value not in ("", []):
                values[name] = value
        result.pop(part, None)
        if values:
            result[part] = values
    return result


def _value(form: QueryDict, field: str, kind: str) -> Any:
    if kind == "list":
        return lines(form, field)
    written = text(form, field)
    if kind == "number":
        count = number(written.strip())
        # An invalid number is kept, so that validation can report it.
        return written.strip() if count is None else count
    return written


def shown(manifest: Mapping[str, Any], errors: Mapping[str, str]) -> list[dict[str, Any]]:
    """The form: sections, their fields, values and problems."""
    parts = []
    for part, title, fields in PARTS:
        values = manifest.get(part, {})
        values = values if isinstance(values, Mapping) else {}
        rows = [
            {
                "name": f"{part}.{name}",
                "kind": kind,
                "label": label,
                "help": about,
                "value": _written(values.get(name, "")),
                "problem": _error_at(f"/manifest/{part}/{name}", errors),
            }
            for name, kind, label, about in fields
        ]
        parts.append({"name": part, "title": title, "fields": rows})
    return parts


def _written(value: Any) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _error_at(path: str, errors: Mapping[str, str]) -> str:
    """Problems of a field, or of an item of its list."""
    return " ".join(
        message for at, message in errors.items() if at == path or at.startswith(f"{path}/")
    )


def _has_field(path: str) -> bool:
    return path == "/name" or any(
        _error_at(f"/manifest/{part}/{name}", {path: "here"})
        for part, _, fields in PARTS
        for name, *_ in fields
    )
