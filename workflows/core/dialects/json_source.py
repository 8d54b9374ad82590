"""Sources of dialects whose pack is one JSON file, and the findings of reading it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from posixpath import basename

from workflows.core.dialects.base import SourceDefaults
from workflows.core.pack.files import Files
from workflows.core.pack.findings import MAX_FINDINGS, Finding, Level, Place
from workflows.core.text.json.document import (
    JsonText,
    JsonTextError,
    Pointer,
    pointer_of,
    pointer_text,
)
from workflows.core.text.surrogates import LONE_SURROGATE, SURROGATE_HINT, lone_surrogate


@dataclass(frozen=True, kw_only=True, eq=False)
class JsonSource(SourceDefaults):
    """Immutable. `text` is None if the file is not JSON; then only `findings` apply."""

    files: Files
    main: str
    text: JsonText | None
    findings: tuple[Finding, ...] = ()

    @property
    def readable(self) -> bool:
        return self.text is not None and isinstance(self.text.value, dict)

    @property
    def json(self) -> JsonText:
        """The text of a readable pack. Raises ValueError for any other."""
        if self.text is None:
            raise ValueError(f"{self.main} is not JSON.")
        return self.text

    def has(self, pointer: Pointer) -> bool:
        return self.text is not None and self.text.has(pointer)

    def place(self, *pointer: str | int, element: str = "") -> Place:
        """A place in the main file. `locate` adds the line."""
        return Place(path=self.main, pointer=pointer_text(pointer), element=element)

    def locate(self, place: Place) -> Place:
        if place.line:
            return place
        in_main = self.text is not None and place.path == self.main
        line = self.text.line(pointer_of(place.pointer)) if in_main and self.text else 1
        return replace(place, line=line)


@dataclass(frozen=True, kw_only=True)
class JsonReader:
    """Reads the main file of a dialect. `broken`, `surrogate`, `not_pack` and `twice` are codes of
    its findings; `missing` and `not_object` are messages, `start` is the hint of the latter."""

    broken: str
    surrogate: str
    not_pack: str
    twice: str
    missing: str
    not_object: str
    start: str

    def read(self, files: Files, main: str) -> tuple[JsonText | None, tuple[Finding, ...]]:
        """The text, None if it cannot be parsed, and its findings."""
        if main not in files:
            return None, (_finding(self.not_pack, self.missing, Place(path=main)),)
        try:
            text = JsonText.parse(files[main])
        except JsonTextError as bad:
            message = f"{basename(main)} is not JSON: {bad.message}"
            hint = f"Look at line {bad.line}, column {bad.column}; the text view can repair it."
            return None, (_finding(self.broken, message, Place(path=main, line=bad.line), hint),)
        half = lone_surrogate(text.data, text.value)
        if half is not None:
            place = Place(path=main, pointer=pointer_text(half), line=text.line(half))
            return None, (_finding(self.surrogate, LONE_SURROGATE, place, SURROGATE_HINT),)
        return text, self.findings(main, text)

    def findings(self, main: str, text: JsonText) -> tuple[Finding, ...]:
        """The findings of a text: a document of another kind, and duplicate keys."""
        findings = []
        if not isinstance(text.value, dict):
            place = Place(path=main, line=1)
            findings.append(_finding(self.not_pack, self.not_object, place, self.start))
        for double in text.duplicates[:MAX_FINDINGS]:
            message = f"Key {str(double.pointer[-1])!r} appears twice; the last one is used."
            place = Place(path=main, pointer=pointer_text(double.pointer), line=double.line)
            hint = "Remove one of the two in the text view."
            findings.append(_finding(self.twice, message, place, hint, level="warning"))
        return tuple(findings)


def _finding(
    code: str, message: str, place: Place, hint: str = "", level: Level = "error"
) -> Finding:
    return Finding(code=code, level=level, message=message, place=place, hint=hint)
