"""The checks of the edit kit, in every dialect."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from tests.support.checks import each_row
from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect
from workflows.core.pack import files as pack_files
from workflows.core.pack.edit_kit import EditKit
from workflows.core.pack.edits import (
    LAYOUT,
    TYPES,
    AddObject,
    AddState,
    BindRole,
    Connect,
    Draw,
    Edit,
    EditRefused,
    LimitApprovals,
    Move,
    Paste,
    RenameState,
    Resize,
    SetField,
    UnsetField,
    WriteFile,
    WriteNote,
)
from workflows.core.pack.files import BadFiles, Files
from workflows.core.text.json.document import JsonText, JsonTextError
from workflows.core.text.yaml.document import YamlText
from workflows.core.text.yaml.errors import YamlTextError

NAMES = [name for name in dialects() if name != "tiny"]
LONE = "\ud800"


@dataclass(frozen=True, kw_only=True)
class Unknown:
    type: ClassVar[str] = "unknown"
    value: str = ""


def sample(name: str) -> tuple[Dialect, Any]:
    """A readable pack of the dialect whose main file is JSON, or a script."""
    dialect = dialects()[name]
    for files in dialect.samples().values():
        source = dialect.read(files)
        if source.readable and source.main.endswith((".json", ".js")):
            return dialect, source
    raise AssertionError(f"no sample of {name} has a JSON file")


def text_edit(dialect: Dialect, source: Any, value: str) -> SetField:
    """An edit of a text of the first state. In a script that is an option of its call."""
    state = dialect.graph(source, dialect.profiles[0]).states[0].id
    field = "model" if source.main.endswith(".js") else "description"
    return SetField(element=f"state:{state}", field=f"/{field}", value=value)


def refusal(dialect: Dialect, source: Any, edit: Any) -> str:
    """The message with which the edit is refused; the source keeps its bytes."""
    before = dict(source.files)
    with pytest.raises(EditRefused) as refused:
        dialect.apply(source, edit)
    assert dict(source.files) == before
    refused.value.message.encode("utf-8")
    return refused.value.message


def edits_with(value: Any, state: str) -> list[Edit]:
    """An edit of each type that writes a text of the caller."""
    return [
        SetField(element="pack", field="/description", value=value),
        SetField(element="pack", field="/description", value={"deeper": [value]}),
        SetField(element="pack", field="/description", value={value: 1}),
        SetField(element=f"state:{state}", field="/description", value=value),
        SetField(element=f"state:{state}", field=f"/{value}", value=1),
        AddState(id=value),
        AddObject(kind="prompt", key=value),
        AddObject(kind="prompt", key="x", value={"text": value}),
        RenameState(id=state, new_id=value),
        Connect(source=state, target=state, label=value),
        Paste(fragment={"states": {"x": value}}),
        WriteFile(path="x.md", text=value),
        WriteFile(path=value, text=""),
    ]


@each_row(NAMES)
def test_a_lone_surrogate_is_refused(name: str) -> None:
    dialect, source = sample(name)
    state = dialect.graph(source, dialect.profiles[0]).states[0].id
    for edit in edits_with(LONE, state):
        assert "lone surrogate" in refusal(dialect, source, edit), edit
    written = WriteFile(path=source.main, text=f'{{"x": "{LONE}"}}')
    assert "lone surrogate" in refusal(dialect, source, written)


@each_row(NAMES)
def test_a_whole_surrogate_pair_is_written(name: str) -> None:
    dialect, source = sample(name)
    after = dialect.apply(source, text_edit(dialect, source, "\U0001f600"))
    assert source.files.difference(after.files)
    assert dialect.read(after.files).readable


@each_row(NAMES)
def test_an_edit_of_unknown_type_is_refused(name: str) -> None:
    dialect, source = sample(name)
    others: list[Any] = [
        Unknown(),
        Move(positions={"x": [1, 2]}),
        Draw(),
        Resize(id="x", width=1.0, height=1.0),
        BindRole(id="x"),
        WriteNote(id="x", text="y"),
        LimitApprovals(id="x"),
    ]
    assert {type(edit) for edit in others[1:]} == set(LAYOUT)
    for edit in others:
        message = refusal(dialect, source, edit)
        assert message == f"An edit of type {edit.type!r} does not change the files of a pack."


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


UNWRITABLE: dict[str, tuple[Any, str]] = {
    "NaN": (math.nan, "not a JSON number"),
    "infinity": (-math.inf, "not a JSON number"),
    "too deep": (nested(250), "nested deeper"),
    "far too deep": (nested(50_000), "nested deeper"),
    "too many digits": (10**5000, "too many digits"),
    "a set": ({1}, "not a JSON value"),
    "bytes": (b"x", "not a JSON value"),
    "a key that is a number": ({1: 2}, "not a string"),
    "inside a list": ([1, {"a": math.nan}], "not a JSON number at /1/a"),
}


@each_row(NAMES)
def test_a_value_that_no_file_can_hold_is_refused(name: str) -> None:
    dialect, source = sample(name)
    state = dialect.graph(source, dialect.profiles[0]).states[0].id
    for value, problem in UNWRITABLE.values():
        for element in ("pack", f"state:{state}"):
            edit = SetField(element=element, field="/description", value=value)
            assert problem in refusal(dialect, source, edit)
        assert problem in refusal(dialect, source, AddObject(kind="x", key="y", value=value))
        assert problem in refusal(dialect, source, Paste(fragment=value))


@each_row(NAMES)
def test_an_unreadable_pack_accepts_edits_of_its_text_only(name: str) -> None:
    dialect, source = sample(name)
    broken = dialect.read(source.files.changed({source.main: b'{"x": '}))
    assert not broken.readable
    for edit in (
        SetField(element="pack", field="/description", value="x"),
        UnsetField(element="pack", field="/description"),
        AddState(id="x"),
    ):
        assert "only its text can be edited" in refusal(dialect, broken, edit)
    text = source.files[source.main].decode()
    repaired = dialect.apply(broken, WriteFile(path=source.main, text=text))
    assert repaired.readable
    assert dict(repaired.files) == dict(source.files)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_grows_too_large_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect, source = sample(name)
    monkeypatch.setattr(pack_files, "MAX_FILE_BYTES", 100_000)
    for edit in (
        text_edit(dialect, source, "x" * 100_001),
        WriteFile(path=source.main, text=" " * 100_001),
    ):
        assert "the limit is 100,000" in refusal(dialect, source, edit)


@each_row(NAMES)
def test_an_edit_of_a_missing_element_is_refused(name: str) -> None:
    dialect, source = sample(name)
    for edit in edits_with("x", "no such state"):
        if "no such state" in repr(edit):
            assert refusal(dialect, source, edit)


@dataclass(frozen=True)
class Source:
    readable: bool = True
    main: str = "main.json"
    files: Files = field(default_factory=lambda: Files({}))


def kit(error: Exception) -> EditKit[Source]:
    """A kit whose every function raises this error."""

    def fail(source: Source, edit: Any) -> Source:
        raise error

    files = {kind.type for kind in LAYOUT}
    return EditKit(functions={kind: fail for kind in TYPES.values() if kind.type not in files})


ERRORS: list[tuple[Exception, str]] = [
    (BadFiles("A path is empty."), "A path is empty."),
    (KeyError("x"), "unexpected type"),
    (IndexError(), "unexpected type"),
    (ValueError(), "unexpected type"),
    (TypeError(), "unexpected type"),
    (AttributeError(), "unexpected type"),
    (UnicodeEncodeError("utf-8", LONE, 0, 1, "x"), "lone surrogate"),
    (EditRefused("The reason."), "The reason."),
]


@each_row(ERRORS)
def test_an_error_of_an_edit_function_is_a_refusal(error: Exception, message: str) -> None:
    with pytest.raises(EditRefused) as refused:
        kit(error).apply(Source(), AddState(id="x"))
    assert message in refused.value.message


def test_an_error_of_the_writers_is_a_refusal() -> None:
    with pytest.raises(JsonTextError) as bad_json:
        JsonText.parse(b"[")
    with pytest.raises(YamlTextError) as bad_yaml:
        YamlText.parse(b"a: [")
    for error in (bad_json.value, bad_yaml.value):
        with pytest.raises(EditRefused) as refused:
            kit(error).apply(Source(), AddState(id="x"))
        assert error.message in refused.value.message


@each_row([ZeroDivisionError(), RuntimeError(), AssertionError()])
def test_a_fault_of_an_edit_function_is_no_refusal(error: Exception) -> None:
    with pytest.raises(type(error)):
        kit(error).apply(Source(), AddState(id="x"))


def test_the_dialect_explains_its_own_errors() -> None:
    def fail(source: Source, edit: Any) -> Source:
        raise LookupError("x")

    functions = dict.fromkeys(kit(KeyError()).functions, fail)
    own = EditKit[Source](functions=functions, explain=lambda error: EditRefused(f"Own: {error}"))
    with pytest.raises(EditRefused, match="Own: x"):
        own.apply(Source(), AddState(id="x"))


def test_a_kit_without_a_function_for_an_edit_type_is_an_error() -> None:
    functions = dict(kit(KeyError()).functions)
    del functions[Paste]
    with pytest.raises(TypeError, match="paste"):
        EditKit[Source](functions=functions)
