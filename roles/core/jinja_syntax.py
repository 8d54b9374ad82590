"""Static analysis of Jinja templates: variables and syntax errors. Nothing is rendered here."""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import Environment, TemplateSyntaxError, nodes

from roles.core.templates import PLACEHOLDER, Mention

LONGEST = 20_000
"""Maximum length of a program, in characters; plain texts may be longer."""

_environment = Environment(autoescape=False, keep_trailing_newline=True, optimized=False)


class BadProgram(Exception):
    """A syntax error of a Jinja template, with the character offsets of its line."""

    def __init__(self, message: str, start: int = 0, end: int = 0) -> None:
        self.message = message
        self.start = start
        self.end = end
        super().__init__(message)


def as_jinja(text: str) -> str:
    """The same text with escaped placeholders in Jinja syntax, which prints them like a plain text
    does."""
    return PLACEHOLDER.sub(
        lambda match: f"{{{{ {match[0][1:]!r} }}}}" if match["escape"] else match[0], text
    )


def named(text: str) -> tuple[Mention, ...]:
    """The outside variables that a program names, in order, each at its line.

    Parsing evaluates nothing, not even constants. Raises BadProgram.
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
        uses = [(name, line) for name, line in _dotted(tree) if name.partition(".")[0] not in made]
    except TemplateSyntaxError as error:
        start, end = _line(text, error.lineno)
        raise BadProgram(
            f"This is read as a Jinja template, because it holds {{% … %}}, and is not one: "
            f"{(error.message or '').rstrip('.')}. To print braces as they are, put them between "
            "{% raw %} and {% endraw %}.",
            start,
            end,
        ) from None
    except RecursionError:
        raise BadProgram("This template is nested too deeply.") from None
    mentions: dict[str, Mention] = {}
    for name, line in uses:
        start, end = _line(text, line)
        at = text.find(name, start, end)
        if at >= 0:
            start, end = at, at + len(name)
        mentions.setdefault(name, Mention(name=name, start=start, end=end))
    return tuple(mentions.values())


GIVEN = frozenset({"loop", "self", "caller", "varargs", "kwargs", "range", "namespace", "dict"})
"""Names that Jinja itself defines."""


def _stands_alone(tree: nodes.Node, text: str) -> None:
    """Raise BadProgram for a template that includes, imports or extends another one."""
    wanting = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
    for one in tree.find_all(wanting):
        raise BadProgram(
            "A template cannot include, import or extend another template.",
            *_line(text, one.lineno),
        )


def _dotted(tree: nodes.Node) -> Iterator[tuple[str, int]]:
    """Each name that is read, with its attributes and its line."""
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
    """Start and end offset of this line, counted from 1."""
    lines = text.splitlines(keepends=True)
    start = sum(len(line) for line in lines[: number - 1])
    this = lines[number - 1] if 0 < number <= len(lines) else ""
    return start, start + len(this.rstrip("\r\n"))
