"""The source of a pack: registry, agent.json, schema files, prompts and path config.

Immutable. Every edit makes a new source. It shares the parse trees, steps and resolved schemas of
the old one as far as their values are the same objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import is_
from posixpath import basename, dirname, normpath
from typing import Any

from workflows.core.dialects.base import SourceDefaults
from workflows.core.dialects.steps_registry.format.read_findings import findings_of
from workflows.core.dialects.steps_registry.format.steps import Step, read_step
from workflows.core.dialects.steps_registry.format.vocabulary import Generation
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Place
from workflows.core.text.json.document import JsonText, JsonTextError, Pointer, pointer_of
from workflows.core.text.surrogates import LONE_SURROGATE, lone_surrogate
from workflows.core.text.tolerant import as_object

LastSteps = tuple[Any, dict[str, Step]]
DEFAULT_ITERATIONS = 20
INJECTED_ITERATIONS = 10
LEGACY_KEYS = ("completionPatterns", "completionSteps", "stepsV3", "flow")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RegistrySource(SourceDefaults):
    """See `dialects.base.Source`. `texts` are the JSON files parsed so far. `last_steps` are the
    steps of the previous source, with the object from which they were read."""

    files: Files
    main: str
    texts: dict[str, JsonText | JsonTextError] = field(default_factory=dict)
    last_steps: LastSteps = (None, {})
    memo: dict[Any, Any] = field(default_factory=dict)
    """Results shared with later sources. Each holds the objects from which it was computed."""

    # -- files ------------------------------------------------------------------------------

    def json(self, path: str) -> JsonText | None:
        """A JSON file of the pack; None if it is missing or cannot be parsed."""
        document = self._parsed(path)
        return document if isinstance(document, JsonText) else None

    def problem(self, path: str) -> JsonTextError | None:
        """The parse error of a file of the pack; None if there is none."""
        document = self._parsed(path)
        return document if isinstance(document, JsonTextError) else None

    def _parsed(self, path: str) -> JsonText | JsonTextError | None:
        if path not in self.texts and path in self.files:
            try:
                self.texts[path] = _without_surrogates(JsonText.parse(self.files[path]))
            except JsonTextError as error:
                self.texts[path] = error
        return self.texts.get(path)

    def put(self, path: str, text: JsonText) -> RegistrySource:
        """The next source with this JSON file changed (or added)."""
        if self.texts.get(path) is text:
            return self
        return self._next({path: text.data}, {**self.texts, path: text})

    def write(self, changes: Mapping[str, bytes | None]) -> RegistrySource:
        """The next source with these files replaced, added or (None) removed."""
        kept = {path: text for path, text in self.texts.items() if path not in changes}
        return self._next(changes, kept)

    def _next(
        self, changes: Mapping[str, bytes | None], texts: dict[str, JsonText | JsonTextError]
    ) -> RegistrySource:
        files = self.files.changed(changes)
        return replace(self, files=files, texts=texts, last_steps=self._parsed_steps())

    def edit(self, path: str, change: Callable[[JsonText], JsonText]) -> RegistrySource:
        """Change one JSON file through its text. Raises KeyError if it is not JSON."""
        text = self.json(path)
        if text is None:
            raise KeyError(path)
        return self.put(path, change(text))

    def registry_edit(self, change: Callable[[JsonText], JsonText]) -> RegistrySource:
        return self.edit(self.main, change)

    def _parsed_steps(self) -> LastSteps:
        if "steps" in self.__dict__:
            return self.value.get("steps"), self.steps
        return self.last_steps

    @cached_property
    def data(self) -> dict[str, bytes]:
        """The files as a plain dict, which is faster for thousands of lookups."""
        return self.files.as_dict()

    @cached_property
    def kept(self) -> dict[str, Any]:
        """Cached results that are valid for this source only."""
        return {}

    # -- paths ------------------------------------------------------------------------------

    @cached_property
    def folder(self) -> str:
        """The agent's folder; "" for a registry without one."""
        return dirname(self.main)

    @cached_property
    def in_tree(self) -> bool:
        """True if the registry is in a repository's folder `.agent/<agent>/`."""
        return basename(dirname(self.folder)) == ".agent"

    @cached_property
    def repository(self) -> str:
        """The folder that holds `.agent`."""
        return dirname(dirname(self.folder)) if self.in_tree else dirname(self.folder)

    @cached_property
    def agent_path(self) -> str:
        return self.beside("agent.json")

    def beside(self, name: str) -> str:
        """The path of a file given relative to the agent's folder."""
        return normpath(f"{self.folder}/{name}" if self.folder else name)

    # -- the registry -----------------------------------------------------------------------

    @cached_property
    def registry(self) -> JsonText | None:
        text = self.json(self.main)
        return text if text is not None and isinstance(text.value, dict) else None

    @cached_property
    def value(self) -> dict[str, Any]:
        value = self.registry.value if self.registry is not None else None
        return as_object(value)

    @cached_property
    def agent_id(self) -> str:
        value = self.value.get("agentId")
        return value if isinstance(value, str) and value else basename(self.folder) or "agent"

    @cached_property
    def steps(self) -> dict[str, Step]:
        """Every step that is an object, in file order."""
        declared = self.value.get("steps")
        if not isinstance(declared, dict):
            return {}
        before, steps = self.last_steps
        if before is declared:
            return steps
        if isinstance(before, dict) and list(before) == list(declared):
            same = map(is_, before.values(), declared.values())
            fresh = {id for id, kept in zip(declared, same, strict=True) if not kept}
            if all(isinstance(declared[id], dict) and id in steps for id in fresh):
                return steps | {id: read_step(id, declared[id]) for id in fresh}
        return {
            id: old if (old := steps.get(id)) and old.value is value else read_step(id, value)
            for id, value in declared.items()
            if isinstance(value, dict)
        }

    @cached_property
    def generation(self) -> Generation:
        """The generation of the format (specs of the format, section 7)."""
        values = [step.value for step in self.steps.values()]
        if any("address" in item or "kind" in item for item in values):
            return "B"
        if any(key in self.value for key in LEGACY_KEYS):
            return "legacy"
        if any("promptPath" in item for item in values):
            return "legacy"
        if "userPromptsBase" in self.value or "schemasBase" in self.value:
            return "S"
        return "S" if any("fallbackKey" in item for item in values) else "A"

    @cached_property
    def flow(self) -> bool:
        """True if a run follows transitions, which needs at least one step with a gate."""
        return any("structuredGate" in step.value for step in self.steps.values())

    @cached_property
    def entries(self) -> tuple[tuple[str, str], ...]:
        """The entries as (verdict type, step id). The key "" is `entryStep`."""
        mapping = self.value.get("entryStepMapping")
        pairs = []
        if isinstance(mapping, dict):
            for key, value in mapping.items():
                target = value.get("initial") if isinstance(value, dict) else value
                if isinstance(target, str) and target:
                    pairs.append((key, target))
        entry = self.value.get("entryStep")
        if isinstance(entry, str) and entry:
            pairs.append(("", entry))
        return tuple(pairs)

    def table(self, key: str) -> dict[str, dict[str, Any]]:
        """A top-level map of objects (`validators`, `failurePatterns`…). Cached."""
        tables: dict[str, dict[str, dict[str, Any]]] = self.kept.setdefault("tables", {})
        if key not in tables:
            items = as_object(self.value.get(key)).items()
            tables[key] = {name: item for name, item in items if isinstance(item, dict)}
        return tables[key]

    # -- agent.json -------------------------------------------------------------------------

    @cached_property
    def agent(self) -> dict[str, Any]:
        text = self.json(self.agent_path)
        return text.value if text is not None and isinstance(text.value, dict) else {}

    def agent_value(self, *path: str) -> Any:
        """A value of agent.json by its path; None if any part of the path is missing."""
        value: Any = self.agent
        for key in path:
            value = as_object(value).get(key)
        return value

    @cached_property
    def verdict(self) -> str:
        """The agent's verdict type: agent.json, else the only mapping key, else count:iteration."""
        value = self.agent_value("runner", "verdict", "type")
        if isinstance(value, str) and value:
            return value
        keys = [key for key, _ in self.entries if key]
        return keys[0] if len(keys) == 1 and not self.agent else "count:iteration"

    @cached_property
    def verdict_config(self) -> dict[str, Any]:
        return as_object(self.agent_value("runner", "verdict", "config"))

    @cached_property
    def most_iterations(self) -> int:
        """The iteration limit: `maxIterations` of the verdict, else 20; 10 without a config."""
        limit = self.verdict_config.get("maxIterations")
        if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1:
            return limit
        return DEFAULT_ITERATIONS if self.verdict_config else INJECTED_ITERATIONS

    @cached_property
    def entry(self) -> str | None:
        """The step at which a run starts: the entry of the verdict type, else `entryStep`."""
        entries = dict(self.entries)
        return entries.get(self.verdict) or entries.get("")

    # -- the source protocol ----------------------------------------------------------------

    @property
    def readable(self) -> bool:
        return self.registry is not None and isinstance(self.value.get("steps"), dict)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(findings_of(self))

    def locate(self, place: Place) -> Place:
        """The place with its line in the JSON text; line 1 if no line is known."""
        path = place.path or self.main
        text = self.json(path)
        if text is None:
            problem = self.problem(path)
            return replace(place, path=path, line=place.line or (problem.line if problem else 1))
        pointer: Pointer = pointer_of(place.pointer) if place.pointer else ()
        return replace(place, path=path, line=place.line or text.line(pointer))


def _without_surrogates(text: JsonText) -> JsonText:
    """The same text. Raises JsonTextError for a lone surrogate, which no database can store."""
    pointer = lone_surrogate(text.data, text.value)
    if pointer is None:
        return text
    raise JsonTextError(LONE_SURROGATE, line=text.line(pointer), column=1, offset=0)
