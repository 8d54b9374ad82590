"""A markdown file with YAML between two lines of three hyphens at its top.

    ---
    <YAML mapping>
    ---
    <body: everything after that line's break>

A byte order mark and CRLF are kept; a later `---` belongs to the body. Head and body are changed
apart: what is not changed keeps its bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from workflows.core.text.yaml.document import YamlText
from workflows.core.text.yaml.errors import YamlTextError
from workflows.core.text.yaml.parse import BOM

_FENCE = re.compile(rb"^---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_OPENING = re.compile(rb"---[ \t]*(?:\r\n|\n|\r|\Z)")
_AFTER_BREAK = re.compile(rb"(?:(?<=\n)|(?<=\r)(?!\n))---[ \t]*(?:\r\n|\n|\r|\Z)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """`opening` is the byte order mark and first fence, `closing` the second, each with its line
    break; both are empty and `head` is None where a file has no front matter.

    `line` is added to a line of `head` to get the line of the file.
    """

    opening: bytes = b""
    head: YamlText | None = None
    closing: bytes = b""
    body: bytes = b""

    @classmethod
    def parse(cls, data: bytes) -> Frontmatter:
        """Raises YamlTextError with a line of the file: for a fence that is never closed, a head
        that is not YAML, or not a mapping. An empty head reads as None until a key is set."""
        skipped = len(BOM) if data.startswith(BOM) else 0
        opened = _OPENING.match(data, skipped)
        if opened is None:
            return cls(body=data)
        closed = _AFTER_BREAK.search(data, opened.end())
        if closed is None:
            raise YamlTextError(
                "The front matter is never closed.", line=1, column=1, offset=skipped,
                hint="Write a line of three hyphens below it.",
            )  # fmt: skip
        head = _head(data[opened.end() : closed.start()], opened.end())
        return cls(
            opening=data[: opened.end()], head=head, closing=closed[0], body=data[closed.end() :]
        )

    @property
    def data(self) -> bytes:
        """The whole file."""
        return self.opening + (self.head.data if self.head else b"") + self.closing + self.body

    @property
    def head_line(self) -> int:
        """The line of the file on which the head begins, 1-based."""
        return 2 if self.head is not None else 1

    @property
    def body_line(self) -> int:
        """The line of the file on which the body begins, 1-based."""
        before = self.data[: len(self.data) - len(self.body)]
        return len(re.findall(rb"\r\n|\n|\r", before)) + 1

    def line(self, pointer: tuple[str | int, ...], *, key: bool = False) -> int:
        """The line of the file on which a value of the head is written; 1 without a head."""
        return 1 if self.head is None else self.head.line(pointer, key=key) + self.head_line - 1

    def with_head(self, head: YamlText) -> Frontmatter:
        """Another head over the same body. ValueError if it would close itself or is no mapping.

        A file without front matter gets fences in the line ends of its body.
        """
        if not isinstance(head.value, dict | None):
            raise ValueError("the head has to be a mapping")
        text = head.data.removeprefix(BOM)
        if _FENCE.search(text):
            raise ValueError("the head holds a line of three hyphens")
        newline = b"\r\n" if b"\r\n" in (self.opening or self.body or text) else b"\n"
        if text and not text.endswith((b"\n", b"\r")):
            text += newline
        if newline == b"\r\n" and b"\r" not in text and not (self.head and self.head.data):
            text = text.replace(b"\n", newline)  # there was no line to take the style from
        if text != head.data:
            head = YamlText.parse(text)
        if self.head is not None:
            return replace(self, head=head)
        mark = BOM if self.body.startswith(BOM) else b""
        fence = b"---" + newline
        return Frontmatter(
            opening=mark + fence, head=head, closing=fence, body=self.body[len(mark) :]
        )

    def with_body(self, body: bytes) -> Frontmatter:
        """Another body under the same head. Without a head it must not begin with a fence."""
        if self.head is None:
            if _OPENING.match(body.removeprefix(BOM)):
                raise ValueError("the body would begin with front matter")
            return replace(self, body=body)
        closing = self.closing
        if body and not closing.endswith((b"\n", b"\r")):
            closing += b"\r\n" if b"\r\n" in self.opening else b"\n"
        return replace(self, closing=closing, body=body)


def _head(data: bytes, skipped: int) -> YamlText:
    try:
        head = YamlText.parse(data)
    except YamlTextError as error:
        raise YamlTextError(
            error.message, line=error.line + 1, column=error.column,
            offset=error.offset + skipped, hint=error.hint,
        ) from None  # fmt: skip
    if not isinstance(head.value, dict | None):
        start = head.span(()).start
        raise YamlTextError(
            "The front matter is not a mapping.", line=head.line(()) + 1, column=1,
            offset=start + skipped, hint="Write 'key: value' lines.",
        )  # fmt: skip
    return head
