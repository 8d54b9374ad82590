"""Pieces of prose in the project's files, each with its file, line and kind.

`fragments(paths)` yields them. A kind is one of `KINDS`; rules choose the kinds they read.
Code in backticks is replaced by `x`, so that a rule never reads the name of a function.
"""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import groupby
from operator import attrgetter
from pathlib import Path

KINDS = ("docs", "docstring", "comment", "finding", "ui", "cli", "message", "test", "commit")
ROOT = Path(__file__).resolve().parents[2]

# The folder decides what the strings of a module are for.
STRING_KINDS = (
    ("signalbox/", "cli"),
    ("workflows/management/", "cli"),
    ("workflows/core/", "finding"),
    ("workflows/views/", "ui"),
    ("roles/views/", "ui"),
    ("bench/", "cli"),
    ("scripts/", "cli"),
)
TWO_WORDS = re.compile(r"[A-Za-z][A-Za-z']+[,.:;]? +[A-Za-z]")
CODE = re.compile(r"(`+)(?:(?!\1).)+?\1", re.DOTALL)
TEXT_KEYWORDS = {
    "description", "help", "help_text", "hint", "label", "message", "reason", "summary",
    "title", "verbose_name",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fragment:
    """One text as a reader meets it. `line` is the line of its first character, from 1."""

    path: str
    line: int
    kind: str
    text: str

    def line_of(self, offset: int) -> int:
        """The line of a character of the text."""
        return self.line + self.text.count("\n", 0, offset)


def fragments(paths: Iterable[str], root: Path = ROOT) -> Iterator[Fragment]:
    """All prose in these files, which are named relative to the root."""
    typescript = []
    sources: dict[str, list[str]] = {}
    for path in paths:
        if path.endswith((".ts", ".tsx")):
            typescript.append(path)
            continue
        reader = reader_of(path)
        if reader is not None:
            text = (root / path).read_text(encoding="utf-8")
            yield from _without_marked(masked(reader(path, text)), text.splitlines())
    for path in typescript:
        sources[path] = (root / path).read_text(encoding="utf-8").splitlines()
    for path, found in groupby(masked(_typescript(typescript, root)), key=attrgetter("path")):
        yield from _without_marked(found, sources[path])


def reader_of(path: str) -> Callable[[str, str], Iterator[Fragment]] | None:
    """The function that reads this kind of file, None where a file has no prose."""
    name = Path(path).name
    suffix = Path(path).suffix
    if suffix in {".ts", ".tsx"}:
        return lambda path, _text: _typescript([path], ROOT)
    if name in {"Makefile", "Dockerfile", ".gitignore", ".editorconfig"} or suffix in HASHED:
        return _hash_comments
    return READERS.get(suffix)


def masked(found: Iterable[Fragment]) -> Iterator[Fragment]:
    """Replace inline code by `x` and drop blank texts."""
    for one in found:
        text = CODE.sub(lambda code: "`x`" + "\n" * code[0].count("\n"), one.text)
        if text.strip():
            yield Fragment(one.path, one.line, one.kind, text.rstrip().lstrip(" "))


def _without_marked(found: Iterable[Fragment], lines: list[str]) -> Iterator[Fragment]:
    """Leave out texts that have the mark `prose: off` on one of their lines."""
    for one in found:
        of_it = lines[one.line - 1 : one.line + one.text.count("\n")]
        if not any("prose: off" in line for line in of_it):
            yield one


def _markdown(path: str, text: str) -> Iterator[Fragment]:
    block: list[str] = []
    start = 1
    fence = ""
    # The source of a generated part is read instead of the part.
    text = re.sub(r"<!-- begin (\S+) -->.*?<!-- end \1 -->", _only_lines, text, flags=re.DOTALL)
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = line.strip()
        mark = re.match(r"`{3,}|~{3,}", stripped)
        if mark and (not fence or stripped.startswith(fence)):
            fence = "" if fence else mark[0]
            stripped = ""
        elif fence:
            stripped = ""
        starts = re.match(r"[-*+] |\d+\. |#{1,6} |\|", stripped)
        if block and (not stripped or starts):
            yield Fragment(path, start, "docs", "\n".join(block))
            block = []
        if stripped and not re.fullmatch(r"[|:\s-]+", stripped):
            start = start if block else number
            block.append(_without_targets(stripped[starts.end() :] if starts else stripped))


def _without_targets(line: str) -> str:
    return re.sub(r"\]\([^)]*\)", "]", line)


def _python(path: str, text: str) -> Iterator[Fragment]:
    yield from _hash_comments(path, text, python=True)
    nodes = list(ast.walk(ast.parse(text)))
    docstrings: set[int] = set()
    is_test = path.startswith("tests/")
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstring(path, node, docstrings)
            if is_test and node_name(node).startswith("test_"):
                name = node_name(node).removeprefix("test_").replace("_", " ")
                yield Fragment(path, getattr(node, "lineno", 1), "test", name)
    if not is_test:
        yield from _strings(path, nodes, docstrings)


def node_name(node: ast.AST) -> str:
    return getattr(node, "name", "")


def _docstring(
    path: str,
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
    docstrings: set[int],
) -> Iterator[Fragment]:
    for place, statement in enumerate(node.body):
        match statement:
            case ast.Expr(value=ast.Constant(value=str() as said) as constant):
                docstrings.add(id(constant))
                # The string below an attribute documents it; only the first is a docstring proper.
                kind = "docstring" if place == 0 else "comment"
                lines = "\n".join(line.strip() for line in said.split("\n"))
                yield Fragment(path, constant.lineno, kind, lines)


def _strings(path: str, nodes: list[ast.AST], docstrings: set[int]) -> Iterator[Fragment]:
    kind = next((kind for folder, kind in STRING_KINDS if path.startswith(folder)), "message")
    inside: set[int] = set()
    labels: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.keyword) and node.arg in TEXT_KEYWORDS:
            labels.add(id(node.value))
        if id(node) in inside or id(node) in docstrings:
            continue
        match node:
            case ast.JoinedStr(values=values):
                for child in ast.walk(node):
                    if isinstance(child, ast.Constant) and child in values:
                        inside.add(id(child))
                    if isinstance(child, ast.FormattedValue) and child.format_spec is not None:
                        inside.add(id(child.format_spec))
                text = "".join(
                    str(one.value) if isinstance(one, ast.Constant) else "`x`" for one in values
                )
            case ast.Constant(value=str() as text):
                pass
            case _:
                continue
        if TWO_WORDS.search(text) or id(node) in labels:
            yield Fragment(path, node.lineno, kind, text)


def _hash_comments(path: str, text: str, python: bool = False) -> Iterator[Fragment]:
    """Comments that follow a hash; lines that follow each other are one text."""
    block: list[str] = []
    start = last = 0
    for number, comment in _hashes(text) if python else _lines_with_hash(text):
        if block and number != last + 1:
            yield Fragment(path, start, "comment", "\n".join(block))
            block = []
        start = start if block else number
        block.append(comment)
        last = number
    if block:
        yield Fragment(path, start, "comment", "\n".join(block))


def _hashes(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not re.match(
            r"#\s*(noqa|type:|fmt:|pragma|!)", token.string
        ):
            yield token.start[0], token.string.lstrip("#: ").strip()


def _lines_with_hash(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if (found := re.match(r"\s*#(?!!)\s?(.*)", line)) and found[1].strip():
            yield number, found[1].strip()


def _style_sheet(path: str, text: str) -> Iterator[Fragment]:
    for found in re.finditer(r"/\*(.*?)\*/", text, re.DOTALL):
        lines = (line.strip(" \t*") for line in found[1].split("\n"))
        yield Fragment(path, text.count("\n", 0, found.start()) + 1, "comment", "\n".join(lines))


INLINE = {"a", "abbr", "b", "code", "em", "i", "kbd", "small", "span", "strong", "time", "mark"}
SPOKEN_ATTRIBUTES = {"title", "aria-label", "aria-description", "placeholder", "alt", "label"}


class _Page(HTMLParser):
    """Text between block elements, and attributes that are read out or shown."""

    def __init__(self, path: str) -> None:
        super().__init__(convert_charrefs=True)
        self.path = path
        self.found: list[Fragment] = []
        self.text = ""
        self.line = 1
        self.silent = 0

    def flush(self) -> None:
        if self.text.strip():
            self.found.append(Fragment(self.path, self.line, "ui", self.text))
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"script", "style"}:
            self.silent += 1
        if tag not in INLINE:
            self.flush()
        for name, value in attrs:
            if value and (name in SPOKEN_ATTRIBUTES or name.startswith("data-confirm")):
                self.found.append(Fragment(self.path, self.getpos()[0], "ui", value))
        if tag == "code":
            self.text += "`"

    def handle_endtag(self, tag: str) -> None:
        if tag in {"script", "style"}:
            self.silent -= 1
        if tag == "code":
            self.text += "`"
        if tag not in INLINE:
            self.flush()

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        if not self.text.strip():
            self.text = data.lstrip()
            self.line = self.getpos()[0] + data[: len(data) - len(self.text)].count("\n")
        else:
            self.text += data


def _template(path: str, text: str) -> Iterator[Fragment]:
    for found in re.finditer(r"\{#(.*?)#\}", text):
        yield Fragment(path, text.count("\n", 0, found.start()) + 1, "comment", found[1].strip())
    for found in re.finditer(r"\{%.*?%\}", text):
        for quoted in re.findall(r'"([^"]*)"', found[0]):
            if TWO_WORDS.search(quoted):
                yield Fragment(path, text.count("\n", 0, found.start()) + 1, "ui", quoted)
    # A comment for the next reader is not a text of the page.
    bare = re.sub(r"\{%\s*comment.*?endcomment\s*%\}", _only_lines, text, flags=re.DOTALL)
    bare = re.sub(r"\{#.*?#\}|\{%.*?%\}", _only_lines, bare)
    page = _Page(path)
    page.feed(re.sub(r"\{\{.*?\}\}", "`x`", bare))
    page.close()
    page.flush()
    yield from page.found


def _only_lines(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n") or " "


def _typescript(paths: list[str], root: Path) -> Iterator[Fragment]:
    """TypeScript is read with its own compiler, all files in one go."""
    if not paths:
        return
    done = subprocess.run(
        [ROOT / "scripts" / "node.sh", "node", ROOT / "scripts" / "prose" / "typescript.mjs"],
        input=json.dumps({"root": str(root), "paths": paths}),
        capture_output=True,
        text=True,
        check=True,
    )
    for line in done.stdout.splitlines():
        one = json.loads(line)
        yield Fragment(one["path"], one["line"], one["kind"], one["text"])


HASHED = {".sh", ".toml", ".yaml", ".yml", ".in"}
READERS: Mapping[str, Callable[[str, str], Iterator[Fragment]]] = {
    ".md": _markdown,
    ".py": _python,
    ".css": _style_sheet,
    ".html": _template,
}
