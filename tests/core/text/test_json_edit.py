"""Changing JSON text: each edit as a table of before and after."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from tests.support.checks import each_row
from workflows.core.text.json.document import JsonText, JsonTextError, Pointer

Edit = Callable[[JsonText], JsonText]

TWO = '{\n  "a": 1,\n  "b": 2\n}\n'
STATES = """\
{
  "states": {
    "draft": {
      "prompt": "write",
      "on_event": {"Submit": "review"},
      "tools": ["a", "b"]
    },
    "review": {
      "prompt": "judge",
      "on_event": {"Approve": "done", "Reject": "draft"},
      "tools": []
    }
  }
}
"""
REGISTRY = """\
{
\t"version": "3.0.0",
\t"c1": "steps",

\t"entry": {
\t\t"issue": "initial"
\t},

\t"steps": [
\t\t{ "id": 1 },
\t\t{ "id": 2 }
\t]
}
"""


def case(before: str, edit: Edit, after: str) -> Any:
    return pytest.param(before, edit, after)


SETS = [
    case(TWO, lambda text: text.set(("a",), 9), '{\n  "a": 9,\n  "b": 2\n}\n'),
    case(TWO, lambda text: text.set(("c",), 3), '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n'),
    case(
        TWO,
        lambda text: text.set(("c",), {"x": [1, {"y": {}}]}),
        '{\n  "a": 1,\n  "b": 2,\n  "c": {\n    "x": [\n      1,\n      {\n        "y": {}\n'
        "      }\n    ]\n  }\n}\n",
    ),
    case('{"a":1}', lambda text: text.set(("b",), [1, {"c": 2}]), '{"a":1,"b":[1,{"c":2}]}'),
    case('{"a": 1}', lambda text: text.set(("b",), [1, {"c": 2}]), '{"a": 1, "b": [1, {"c": 2}]}'),
    case('{ "a" : 1 }', lambda text: text.set(("b",), {"c": 2}), '{ "a" : 1, "b" : { "c" : 2 } }'),
    case("[1 , 2]", lambda text: text.set((2,), 3), "[1 , 2 , 3]"),
    case("[1]", lambda text: text.set(("-",), 2), "[1, 2]"),
    case(
        "[\r\n\t1\r\n]", lambda text: text.set((1,), [2]), "[\r\n\t1,\r\n\t[\r\n\t\t2\r\n\t]\r\n]"
    ),
    case("{}", lambda text: text.set(("a",), {"b": 1}), '{\n  "a": {\n    "b": 1\n  }\n}'),
    case("{\n}\n", lambda text: text.set(("a",), 1), '{\n  "a": 1\n}\n'),
    case('{"a": {}}', lambda text: text.set(("a", "b"), 1), '{"a": {"b": 1}}'),
    case('{"a": {\n}}', lambda text: text.set(("a", "b"), 1), '{"a": {\n  "b": 1\n}}'),
    case('{\n\t"a": []\n}', lambda text: text.set(("a", 0), 1), '{\n\t"a": [\n\t\t1\n\t]\n}'),
    case(
        '[{\n  "a": 1\n}, {\n  "a": 2\n}]',
        lambda text: text.set((2,), {"a": 3}),
        '[{\n  "a": 1\n}, {\n  "a": 2\n}, {\n  "a": 3\n}]',
    ),
    case(
        '{\n  "a": 1\n, "b": 2\n}',
        lambda text: text.set(("c",), 3),
        '{\n  "a": 1\n, "b": 2\n, "c": 3\n}',
    ),
    case(
        '{\n"a":\n{\n  "b": 1\n}\n}',
        lambda text: text.set(("c",), {"b": 2}),
        '{\n"a":\n{\n  "b": 1\n},\n"c":\n{\n  "b": 2\n}\n}',
    ),
    case('["a", "b",\n "c", "d"]', lambda text: text.set((4,), "e"), '["a", "b",\n "c", "d", "e"]'),
    case(
        '{"a": {\n    "b": 1\n}}',
        lambda text: text.set(("a", "c"), {"d": 1}),
        '{"a": {\n    "b": 1,\n    "c": {\n        "d": 1\n    }\n}}',
    ),
    case("1.0", lambda text: text.set((), 1), "1"),
    case("\n1 \n", lambda text: text.set((), [True, None]), "\n[\n  true,\n  null\n] \n"),
]

SPELLING = [
    case('["\\u00e9"]', lambda text: text.set((0,), "ü🚦"), '["\\u00fc\\ud83d\\udea6"]'),
    case('["\\u00E9"]', lambda text: text.set((0,), "ü🚦"), '["\\u00FC\\uD83D\\uDEA6"]'),
    case('["\\u00E9"]', lambda text: text.set((0,), "ü\n"), '["\\u00FC\\n"]'),
    case('["\\u00e9", "é"]', lambda text: text.set((0,), "ü"), '["ü", "é"]'),
    case('["plain"]', lambda text: text.set((0,), "ü"), '["ü"]'),
    case('["\\\\u00e9"]', lambda text: text.set(("-",), "ü"), '["\\\\u00e9", "ü"]'),
    case(
        '["\\u001B", "\\ud800"]',
        lambda text: text.set(("-",), "ü\x1b"),
        '["\\u001B", "\\ud800", "ü\\u001B"]',
    ),
    case('["a\\/b"]', lambda text: text.set(("-",), "c/d"), '["a\\/b", "c\\/d"]'),
    case('["a\\/b", "/"]', lambda text: text.set(("-",), "c/d"), '["a\\/b", "/", "c/d"]'),
    case(
        '["\\u003cb\\u003e"]',
        lambda text: text.set(("-",), "<i>&"),
        '["\\u003cb\\u003e", "\\u003ci\\u003e&"]',
    ),
    case('["x"]', lambda text: text.set((0,), "\ud800\n"), '["\\ud800\\n"]'),
    case("[1]", lambda text: text.set((0,), 1.0), "[1.0]"),
    case("[1]", lambda text: text.set((0,), True), "[true]"),
    case("[1e3]", lambda text: text.set((0,), 10**30), "[1000000000000000000000000000000]"),
]

INSERTS = [
    case(
        TWO,
        lambda text: text.insert(("x",), 0, before="a"),
        '{\n  "x": 0,\n  "a": 1,\n  "b": 2\n}\n',
    ),
    case(
        TWO,
        lambda text: text.insert(("x",), 0, before="b"),
        '{\n  "a": 1,\n  "x": 0,\n  "b": 2\n}\n',
    ),
    case(
        TWO, lambda text: text.insert(("x",), 0, index=1), '{\n  "a": 1,\n  "x": 0,\n  "b": 2\n}\n'
    ),
    case(TWO, lambda text: text.insert(("x",), 0), '{\n  "a": 1,\n  "b": 2,\n  "x": 0\n}\n'),
    case("[1, 2]", lambda text: text.insert((0,), 9), "[9, 1, 2]"),
    case("[1, 2]", lambda text: text.insert(("-",), 9, index=1), "[1, 9, 2]"),
    case('{"a": [1]}', lambda text: text.insert(("a",), 9, index=0), '{"a": [9, 1]}'),
    case("[[1], 2]", lambda text: text.insert((0,), 9, index=1), "[[1], 9, 2]"),
    case("[]", lambda text: text.insert((), 9, index=0), "[\n  9\n]"),
]

DELETES = [
    case(TWO, lambda text: text.delete(("a",)), '{\n  "b": 2\n}\n'),
    case(TWO, lambda text: text.delete(("b",)), '{\n  "a": 1\n}\n'),
    case(TWO, lambda text: text.delete(("a",)).delete(("b",)), "{}\n"),
    case("[1, 2, 3]", lambda text: text.delete((1,)), "[1, 3]"),
    case("[ 1 ]", lambda text: text.delete((0,)), "[]"),
    case("[\n1,\n\n2,\n3\n]", lambda text: text.delete((1,)), "[\n1,\n\n3\n]"),
    case("[\n1,\n2,\n\n3\n]", lambda text: text.delete((1,)), "[\n1,\n\n3\n]"),
]

ORDER = [
    case(TWO, lambda text: text.rename(("a",), "é/"), '{\n  "é/": 1,\n  "b": 2\n}\n'),
    case('{"a" : {"b" : 1}}', lambda text: text.rename(("a", "b"), "c"), '{"a" : {"c" : 1}}'),
    case("[1, 22, 3]", lambda text: text.move((2,), index=0), "[3, 1, 22]"),
    case("[1, 22, 3]", lambda text: text.move((0,)), "[22, 3, 1]"),
    case(
        '{"a":1, "b": 2,\n"c":3}',
        lambda text: text.move(("c",), before="a"),
        '{"c":3, "a":1,\n"b": 2}',
    ),
    case(
        '{"a":1, "b": 2,\n"c":3}',
        lambda text: text.move(("a",), before="c"),
        '{"b": 2, "a":1,\n"c":3}',
    ),
]

AROUND = [
    case(
        STATES,
        lambda text: text.set(
            ("states", "done"),
            {"prompt": "x", "on_event": {"Again": "draft"}, "tools": ["c"], "new": [1]},
        ),
        STATES.replace(
            '"tools": []\n    }',
            '"tools": []\n    },\n    "done": {\n      "prompt": "x",\n'
            '      "on_event": {"Again": "draft"},\n      "tools": ["c"],\n      "new": [1]\n    }',
        ),
    ),
    case(
        STATES,
        lambda text: text.set(("states", "review", "tools", "-"), "c"),
        STATES.replace("[]", '["c"]'),
    ),
    case(
        STATES,
        lambda text: text.set(("states", "draft", "on_event", "Stop"), "done"),
        STATES.replace('"review"}', '"review", "Stop": "done"}'),
    ),
    case(
        REGISTRY,
        lambda text: text.insert(("steps", 1), {"id": 9, "of": [1]}),
        REGISTRY.replace('{ "id": 2 }', '{ "id": 9, "of": [1] },\n\t\t{ "id": 2 }'),
    ),
    case(
        REGISTRY,
        lambda text: text.insert(("c2",), "x", before="entry"),
        REGISTRY.replace('"steps",\n', '"steps",\n\t"c2": "x",\n'),
    ),
    case(
        REGISTRY,
        lambda text: text.insert(("last",), "x"),
        REGISTRY.replace("\t]\n", '\t],\n\n\t"last": "x"\n'),
    ),
]

MERGES = [
    case(
        '{"a": 1.0, "b": {"c": 1e3,  "d": 2}, "e": "\\/"}',
        lambda text: text.set((), {"e": "/", "b": {"d": 3, "c": 1000.0}, "a": 1.0}),
        '{"a": 1.0, "b": {"c": 1e3,  "d": 3}, "e": "\\/"}',
    ),
    case(
        '{"a":1, "c":3}',
        lambda text: text.set((), {"a": 1, "b": 2, "c": 3}),
        '{"a":1, "b":2, "c":3}',
    ),
    case('{"a":1, "c":3}', lambda text: text.set((), {"z": 0, "c": 3}), '{"z":0, "c":3}'),
    case("[1e0,  2, 3,   4]", lambda text: text.set((), [2, 3, 4]), "[2, 3,   4]"),
    case(
        '["a",  "b", "c",   "d"]',
        lambda text: text.set((), ["a", "c", "x", "d"]),
        '["a", "c", "x",   "d"]',
    ),
    case('{"a": 1, "a": 2, "b": 0}', lambda text: text.set((), {"b": 0}), '{"b": 0}'),
    case('[{"a":  1}, 2]', lambda text: text.set((), [{"a": 3}, 2]), '[{"a":  3}, 2]'),
    case("{ }", lambda text: text.set((), []), "[]"),
]


@each_row(SETS + SPELLING + INSERTS + DELETES + ORDER + AROUND + MERGES)
def test_an_edit_writes_what_its_surroundings_suggest(before: str, edit: Edit, after: str) -> None:
    text = edit(JsonText.parse(before.encode()))
    assert text.data.decode() == after
    assert text.value == JsonText.parse(after.encode()).value


@each_row([
        (("a",), 1.0), (("b",), {"y": [1, 2], "x": None}), (("b", "y"), [1, 2]),
        (("c",), "é/"), ((), {"c": "é/", "b": {"y": [1, 2], "x": None}, "a": 1.0}),
    ])  # fmt: skip
def test_setting_the_present_value_returns_the_same_text(pointer: Pointer, value: Any) -> None:
    text = JsonText.parse(b'{"a": 10e-1, "b": {"x": null, "y": [1, 2]}, "c": "\\u00e9\\/"}')
    assert text.set(pointer, value) is text


def test_renaming_or_moving_to_the_present_place_returns_the_same_text() -> None:
    text = JsonText.parse(TWO.encode())
    assert text.rename(("a",), "a") is text
    assert text.move(("a",), index=0) is text
    assert text.move(("a",), before="b") is text
    assert text.move(("b",)) is text


@pytest.mark.parametrize("hollow", ["", " ", "\n", "\n  \n", "\t"])
@pytest.mark.parametrize(
    "frame", ["%s", '{"a": %s}', '{\n  "a": %s\n}', "[[1], %s]", '{"b": {"x": 1}, "a": %s}']
)
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_an_empty_container_filled_and_emptied_is_as_before(
    brackets: str, frame: str, hollow: str
) -> None:
    before = frame % (brackets[0] + hollow + brackets[1])
    text = JsonText.parse(before.encode())
    pointer: Pointer = ("a",) if '"a"' in frame else (1,) if "[[" in frame else ()
    one, two = (0, 0) if brackets == "[]" else ("x", "y")
    filled = text.insert((*pointer, one), {"deep": [1]}).insert((*pointer, two), 2)
    assert filled.delete((*pointer, two)).delete((*pointer, one)).data == text.data


@each_row(
    ['{"a": {"x": 1}}', '{"a": { "x":1 } }', '{\n "a": {\n  "x": 1\n }\n}', "[ 1 ]", "[\n1\n]"]
)
def test_an_emptied_container_filled_again_is_as_before(before: str) -> None:
    text = JsonText.parse(before.encode())
    pointer: Pointer = ("a", "x") if "a" in before else (0,)
    assert text.delete(pointer).insert(pointer, 1).data == text.data


@each_row(
    [
        (lambda text: text.set(("x", "y"), 1), KeyError),
        (lambda text: text.set(("a", "y"), 1), KeyError),
        (lambda text: text.set(("l", 5), 1), KeyError),
        (lambda text: text.set(("l", "x"), 1), KeyError),
        (lambda text: text.insert(("x", "y"), 1), KeyError),
        (lambda text: text.insert(("a", "y"), 1), KeyError),
        (lambda text: text.insert(("a",), 1), ValueError),
        (lambda text: text.insert((), 1), ValueError),
        (lambda text: text.insert(("n",), 1, before="x"), KeyError),
        (lambda text: text.insert(("n",), 1, index=9), IndexError),
        (lambda text: text.insert(("l", 9), 1), IndexError),
        (lambda text: text.insert(("l", "x"), 1), KeyError),
        (lambda text: text.insert(("l", 0), 1, before="a"), KeyError),
        (lambda text: text.move(("l", 0), before="a"), KeyError),
        (lambda text: text.delete(("x",)), KeyError),
        (lambda text: text.delete(("l", 2)), KeyError),
        (lambda text: text.delete(()), ValueError),
        (lambda text: text.rename(("x",), "y"), KeyError),
        (lambda text: text.rename(("a",), "l"), ValueError),
        (lambda text: text.rename(("l", 0), "y"), ValueError),
        (lambda text: text.rename((), "y"), ValueError),
        (lambda text: text.move(("x",)), KeyError),
        (lambda text: text.move(("a",), before="x"), KeyError),
        (lambda text: text.move(("a",), index=2), IndexError),
        (lambda text: text.move(("a",), index=-1), IndexError),
        (lambda text: text.move(()), ValueError),
        (lambda text: text.set(("a",), float("nan")), ValueError),
        (lambda text: text.set(("a",), {"x": float("inf")}), ValueError),
        (lambda text: text.set(("a",), {1, 2}), TypeError),
        (lambda text: text.set(("a",), [object()]), TypeError),
    ]
)
def test_an_edit_that_does_not_fit_is_refused(edit: Edit, error: type[Exception]) -> None:
    text = JsonText.parse(b'{"a": 1, "l": [1, 2]}')
    with pytest.raises(error):
        edit(text)


def test_nothing_is_written_deeper_than_can_be_read() -> None:
    text = JsonText.parse(b"[" * 150 + b"]" * 150)
    deep: Any = 1
    for _ in range(50):
        deep = [deep]
    path: Pointer = (0,) * 149
    assert JsonText.parse(text.set((*path, 0), deep).data)
    with pytest.raises(JsonTextError, match="deeper than 200"):
        text.set((*path, 0), [deep])
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(JsonTextError, match="deeper than 200"):
        text.set((), deep)


def test_the_author_keeps_his_object_and_we_keep_ours() -> None:
    mine = {"list": [1]}
    text = JsonText.parse(b"{}").set(("a",), mine)
    mine["list"].append(2)
    assert text.get(("a",)) == {"list": [1]}
    assert b"2" not in text.data


def test_an_edit_shares_everything_it_does_not_touch() -> None:
    text = JsonText.parse(dedent(STATES).encode())
    review = text.get(("states", "review"))
    changed = text.set(("states", "draft", "prompt"), "new")
    assert changed.get(("states", "review")) is review
    assert changed.get(("states", "draft", "tools")) is text.get(("states", "draft", "tools"))
    assert text.get(("states", "draft", "prompt")) == "write"
    renamed = changed.rename(("states", "draft"), "first")
    assert list(renamed.get(("states",))) == ["first", "review"]
    assert renamed.get(("states", "review")) is review
