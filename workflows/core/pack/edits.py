"""One change to a pack, as the client sends it. The dialect translates it into bytes.

On the wire an edit is an object with `type` and the fields of its class below:
`{"type": "connect", "source": "draft", "target": "review", "label": "Submit"}`. Consecutive edits
of one `group`, such as one stretch of typing, are one undo step.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, TypeAlias, Union, get_args, get_origin, get_type_hints

from workflows.core.pack.forms import Json


class BadEdit(Exception):
    """The request body is not an edit."""

    def __init__(self, message: str, *, where: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where


class EditRefused(Exception):
    """The edit is well formed but does not fit this pack. The message names the reason."""

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint


def missing_element(element: str, *, kind: str = "") -> EditRefused:
    """The refusal of an edit of an element that is not there (`state:draft`). `kind`: the word of
    the dialect for such an element."""
    own_kind, _, key = element.partition(":")
    name = f"{kind or own_kind} {key!r}" if key else repr(element)
    return EditRefused(f"This pack has no {name}.", where=element)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    type: ClassVar[str]
    group: str | None = None

    def to_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"type": self.type}
        for item in fields(self):
            value = getattr(self, item.name)
            if value is not None and value != ():
                body[item.name] = list(value) if isinstance(value, tuple) else value
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Connect(_Edit):
    """Add a transition. `value` selects a conditional target in dialects that have them."""

    type: ClassVar[str] = "connect"
    source: str
    target: str
    label: str
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disconnect(_Edit):
    """Remove a transition, by its id `source|label|target`."""

    type: ClassVar[str] = "disconnect"
    transition: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retarget(_Edit):
    """Change the target of a transition, or with `source` its source."""

    type: ClassVar[str] = "retarget"
    transition: str
    target: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relabel(_Edit):
    """Change the event, intent or value of a transition."""

    type: ClassVar[str] = "relabel"
    transition: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddState(_Edit):
    """Add a state. `kind` is a palette kind; "" is the simplest kind of the dialect."""

    type: ClassVar[str] = "add_state"
    id: str
    kind: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveState(_Edit):
    """Remove a state and every reference to it, incoming transitions included."""

    type: ClassVar[str] = "remove_state"
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameState(_Edit):
    """Rename a state and update every reference that the format defines."""

    type: ClassVar[str] = "rename_state"
    id: str
    new_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicateState(_Edit):
    """Copy a state with its outgoing transitions."""

    type: ClassVar[str] = "duplicate_state"
    id: str
    new_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetEntry(_Edit):
    """Make a state the entry. `key` names the entry in dialects that have several."""

    type: ClassVar[str] = "set_entry"
    id: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetField(_Edit):
    """Set a value of an element's form; `field` is a JSON pointer into its values."""

    type: ClassVar[str] = "set_field"
    element: str
    field: str
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetField(_Edit):
    """Remove a value, so that the format's default applies."""

    type: ClassVar[str] = "unset_field"
    element: str
    field: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddObject(_Edit):
    """Add an object that is not a state: a prompt, a tool… `kind` is from the outline."""

    type: ClassVar[str] = "add_object"
    kind: str
    key: str
    value: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveObject(_Edit):
    """Remove such an object. References to it are kept and become findings."""

    type: ClassVar[str] = "remove_object"
    element: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameObject(_Edit):
    """Change the key of such an object and update every reference."""

    type: ClassVar[str] = "rename_object"
    element: str
    new_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Paste(_Edit):
    """Insert a copied fragment. `fragment` is the result of `copy` of the dialect; ids that exist
    already get a number appended. Works only between packs of one dialect."""

    type: ClassVar[str] = "paste"
    fragment: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile(_Edit):
    """Replace or add the text of one file: the text view, and files without a form."""

    type: ClassVar[str] = "write_file"
    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveFile(_Edit):
    """Remove one file of the pack."""

    type: ClassVar[str] = "remove_file"
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(_Edit):
    """Move states: layout, never in the author's files. `positions`: id → [x, y]."""

    type: ClassVar[str] = "move"
    positions: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw(_Edit):
    """Keep the drawing of the canvas: layout, never in the author's files. It is sent with other
    edits, so it leaves out unknown states instead of failing. `positions`: id → [x, y], of states
    without one. `routes`: state id → all routes of its transitions and entries, by their ids."""

    type: ClassVar[str] = "draw"
    positions: Mapping[str, Any] = field(default_factory=dict)
    routes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resize(_Edit):
    """Resize a state: layout, never in the author's files."""

    type: ClassVar[str] = "resize"
    id: str
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BindRole(_Edit):
    """Bind a role to a state: layout, never in the author's files. `binding` has the `role` (its
    id), and may have an `override` (text at the end of every prompt), a `mode` (its id) and a
    `gate` (`{"pass": label, "fail": label}`: the verdict of the role takes one of these
    transitions). Without a binding the state uses its own prompt."""

    type: ClassVar[str] = "bind_role"
    id: str
    binding: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteNote(_Edit):
    """Set the note of a state: layout, never in the author's files. An empty text removes it."""

    type: ClassVar[str] = "write_note"
    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitApprovals(_Edit):
    """Set the time limit of questions to people in a state: layout, never in the author's files.
    After `hours` (0: never) without an answer, the `outcome` is `deny`, `approve` or `end`, which
    ends the run. Without hours, the limit of the pack applies."""

    type: ClassVar[str] = "limit_approvals"
    id: str
    hours: float | None = None
    outcome: str = "deny"


Edit: TypeAlias = (
    Connect
    | Disconnect
    | Retarget
    | Relabel
    | AddState
    | RemoveState
    | RenameState
    | DuplicateState
    | SetEntry
    | SetField
    | UnsetField
    | AddObject
    | RemoveObject
    | RenameObject
    | Paste
    | WriteFile
    | RemoveFile
    | Move
    | Draw
    | Resize
    | BindRole
    | WriteNote
    | LimitApprovals
)
LAYOUT = (Move, Draw, Resize, BindRole, WriteNote, LimitApprovals)
"""Edits of the drawing, notes, bindings and time limits, which change no file."""

TYPES: dict[str, type[Any]] = {kind.type: kind for kind in get_args(Edit)}


def edit_from_json(body: object) -> Edit:
    """Read one edit. Raises BadEdit naming the missing, unknown or mistyped field."""
    if not isinstance(body, Mapping):
        raise BadEdit("An edit is an object with a `type`.")
    kind = TYPES.get(str(body.get("type")))
    if kind is None:
        names = ", ".join(sorted(TYPES))
        raise BadEdit(f"There is no edit of type {body.get('type')!r}. Types: {names}.")
    hints = get_type_hints(kind)
    known_fields = {item.name: item for item in fields(kind)}
    for name in body:
        if name != "type" and name not in known_fields:
            raise BadEdit(f"An edit of type {kind.type} has no field {name!r}.", where=str(name))
    values: dict[str, Any] = {}
    for name, item in known_fields.items():
        if name in body:
            values[name] = _checked(kind.type, name, body[name], hints[name])
        elif item.default is MISSING and item.default_factory is MISSING:
            raise BadEdit(f"An edit of type {kind.type} needs the field {name!r}.", where=name)
    edit: Edit = kind(**values)
    return edit


def edits_from_json(body: object) -> tuple[Edit, ...]:
    """Read a list of edits, or the API's body `{"edits": [...]}`. Raises BadEdit."""
    if isinstance(body, Mapping):
        body = body.get("edits")
    if not isinstance(body, list) or not body:
        raise BadEdit("Edits are a list with at least one edit in it.", where="edits")
    edits = []
    for index, item in enumerate(body):
        try:
            edits.append(edit_from_json(item))
        except BadEdit as bad:
            raise BadEdit(bad.message, where=f"edits/{index}/{bad.where}".rstrip("/")) from bad
    return tuple(edits)


def _checked(kind: str, name: str, value: Any, hint: Any) -> Any:
    if name in ("value", "fragment") and hint != (str | None):
        return value
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    for option in options:
        plain = get_origin(option) or option
        if plain is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            with suppress(OverflowError):
                return float(value)
        if isinstance(plain, type) and isinstance(value, plain):
            return value
    raise BadEdit(f"The field {name!r} of an edit of type {kind} has the wrong type.", where=name)
