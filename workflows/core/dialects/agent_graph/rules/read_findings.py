"""What reading a file finds by itself: the findings come with the source, the help from here."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.agent_graph.format.vocabulary import MARK, VERSION
from workflows.core.dialects.agent_graph.rules.kit import graph_rule, set_fix
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.rules.kit import Note


@graph_rule("AG101", "error", "Not JSON")
def not_json(source: GraphSource) -> Iterable[Note]:
    """The file cannot be read as JSON, so nothing can be drawn, checked or run. The message names
    the line where reading stopped; the cause often stands just before it, such as a comma too many
    or a quote that is missing. Repair it in the text view."""
    return ()


@graph_rule("AG102", "error", "Not an agent graph")
def not_a_graph(source: GraphSource) -> Iterable[Note]:
    """The file is JSON, but not an object with nodes, so it is no agent graph. Either the name ends
    in .agents.json by mistake, or the content was replaced by something else."""
    return ()


@graph_rule("AG103", "warning", "Key written twice")
def repeated_key(source: GraphSource) -> Iterable[Note]:
    """One object has the same key twice. Every reader takes the last one and forgets the other, so
    a setting that seems to be there is not. Remove or rename one of the two."""
    return ()


@graph_rule("AG104", "error", "Half a character")
def half_a_character(source: GraphSource) -> Iterable[Note]:
    """Some characters, such as emoji, are written in JSON as two escapes that belong together. Here
    one of the two is missing, so the text cannot be stored, sent or shown. Complete the pair or
    remove what is left of it, in the text view."""
    return ()


@graph_rule("AG105", "error", "Version of the format is not known")
def unknown_version(source: GraphSource) -> Iterable[Note]:
    """The key `agent_graph` at the top says which version of the format a file has, and there is
    only version 1. Without it, or with another one, nobody can tell what the rest means."""
    said = source.json.get((MARK,), None)
    if said is VERSION or (said == VERSION and not isinstance(said, (bool, float))):
        return
    what = f"is {said!r}" if source.json.has((MARK,)) else "is missing"
    yield Note(
        message=f"The version {MARK!r} {what}; there is version {VERSION}.",
        pointer=(MARK,) if source.json.has((MARK,)) else (),
        fix=set_fix(f"Write version {VERSION}", (MARK,), VERSION),
    )
