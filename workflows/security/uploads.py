"""What a browser or a program sends to be imported, as files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workflows.core.dialects import dialects, file_names, recognise
from workflows.core.pack.archives import looks_like_zip, unpack
from workflows.core.pack.files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    BadFiles,
    Files,
    TooMuch,
)
from workflows.errors import BadRequest


def read_upload(files: Sequence[Any], paths: Sequence[str]) -> Files:
    """Uploaded files under the paths that came with them; a single zip is unpacked.

    Raises BadFiles (too large, unsafe paths) and BadRequest (paths that do not match the files).
    """
    if not files:
        raise BadRequest("There is no file in the field `files`.", where="files")
    if len(files) > MAX_FILES:
        raise TooMuch(f"{len(files):,} files are more than one import may hold.")
    if paths and len(paths) != len(files):
        raise BadRequest("There must be one `paths` for each of `files`.", where="paths")
    total = sum(one.size or 0 for one in files)
    if total > MAX_TOTAL_BYTES:
        raise TooMuch(f"Together the files are over {MAX_TOTAL_BYTES:,} bytes.")
    names = list(paths) or [one.name or "pack.json" for one in files]
    if len(files) == 1:
        data = files[0].read()
        if looks_like_zip(data):
            return unpack(data)
        return Files.of({names[0]: data})
    tree: dict[str, bytes] = {}
    for name, one in zip(names, files, strict=True):
        if name in tree:
            raise BadFiles("Two files have the same path.", where=name)
        tree[name] = one.read()
    return Files.of(tree)


def read_pasted(text: str, name: str = "") -> Files:
    """A text as one file. Without a name, under the first guess under which
    some dialect can read it."""
    data = text.encode()
    if len(data) > MAX_FILE_BYTES:
        raise TooMuch(f"The text has {len(data):,} bytes; the limit is {MAX_FILE_BYTES:,}.")
    if name:
        return Files.of({name: data})
    for guess in file_names():
        files = Files.of({guess: data})
        if any(dialects()[one.dialect].read(files).readable for one in recognise(files)):
            return files
    return Files.of({file_names()[0]: data})
