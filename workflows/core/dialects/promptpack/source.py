"""A parsed pack: its one file, the parse tree, and the findings of parsing."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from posixpath import dirname

from workflows.core.dialects.base import SourceDefaults
from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.format.skill_files import SkillSet
from workflows.core.dialects.promptpack.recognise import main_of
from workflows.core.dialects.promptpack.schemas.alike_parts import Treatments
from workflows.core.pack.files import Files
from workflows.core.pack.findings import MAX_FINDINGS, Finding, Place
from workflows.core.text.json.document import JsonText, JsonTextError, pointer_of, pointer_text
from workflows.core.text.surrogates import LONE_SURROGATE, SURROGATE_HINT, lone_surrogate


@dataclass(frozen=True, kw_only=True)
class PackSource(SourceDefaults):
    """Immutable. `text` is None if the file is not JSON; then only `findings` are defined."""

    files: Files
    main: str
    text: JsonText | None
    findings: tuple[Finding, ...] = ()
    projection_cache: dict[str, object] = field(default_factory=dict, compare=False, repr=False)
    """Projections of single states, passed from edit to edit (see graph/projection.py)."""
    treatments: Treatments = field(default_factory=dict, compare=False, repr=False)
    """The versions of the format that accept each prompt and state (see schemas/alike_parts.py);
    likewise passed on."""

    @property
    def readable(self) -> bool:
        return self.text is not None and isinstance(self.text.value, dict)

    @property
    def json(self) -> JsonText:
        """The text of a readable pack. Raises ValueError if the pack is not readable."""
        if self.text is None:
            raise ValueError(f"{self.main} is not JSON.")
        return self.text

    @cached_property
    def parts(self) -> Parts:
        return Parts(self.text.value if self.text is not None else None)

    @cached_property
    def skills(self) -> SkillSet:
        return SkillSet(parts=self.parts, files=self.files, folder=dirname(self.main))

    def place(self, *pointer: str | int, element: str = "") -> Place:
        """A place in the pack's file. `locate` fills in the line on demand."""
        return Place(path=self.main, pointer=pointer_text(pointer), element=element)

    def locate(self, place: Place) -> Place:
        if place.line:
            return place
        line = 1
        if self.text is not None and place.path == self.main:
            line = self.text.line(pointer_of(place.pointer))
        return Place(path=place.path, pointer=place.pointer, line=line, element=place.element)

    def with_text(self, text: JsonText) -> PackSource:
        """The same pack with another text. Unchanged trees are shared. Raises BadFiles."""
        if text is self.text:
            return self
        files = self.files.replaced({self.main: text.data})
        return PackSource(
            files=files,
            main=self.main,
            text=text,
            findings=reading_findings(self.main, text),
            projection_cache=self.projection_cache,
            treatments=self.treatments,
        )

    def has(self, pointer: Pointer) -> bool:
        return self.text is not None and self.text.has(pointer)


def read(files: Files) -> PackSource:
    """Parse one pack. Never raises: errors become findings."""
    main = main_of(files)
    if not main:
        place = Place(path="")
        finding = Finding(
            code="PP102",
            level="error",
            message="The files contain no pack. Add a *.pack.json file.",
            place=place,
        )
        return PackSource(files=files, main="", text=None, findings=(finding,))
    try:
        text = JsonText.parse(files[main])
    except JsonTextError as bad:
        finding = Finding(
            code="PP101",
            level="error",
            message=f"{main.rsplit('/', 1)[-1]} is not JSON: {bad.message}",
            place=Place(path=main, line=bad.line),
            hint=f"Look at line {bad.line}, column {bad.column}; the text view can repair it.",
        )
        return PackSource(files=files, main=main, text=None, findings=(finding,))
    half = lone_surrogate(text.data, text.value)
    if half is not None:
        finding = Finding(
            code="PP104",
            level="error",
            message=LONE_SURROGATE,
            place=Place(path=main, pointer=pointer_text(half), line=text.line(half)),
            hint=SURROGATE_HINT,
        )
        return PackSource(files=files, main=main, text=None, findings=(finding,))
    return PackSource(files=files, main=main, text=text, findings=reading_findings(main, text))


def reading_findings(main: str, text: JsonText) -> tuple[Finding, ...]:
    """Findings of parsing: another kind of document, duplicate keys."""
    findings: list[Finding] = []
    if not isinstance(text.value, dict):
        findings.append(
            Finding(
                code="PP102",
                level="error",
                message="The file is valid JSON but not an object, so it is not a pack.",
                place=Place(path=main, line=1),
                hint='Start the file with { "id": …, "prompts": { … } }.',
            )
        )
    for duplicate in text.duplicates[:MAX_FINDINGS]:
        findings.append(
            Finding(
                code="PP103",
                level="warning",
                message=f"Key {str(duplicate.pointer[-1])!r} appears twice; the last one is used.",
                place=Place(
                    path=main, pointer=pointer_text(duplicate.pointer), line=duplicate.line
                ),
                hint="Remove one of the two in the text view.",
            )
        )
    return tuple(findings)
