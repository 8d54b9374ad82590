"""The source of a pack: its main file, its templates, and the findings of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from posixpath import basename, dirname

from workflows.core.dialects.agent_graph.format.model import AgentGraph
from workflows.core.dialects.agent_graph.format.vocabulary import MARK
from workflows.core.dialects.agent_graph.graph.transitions import EdgeTransition, transitions_of
from workflows.core.dialects.agent_graph.recognise import main_of, template_paths
from workflows.core.dialects.base import SourceDefaults
from workflows.core.pack.files import Files
from workflows.core.pack.findings import MAX_FINDINGS, Finding, Place
from workflows.core.prompts.role_templates.header import Template
from workflows.core.prompts.role_templates.header import read as read_template
from workflows.core.prompts.role_templates.names import name_in
from workflows.core.prompts.role_templates.resolve import Resolved, resolve, shipped
from workflows.core.text.json.document import JsonText, JsonTextError, pointer_of, pointer_text
from workflows.core.text.surrogates import LONE_SURROGATE, SURROGATE_HINT, lone_surrogate


@dataclass(frozen=True, kw_only=True, eq=False)
class GraphSource(SourceDefaults):
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

    @cached_property
    def shape(self) -> AgentGraph:
        return AgentGraph.of(self.text.value if self.text is not None else None)

    @cached_property
    def transitions(self) -> Mapping[str, EdgeTransition]:
        """The transitions by id."""
        return {transition.id: transition for transition in transitions_of(self.shape)}

    @cached_property
    def folder(self) -> str:
        """The pack's folder in its tree; "" for the root."""
        return dirname(self.main)

    @cached_property
    def template_files(self) -> Mapping[str, str]:
        """The pack's own templates: name → path."""
        by_name = {name_in(path, self.folder): path for path in self.files}
        return {name: path for name, path in by_name.items() if name}

    @cached_property
    def misnamed_templates(self) -> tuple[str, ...]:
        """Template files whose name is not a valid role."""
        paths = set(self.template_files.values())
        return tuple(path for path in template_paths(self.files, self.folder) if path not in paths)

    @cached_property
    def templates(self) -> Mapping[str, Template]:
        """The pack's own templates, parsed."""
        return {
            name: read_template(name, self.files[path])
            for name, path in self.template_files.items()
        }

    @cached_property
    def template_bytes(self) -> Mapping[str, bytes]:
        """The pack's own templates as input of `resolve`."""
        return {name: self.files[path] for name, path in self.template_files.items()}

    def role(self, name: str) -> Resolved | None:
        """The template of a role, without templates stored on a server."""
        if name not in self._roles:
            self._roles[name] = resolve(name, self.template_bytes)
        return self._roles[name]

    @cached_property
    def _roles(self) -> dict[str, Resolved | None]:
        """Templates by role. Cached."""
        return {}

    @cached_property
    def role_names(self) -> tuple[str, ...]:
        """Every role with a template in the pack or shipped."""
        return tuple(dict.fromkeys((*self.template_files, *shipped())))

    def place(self, *pointer: str | int, element: str = "") -> Place:
        """A place in the main file. `locate` adds the line."""
        return Place(path=self.main, pointer=pointer_text(pointer), element=element)

    def locate(self, place: Place) -> Place:
        if place.line:
            return place
        line = 1
        if self.text is not None and place.path == self.main:
            line = self.text.line(pointer_of(place.pointer))
        return replace(place, line=line)

    def with_text(self, text: JsonText) -> GraphSource:
        """The pack with another main file. Unchanged parts are shared. Raises BadFiles."""
        if text is self.text:
            return self
        files = self.files.replaced({self.main: text.data})
        return GraphSource(
            files=files, main=self.main, text=text, findings=reading_findings(self.main, text)
        )

    def with_files(self, changes: Mapping[str, bytes | None]) -> GraphSource:
        """The pack with other files besides the main one. Raises BadFiles."""
        return replace(self, files=self.files.changed(changes))


def read(files: Files) -> GraphSource:
    """Parse a pack. Never raises: errors become findings."""
    main = main_of(files)
    if not main:
        return _unreadable(files, "", "AG102", "There is no agent graph here.", Place(path=""))
    try:
        text = JsonText.parse(files[main])
    except JsonTextError as bad:
        return _unreadable(
            files,
            main,
            "AG101",
            f"{basename(main)} is not JSON: {bad.message}",
            Place(path=main, line=bad.line),
            f"Look at line {bad.line}, column {bad.column}; the text view can repair it.",
        )
    half = lone_surrogate(text.data, text.value)
    if half is not None:
        return _unreadable(
            files,
            main,
            "AG104",
            LONE_SURROGATE,
            Place(path=main, pointer=pointer_text(half), line=text.line(half)),
            SURROGATE_HINT,
        )
    return GraphSource(files=files, main=main, text=text, findings=reading_findings(main, text))


def _unreadable(
    files: Files, main: str, code: str, message: str, place: Place, hint: str = ""
) -> GraphSource:
    finding = Finding(code=code, level="error", message=message, place=place, hint=hint)
    return GraphSource(files=files, main=main, text=None, findings=(finding,))


def reading_findings(main: str, text: JsonText) -> tuple[Finding, ...]:
    """The findings of the reader: a document of another kind, and duplicate keys."""
    findings: list[Finding] = []
    if not isinstance(text.value, dict):
        findings.append(
            Finding(
                code="AG102",
                level="error",
                message="The file is JSON, but not an object.",
                place=Place(path=main, line=1),
                hint=f'Start with {{ "{MARK}": 1, "nodes": [ … ] }}.',
            )
        )
    for double in text.duplicates[:MAX_FINDINGS]:
        findings.append(
            Finding(
                code="AG103",
                level="warning",
                message=f"The key {str(double.pointer[-1])!r} appears twice; the last one counts.",
                place=Place(path=main, pointer=pointer_text(double.pointer), line=double.line),
                hint="Remove one of the two in the text view.",
            )
        )
    return tuple(findings)
