"""Reading JSON text: values, places, lines, spelling, repeated keys and plain words for errors."""

from __future__ import annotations

import json

import pytest

from tests.support.checks import each_row
from workflows.core.text.json.document import (
    Duplicate,
    JsonText,
    JsonTextError,
    pointer_of,
    pointer_text,
)

FILE = b"""\
{
  "id": "p",
  "limits": {"low": 1.0, "high": 1e3, "minus": -0},
  "words": ["\\u00E9", "a\\/b", "\xc3\xa9"],

  "empty": { }
}
"""


@each_row(
    [
        ("", ()),
        ("/", ("",)),
        ("/states/a~1b/0", ("states", "a/b", "0")),
        ("/~01", ("~1",)),
        ("/a//b", ("a", "", "b")),
    ]
)
def test_a_pointer_and_its_text_are_each_others_inverse(text: str, pointer: tuple[str]) -> None:
    assert pointer_of(text) == pointer
    assert pointer_text(pointer) == text


def test_a_pointer_text_begins_with_a_slash() -> None:
    with pytest.raises(ValueError, match="begins with"):
        pointer_of("states/a")


def test_spelling_is_kept_and_values_are_plain() -> None:
    text = JsonText.parse(FILE)
    assert text.data == FILE
    assert text.value["limits"] == {"low": 1.0, "high": 1000.0, "minus": 0}
    assert [text.raw(("limits", key)) for key in ("low", "high", "minus")] == ["1.0", "1e3", "-0"]
    assert [text.raw(("words", index)) for index in range(3)] == ['"\\u00E9"', '"a\\/b"', '"é"']
    assert text.raw(("empty",)) == "{ }"


def test_an_index_may_be_a_number_or_its_digits() -> None:
    text = JsonText.parse(FILE)
    assert text.get(("words", 1)) == text.get(("words", "1")) == "a/b"
    for absent in ("01", "-1", "-", "x", 3, -1, "3"):
        assert not text.has(("words", absent))
        assert text.get(("words", absent), "nothing") == "nothing"


def test_lines_are_those_of_value_key_or_nearest_ancestor() -> None:
    text = JsonText.parse(b'{\n"a":\n{\n"b":\n[1,\n2]}}')
    assert text.line(()) == 1
    assert (text.line(("a",), key=True), text.line(("a",))) == (2, 3)
    assert (text.line(("a", "b"), key=True), text.line(("a", "b", 1))) == (4, 6)
    assert text.line(("a", "missing", "deeper")) == 3
    assert text.line(("a", "b", 1, "deeper")) == 6


@each_row([b"\n", b"\r\n", b"\r"])
def test_every_kind_of_line_break_counts_once(newline: bytes) -> None:
    text = JsonText.parse(newline.join([b"[", b"1,", b"2,", b"3]"]))
    assert [text.line((index,)) for index in range(3)] == [2, 3, 4]


def test_lines_stay_right_past_thousands_of_lines() -> None:
    data = b"[\r\n" + b",\r\n".join(b'"%d"' % number for number in range(9_000)) + b"]"
    text = JsonText.parse(data)
    assert [text.line((number,)) for number in (0, 4_095, 8_999)] == [2, 4_097, 9_001]


def test_spans_count_bytes_from_the_start_of_the_file() -> None:
    data = '\ufeff{"ключ": "é", "x": 1}'.encode()
    text = JsonText.parse(data)
    span = text.span(("x",))
    assert data[span.start : span.end] == b"1"
    assert text.span(()).start == 3
    with pytest.raises(KeyError, match="/missing"):
        text.span(("missing",))


def test_of_repeated_keys_the_last_counts_and_all_later_ones_are_named() -> None:
    text = JsonText.parse(b'{"a": 1,\n"b": {"c": 1,\n"c": [2]},\n"a": {"x": 1, "x": 2},\n"a": 3}')
    assert text.value == {"a": 3, "b": {"c": [2]}}
    assert text.duplicates == (
        Duplicate(("b", "c"), 3),
        Duplicate(("a",), 4),
        Duplicate(("a", "x"), 4),
        Duplicate(("a",), 5),
    )
    assert text.raw(("a",)) == "3"
    assert text.line(("a",)) == 5
    assert text.set(("a",), 4).data.endswith(b'"x": 2},\n"a": 4}')
    assert text.delete(("a",)).get(("a",)) == {"x": 2}


def test_two_keys_are_the_same_however_they_are_spelled() -> None:
    assert len(JsonText.parse(b'{"\\u0061": 1, "a": 2}').duplicates) == 1
    assert JsonText.parse('{"\\u00e9": 1, "é": 2, "e\u0301": 3}'.encode()).value == {
        "é": 2,
        "e\u0301": 3,
    }


@each_row([b"1", b' "x" ', b"[]", b"\n{}\n", b"null", b"-0", b"1E400", b'"\\ud800"'])
def test_any_single_value_is_a_file(data: bytes) -> None:
    text = JsonText.parse(data)
    assert json.dumps(text.value) == json.dumps(json.loads(data))
    assert text.raw(()).encode() == data.strip()


ERRORS = [
    (b"", "empty", 1, 1, 0),
    (b" \n ", "empty", 1, 1, 0),
    (b'{"a": 1,}', "Remove the comma before this '}'", 1, 8, 7),
    (b'{\n "a": [1, 2,\n ]}', "Remove the comma before this ']'", 2, 12, 13),
    (b'{"a" 1}', "':' is missing", 1, 6, 5),
    (b"[1 2]", "comma or a closing bracket is missing: found '2'", 1, 4, 3),
    (b"[1", "the text ends", 1, 3, 2),
    (b'{"a": }', "value is missing", 1, 7, 6),
    (b"{'a': 1}", "double quotes", 1, 2, 1),
    (b"['a']", "double quotes", 1, 2, 1),
    (b"{a: 1}", "key in double quotes is missing: found 'a'", 1, 2, 1),
    (b'["abc', "never closed", 1, 2, 1),
    (b'["a\nb"]', "line break is not allowed in a string: write \\n", 1, 4, 3),
    (b'["a\tb"]', "tab is not allowed in a string: write \\t", 1, 4, 3),
    (b'["\\x"]', "backslash is not allowed before 'x'", 1, 3, 2),
    (b'["\\u12"]', "four hexadecimal digits", 1, 4, 3),
    (b"[NaN]", "NaN is not", 1, 2, 1),
    (b'["NaN", -Infinity]', "-Infinity is not", 1, 9, 8),
    (b"[01]", "comma or a closing bracket", 1, 3, 2),
    (b"{} {}", "should end after its one value", 1, 4, 3),
    (b"// note\n{}", "no comments", 1, 1, 0),
    (b'{"a": 1, /* b */ "c": 2}', "no comments", 1, 10, 9),
    (b'{"a": tru}', "value is missing: found 't'", 1, 7, 6),
    ('["é",\r\n "ö" 1]'.encode(), "comma or a closing", 2, 6, 14),
    (b"[" + b"9" * 5000 + b"]", "not a JSON number", 1, 2, 1),
    (b'{"a":\n"\xff"}', "byte 0xFF at offset 7", 2, 2, 7),
    ('{"a": 1}'.encode("utf-16"), "UTF-16. Save it as UTF-8", 1, 1, 0),
    ('{"a": 1}'.encode("utf-16-le"), "UTF-16. Save it as UTF-8", 1, 2, 1),
    ('{"a": 1}'.encode("utf-32"), "UTF-32. Save it as UTF-8", 1, 1, 0),
    (b"[" * 10_000, "deeper than 200", 1, 201, 200),
    (b"[" * 201 + b"]" * 201, "deeper than 200", 1, 201, 200),
    (b'{"a":' * 300_000, "deeper than 200", 1, 1001, 1000),
]


@each_row(ERRORS)
def test_an_error_has_a_reason_and_a_place(
    data: bytes, words: str, line: int, column: int, offset: int
) -> None:
    with pytest.raises(JsonTextError) as caught:
        JsonText.parse(data)
    error = caught.value
    assert words in error.message
    assert (error.line, error.column, error.offset) == (line, column, offset)


def test_two_hundred_levels_are_not_too_deep() -> None:
    text = JsonText.parse(b"[" * 200 + b'"[[[["' + b"]" * 200)
    assert text.get((0,) * 200) == "[[[["
    assert JsonText.parse(b'["' + b"[" * 500 + b'"]').value == ["[" * 500]


def test_a_hidden_member_may_not_be_too_deep_either() -> None:
    with pytest.raises(JsonTextError, match="deeper"):
        JsonText.parse(b'{"a": ' + b"[" * 300 + b"]" * 300 + b', "a": 1}')
