"""Edits of a stage's own file, and of whole files in the text view."""

from __future__ import annotations

from typing import Any, TypeVar

from workflows.core.dialects.stages.format.stage_file import StageFile
from workflows.core.dialects.stages.source import StagesSource, read
from workflows.core.pack.edits import EditRefused, RemoveFile, WriteFile
from workflows.core.pack.files import Files, clean_path
from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.json.document import JsonText
from workflows.core.text.yaml.document import YamlText

Pointer = tuple[str | int, ...]
Text = TypeVar("Text", JsonText, YamlText)


def with_key(file: StageFile, pointer: Pointer, value: Any) -> bytes:
    """The file with a value of its front matter set; missing parent mappings are created."""
    if file.text is not None:
        return _put(file.text, pointer, value).data
    front = _need_front_matter(file)
    head = front.head if front.head is not None else YamlText.parse(b"")
    return _with_head(front, _put(head, pointer, value))


def without_key(file: StageFile, pointer: Pointer) -> bytes:
    """The file without a value of its front matter. A missing one changes nothing."""
    if file.text is not None:
        return file.text.delete(pointer).data if file.text.has(pointer) else file.text.data
    front = _need_front_matter(file)
    if front.head is None or not front.head.has(pointer):
        return front.data
    return _with_head(front, front.head.delete(pointer))


def with_body(file: StageFile, body: str) -> bytes:
    """The file with another prompt and its existing line ends."""
    if file.text is not None:
        return file.text.set(("body",), body).data
    front = _need_front_matter(file)
    if "\r\n" in file.body and "\r" not in body:
        body = body.replace("\n", "\r\n")
    try:
        return front.with_body(body.encode("utf-8")).data
    except UnicodeEncodeError:
        raise
    except ValueError as bad:
        raise EditRefused(f"This prompt cannot be written: {bad}.", where=file.path) from bad


def _need_front_matter(file: StageFile) -> Frontmatter:
    if file.missing:
        raise EditRefused(
            f"The file {file.path!r} is missing." if file.path else "This stage has no file.",
            where=file.path,
            hint="Write it in the text view, or name another file in the pipeline.",
        )
    if file.front is None:
        raise EditRefused(
            f"{file.path!r} cannot be read, so only its text can be changed.",
            where=file.path,
            hint="Correct the findings in the text view.",
        )
    return file.front


def _with_head(front: Frontmatter, head: YamlText) -> bytes:
    try:
        return front.with_head(head).data
    except ValueError as bad:
        raise EditRefused(f"This value cannot be written to front matter: {bad}.") from bad


def _put(text: Text, pointer: Pointer, value: Any) -> Text:
    for depth in range(1, len(pointer)):
        if not text.has(pointer[:depth]):
            for key in reversed(pointer[depth:]):
                value = {str(key): value}
            return text.set(pointer[:depth], value)
    return text.set(pointer, value)


def with_data(source: StagesSource, file: StageFile, data: bytes) -> StagesSource:
    """The pack with a changed stage file."""
    return source if data == file.data else source.with_files({file.path: data})


def write_file(source: StagesSource, edit: WriteFile) -> StagesSource:
    """Replace or add one file. The pack is read again, because the file may change its kind."""
    path, data = clean_path(edit.path), edit.text.encode("utf-8")
    return read(source.files.changed({path: data}))


def remove_file(source: StagesSource, edit: RemoveFile) -> StagesSource:
    """Remove one file. Without its pipeline, a pack is a folder of stages again."""
    if edit.path not in source.files:
        raise EditRefused(f"The pack has no file {edit.path!r}.", where=edit.path)
    if len(source.stage_files) + (source.pipeline is not None) == 1 and edit.path in (
        source.main,
        *source.stage_files,
    ):
        raise EditRefused(
            "This is the only file of the pack and can't be removed.", where=edit.path
        )
    return read(Files({path: data for path, data in source.files.items() if path != edit.path}))
