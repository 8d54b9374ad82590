"""A parsed workflow: its one file, the parse tree, and the findings of parsing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from workflows.core.dialects.climpt_workflow.format.parts import Parts
from workflows.core.dialects.climpt_workflow.recognise import main_of
from workflows.core.dialects.json_source import JsonReader, JsonSource
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Place
from workflows.core.text.json.document import (
    JsonText,
)

READER = JsonReader(
    broken="CW001",
    surrogate="CW001",
    not_pack="CW001",
    twice="CW002",
    missing="The files contain no workflow.",
    not_object="The file is valid JSON but not an object, so it is not a workflow.",
    start='Start the file with { "version": …, "phases": { … } }.',
)


@dataclass(frozen=True, kw_only=True)
class WorkflowSource(JsonSource):
    """See `JsonSource`."""

    @cached_property
    def parts(self) -> Parts:
        return Parts(self.text.value if self.text is not None else None)

    def locate(self, place: Place) -> Place:
        return super().locate(replace(place, path=place.path or self.main))

    def edit(self, change: Callable[[JsonText], JsonText]) -> WorkflowSource:
        """The next source. Raises ValueError for a file that is not JSON."""
        text = change(self.json)
        if text is self.text:
            return self
        files = self.files.changed({self.main: text.data})
        return WorkflowSource(
            files=files, main=self.main, text=text, findings=READER.findings(self.main, text)
        )


def read(files: Files) -> WorkflowSource:
    """Parse one pack. Never raises: errors become findings."""
    main = main_of(files)
    text, findings = READER.read(files, main)
    return WorkflowSource(files=files, main=main, text=text, findings=findings)
