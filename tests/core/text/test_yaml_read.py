"""Reading YAML text: values, places, and errors with their line."""

from __future__ import annotations

import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from tests.support.checks import each_row
from tests.support.corpus import at_least
from workflows.core.text.yaml.document import Duplicate, Pointer, YamlText, YamlTextError


@each_row([
        ("yes", "yes"), ("on", "on"), ("12:30:45", "12:30:45"), ("2026-05-01", "2026-05-01"),
        ("true", True), ("FALSE", False), ("~", None), ("", None), ("null", None),
        ("0x1F", 31), ("0o17", 15), ("0b11", 3), ("017", 17), ("1_000", 1000), ("-3", -3),
        ("1.0", 1.0), ("1e3", 1000.0), (".5", 0.5), (".inf", float("inf")), ("+1", 1),
        ("0x", "0x"), ("-", [None]), ("1.2.3", "1.2.3"), ("_1", "_1"), ("+", "+"), (".", "."),
        ("'1'", "1"), ('"\\u00e9\\n"', "é\n"), ("!!str 1", "1"), ("!!int '1'", 1),
        ("!!float 1", 1.0), ("! 1", "1"), ("a\n   b", "a b"), ("|+\n  x\n\n", "x\n\n\n"),
        (">-\n  a\n  b\n", "a b"), ("[a, {b: c}, d: e]", ["a", {"b": "c"}, {"d": "e"}]),
        ("{a, b: , 'c': 1}", {"a": None, "b": None, "c": 1}), ("&x 1", 1),
        ("'tab\there'", "tab\there"),
    ])  # fmt: skip
def test_a_value_is_read_as_the_core_schema_has_it(written: str, value: Any) -> None:
    found = YamlText.parse(f"a:{' ' if written != '-' else chr(10)}{written}\n".encode())
    assert found.get(("a",)) == value
    assert type(found.get(("a",))) is type(value)


@each_row(
    [
        (b"a: 1\n b: 2\n", 2, "':'"),
        (b"a: [1\n", 1, "not closed"),
        (b"a:\n\t- b\n", 2, "tab"),
        (b"a: 'x\nb: 1\n", 3, "closed"),
        (b"a: !foo x\n", 1, "!foo"),
        (b"a: 1\nb: !!python/object:os.system x\n", 2, "tag"),
        (b"a: !!binary aGk=\n", 1, "!!binary"),
        (b"a: !!int x\n", 1, "does not fit"),
        (b"a: !!set {b}\n", 1, "!!set"),
        (b"a: 1\n---\nb: 2\n", 2, "second document"),
        (b"%YAML 1.1\n---\na: yes\n", 1, "1.1"),
        (b"a: *x\n", 1, "no anchor"),
        (b"a: &x\n  b: *x\n", 2, "inside its own anchor"),
        (b"? [a]\n: 1\n", 1, "plain text"),
        (b"a: \xff\n", 1, "UTF-8"),
        ("a: 1".encode("utf-16"), 1, "UTF-16"),
        (b"a: 1\nb: \x07\n", 2, "U+0007"),
        (b'a: "\\UFFFFFFFF"\n', 1, ""),
        (b"a: " + b"9" * 5000, 1, "too long"),
        (b"a: 0x" + b"9" * 5000, 1, "too long"),
        (b"a: " + b"1_" * 5000, 1, "too long"),
        (b"a: !!float [1]\n", 1, "!!float"),
        (b"a: !!float x\n", 1, "does not fit"),
        (b"a: " + b"[" * 300, 1, "deeper"),
        (b"\n".join(b" " * level + b"a:" for level in range(300)), 201, "deeper"),
        (b"a: 1\n" * 60_000, 1, "limit"),
        (b"a: @x\n", 1, ""),
        (b"a: `x`\n", 1, ""),
        (b"a: %x\n", 1, ""),
        (b"a: b: c\n", 1, "':'"),
        (b"key\nother: 1\n", 2, "':'"),
        (b"- a\nb: 1\n", 2, ""),
    ]
)
def test_bad_input_is_an_error_with_a_line(data: bytes, line: int, words: str) -> None:
    with pytest.raises(YamlTextError) as found:
        YamlText.parse(data)
    assert words in found.value.message
    assert found.value.line == line
    assert found.value.column >= 1
    assert 0 <= found.value.offset <= len(data)


def test_aliases_of_aliases_cannot_blow_up() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(YamlTextError, match="unfold") as found:
        YamlText.parse("\n".join(rows).encode())
    assert found.value.line == 6


def test_merges_of_merges_cannot_blow_up() -> None:
    rows = ["a0: &a0 {" + ", ".join(f"k{n}: 1" for n in range(90)) + "}"]
    rows += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 12)]
    with pytest.raises(YamlTextError, match="unfold"):
        YamlText.parse("\n".join(rows).encode())


def test_aliases_cannot_nest_deeper_than_allowed() -> None:
    rows = ["a0: &a0 [[[[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]]]"]
    rows += [f"a{n}: &a{n} {'[' * 20}*a{n - 1}{']' * 20}" for n in range(1, 12)]
    with pytest.raises(YamlTextError, match="deeper"):
        YamlText.parse("\n".join(rows).encode())


PLACES = b"""\xef\xbb\xbf# top
"k\xc3\xa9y": &x   'v\xc3\xa4l' # c
list:
- a
-   b: |
      text
    c:
map: {<<: *m, d: 1}
""".replace(b"*m", b"{e: 2}")


@each_row(
    [
        (("kéy",), "'väl'", 2, 2),
        (("list",), "- a\n-   b: |\n      text\n    c:", 4, 3),
        (("list", 0), "a", 4, 4),
        (("list", "1", "b"), "|\n      text", 5, 5),
        (("list", 1, "c"), "", 7, 7),
        (("map", "d"), "1", 8, 8),
        (("map", "e"), "2", 8, 8),
    ]
)
def test_places_are_where_values_are_written(
    pointer: tuple[str | int, ...], raw: str, line: int, key_line: int
) -> None:
    text = YamlText.parse(PLACES)
    assert text.raw(pointer) == raw
    assert text.has(pointer)
    assert text.line(pointer) == line
    assert text.line(pointer, key=True) == key_line
    span = text.span(pointer)
    assert PLACES[span.start : span.end].decode() == raw


def test_an_absent_value_has_the_line_of_its_container() -> None:
    text = YamlText.parse(PLACES)
    assert not text.has(("list", 2))
    assert text.get(("list", 2), "none") == "none"
    assert text.line(("list", 1, "zzz", "more")) == 5
    with pytest.raises(KeyError):
        text.span(("zzz",))


def test_repeated_keys_are_named_with_their_lines_and_the_last_counts() -> None:
    text = YamlText.parse(b"a: 1\nb: {x: 1, x: 2}\na: 3\n'1': q\n1: r\n")
    assert text.value == {"a": 3, "b": {"x": 2}, "1": "r"}
    assert text.duplicates == (
        Duplicate(("b", "x"), 2), Duplicate(("a",), 3), Duplicate(("1",), 5),
    )  # fmt: skip


def plain(value: Any) -> Any:
    """The value that ruamel.yaml loads, with keys and dates as text."""
    if isinstance(value, dict):
        names = {True: "true", False: "false", None: ""}
        return {
            names.get(key, str(key)) if not isinstance(key, int) or isinstance(key, bool)
            else str(key): plain(each)
            for key, each in value.items()
        }  # fmt: skip
    if isinstance(value, list):
        return [plain(each) for each in value]
    return value.isoformat() if isinstance(value, datetime.date) else value


def heads(corpus: Path) -> list[tuple[Path, bytes]]:
    """Every YAML file and everything between two fences of a markdown file."""
    found = [(path, path.read_bytes()) for path in sorted(corpus.rglob("*.y*ml"))]
    for path in sorted(corpus.rglob("*.md")):
        data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        parts = data.replace(b"\r\n", b"\n").split(b"---\n")
        if data.startswith(b"---") and len(parts) > 2:
            found.append((path, parts[1]))
    assert len(found) >= at_least(81, 35)
    return found


def some_pointers(text: YamlText, random: Random, count: int) -> list[Pointer]:
    """Places below the root, found by walking down what is written out."""
    found: list[Pointer] = []
    for _ in range(count if isinstance(text.value, dict | list) and text.value else 0):
        pointer: Pointer = ()
        value = text.value
        while isinstance(value, dict | list) and value and (not pointer or random.random() < 0.8):
            name = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
            pointer, value = (*pointer, name), value[name]
        found.append(pointer)
    return found


def test_a_changed_scalar_of_a_real_file_is_one_span_and_other_edits_are_taken_back(
    corpus: Path,
) -> None:
    spans = backs = 0
    for path, data in heads(corpus):
        try:
            text = YamlText.parse(data)
        except YamlTextError:
            continue
        for pointer in some_pointers(text, Random(len(data)), 1):
            if text.duplicates or (b"*schema" in data and pointer[0] == "inputsSchema"):
                continue
            span = text.span(pointer)
            written = data[span.start : span.end]
            if not isinstance(text.get(pointer), dict | list) and written[:1] not in b"|>":
                changed = text.set(pointer, "other-value")
                new = changed.raw(pointer).encode()
                if written:
                    assert changed.data == data[: span.start] + new + data[span.end :], path
                    spans += 1
            last = pointer[-1]
            fresh = (*pointer[:-1], "never seen") if isinstance(last, str) else pointer
            assert text.insert(fresh, {"new": [1]}).delete(fresh).data == data, path
            if isinstance(last, str):
                there = (*pointer[:-1], "never-seen")
                assert text.rename(pointer, "never-seen").rename(there, last).data == data, path
            backs += 1
    assert spans >= at_least(21, 10)
    assert backs >= at_least(51, 25)


def test_every_file_means_what_ruamel_loads(corpus: Path) -> None:
    for path, data in heads(corpus):
        try:
            text = YamlText.parse(data)
        except YamlTextError as error:
            assert 1 <= error.line <= data.count(b"\n") + 1, path
            continue
        assert text.data == data
        if not text.duplicates:
            assert text.value == plain(YAML(typ="safe", pure=True).load(data)), path


PIECES = st.sampled_from(
    ["a", "b", ": ", ":", "- ", "\n", "\n  ", "\n ", "{", "}", "[", "]", ",", "'", '"', "|", ">-",
     "#", " # c", "&x ", "*x", "!!str ", "!", "? ", "<<", "---", "...", "\t", "\r\n", "1", "~",
     "%", "é", "\\", "\\x", "%YAML 1.1\n", "%TAG ! x\n", "&", "*", "0x", "_", "\ufeff", "\u2028"]
)  # fmt: skip


@settings(max_examples=400,
          suppress_health_check=list(HealthCheck))  # fmt: skip
@given(st.lists(PIECES, max_size=14).map("".join))
def test_any_text_is_read_or_refused_with_a_line(text: str) -> None:
    data = text.encode()
    try:
        found = YamlText.parse(data)
    except YamlTextError as error:
        assert error.message
        assert 1 <= error.line <= text.count("\n") + text.count("\r") + 1
        return
    assert found.data == data
