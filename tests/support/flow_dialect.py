"""A small dialect for tests of the layers above dialects: one JSON file of a graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.base import Dialect, ExportFormat, PackLocation, SourceDefaults
from workflows.core.engine.program import CannotRun
from workflows.core.pack import edits
from workflows.core.pack.edits import Edit, EditRefused
from workflows.core.pack.files import Files
from workflows.core.pack.findings import EVERY, Finding, Place, Rule, rule
from workflows.core.pack.forms import Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Entry, Graph, Offer, State, Transition
from workflows.core.text.json.document import JsonText, JsonTextError, pointer_of, pointer_text


@dataclass(frozen=True, slots=True)
class Source(SourceDefaults):
    files: Files
    main: str
    text: JsonText | None
    findings: tuple[Finding, ...] = ()

    @property
    def readable(self) -> bool:
        return self.text is not None

    @property
    def states(self) -> dict[str, Any]:
        states = self.text.get(("states",), {}) if self.text else {}
        return states if isinstance(states, dict) else {}

    def locate(self, place: Place) -> Place:
        line = self.text.line(pointer_of(place.pointer)) if self.text else 1
        return Place(path=place.path, pointer=place.pointer, line=line, element=place.element)


@rule("FL001", "error", "An arrow leads nowhere", profiles=EVERY)
def leads_nowhere(source: Source, graph: Graph) -> Iterable[Finding]:
    """An arrow ends at a state that is not in the file."""
    ids = {state.id for state in graph.states}
    for transition in graph.transitions:
        if transition.target not in ids:
            yield Finding(
                code="FL001",
                level="error",
                message=f"{transition.source!r} leads to the missing {transition.target!r}.",
                place=transition.place,
            )


class Flow(Dialect):
    name = "flow"
    label = "Flow"
    profiles = ("plain", "strict")
    file_names: tuple[str, ...] = ()

    def recognises(self, files: Files) -> list[PackLocation]:
        return [
            PackLocation(
                dialect=self.name,
                name=path.removesuffix(".flow.json").rsplit("/", 1)[-1],
                main=path,
                paths=(path, *(other for other in files if other.startswith(f"{path}.notes/"))),
            )
            for path in files
            if path.endswith(".flow.json")
        ]

    def read(self, files: Files) -> Source:
        main = next((path for path in files if path.endswith(".flow.json")), "")
        try:
            text = JsonText.parse(files.get(main, b""))
        except JsonTextError as error:
            place = Place(path=main, line=error.line)
            finding = Finding(code="FL000", level="error", message=error.message, place=place)
            return Source(files, main, None, (finding,))
        return Source(files, main, text)

    def graph(self, source: Source, profile: str) -> Graph:
        name = source.text.get(("name",), "") if source.text else ""
        entry = source.text.get(("entry",)) if source.text else None
        return Graph(
            dialect=self.name,
            profile=profile,
            name=str(name),
            entries=(Entry(state=entry),) if isinstance(entry, str) else (),
            states=tuple(
                State(id=key, kind="state", name=body.get("title", ""), place=_place(source, key))
                for key, body in source.states.items()
            ),
            transitions=tuple(
                Transition(source=key, target=target, label=label, place=_place(source, key, label))
                for key, body in source.states.items()
                for label, target in body.get("on", {}).items()
            ),
        )

    def offers(self, source: Source, state: str, profile: str) -> tuple[Offer, ...]:
        return (Offer(source=state, pattern="^[A-Z]"),)

    def palette(self) -> tuple[PaletteItem, ...]:
        return (PaletteItem(kind="state", title="State", description="A step", suggested_id="s"),)

    def outline(self, source: Source) -> tuple[Section, ...]:
        agents = source.text.get(("agents",), []) if source.text else []
        items = tuple((f"agent:{name}", name) for name in agents)
        return (Section(kind="agent", title="Agents", items=items),)

    def fields(self, source: Source, element: str, profile: str) -> Form:
        kind, _, key = element.partition(":")
        values: dict[str, Json] = {"title": source.states.get(key, {}).get("title")}
        if kind == "state" and key not in source.states:
            raise EditRefused(f"There is no state {key!r}.", where=element)
        return Form(element=element, title=key, schema={}, values=values, place=Place())

    def rules(self) -> Iterable[Rule]:
        return (leads_nowhere,)

    def apply(self, source: Source, edit: Edit) -> Source:
        if isinstance(edit, edits.WriteFile):
            return self.read(source.files.changed({edit.path: edit.text.encode()}))
        if isinstance(edit, edits.RemoveFile):
            return self.read(source.files.changed({edit.path: None}))
        if source.text is None:
            raise EditRefused("The file is not JSON.", where=source.main)
        try:
            text = _edited(source, source.text, edit)
        except (KeyError, ValueError) as error:
            raise EditRefused(f"This does not fit: {error}.") from error
        return Source(source.files.changed({source.main: text.data}), source.main, text)

    def copy(self, source: Source, states: tuple[str, ...]) -> Json:
        return {state: source.states[state] for state in states}

    def program(self, source: Source, profile: str) -> Any:
        raise CannotRun("A flow is only drawn.")

    def exports(self) -> tuple[ExportFormat, ...]:
        return ()

    def samples(self) -> Mapping[str, Files]:
        return {"tiny": Files({"tiny.flow.json": flow("A", A={"Go": "B"}, B={})})}


def _edited(source: Source, text: JsonText, edit: Edit) -> JsonText:
    match edit:
        case edits.AddState():
            if edit.id in source.states:
                raise EditRefused(f"There is a state {edit.id!r} already.", where=edit.id)
            return text.set(("states", edit.id), {"title": edit.name} if edit.name else {})
        case edits.RemoveState():
            return text.delete(("states", edit.id))
        case edits.RenameState():
            return text.rename(("states", edit.id), edit.new_id)
        case edits.Connect():
            if edit.source not in source.states:
                raise EditRefused(f"There is no state {edit.source!r}.", where=edit.source)
            transitions = {**source.states[edit.source].get("on", {}), edit.label: edit.target}
            return text.set(("states", edit.source, "on"), transitions)
        case edits.Disconnect():
            key, label, _ = edit.transition.split("|")
            return text.delete(("states", key, "on", label))
        case edits.SetField():
            key = edit.element.partition(":")[2]
            return text.set(("states", key, *pointer_of(edit.field)), edit.value)
        case _:
            raise EditRefused(f"A flow has no {edit.type}.")


def _place(source: Source, key: str, label: str = "") -> Place:
    pointer = ("states", key, *(("on", label) if label else ()))
    return Place(path=source.main, pointer=pointer_text(pointer), element=f"state:{key}")


def flow(entry: str, **states: dict[str, str]) -> bytes:
    """A flow's bytes: `flow("A", A={"Go": "B"}, B={})`."""
    body = {
        "name": "Tiny",
        "entry": entry,
        "states": {
            key: {"title": key.lower(), "on": transitions} for key, transitions in states.items()
        },
    }
    return (json.dumps(body, indent=2) + "\n").encode()
