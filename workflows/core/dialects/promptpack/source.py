"""A parsed pack: its one file, the parse tree, and the findings of parsing."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from posixpath import dirname

from workflows.core.dialects.json_source import JsonReader, JsonSource
from workflows.core.dialects.promptpack.format.parts import Parts
from workflows.core.dialects.promptpack.format.skill_files import SkillSet
from workflows.core.dialects.promptpack.recognise import main_of
from workflows.core.pack.files import Files
from workflows.core.text.json.document import JsonText

READER = JsonReader(
    broken="PP101",
    surrogate="PP104",
    not_pack="PP102",
    twice="PP103",
    missing="The files contain no pack. Add a *.pack.json file.",
    not_object="The file is valid JSON but not an object, so it is not a pack.",
    start='Start the file with { "id": …, "prompts": { … } }.',
)


@dataclass(frozen=True, kw_only=True)
class PackSource(JsonSource):
    """See `JsonSource`."""

    projection_cache: dict[str, object] = field(default_factory=dict, compare=False, repr=False)
    """Projections of single states, passed from edit to edit (see graph/projection.py)."""

    @cached_property
    def parts(self) -> Parts:
        return Parts(self.text.value if self.text is not None else None)

    @cached_property
    def skills(self) -> SkillSet:
        return SkillSet(parts=self.parts, files=self.files, folder=dirname(self.main))

    def with_text(self, text: JsonText) -> PackSource:
        """The same pack with another text. Unchanged trees are shared. Raises BadFiles."""
        if text is self.text:
            return self
        files = self.files.changed({self.main: text.data})
        return PackSource(
            files=files,
            main=self.main,
            text=text,
            findings=READER.findings(self.main, text),
            projection_cache=self.projection_cache,
        )


def read(files: Files) -> PackSource:
    """Parse one pack. Never raises: errors become findings."""
    main = main_of(files)
    text, findings = READER.read(files, main)
    return PackSource(files=files, main=main, text=text, findings=findings)
