"""Edits of values: fields of forms, names, ranges of the text, the whole file."""

from __future__ import annotations

from workflows.core.dialects.workflow_scripts.edits.literals import (
    Change,
    appended,
    literal,
    pair_of,
    removed,
    replaced,
    shown_template,
    style_of,
)
from workflows.core.dialects.workflow_scripts.edits.places import (
    limits,
    options_node,
    phase_nodes,
    prompt_node,
    refused,
    resolved,
    set_in,
    set_option,
    state_of,
    unset_in,
)
from workflows.core.dialects.workflow_scripts.graph.names import slug
from workflows.core.dialects.workflow_scripts.source import ScriptSource, read
from workflows.core.pack.edits import (
    AddObject,
    Edit,
    EditRefused,
    RemoveFile,
    RemoveObject,
    RenameObject,
    RenameState,
    SetField,
    UnsetField,
    WriteFile,
    missing_element,
)
from workflows.core.pack.files import Files, clean_path
from workflows.core.text.json.pointer import pointer_of
from workflows.core.text.tolerant import indexed_objects

OPTION_TEXTS = ("label", "phase", "model", "effort", "agentType", "isolation")


def set_field(source: ScriptSource, edit: SetField) -> ScriptSource:
    """Set one value of a form."""
    kind, _, key = edit.element.partition(":")
    path = tuple(map(str, pointer_of(edit.field)))
    if not path:
        raise EditRefused(f"{edit.element} has no field {edit.field!r}.", where=edit.element)
    style = style_of(source.data)
    if kind == "pack":
        return source.changed([_set_meta(source, path, edit.value)])
    if kind == "state":
        state = state_of(source, key)
        if path == ("prompt",):
            if not isinstance(edit.value, str):
                raise EditRefused("A prompt is a text.", where=edit.element)
            return source.changed([replaced(prompt_node(source, state), edit.value, style)])
        if path[0] in OPTION_TEXTS and not isinstance(edit.value, str):
            raise EditRefused(f"The option {path[0]!r} is a text.", where=edit.element)
        return source.changed(set_option(source, state, path, edit.value))
    if kind == "phase":
        return source.changed(
            [_set_meta(source, ("phases", _index(source, key), *path), edit.value)]
        )
    if kind == "limit" and path == ("value",):
        node = limits(source).get(key)
        if node is None:
            raise EditRefused(f"There is no constant {key!r} with a number.", where=edit.element)
        if not isinstance(edit.value, int) or isinstance(edit.value, bool):
            raise EditRefused("A limit is a whole number.", where=edit.element)
        return source.changed([replaced(node, edit.value, style)])
    if kind == "code" and path == ("text",) and isinstance(edit.value, str):
        start, end = code_range(source, key)
        return source.changed([(start, end, edit.value.encode())])
    raise EditRefused(f"{edit.element} has no field {edit.field!r}.", where=edit.element)


def code_range(source: ScriptSource, key: str) -> tuple[int, int]:
    """The byte range of `code:START-END`. Raises EditRefused outside of the text."""
    start, _, end = key.partition("-")
    if not (start.isdigit() and end.isdigit() and len(key) < 24):
        raise EditRefused(f"There is no code {key!r}.")
    first, last = int(start), int(end)
    if not first <= last <= len(source.data):
        raise EditRefused(f"The script has no bytes {key}.")
    return first, last


def _set_meta(source: ScriptSource, path: tuple[str, ...], value: object) -> Change:
    node = source.meta.object
    if node is None:
        raise EditRefused(
            "The script has no meta to write to.",
            where=source.main,
            hint="Add export const meta = { name: …, description: … } in the text view.",
        )
    if path in (("name",), ("description",), ("whenToUse",)) and not isinstance(value, str):
        raise EditRefused(f"The field {path[0]!r} of meta is a text.", where=source.main)
    return set_in(source, node, path, value)


def _index(source: ScriptSource, title: str) -> str:
    for index, one in indexed_objects(source.meta.value.get("phases")):
        if one.get("title") == title:
            return str(index)
    raise EditRefused(f"meta declares no phase {title!r}.", where=f"phase:{title}")


def unset_field(source: ScriptSource, edit: UnsetField) -> ScriptSource:
    """Remove one value, so that the runtime's default applies."""
    kind, _, key = edit.element.partition(":")
    path = tuple(map(str, pointer_of(edit.field)))
    if kind == "state" and path and path != ("prompt",):
        options = options_node(source, state_of(source, key))
        if options is None:
            raise EditRefused(f"{edit.field} is not set here.", where=edit.element)
        return source.changed([unset_in(source, options, path)])
    if kind == "pack" and source.meta.object is not None and path:
        return source.changed([unset_in(source, source.meta.object, path)])
    if kind == "phase" and source.meta.object is not None and path:
        inside = ("phases", _index(source, key), *path)
        return source.changed([unset_in(source, source.meta.object, inside)])
    raise EditRefused(f"{edit.field} cannot be removed here.", where=edit.element)


def rename_state(source: ScriptSource, edit: RenameState) -> ScriptSource:
    """Rename a state: the static beginning of its label changes."""
    state = state_of(source, edit.id)
    if edit.id == edit.new_id:
        return source
    if slug(edit.new_id) != edit.new_id:
        raise EditRefused(
            f"{edit.new_id!r} is no id of a state.",
            where=edit.id,
            hint="Use a to z, 0 to 9 and hyphens, at most 40 characters.",
        )
    if edit.new_id in source.states:
        raise EditRefused(f"There is already a state {edit.new_id!r}.", where=edit.id)
    options = options_node(source, state)
    pair = pair_of(options, "label") if options is not None else None
    value = pair.child_by_field_name("value") if pair is not None else None
    if value is None:
        changes = set_option(source, state, ("label",), edit.new_id)
    else:
        node = resolved(source, value, state)
        if node.type not in ("string", "template_string"):
            raise refused(value, "The label")
        label = shown_template(node)
        static = label.partition("${")[0] if node.type == "template_string" else label
        if slug(static) != edit.id:
            raise EditRefused(
                f"Several states have the label {static!r}.",
                where=edit.id,
                hint="Change the label itself: each state has its own then.",
            )
        new = _renamed(static, edit.new_id) + label[len(static) :]
        changes = [replaced(node, new, style_of(source.data))]
    after = source.changed(changes)
    expected = [edit.new_id if id == edit.id else id for id in source.states]
    if list(after.states) != expected:
        raise EditRefused(
            f"The new name would change more states than {edit.id!r}.",
            where=edit.id,
            hint="Change the label in the text view.",
        )
    return after


def _renamed(static: str, id: str) -> str:
    """A label with this id. The common beginning of both ids keeps its spelling, and so do the
    marks at the end of the label."""
    body = static.rstrip(" :/.-_")
    tail = static[len(body) :]
    for size in range(len(body), 0, -1):
        common = slug(body[:size])
        if common and id.startswith(common) and not body[:size].endswith((" ", ":", "-")):
            return body[:size] + id[len(common) :] + tail
    return id + tail


def add_object(source: ScriptSource, edit: AddObject) -> ScriptSource:
    """Declare a phase."""
    if edit.kind != "phase":
        raise EditRefused(f"A workflow script has no objects of the kind {edit.kind!r}.")
    if any(one["title"] == edit.key for one in source.meta.phases):
        raise EditRefused(f"meta declares the phase {edit.key!r} already.", where=edit.key)
    node = source.meta.object
    if node is None:
        raise EditRefused("The script has no meta to write to.", where=source.main)
    style = style_of(source.data)
    item: dict[str, object] = {"title": edit.key}
    if isinstance(edit.value, dict):
        item |= {name: one for name, one in edit.value.items() if name in ("detail", "model")}
    listed = source.meta.nodes.get(("phases",))
    if listed is not None and listed.type == "array":
        return source.changed([appended(source.data, listed, literal(item, style))])
    return source.changed([set_in(source, node, ("phases",), [item])])


def remove_object(source: ScriptSource, edit: RemoveObject) -> ScriptSource:
    """Remove a declared phase. Calls keep their phase."""
    kind, _, key = edit.element.partition(":")
    if kind != "phase":
        raise EditRefused(f"{edit.element} cannot be removed here.", where=edit.element)
    node = source.meta.nodes[("phases", int(_index(source, key)))]
    return source.changed([removed(source.data, node)])


def rename_object(source: ScriptSource, edit: RenameObject) -> ScriptSource:
    """Rename a phase everywhere that the text names it."""
    kind, _, key = edit.element.partition(":")
    if kind != "phase" or not edit.new_key:
        raise EditRefused(f"{edit.element} cannot be renamed here.", where=edit.element)
    nodes = phase_nodes(source, key)
    if not nodes:
        raise missing_element(f"phase:{key}")
    if edit.new_key != key and phase_nodes(source, edit.new_key):
        raise EditRefused(f"There is already a phase {edit.new_key!r}.", where=edit.element)
    style = style_of(source.data)
    return source.changed([replaced(node, edit.new_key, style) for node in nodes])


def write_file(source: ScriptSource, edit: WriteFile) -> ScriptSource:
    """Replace the text of the script or of one of its agent definitions."""
    path = clean_path(edit.path)
    if path not in source.files:
        raise EditRefused(
            "A workflow script is one file.",
            where=edit.path,
            hint=f"Write to {source.main} instead.",
        )
    return read(Files.of({**source.files, path: edit.text.encode("utf-8")}), source.main)


def remove_file(source: ScriptSource, edit: RemoveFile) -> ScriptSource:
    """Raises EditRefused: without its file there is no pack."""
    raise EditRefused(
        "The file of a workflow script cannot be removed.",
        where=edit.path,
        hint="Delete the pack itself instead.",
    )


def structure(source: ScriptSource, edit: Edit) -> ScriptSource:
    """Raises EditRefused: calls, branches and loops are code."""
    id = getattr(edit, "source", "") or getattr(edit, "id", "")
    state = source.states.get(id) if isinstance(id, str) else None
    line = int(state.use.start_point[0]) + 1 if state is not None else 1
    raise EditRefused(
        "States and transitions of a workflow script are code.",
        where=str(id),
        hint=f"Change line {line} in the text view. The canvas follows the text.",
    )
