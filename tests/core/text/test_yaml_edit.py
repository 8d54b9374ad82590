"""Changing YAML text: each promise as a table of before, edit, after."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from tests.support.checks import each_row
from workflows.core.text.yaml.document import YamlText, YamlTextError

Edit = Callable[[YamlText], YamlText]

STAGE = """\
# About this stage
id: 'survey'   # the id
name: "Über"

allowedTools: [read, grep]   # two
policy: { maxAttempts: 1, backoff: none }
schema: &schema
  type: object
  # what it holds
  properties:
    when: { type: string }
    steps:
      type: array
inputs: *schema
empty:
cap: 0x0A
note: >-
  Folded text
  goes on.
tags: []
"""


def case(before: str, edit: Edit, after: str) -> Any:
    return pytest.param(before, edit, after)


def change(edit: Edit, old: str, new: str) -> Any:
    """An edit of the stage that turns `old` into `new` and nothing else."""
    assert STAGE.count(old) == 1, old
    return pytest.param(STAGE, edit, STAGE.replace(old, new))


SETS = [
    change(lambda text: text.set(("id",), "plan"), "'survey'", "'plan'"),
    change(lambda text: text.set(("name",), "no"), '"Über"', '"no"'),
    change(lambda text: text.set(("cap",), 12), "0x0A", "12"),
    change(lambda text: text.set(("empty",), 1), "empty:", "empty: 1"),
    change(lambda text: text.set(("empty",), {"a": {"b": 1}}),
           "empty:", "empty:\n  a: { b: 1 }"),
    change(lambda text: text.set(("allowedTools", 1), "edit"), "grep]", "edit]"),
    change(lambda text: text.set(("allowedTools",), ["read", "no"]), "grep]", "'no']"),
    change(lambda text: text.set(("allowedTools", "-"), "a b"), "grep]", "grep, a b]"),
    change(lambda text: text.set(("allowedTools",), "all"), "[read, grep]", "'all'"),
    change(lambda text: text.set(("policy", "new"), [1]), "none }", "none, new: [1] }"),
    change(lambda text: text.set(("policy",), {"maxAttempts": 2, "backoff": "none"}),
           "Attempts: 1", "Attempts: 2"),
    change(lambda text: text.set(("inputs",), {"type": "array"}),
           "inputs: *schema", "inputs:\n  type: array"),
    change(lambda text: text.set(("note",), "Other text"),
           "Folded text\n  goes on.", "Other text"),
    change(lambda text: text.set(("note",), "two\nlines\n"),
           ">-\n  Folded text\n  goes on.", "|\n  two\n  lines"),
    change(lambda text: text.set(("note",), 5), " >-\n  Folded text\n  goes on.", " 5"),
    change(lambda text: text.set(("tags", 0), "x"), "[]", "[x]"),
    change(lambda text: text.set(("schema", "properties", "when"), "any"),
           "{ type: string }", "any"),
    change(lambda text: text.set(("schema", "properties", "so"), {"type": "string"}),
           "type: array\n", "type: array\n    so: { type: string }\n"),
    case("a: 1 # c\n", lambda text: text.set(("a",), "x\ny"), "a: |- # c\n  x\n  y\n"),
    case("a: 1 # c\n", lambda text: text.set(("a",), {"b": 1}), "a: # c\n  b: 1\n"),
    case("a: | # c\n  x\nb: 1\n", lambda text: text.set(("a",), 1), "a: 1 # c\nb: 1\n"),
    case("a: # c\n  # d\n  b: 1\nc: 2\n", lambda text: text.set(("a",), 1),
         "a: 1 # c\n  # d\nc: 2\n"),
    case("a: &x # c\n  b: 1\nc: *x\n", lambda text: text.set(("a",), 1),
         "a: &x 1 # c\nc: *x\n"),
    case("a: !!str 1\n", lambda text: text.set(("a",), 2), "a: 2\n"),
    case("a: &k !!str 1 # c\nb: *k\n", lambda text: text.set(("a",), 2), "a: &k 2 # c\nb: *k\n"),
    case("a: yes\n", lambda text: text.set(("a",), "off"), 'a: "off"\n'),
    case("a: ~\nb: 1\n", lambda text: text.set(("b",), None), "a: ~\nb: ~\n"),
    case("a:\n  b\n", lambda text: text.set(("a",), "c"), "a:\n  c\n"),
    case("a:\n  b # c\n", lambda text: text.set(("a",), [1]), "a:\n  - 1 # c\n"),
    case("- a: 1 # c\n  b: 2\n- 3\n", lambda text: text.set((0,), 1), "- 1\n- 3\n"),
    case("-   a\n-   b # c\n", lambda text: text.set((1,), {"x": 1, "y": [2]}),
         "-   a\n-   x: 1 # c\n    y:\n      -   2\n"),
    case("", lambda text: text.set(("a",), 1), "a: 1\n"),
    case("# only\n", lambda text: text.set(("a",), 1), "# only\na: 1\n"),
    case("---\n", lambda text: text.set(("a",), 1), "---\na: 1\n"),
    case("--- # x\na: 1\n...\n# end\n", lambda text: text.set(("b",), 2),
         "--- # x\na: 1\nb: 2\n...\n# end\n"),
    case("a: 1", lambda text: text.set(("b",), 2), "a: 1\nb: 2"),
    case("a: 1", lambda text: text.set(("b",), "x\n"), 'a: 1\nb: "x\\n"'),
    case("a: 1\r\nb: 2\r\n", lambda text: text.set(("a",), {"x": "y\nz\n"}),
         "a:\r\n  x: |\r\n    y\r\n    z\r\nb: 2\r\n"),
    case("\ufeffa: 1\n", lambda text: text.set(("a",), 2), "\ufeffa: 2\n"),
    case("a: 'tab\there'\nb: 1\n", lambda text: text.set(("b",), 2), "a: 'tab\there'\nb: 2\n"),
    case("<<: {b: 1}\nc: 1\n", lambda text: text.set(("b",), 2), "<<: {b: 1}\nc: 1\nb: 2\n"),
    case("d: &d {b: 1}\nx:\n  <<: *d\n  c: 1\n",
         lambda text: text.set(("x",), {"c": 2, "b": 1}),
         "d: &d {b: 1}\nx:\n  <<: *d\n  c: 2\n"),
    case("{a, b: 1}\n", lambda text: text.set(("a",), 1), "{a: 1, b: 1}\n"),
    case("a: 1\nb: 2\n", lambda text: text.set((), [1]), "- 1\n"),
    case("a: [x,\n    y]\n", lambda text: text.set(("a",), 1), "a: 1\n"),
]  # fmt: skip

INSERTS = [
    change(lambda text: text.insert(("new",), 1, before="id"),
           "# About this stage\n", "# About this stage\nnew: 1\n"),
    change(lambda text: text.insert(("new",), "x", before="name"),
           "# the id\n", "# the id\nnew: 'x'\n"),
    change(lambda text: text.insert(("schema", "z"), True, before="properties"),
           "  # what", "  z: true\n  # what"),
    change(lambda text: text.insert(("tags",), "a: b", index=0), "[]", "['a: b']"),
    case("a:\n  # of b\n  b: 1\n", lambda text: text.insert(("a", "x"), 1, index=0),
         "a:\n  x: 1\n  # of b\n  b: 1\n"),
    case("a:\n- 1\n- 2\nb: 1\n", lambda text: text.insert(("a", 1), {"x": 1, "y": 2}),
         "a:\n- 1\n- x: 1\n  y: 2\n- 2\nb: 1\n"),
    case("a:\n- 1\nb: 1\n", lambda text: text.set(("c",), [1, [2]]),
         "a:\n- 1\nb: 1\nc:\n- 1\n- - 2\n"),
    case("a:\n    - 1\nb: 1\n", lambda text: text.set(("c",), ["x"]),
         "a:\n    - 1\nb: 1\nc:\n    - x\n"),
    case("- a: 1\n  b: 2\n", lambda text: text.insert((0, "x"), 0, index=0),
         "- x: 0\n  a: 1\n  b: 2\n"),
    case("a: 1\n\nb: 2\n\nc: 3\n", lambda text: text.insert(("x",), 0, before="c"),
         "a: 1\n\nb: 2\n\nx: 0\n\nc: 3\n"),
    case("a: |+\n  x\n\nb: 1\n", lambda text: text.insert(("x",), 0, before="b"),
         "a: |+\n  x\n\nx: 0\nb: 1\n"),
    case("a: |\n  x", lambda text: text.set(("b",), 1), "a: |-\n  x\nb: 1"),
    case("a: 1\nb: |\n  x", lambda text: text.move(("a",)), "b: |-\n  x\na: 1"),
    case("a: 1\nb: |\n  x\nc: 2", lambda text: text.move(("b",)),
         "a: 1\nc: 2\nb: |\n  x\n"),
    case("[a , b]\n", lambda text: text.insert((1,), "c"), "[a , c , b]\n"),
    case("[\n  a, # one\n  b # two\n]\n", lambda text: text.insert((2,), "c"),
         "[\n  a, # one\n  b, # two\n  c\n]\n"),
    case("[\n  a,\n  b,\n]\n", lambda text: text.insert((2,), "c"), "[\n  a,\n  b,\n  c,\n]\n"),
    case('"a": 1\n', lambda text: text.set(("b",), 1), '"a": 1\n"b": 1\n'),
]  # fmt: skip

DELETES = [
    change(lambda text: text.delete(("id",)), "id: 'survey'   # the id\n", ""),
    change(lambda text: text.delete(("name",)), 'name: "Über"\n', ""),
    change(lambda text: text.delete(("allowedTools", 0)), "read, ", ""),
    change(lambda text: text.delete(("policy", "backoff")), ", backoff: none", ""),
    change(lambda text: text.delete(("inputs",)), "inputs: *schema\n", ""),
    change(lambda text: text.delete(("note",)), "note: >-\n  Folded text\n  goes on.\n", ""),
    change(lambda text: text.delete(("tags",)), "tags: []\n", ""),
    change(lambda text: text.delete(("schema", "properties", "steps")),
           "    steps:\n      type: array\n", ""),
    change(lambda text: text.delete(("schema", "properties", "steps", "type")),
           "steps:\n      type: array\n", "steps: {}\n"),
    case("a: 1 # own\n# of b\nb: 2\n", lambda text: text.delete(("a",)), "# of b\nb: 2\n"),
    case("a:\n  b: 1 # own\n  # stays\nc: 1\n", lambda text: text.delete(("a", "b")),
         "a: {}\n  # stays\nc: 1\n"),
    case("- a: 1\n  # of b\n  b: 2\n", lambda text: text.delete((0, "a")),
         "- # of b\n  b: 2\n"),
    case("a: 1\nb: 2", lambda text: text.delete(("b",)), "a: 1"),
    case("a: 1\n\nb: 2\n\nc: 3\n", lambda text: text.delete(("b",)), "a: 1\n\nc: 3\n"),
    case("a: 1\na: 2\nb: 1\n", lambda text: text.delete(("a",)), "a: 1\nb: 1\n"),
    case("a: [ 1 ]\n", lambda text: text.delete(("a", 0)), "a: []\n"),
    case("a: 1\n", lambda text: text.delete(("a",)), "{}\n"),
    case("[\n  a, # one\n  b # two\n]\n", lambda text: text.delete((1,)),
         "[\n  a # one\n]\n"),
    case("[\n  a, # one\n  b, # two\n  c\n]\n", lambda text: text.delete((1,)),
         "[\n  a, # one\n  c\n]\n"),
]  # fmt: skip

ORDER = [
    change(lambda text: text.rename(("id",), "key"), "id:", "key:"),
    change(lambda text: text.rename(("policy", "backoff"), "a, b"), "backoff", "'a, b'"),
    case("'a': 1\n", lambda text: text.rename(("a",), "it's"), "'it''s': 1\n"),
    case("? a\n: 1\n", lambda text: text.rename(("a",), "yes"), '? "yes"\n: 1\n'),
    case("&x a: 1\nb: *x\n", lambda text: text.rename(("b",), "c"), "&x a: 1\nc: *x\n"),
    case("# file\na: 1 # one\n# of b\nb:\n  c: 2\nd: 3\n",
         lambda text: text.move(("b",), before="a"),
         "# file\n# of b\nb:\n  c: 2\na: 1 # one\nd: 3\n"),
    case("[a,  b, c]\n", lambda text: text.move((0,)), "[b,  c, a]\n"),
    case("- a: 1\n  b: 2\n- c", lambda text: text.move((1,), index=0), "- c\n- a: 1\n  b: 2"),
    case("- a: 1\n  b: 2\n", lambda text: text.move((0, "b"), index=0), "- b: 2\n  a: 1\n"),
]  # fmt: skip


@each_row(SETS + INSERTS + DELETES + ORDER)
def test_an_edit_writes_what_its_surroundings_suggest(before: str, edit: Edit, after: str) -> None:
    text = edit(YamlText.parse(before.encode()))
    assert text.data.decode() == after
    assert text.value == YamlText.parse(after.encode()).value


@each_row(
    [
        lambda text: text.set(("inputs", "type"), "x"),
        lambda text: text.set(("inputs", "more"), "x"),
        lambda text: text.set(("inputs", "properties", "when"), "x"),
        lambda text: text.insert(("inputs", "x"), 1),
        lambda text: text.delete(("inputs", "type")),
        lambda text: text.rename(("inputs", "type"), "x"),
        lambda text: text.move(("inputs", "type")),
    ]
)
def test_an_edit_through_an_alias_is_refused_with_the_anchor(edit: Edit) -> None:
    with pytest.raises(YamlTextError) as refused:
        edit(YamlText.parse(STAGE.encode()))
    assert "alias" in refused.value.message
    assert refused.value.line == 14
    assert "line 7" in refused.value.hint


def test_an_anchor_with_an_alias_cannot_be_deleted() -> None:
    with pytest.raises(YamlTextError, match="without changing something else"):
        YamlText.parse(STAGE.encode()).delete(("schema",))


def test_a_merged_key_cannot_be_deleted() -> None:
    text = YamlText.parse(b"a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\n")
    assert text.get(("b", "x")) == 1
    with pytest.raises(YamlTextError) as refused:
        text.delete(("b", "x"))
    assert "line 1" in refused.value.hint


def test_an_anchored_value_that_changes_takes_its_aliases_along() -> None:
    text = YamlText.parse(STAGE.encode()).set(("schema", "type"), "array")
    assert text.get(("inputs", "type")) == "array"


@each_row(
    [
        (lambda text: text.set(("x", "y"), 1), KeyError),
        (lambda text: text.set(("id", "y"), 1), KeyError),
        (lambda text: text.set(("empty", "y"), 1), KeyError),
        (lambda text: text.set(("allowedTools", 5), 1), KeyError),
        (lambda text: text.insert(("id",), 1), ValueError),
        (lambda text: text.insert((), 1), ValueError),
        (lambda text: text.insert(("n",), 1, before="x"), KeyError),
        (lambda text: text.insert(("n",), 1, index=99), IndexError),
        (lambda text: text.insert(("allowedTools", 9), 1), IndexError),
        (lambda text: text.insert(("allowedTools", "x"), 1), KeyError),
        (lambda text: text.insert(("allowedTools", 0), 1, before="a"), KeyError),
        (lambda text: text.delete(("x",)), KeyError),
        (lambda text: text.delete(()), ValueError),
        (lambda text: text.rename(("id",), "name"), ValueError),
        (lambda text: text.rename(("allowedTools", 0), "y"), ValueError),
        (lambda text: text.rename((), "y"), ValueError),
        (lambda text: text.move(("x",)), KeyError),
        (lambda text: text.move(("id",), before="x"), KeyError),
        (lambda text: text.move(("id",), index=99), IndexError),
        (lambda text: text.move(()), ValueError),
        (lambda text: text.set(("id",), object()), TypeError),
        (lambda text: text.set(("id",), float("nan")), ValueError),
        (lambda text: text.set(("id",), deep(250)), YamlTextError),
    ]
)
def test_an_edit_that_cannot_be_is_refused(edit: Edit, error: type[Exception]) -> None:
    text = YamlText.parse(STAGE.encode())
    with pytest.raises(error):
        edit(text)
    assert text.data == STAGE.encode()


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_setting_the_present_value_returns_the_same_text() -> None:
    text = YamlText.parse(STAGE.encode())
    for key, value in text.value.items():
        assert text.set((key,), value) is text
    assert text.rename(("id",), "id") is text
    assert text.move(("id",), index=0) is text
    assert text.move(("tags",)) is text
    assert text.move(("id",), before="name") is text


def test_a_long_new_mapping_goes_below_its_key() -> None:
    before = dedent(
        """\
        one: {a: b}
        """
    )
    value = {f"key{number}": "some words" for number in range(9)}
    text = YamlText.parse(before.encode()).set(("two",), value)
    assert text.data.decode().startswith("one: {a: b}\ntwo:\n  key0: some words\n")
    assert text.get(("two",)) == value
