"""The `[template]` header of a template file (spec page 3.1).

The header is TOML and ends before the first blank line. A file without a header, or with invalid
TOML, is all body: it declares nothing, and the node's own settings decide its rights.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from workflows.core.text.tolerant import as_str

Level: TypeAlias = Literal["error", "warning", "hint"]
MARK = "[template]"
TABLE = "template"
_PLACED = re.compile(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)
KEYS = ("name", "version", "capabilities", "constraints")
BOM = "\ufeff"


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The declarations of a template. `name` and `version` are "" if they are missing."""

    name: str = ""
    version: str = ""
    capabilities: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A problem of a template file. `code` is `empty_template`, `no_preamble`, `bom_stripped`,
    `preamble_invalid_toml`, `name_mismatch`, `version_coerced`, `not_utf8`, or `unknown_key:…`,
    `unknown_table:…`, `bad_type:…` with the key. An error prevents saving such a template; a stored
    one is read nevertheless."""

    code: str
    level: Level
    message: str
    line: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A parsed template file. `text` is the whole file with its header, as the model receives it;
    `body` is the part below the header. `body_line` counts from 1, None without a body."""

    name: str
    text: str
    header: Header | None
    body_line: int | None
    diagnostics: tuple[Diagnostic, ...]

    @property
    def body(self) -> str:
        if self.body_line is None:
            return ""
        return "\n".join(self.text.removeprefix(BOM).split("\n")[self.body_line - 1 :])


def read(name: str, data: bytes | str) -> Template:
    """Read one file; `name` is its name without the extension. Never raises."""
    diagnostics: list[Diagnostic] = []
    text = _decoded(data, diagnostics)
    plain = text.removeprefix(BOM).replace("\r\n", "\n")
    if text.startswith(BOM):
        diagnostics.append(Diagnostic(code="bom_stripped", level="hint", message=_BOM))
    lines = plain.split("\n")
    if not plain.strip():
        diagnostics.append(Diagnostic(code="empty_template", level="warning", message=_EMPTY))
        return Template(
            name=name, text=text, header=None, body_line=None, diagnostics=tuple(diagnostics)
        )
    header, body_line = _header(name, lines, diagnostics)
    return Template(
        name=name, text=text, header=header, body_line=body_line, diagnostics=tuple(diagnostics)
    )


_BOM = "The file begins with a byte order mark, which is ignored."
_EMPTY = "The template is empty, so its role has no instructions."
_NONE = "The template has no [template] header, so it declares nothing."


def _decoded(data: bytes | str, diagnostics: list[Diagnostic]) -> str:
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as bad:
        line = data[: bad.start].count(b"\n") + 1
        message = "The template is not UTF-8; what cannot be read is replaced."
        diagnostics.append(Diagnostic(code="not_utf8", level="error", message=message, line=line))
        return data.decode("utf-8", "replace")


def _header(
    name: str, lines: list[str], diagnostics: list[Diagnostic]
) -> tuple[Header | None, int | None]:
    """The header and the first line of the body."""
    start = next(index for index, line in enumerate(lines) if line.strip())
    if lines[start].strip() != MARK:
        diagnostics.append(Diagnostic(code="no_preamble", level="hint", message=_NONE))
        return None, 1
    end = next((at for at in range(start, len(lines)) if not lines[at].strip()), len(lines))
    try:
        tree = tomllib.loads("\n".join(lines[start:end]))
    except (ValueError, RecursionError) as bad:
        placed = _PLACED.fullmatch(str(bad))
        message = f"The [template] header is not TOML: {placed[1] if placed else bad}."
        at = start + (int(placed[2]) if placed else 1)
        diagnostics.append(
            Diagnostic(code="preamble_invalid_toml", level="error", message=message, line=at)
        )
        return None, 1
    diagnostics += _unknown_keys(name, tree, lines, start)
    after = (at + 1 for at in range(end, len(lines)) if lines[at].strip())
    return _header_of(tree[TABLE]), next(after, None)


def _header_of(table: Mapping[str, Any]) -> Header:
    version = table.get("version")
    counted = isinstance(version, int) and not isinstance(version, bool)
    return Header(
        name=table["name"] if isinstance(table.get("name"), str) else "",
        version=str(version) if counted else as_str(version),
        capabilities=_words(table.get("capabilities")),
        constraints=_words(table.get("constraints")),
    )


def _words(value: object) -> tuple[str, ...]:
    """A list of texts; any other value is an empty one."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return ()


def _unknown_keys(
    stem: str, tree: Mapping[str, Any], lines: list[str], start: int
) -> Iterator[Diagnostic]:
    table = tree[TABLE]
    for key, value in table.items():
        line = _line(lines, start, key)
        if isinstance(value, dict) and key not in KEYS:
            yield _table(f"{TABLE}.{key}", line)
        elif key not in KEYS:
            message = f"The header has an unknown key {key!r}; known are {', '.join(KEYS)}."
            yield Diagnostic(code=f"unknown_key:{key}", level="warning", message=message, line=line)
        elif key == "version" and isinstance(value, int) and not isinstance(value, bool):
            message = f"The version is a number; it is read as the text {str(value)!r}."
            yield Diagnostic(code="version_coerced", level="hint", message=message, line=line)
        elif not _fits(key, value):
            wanted = "a list of texts" if key in ("capabilities", "constraints") else "a text"
            message = f"{key!r} of the header has to be {wanted}; as it is, it declares nothing."
            yield Diagnostic(code=f"bad_type:{key}", level="warning", message=message, line=line)
        elif key == "name" and value != stem:
            message = (
                f"The header calls it {value!r}, and the file {stem!r}; the file's name is used."
            )
            yield Diagnostic(code="name_mismatch", level="warning", message=message, line=line)
    for key in tree:
        if key != TABLE:
            yield _table(key, _line(lines, start, key))


def _table(key: str, line: int) -> Diagnostic:
    message = f"The header has an unknown table [{key}], which is ignored."
    return Diagnostic(code=f"unknown_table:{key}", level="warning", message=message, line=line)


def _fits(key: str, value: object) -> bool:
    if key in ("name", "version"):
        return isinstance(value, str)
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _line(lines: list[str], start: int, key: str) -> int:
    """The approximate line of a key in the header: TOML parsing keeps no positions."""
    for index in range(start, len(lines)):
        bare = lines[index].strip().lstrip("[\"'")
        if bare.startswith(key):
            return index + 1
    return start + 1
