"""Jinja templates, read and never carried out: what they name, and whether they are well formed."""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import Environment, TemplateSyntaxError, nodes

from roles.core.templates import PLACEHOLDER, Mention

LONGEST = 20_000
"""Characters of a program; a plain text may be longer."""

_environment = Environment(autoescape=False, keep_trailing_newline=True, optimized=False)


class BadProgram(Exception):
    """Why this is no Jinja template, and the characters of its line."""

    def __init__(self, message: str, start: int = 0, end: int = 0) -> None:
        self.message = message
        self.start = start
        self.end = end
        super().__init__(message)


def as_jinja(text: str) -> str:
    """The same with escaped placeholders in Jinja's own words: they print, as in plain texts."""
    return PLACEHOLDER.sub(
        lambda found: f"{{{{ {found[0][1:]!r} }}}}" if found["escape"] else found[0], text
    )


def named(text: str) -> tuple[Mention, ...]:
    """The variables from outside that a program names, in order, each at its line.

    Parsing carries nothing out, not even constants. Raises BadProgram.
    """
    if len(text) > LONGEST:
        raise BadProgram(
            f"A text with {{% … %}} has at most {LONGEST:,} characters; this one has {len(text):,}."
        )
    try:
        tree = _environment.parse(as_jinja(text))
        _stands_alone(tree, text)
        made = {one.name for one in tree.find_all(nodes.Name) if one.ctx != "load"}
        made |= {one.name for one in tree.find_all(nodes.Macro)}
        found = [(name, line) for name, line in _dotted(tree) if name.partition(".")[0] not in made]
    except TemplateSyntaxError as wrong:
        start, end = _line(text, wrong.lineno)
        raise BadProgram(
            f"This is read as a Jinja template, because it holds {{% … %}}, and is none: "
            f"{(wrong.message or '').rstrip('.')}. To print braces as they are, put them between "
            "{% raw %} and {% endraw %}.",
            start,
            end,
        ) from None
    except RecursionError:
        raise BadProgram("This template is nested too deeply.") from None
    mentions: dict[str, Mention] = {}
    for name, line in found:
        start, end = _line(text, line)
        at = text.find(name, start, end)
        if at >= 0:
            start, end = at, at + len(name)
        mentions.setdefault(name, Mention(name=name, start=start, end=end))
    return tuple(mentions.values())


GIVEN = frozenset({"loop", "self", "caller", "varargs", "kwargs", "range", "namespace", "dict"})
"""Names that Jinja itself gives a value, where it does."""


def _stands_alone(tree: nodes.Node, text: str) -> None:
    """Raises BadProgram for a template that wants another one."""
    wanting = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
    for one in tree.find_all(wanting):
        raise BadProgram(
            "A template stands alone: there is nothing that it could include, import or extend.",
            *_line(text, one.lineno),
        )


def _dotted(tree: nodes.Node) -> Iterator[tuple[str, int]]:
    """Each name that is read, with the attributes asked of it, and its line."""
    for child in tree.iter_child_nodes():
        name = _name(child)
        if name:
            if name.partition(".")[0] not in GIVEN:
                yield name, child.lineno
        else:
            yield from _dotted(child)


def _name(node: nodes.Node) -> str:
    match node:
        case nodes.Name(ctx="load"):
            return node.name
        case nodes.Getattr():
            above = _name(node.node)
            return f"{above}.{node.attr}" if above else ""
        case _:
            return ""


def _line(text: str, number: int) -> tuple[int, int]:
    """Where this line, counted from 1, begins and ends."""
    lines = text.splitlines(keepends=True)
    start = sum(len(line) for line in lines[: number - 1])
    this = lines[number - 1] if 0 < number <= len(lines) else ""
    return start, start + len(this.rstrip("\r\n"))
