"""Adding, removing and renaming grants, fields of setup and files."""

from __future__ import annotations

import re
from typing import Any

from workflows.core.dialects.stages.edits import files
from workflows.core.dialects.stages.edits.common import need_stage, text_of
from workflows.core.dialects.stages.edits.pipeline import with_pipeline
from workflows.core.dialects.stages.format.elements import grants, setups
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import (
    AddObject,
    EditRefused,
    RemoveFile,
    RemoveObject,
    RenameObject,
    WriteFile,
)
from workflows.core.pack.naming import require_free
from workflows.core.text.tolerant import as_str

ADDABLE = ("grant", "setup")


def add(source: StagesSource, edit: AddObject) -> StagesSource:
    """Add a grant for a tool (key: the tool), a ctx field (key: `stage/name`), or a file."""
    match edit.kind:
        case "grant":
            return _add_grant(source, edit)
        case "setup":
            return _add_setup(source, edit)
        case "file":
            text = as_str(edit.value)
            require_free(source.files, edit.key, "file")
            return files.write_file(source, WriteFile(path=edit.key, text=text))
    raise EditRefused(f"A pipeline has no objects of the kind {edit.kind!r}.")


def _add_grant(source: StagesSource, edit: AddObject) -> StagesSource:
    require_free((), edit.key, "grant")
    source = with_pipeline(source)
    grant = {"tool": edit.key, "stages": list(source.stages)[:1], "max": 1}
    value: Any = grant if edit.value is None else edit.value
    text = text_of(source)
    if isinstance(text.get(("grants",)), list):
        return source.with_pipeline(text.insert(("grants", "-"), value))
    return source.with_pipeline(text.set(("grants",), [value]))


def _add_setup(source: StagesSource, edit: AddObject) -> StagesSource:
    stage, slash, name = edit.key.rpartition("/")
    if not slash:
        first = next(iter(source.stages), "plan")
        raise EditRefused(
            "A context field belongs to a stage.",
            hint=f"Write the stage and the field, such as {first}/{name or 'task'}.",
        )
    need_stage(source, stage)
    require_free((key.rpartition("/")[2] for key in setups(source) if key.startswith(f"{stage}/")),
              name, "field")  # fmt: skip
    source = with_pipeline(source)
    value: Any = {"from": f"run.input.{name}"} if edit.value is None else edit.value
    return source.with_pipeline(text_of(source).put(("stages", stage, "setup", name), value))


def remove(source: StagesSource, edit: RemoveObject) -> StagesSource:
    """Remove only this object. References to it stay, and findings report them."""
    kind, _, key = edit.element.partition(":")
    if kind == "grant" and key in grants(source):
        text = text_of(source).delete(("grants", grants(source)[key]))
        return source.with_pipeline(text if text.get(("grants",)) else text.delete(("grants",)))
    if kind == "setup" and key in setups(source):
        stage, name = setups(source)[key]
        text = text_of(source).delete(("stages", stage, "setup", name))
        return source.with_pipeline(text)
    if kind == "file":
        return files.remove_file(source, RemoveFile(path=key))
    raise EditRefused(f"{edit.element!r} cannot be removed.", where=edit.element)


def rename(source: StagesSource, edit: RenameObject) -> StagesSource:
    """Set another tool of a grant, or rename a ctx field, in the prompt too."""
    kind, _, key = edit.element.partition(":")
    if kind == "grant" and key in grants(source):
        require_free((), edit.new_key, "grant")
        text = text_of(source).set(("grants", grants(source)[key], "tool"), edit.new_key)
        return source.with_pipeline(text)
    if kind == "setup" and key in setups(source):
        return _rename_setup(source, *setups(source)[key], edit.new_key.rpartition("/")[2])
    raise EditRefused(f"{edit.element!r} cannot be renamed.", where=edit.element)


def _rename_setup(source: StagesSource, stage: str, old: str, new: str) -> StagesSource:
    here = ("stages", stage, "setup")
    require_free((name for name in text_of(source).get(here) if name != old), new, "field")
    source = source.with_pipeline(text_of(source).rename((*here, old), new))
    file = source.stages[stage]
    if file.missing or (file.front is None and file.text is None):
        return source
    named = re.compile(r"(?<!\$)(\{\{[ \t]*ctx\.)" + re.escape(old) + r"(?![A-Za-z0-9_])")
    body = named.sub(lambda match: match[1] + new, file.body)
    return (
        source if body == file.body else files.with_data(source, file, files.with_body(file, body))
    )
