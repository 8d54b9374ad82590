"""Rules of the reader. The source holds their findings; the docstrings here are their help."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.agent_graph.format.vocabulary import MARK, VERSION
from workflows.core.dialects.agent_graph.rules.kit import graph_rule, set_fix
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, reported

REPORTED = reported("""
AG101 error Not JSON
    The file cannot be parsed as JSON, so Signalbox cannot draw, check or run it. The message
    contains the line at which parsing stopped. The cause is often just before that line, such as an
    extra comma or a missing quote. Repair the file in the text view.
AG102 error Not an agent graph
    The file is JSON, but not an object with nodes. Either the name ends in .agents.json by
    mistake, or the content was replaced.
AG103 warning Duplicate key
    One object has the same key twice. JSON readers use the last one, so the first value has no
    effect. Remove or rename one of the two.
AG104 error Incomplete character
    JSON writes some characters, such as emoji, as a pair of escapes. One escape of the pair is
    missing, so the text cannot be stored, sent or shown. Complete the pair or remove the remaining
    escape in the text view.
""")


@graph_rule("AG105", "error", "Unknown format version", profiles=EVERY)
def unknown_version(source: GraphSource) -> Iterable[Note]:
    """The top-level key `agent_graph` is the version of the format. The only version is 1. Without
    a known version, the file cannot be interpreted."""
    version = source.json.get((MARK,), None)
    if version is VERSION or (version == VERSION and not isinstance(version, (bool, float))):
        return
    problem = f"is {version!r}" if source.json.has((MARK,)) else "is missing"
    yield Note(
        message=f"The version {MARK!r} {problem}. The only version is {VERSION}.",
        pointer=(MARK,) if source.json.has((MARK,)) else (),
        fix=set_fix(f"Set version {VERSION}", (MARK,), VERSION),
    )
