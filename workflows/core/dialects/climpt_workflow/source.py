"""A parsed workflow: its one file, the parse tree, and the findings of parsing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from workflows.core.dialects.base import SourceDefaults
from workflows.core.dialects.climpt_workflow.format.parts import Parts
from workflows.core.dialects.climpt_workflow.recognise import main_of
from workflows.core.pack.files import Files
from workflows.core.pack.findings import MAX_FINDINGS, Finding, Place
from workflows.core.text.json.document import (
    JsonText,
    JsonTextError,
    Pointer,
    pointer_of,
    pointer_text,
)
from workflows.core.text.surrogates import LONE_SURROGATE, SURROGATE_HINT, lone_surrogate


@dataclass(frozen=True, kw_only=True)
class WorkflowSource(SourceDefaults):
    """Immutable. `text` is None if the file cannot be parsed."""

    files: Files
    main: str
    text: JsonText | None
    findings: tuple[Finding, ...] = ()

    @property
    def readable(self) -> bool:
        return self.text is not None and isinstance(self.text.value, dict)

    @cached_property
    def parts(self) -> Parts:
        return Parts(self.text.value if self.text is not None else None)

    def place(self, *pointer: str | int, element: str = "") -> Place:
        return Place(path=self.main, pointer=pointer_text(pointer), element=element)

    def locate(self, place: Place) -> Place:
        if place.line:
            return place
        in_main = self.text is not None and place.path in ("", self.main)
        line = self.text.line(pointer_of(place.pointer)) if in_main and self.text else 1
        return replace(place, path=place.path or self.main, line=line)

    def edit(self, change: Callable[[JsonText], JsonText]) -> WorkflowSource:
        """The next source. Raises ValueError for a file that is not JSON."""
        if self.text is None:
            raise ValueError(f"{self.main} is not JSON.")
        text = change(self.text)
        if text is self.text:
            return self
        files = self.files.replaced({self.main: text.data})
        return WorkflowSource(
            files=files, main=self.main, text=text, findings=_reading_findings(self.main, text)
        )

    def has(self, pointer: Pointer) -> bool:
        return self.text is not None and self.text.has(pointer)


def read(files: Files) -> WorkflowSource:
    """Parse one pack. Never raises: errors become findings."""
    main = main_of(files)
    if main not in files:
        finding = _error("CW001", "The files contain no workflow.", Place(path=main))
        return WorkflowSource(files=files, main=main, text=None, findings=(finding,))
    try:
        text = JsonText.parse(files[main])
    except JsonTextError as bad:
        finding = _error(
            "CW001",
            f"{main.rsplit('/', 1)[-1]} is not JSON: {bad.message}",
            Place(path=main, line=bad.line),
            hint=f"Look at line {bad.line}, column {bad.column}; the text view can repair it.",
        )
        return WorkflowSource(files=files, main=main, text=None, findings=(finding,))
    half = lone_surrogate(text.data, text.value)
    if half is not None:
        place = Place(path=main, pointer=pointer_text(half), line=text.line(half))
        finding = _error("CW001", LONE_SURROGATE, place, hint=SURROGATE_HINT)
        return WorkflowSource(files=files, main=main, text=None, findings=(finding,))
    return WorkflowSource(files=files, main=main, text=text, findings=_reading_findings(main, text))


def _error(code: str, message: str, place: Place, hint: str = "") -> Finding:
    return Finding(code=code, level="error", message=message, place=place, hint=hint)


def _reading_findings(main: str, text: JsonText) -> tuple[Finding, ...]:
    findings = []
    if not isinstance(text.value, dict):
        message = "The file is valid JSON but not an object, so it is not a workflow."
        hint = 'Start the file with { "version": …, "phases": { … } }.'
        findings.append(_error("CW001", message, Place(path=main, line=1), hint=hint))
    for repeated in text.duplicates[:MAX_FINDINGS]:
        place = Place(path=main, pointer=pointer_text(repeated.pointer), line=repeated.line)
        findings.append(
            Finding(
                code="CW002",
                level="warning",
                message=f"Key {str(repeated.pointer[-1])!r} appears twice; the last one is used.",
                place=place,
                hint="Remove one of the two in the text view.",
            )
        )
    return tuple(findings)
