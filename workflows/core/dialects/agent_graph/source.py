"""The source of a pack: its main file, its templates, and the findings of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from posixpath import dirname

from workflows.core.dialects.agent_graph.format.model import AgentGraph
from workflows.core.dialects.agent_graph.format.vocabulary import MARK
from workflows.core.dialects.agent_graph.graph.transitions import EdgeTransition, transitions_of
from workflows.core.dialects.agent_graph.recognise import main_of, template_paths
from workflows.core.dialects.json_source import JsonReader, JsonSource
from workflows.core.pack.files import Files
from workflows.core.prompts.role_templates.header import Template
from workflows.core.prompts.role_templates.header import read as read_template
from workflows.core.prompts.role_templates.names import name_in
from workflows.core.prompts.role_templates.resolve import Resolved, resolve, shipped
from workflows.core.text.json.document import JsonText

READER = JsonReader(
    broken="AG101",
    surrogate="AG104",
    not_pack="AG102",
    twice="AG103",
    missing="There is no agent graph here.",
    not_object="The file is JSON, but not an object.",
    start=f'Start with {{ "{MARK}": 1, "nodes": [ … ] }}.',
)


@dataclass(frozen=True, kw_only=True, eq=False)
class GraphSource(JsonSource):
    """See `JsonSource`."""

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

    def with_text(self, text: JsonText) -> GraphSource:
        """The pack with another main file. Unchanged parts are shared. Raises BadFiles."""
        if text is self.text:
            return self
        files = self.files.changed({self.main: text.data})
        return GraphSource(
            files=files, main=self.main, text=text, findings=READER.findings(self.main, text)
        )

    def with_files(self, changes: Mapping[str, bytes | None]) -> GraphSource:
        """The pack with other files besides the main one. Raises BadFiles."""
        return replace(self, files=self.files.changed(changes))


def read(files: Files) -> GraphSource:
    """Parse a pack. Never raises: errors become findings."""
    main = main_of(files)
    text, findings = READER.read(files, main)
    return GraphSource(files=files, main=main, text=text, findings=findings)
