"""Front matter: head and body change apart, every other byte stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.checks import each_row
from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.yaml.document import YamlText, YamlTextError


@each_row(
    [
        (b"---\na: 1\n---\nbody\n", b"a: 1\n", b"body\n"),
        (b"---\na: 1\n---\n", b"a: 1\n", b""),
        (b"---\na: 1\n---", b"a: 1\n", b""),
        (b"---\n---\nbody", b"", b"body"),
        (b"---\n\n---\n\nbody", b"\n", b"\nbody"),
        (b"---\n# only\n---\n", b"# only\n", b""),
        (b"---\r\na: 1\r\n---\r\nbody\r\n", b"a: 1\r\n", b"body\r\n"),
        (b"\xef\xbb\xbf---\na: 1\n---\nbody", b"a: 1\n", b"body"),
        (b"--- \na: 1\n---\t\nbody", b"a: 1\n", b"body"),
        (b"---\na: 1\n---\n\n---\nb: 2\n---\n", b"a: 1\n", b"\n---\nb: 2\n---\n"),
        (b"---\na: '---'\nb: |\n  ---\n---\n----\n", b"a: '---'\nb: |\n  ---\n", b"----\n"),
        (b"---\na: 1\n--- x\n---\nbody", None, None),
        (b"no head\n---\na: 1\n---\n", None, b"no head\n---\na: 1\n---\n"),
        (b"----\na\n----\n", None, b"----\na\n----\n"),
        (b"\n---\na: 1\n---\n", None, b"\n---\na: 1\n---\n"),
        (b"", None, b""),
    ]
)
def test_a_file_falls_into_head_and_body(
    data: bytes, head: bytes | None, body: bytes | None
) -> None:
    if body is None:
        with pytest.raises(YamlTextError) as found:
            Frontmatter.parse(data)
        assert found.value.line == 3
        return
    file = Frontmatter.parse(data)
    assert (file.head and file.head.data) == head
    assert file.body == body
    assert file.data == data


@each_row(
    [
        (b"---\na: 1\n", 1, "never closed"),
        (b"---", 1, "never closed"),
        (b"---\n\n- a\n---\n", 3, "not a mapping"),
        (b"---\njust text\n---\n", 2, "not a mapping"),
        (b"---\na: 1\nb: [\n---\nbody", 3, ""),
        (b"---\na: 1\nb: c: d\n---\nbody", 3, "':'"),
        (b"---\r\na: 1\r\nb: !x y\r\n---\r\n", 3, "tag"),
        (b"---\na: \xff\n---\n", 2, "UTF-8"),
    ]
)
def test_unreadable_front_matter_is_reported_with_its_line(
    data: bytes, line: int, words: str
) -> None:
    with pytest.raises(YamlTextError) as found:
        Frontmatter.parse(data)
    assert found.value.line >= line
    assert found.value.line <= line + 1
    assert words in found.value.message


def test_a_changed_head_leaves_the_body_and_the_fences() -> None:
    data = b"\xef\xbb\xbf--- \r\nid: a # c\r\n---\r\nbody  \r\n---\r\nno newline"
    file = Frontmatter.parse(data)
    assert file.head is not None
    changed = file.with_head(file.head.set(("id",), "b"))
    assert changed.data == data.replace(b"id: a", b"id: b")
    assert changed.with_head(file.head).data == data


def test_a_changed_body_leaves_the_head() -> None:
    file = Frontmatter.parse(b"---\r\na:   1\r\n---")
    assert file.with_body(b"x\n---\n").data == b"---\r\na:   1\r\n---\r\nx\n---\n"
    assert Frontmatter.parse(file.with_body(b"x").data).body == b"x"


@each_row(
    [
        (b"---\n---\nbody", b"---\nid: a\n---\nbody"),
        (b"---\r\n---\r\nbody", b"---\r\nid: a\r\n---\r\nbody"),
        (b"---\n# c\n---\n", b"---\n# c\nid: a\n---\n"),
        (b"body\r\n", b"---\r\nid: a\r\n---\r\nbody\r\n"),
        (b"\xef\xbb\xbfbody\n", b"\xef\xbb\xbf---\nid: a\n---\nbody\n"),
    ]
)
def test_a_first_key_can_be_set(before: bytes, after: bytes) -> None:
    file = Frontmatter.parse(before)
    head = file.head or YamlText.parse(b"")
    assert file.with_head(head.set(("id",), "a")).data == after


def test_text_with_another_meaning_in_front_matter_is_refused() -> None:
    file = Frontmatter.parse(b"---\na: 1\n---\nbody")
    with pytest.raises(ValueError, match="mapping"):
        file.with_head(YamlText.parse(b"[1]"))
    with pytest.raises(ValueError, match="hyphens"):
        file.with_head(YamlText.parse(b"---\na: 1\n"))
    with pytest.raises(ValueError, match="front matter"):
        Frontmatter.parse(b"body").with_body(b"---\na: 1\n---\n")


def test_lines_count_in_the_file() -> None:
    file = Frontmatter.parse(b"---\na: 1\nb:\n  c: 2\n---\nbody\n")
    assert file.line(("b", "c")) == 4
    assert file.line(("b",), key=True) == 3
    assert file.body_line == 6
    assert Frontmatter.parse(b"body").line(("a",)) == 1


def test_every_markdown_file_is_read_or_refused_with_a_line(corpus: Path) -> None:
    heads = 0
    for path in sorted(corpus.rglob("*.md")):
        data = path.read_bytes()
        try:
            file = Frontmatter.parse(data)
        except YamlTextError as error:
            assert 1 <= error.line <= data.count(b"\n") + 1, path
            assert error.message, path
            continue
        assert file.data == data, path
        if file.head is not None and isinstance(file.head.value, dict):
            heads += 1
            changed = file.with_head(file.head.set(("never-seen",), "x: y"))
            assert changed.body == file.body
            assert changed.head is not None
            assert changed.with_head(changed.head.delete(("never-seen",))).data == data, path
    assert heads > 20
