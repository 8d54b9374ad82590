"""The form of an element in the inspector: a JSON Schema and the values in the files.

Elements are named `kind:key`: `pack`, `state:review`, `transition:review|Approve|done`,
`prompt:review`, `tool:search`, `validator:git-clean`, `file:prompts/system.md`… A dialect decides
which kinds it has besides `pack`, `state` and `transition`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

from workflows.core.pack.findings import Place

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptName:
    """A name that a prompt can use: a variable, fragment or artifact, a value of the run, or a
    tool that the prompt can name in its text."""

    name: str
    kind: str
    """One word: `variable`, `fragment`, `artifact`, `run` or `tool`."""
    help: str = ""


def tool_names(described: Mapping[str, str]) -> tuple[PromptName, ...]:
    """Tools by name, each with the first sentence of its description."""
    return tuple(
        PromptName(name=name, kind="tool", help=description.partition(". ")[0].removesuffix("."))
        for name, description in described.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptField:
    """The field with the prompt of a state. It may be part of another element's form.

    A placeholder is `opening`, a name and `closing`. If `declarations` is not "", it is the JSON
    pointer of the list in `element` that declares variables: as names, or with
    `declares_objects` as objects with a `name`. With `complete`, a name that is not in `names` has
    no value in a run. `tools`: the tools that the model can call with this prompt.
    """

    element: str
    field: str
    """JSON pointer into the values of `element`."""
    names: tuple[PromptName, ...] = ()
    tools: tuple[PromptName, ...] = ()
    opening: str = "{{"
    closing: str = "}}"
    declarations: str = ""
    declares_objects: bool = False
    complete: bool = False

    def to_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """`schema` is drawn with the subset below; `values` holds only what the file has (a key that is
    absent there is absent here). Edits name a field by JSON pointer into `values`.

    Schema subset: `type` (one name), `properties`, `items`, `additionalProperties` (a schema: a map
    with editable keys), `enum`, `required`, `title`, `description` (the help text), `default`
    (shown greyed), `examples`, `minimum`, `maximum`, `minLength`, `maxLength`, `pattern`,
    `readOnly`, `oneOf` of objects with a `title` each. Extra keywords:
    `x-widget`: "prompt" (big text editor, `{{…}}` or `{uv-…}` highlighted) · "text" (lines) ·
    "json" (raw JSON editor) · "code"; `x-choices`: a list of values offered while typing, others
    allowed; `x-element`: element kind that the value names, so the page can link to it
    ("prompt" makes value `a` a link to `prompt:a`); `x-order`: order of properties;
    `x-group`: heading of a property; `x-rare`: folded below the groups;
    `x-computed`: the value is computed and is in no file.
    """

    element: str
    title: str
    schema: Mapping[str, object]
    values: Mapping[str, Json]
    place: Place
    links: tuple[tuple[str, str], ...] = ()
    """Related elements with a link from this form: (element, label)."""
    removable: bool = False
    renamable: bool = False
    prompt: PromptField | None = None
    """The prompt of a state, edited above the other fields; None if it has none."""

    def to_json(self) -> dict[str, object]:
        """The wire shape of `GET packs/{id}/fields/?element=`."""
        return {
            "element": self.element,
            "title": self.title,
            "schema": dict(self.schema),
            "values": dict(self.values),
            "path": self.place.path,
            "pointer": self.place.pointer,
            "line": self.place.line,
            "links": [{"element": element, "label": label} for element, label in self.links],
            "removable": self.removable,
            "renamable": self.renamable,
            "prompt": self.prompt.to_json() if self.prompt else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementPlace:
    """The place of an element, and if it can be renamed: as in its form, but without its cost."""

    place: Place
    renamable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of the outline: the objects of one kind, in file order.

    `kind` is the element kind; `addable` is True if `add_object` accepts it.
    """

    kind: str
    title: str
    items: tuple[tuple[str, str], ...] = field(default_factory=tuple)
    """(element, label)"""
    addable: bool = False

    def to_json(self) -> dict[str, object]:
        return {
            "kind": self.kind,
            "title": self.title,
            "items": [{"element": element, "label": label} for element, label in self.items],
            "addable": self.addable,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteItem:
    """A kind of state that can be dragged onto the canvas; `add_state` accepts its `kind`.

    `level` is the canvas: "" for the pack's own, otherwise the kind of element whose levels accept
    it (`composition`). There, the id begins with that element's key and a slash.

    `id_pattern` is the form of an id (without that key), as a pattern of JSON Schema, "" for any;
    `id_rule` describes it for people.
    """

    kind: str
    title: str
    description: str
    suggested_id: str
    level: str = ""
    id_pattern: str = ""
    id_rule: str = ""

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def palette_of(*rows: tuple[str, str, str, str], **common: str) -> tuple[PaletteItem, ...]:
    """Items by kind, title, description and suggested id; `common` are their other fields."""
    names = ("kind", "title", "description", "suggested_id")
    return tuple(PaletteItem(**dict(zip(names, row, strict=True)), **common) for row in rows)
