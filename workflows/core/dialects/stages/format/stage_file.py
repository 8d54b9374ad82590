"""One stage: a markdown file with front matter (stages.md section 3.1), or a stage object in JSON
(section 3.5). Invalid content becomes findings."""

from __future__ import annotations

import math
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from workflows.core.pack.findings import MAX_FINDINGS, Finding, Place
from workflows.core.pack.forms import Json
from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.json.document import JsonText, JsonTextError, pointer_of, pointer_text
from workflows.core.text.surrogates import LONE_SURROGATE, SURROGATE_HINT, lone_surrogate
from workflows.core.text.tolerant import as_str
from workflows.core.text.yaml.errors import YamlTextError
from workflows.core.text.yaml.parse import BOM

REQUIRED = (
    "id", "name", "allowedTools", "completionTool", "completionSchema", "retryPolicy", "turnCap",
    "resolutionPolicy",
)  # fmt: skip
"""The eight required keys of a stage in markdown (section 3.2)."""
OPTIONAL = ("description", "inputsSchema", "tags")
OBJECT_KEYS = ("id", "body", "allowedTools", "turnCap", "completionTool", "completionSchema")
"""All keys of a stage object (section 3.5)."""
CACHE_SIZE = 2_048


@dataclass(frozen=True, slots=True, kw_only=True)
class StageFile:
    """A stage file; immutable. `front` is None for unreadable front matter, a stage object, and a
    missing file; `values` is then {} unless it is an object. `values` never includes the body."""

    path: str
    front: Frontmatter | None = None
    values: Mapping[str, Json]
    body: str = ""
    form: Literal["markdown", "object"] = "markdown"
    text: JsonText | None = None
    """The JSON text of a stage object."""
    missing: bool = False
    findings: tuple[Finding, ...] = ()
    """Findings of reading."""

    @property
    def data(self) -> bytes:
        """The bytes of a file that could be read, else b""."""
        if self.text is not None:
            return self.text.data
        return b"" if self.front is None else self.front.data

    def line(self, pointer: str) -> int:
        """The line of a JSON pointer into the front matter; `/body` (with or without a fragment) is
        the first line of the body. 1 for an unknown pointer."""
        plain = pointer.partition("#")[0]
        try:
            place = pointer_of(plain)
        except ValueError:
            return 1
        if self.text is not None:
            return self.text.line(place)
        if self.front is None:
            return 1
        return self.front.body_line if place[:1] == ("body",) else self.front.line(place)


def missing_file(path: str) -> StageFile:
    """A placeholder for a file that the pipeline names and the pack does not have."""
    return StageFile(path=path, values={}, missing=True)


@lru_cache(maxsize=CACHE_SIZE)
def read_stage(path: str, data: bytes) -> StageFile:
    """One stage from its bytes. Never raises. Cached, because a new revision of a pack has most of
    the files of the last one."""
    stage = _object(data) if path.endswith(".json") else _markdown(data)
    placed = tuple(
        replace(finding, place=replace(finding.place, path=path)) for finding in stage.findings
    )
    return replace(stage, path=path, findings=placed)


def _markdown(data: bytes) -> StageFile:
    try:
        front = Frontmatter.parse(data)
    except YamlTextError as bad:
        return StageFile(path="", values={}, findings=(_unreadable(bad.message, bad),))
    findings: list[Finding] = []
    body = front.body.decode("utf-8", "replace")
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        finding = _finding("ST107", "This stage is UTF-16.", hint="Save the file as UTF-8.")
        return StageFile(path="", front=front, values={}, body=body, findings=(finding,))
    if "\ufffd" in body and body.encode("utf-8") != front.body:
        findings.append(
            _finding("ST107", "The prompt of this stage is not UTF-8.", line=front.body_line,
                     hint="Save the file as UTF-8.")
        )  # fmt: skip
    if not front.opening:
        findings.append(
            _finding("ST105", f"{_why_no_front(data)}, so it is not a stage.",
                     hint="Begin it with a line of three hyphens, the keys, and three hyphens.")
        )  # fmt: skip
    head = front.head
    values = head.value if head is not None and isinstance(head.value, dict) else {}
    if head is not None and _NON_FINITE.search(head.data):
        values = _finite(values)
    if lone_surrogate(front.head.data if front.head else b"", values) is not None:
        bad_line = front.head_line
        findings = [_finding("ST108", LONE_SURROGATE, line=bad_line, hint=SURROGATE_HINT)]
        return StageFile(path="", values={}, body=body, findings=tuple(findings))
    for double in head.duplicates[:MAX_FINDINGS] if head is not None else ():
        findings.append(
            _finding("ST106", f"The key {str(double.pointer[-1])!r} appears twice.",
                     pointer=pointer_text(double.pointer), line=double.line + front.head_line - 1,
                     hint="Remove one of the two, or indent it under its parent key.")
        )  # fmt: skip
    return StageFile(path="", front=front, values=values, body=body, findings=tuple(findings))


def _why_no_front(data: bytes) -> str:
    """The reason why a file has no front matter."""
    text = data.removeprefix(BOM)
    if not text.strip():
        return "This file is empty"
    if text.lstrip().startswith(b"---\n") or text.lstrip().startswith(b"---\r\n"):
        return "This file has an empty line or spaces before its front matter"
    first = text.split(b"\n", 1)[0].strip()
    if first and not first.strip(b"-"):
        return f"This file begins with {len(first)} hyphens instead of three"
    return "This file has no front matter"


def _object(data: bytes) -> StageFile:
    try:
        text = JsonText.parse(data)
    except JsonTextError as bad:
        return StageFile(
            path="", form="object", values={}, findings=(_unreadable(bad.message, bad),)
        )
    value: Any = text.value
    if not isinstance(value, dict):
        finding = _finding("ST104", "This stage is not a JSON object.")
        return StageFile(path="", form="object", values={}, findings=(finding,))
    if lone_surrogate(data, value) is not None:
        finding = _finding("ST108", LONE_SURROGATE, hint=SURROGATE_HINT)
        return StageFile(path="", form="object", values={}, findings=(finding,))
    return StageFile(
        path="",
        form="object",
        text=text,
        values={key: item for key, item in value.items() if key != "body"},
        body=as_str(value.get("body")),
        findings=tuple(
            _finding("ST106", f"The key {str(double.pointer[-1])!r} appears twice.",
                     pointer=pointer_text(double.pointer), line=double.line,
                     hint="Remove one of the two.")
            for double in text.duplicates[:MAX_FINDINGS]
        ),
    )  # fmt: skip


_NON_FINITE = re.compile(rb"\.(?:inf|nan)", re.IGNORECASE)


def _finite(value: Any) -> Any:
    """The value with `.inf` and `.nan` as strings: JSON has no such numbers."""
    match value:
        case float() if not math.isfinite(value):
            return f"{value:.0f}".replace("inf", ".inf").replace("nan", ".nan")
        case dict():
            return {key: _finite(item) for key, item in value.items()}
        case list():
            return [_finite(item) for item in value]
    return value


def _unreadable(message: str, bad: YamlTextError | JsonTextError) -> Finding:
    hint = getattr(bad, "hint", "") or f"Correct line {bad.line}, column {bad.column}."
    return _finding("ST104", f"This stage cannot be read: {message}", line=bad.line, hint=hint)


def _finding(
    code: str, message: str, *, pointer: str = "", line: int = 1, hint: str = ""
) -> Finding:
    place = Place(pointer=pointer, line=line)
    return Finding(code=code, level="error", message=message, place=place, hint=hint)
