"""YAML bytes → text and a tree of nodes with places. Libraries read; nothing is constructed.

The tree is built from its events without recursion. Tags other than those of the core schema,
several documents, other versions than 1.2, and aliases that unfold without end are errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml.error import YAMLError

from workflows.core.limits import TEXT_DEPTH
from workflows.core.text.json.errors import unreadable
from workflows.core.text.yaml.errors import YamlTextError, at_text, explained
from workflows.core.text.yaml.events import events
from workflows.core.text.yaml.flow_depth import too_deep
from workflows.core.text.yaml.node import Member, Node, sources
from workflows.core.text.yaml.scalar import meaning

MAX_BYTES = 128 * 1024  # the reader takes seconds for more
MAX_VALUES = 200_000
BOM = b"\xef\xbb\xbf"

_CORE = "tag:yaml.org,2002:"
_PROPERTIES = re.compile(r"(?:[&!][^\s]*(?:\s+(?:#[^\r\n]*\s*)*|$))*")
_BLANK = re.compile(r"(?:[ \t\r\n]+|(?:(?<=[\s])|^)#[^\r\n]*)*")
_SPACES = re.compile(r"[ \t]*")
# Other errors of the reader on bad input, such as "\UFFFFFFFF".
_FAULTS = (YAMLError, ValueError, ArithmeticError, LookupError, AttributeError, TypeError,
           AssertionError, NotImplementedError)  # fmt: skip


def parse(data: bytes) -> tuple[str, Node]:
    """The text without its byte order mark, and the root. Raises YamlTextError."""
    skipped = len(BOM) if data.startswith(BOM) else 0
    if len(data) > MAX_BYTES:
        raise YamlTextError(
            f"The YAML has {len(data):,} bytes; the limit is {MAX_BYTES:,}.",
            line=1, column=1, offset=0, hint="Split it into smaller files.",
        )  # fmt: skip
    try:
        text = data[skipped:].decode("utf-8")
    except UnicodeDecodeError as error:
        problem = unreadable(data, error.start + skipped)
        raise YamlTextError(
            problem.message, line=problem.line, column=problem.column, offset=problem.offset
        ) from None
    deep = too_deep(text, TEXT_DEPTH)
    if deep is not None:
        raise at_text(f"Nested deeper than {TEXT_DEPTH} levels.", skipped, text, deep)
    builder = _Builder(text, skipped)
    try:
        for event in events(text):
            builder.take(event)
    except _FAULTS as error:
        raise explained(error, skipped, text) from None
    return text, builder.root or Node(kind="scalar", start=len(text), inside=len(text),
                                      end=len(text))  # fmt: skip


def after_blank(text: str, position: int) -> int:
    """The first character from `position` on that is no space, line break or comment."""
    match = _BLANK.match(text, position)
    return match.end() if match else position


@dataclass(slots=True)
class _Builder:
    """Takes events and grows the tree. `keys` holds the key each open mapping waits with."""

    text: str
    skipped: int
    root: Node | None = None
    open: list[Node] = field(default_factory=list)
    keys: list[Node | None] = field(default_factory=list)
    anchors: dict[str, Node] = field(default_factory=dict)
    documents: int = 0

    def take(self, event: Any) -> None:
        match type(event).__name__:
            case "DocumentStartEvent":
                self._document(event)
            case "ScalarEvent":
                self._add(self._scalar(event))
            case "AliasEvent":
                self._add(self._alias(event))
            case "MappingStartEvent" | "SequenceStartEvent":
                self._begin(event)
            case "MappingEndEvent" | "SequenceEndEvent":
                self._finish(event)

    def _error(self, message: str, position: int, hint: str = "") -> YamlTextError:
        return at_text(message, self.skipped, self.text, position, hint=hint)

    def _document(self, event: Any) -> None:
        self.documents += 1
        at = event.start_mark.index
        if self.documents > 1:
            raise self._error("A second document begins here.", at, "Keep one document per file.")
        if event.version is not None and tuple(event.version) != (1, 2):
            name = ".".join(map(str, event.version))
            raise self._error(
                f"The file requests YAML {name}; only 1.2 is supported.",
                self.text.find("%YAML"),
                "Remove the %YAML line.",
            )

    def _node(self, event: Any, kind: Any, style: str) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        tag = str(event.ctag) if getattr(event, "ctag", None) is not None else None
        inside = start
        if event.anchor is not None or tag is not None:
            match = _PROPERTIES.match(self.text, start, max(start, end))
            inside = match.end() if match else start
        node = Node(kind=kind, start=start, inside=inside, end=end, style=style, tag=tag)
        if event.anchor is not None:
            node.anchor = str(event.anchor)
            self.anchors[node.anchor] = node
        return node

    def _scalar(self, event: Any) -> Node:
        node = self._node(event, "scalar", event.style or "")
        if node.inside > node.start and node.inside == node.end:
            node.inside = node.end = node.start + len(self.text[node.start : node.end].rstrip())
        if node.style in ("|", ">"):
            node.end = self._block_end(node)
        try:
            node.value = self._tagged(node, event.value)
            if isinstance(node.value, int):
                str(node.value)  # ValueError beyond what can be written again
        except (ValueError, TypeError):
            if len(event.value) > 1_000:
                raise self._error("This number is too long.", node.start) from None
            raise self._error(
                f"The value does not fit its tag {node.tag}.", node.start, "Remove the tag."
            ) from None
        return node

    def _block_end(self, node: Node) -> int:
        """The end of the last line that counts: blank lines do under a `+` only."""
        written = self.text[node.inside : node.end]
        header = written.split("\n", 1)[0].split("#", 1)[0]
        if "+" in header:
            for newline in ("\r\n", "\n", "\r"):
                if written.endswith(newline):
                    return node.end - len(newline)
            return node.end
        body = len(written.rstrip(" \t\r\n"))
        spaces = _SPACES.match(written, body)
        return node.inside + (spaces.end() if spaces else body)

    def _tagged(self, node: Node, value: str) -> Any:
        match node.tag:
            case None:
                return value if node.style else meaning(value)
            case "!" | "tag:yaml.org,2002:str":
                return value
            case "tag:yaml.org,2002:float":
                return float(meaning(value))
            case "tag:yaml.org,2002:int" | "tag:yaml.org,2002:bool" | "tag:yaml.org,2002:null":
                wanted = {"int": int, "bool": bool, "null": type(None)}[node.tag[len(_CORE) :]]
                if type(meaning(value)) is wanted:
                    return meaning(value)
                raise ValueError(value)
        raise self._unknown(node)

    def _unknown(self, node: Node) -> YamlTextError:
        name = (node.tag or "").replace(_CORE, "!!")
        return self._error(f"The tag {name} is not read here.", node.start, "Remove the tag.")

    def _alias(self, event: Any) -> Node:
        start, name = event.start_mark.index, str(event.anchor)
        target = self.anchors.get(name)
        if target is None:
            raise self._error(f"The alias *{name} has no anchor &{name} before it.", start)
        if target in self.open:
            raise self._error(f"The alias *{name} is inside its own anchor.", start)
        return Node(
            kind="alias", start=start, inside=start, end=event.end_mark.index, anchor=name,
            target=target, value=target.value, weight=target.weight, height=target.height,
        )  # fmt: skip

    def _begin(self, event: Any) -> None:
        mapping = type(event).__name__ == "MappingStartEvent"
        kind = "mapping" if mapping else "sequence"
        node = self._node(event, kind, "flow" if event.flow_style else "block")
        if node.tag not in (None, "!", _CORE + ("map" if mapping else "seq")):
            raise self._unknown(node)
        if node.flow:  # the event ends after the bracket
            match = _PROPERTIES.match(self.text, node.start)
            node.inside = match.end() if match and (node.anchor or node.tag) else node.start
        node.end = node.inside
        self.open.append(node)
        self.keys.append(None)
        if len(self.open) > TEXT_DEPTH:
            raise self._error(f"Nested deeper than {TEXT_DEPTH} levels.", node.start)

    def _finish(self, event: Any) -> None:
        node = self.open.pop()
        self.keys.pop()
        braced = node.flow and self.text[node.inside : node.inside + 1] in ("{", "[")
        if braced:
            node.end = event.end_mark.index
        elif node.members:
            node.inside, node.end = node.members[0].begin, node.members[-1].end
        self._measure(node)
        self._add(node)

    def _measure(self, node: Node) -> None:
        nodes = [member.node for member in node.members]
        node.weight = 1 + sum(each.weight for each in nodes)
        node.height = 1 + max((each.height for each in nodes), default=0)
        if node.weight > MAX_VALUES:
            raise self._error(
                f"Its aliases unfold to more than {MAX_VALUES:,} values.", node.start,
                "Write fewer aliases of aliases.",
            )  # fmt: skip
        if node.height + len(self.open) > TEXT_DEPTH:
            raise self._error(f"Nested deeper than {TEXT_DEPTH} levels.", node.start)
        node.repeats = any(each.repeats for each in nodes)
        if node.kind == "sequence":
            node.value = [each.value for each in nodes]
            return
        own = [member for member in node.members if not member.merges]
        node.value = {str(member.key): member.node.value for member in own}
        node.repeats = node.repeats or len(node.value) < len(own)
        for member in node.members:
            if member.merges:
                for source in sources(member.node):
                    for key, value in source.value.items():
                        node.value.setdefault(key, value)

    def _add(self, node: Node) -> None:
        if not self.open:
            self.root = node
            return
        parent = self.open[-1]
        if parent.kind == "sequence":
            begin, lead = self._element(parent, node)
            parent.members.append(Member(begin=begin, node=node, lead=lead))
        elif self.keys[-1] is None:
            self.keys[-1] = self._label(node)
        else:
            label, self.keys[-1] = self.keys[-1], None
            parent.members.append(self._pair(parent, label, node))

    def _label(self, node: Node) -> Node:
        if node.kind != "scalar":
            raise self._error("A key has to be plain text.", node.start, "Write the key out.")
        return node

    def _pair(self, parent: Node, label: Node, node: Node) -> Member:
        before = parent.members[-1].end if parent.members else parent.inside
        begin = label.start
        for place in self._between(before, label.start):
            if self.text[place] == "?":
                begin = place
        colon = after_blank(self.text, label.end)
        written = self.text[colon : colon + 1] == ":"
        key = label.value if label.style or label.tag else self.text[label.inside : label.end]
        lead = colon + 1 if written else None
        if node.start == node.end and lead is not None and node.anchor is None:
            node.start = node.inside = node.end = lead
        return Member(begin=begin, node=node, key=str(key), label=label, lead=lead)

    def _element(self, parent: Node, node: Node) -> tuple[int, int | None]:
        if parent.flow:
            return node.start, None
        before = parent.members[-1].end if parent.members else parent.inside
        for place in self._between(before, len(self.text)):
            if self.text[place] == "-":
                if node.start == node.end:
                    node.start = node.inside = node.end = place + 1
                return place, place + 1
        raise self._error("An element of this list has no dash.", node.start)

    def _between(self, begin: int, end: int) -> Iterator[int]:
        """Characters from `begin` to `end` outside spaces and comments."""
        place = after_blank(self.text, begin)
        while place < end:
            yield place
            place = after_blank(self.text, place + 1)
