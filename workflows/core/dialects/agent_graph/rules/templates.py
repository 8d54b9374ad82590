"""Rules over the pack's own role templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.agent_graph.edits.templates import KIND
from workflows.core.dialects.agent_graph.rules.kit import graph_rule
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import RemoveFile
from workflows.core.pack.findings import EVERY, Place
from workflows.core.pack.naming import closest_name
from workflows.core.prompts.role_templates.header import Level
from workflows.core.prompts.role_templates.names import FOLDER, RULE
from workflows.core.prompts.role_templates.permissions import MEANINGS, badges_of
from workflows.core.rules.kit import Note, make_fix

HINTS: dict[Level, str] = {
    "error": "Write names and words in double quotes, and lists in square brackets.",
    "warning": "Correct it, or remove it.",
    "hint": "",
}


def _template_notes(
    source: GraphSource, level: Level, *, but: tuple[str, ...] = ()
) -> Iterator[Note]:
    for name, template in source.templates.items():
        for diagnostic in template.diagnostics:
            if diagnostic.level == level and diagnostic.code not in but:
                element = f"{KIND}:{name}"
                path = source.template_files[name]
                yield Note(
                    message=f"{name}: {diagnostic.message}",
                    place=Place(path=path, line=diagnostic.line, element=element),
                    hint=HINTS[level],
                )


@graph_rule("AG501", "error", "Unreadable template header", profiles=EVERY)
def unreadable_header(source: GraphSource) -> Iterable[Note]:
    """The block below [template] must be TOML: name = "…", and lists of quoted words. Either it is
    not valid TOML, or the file is not UTF-8. The file is still sent unchanged, but it declares
    nothing, so only the settings limit its agents."""
    return _template_notes(source, "error")


@graph_rule("AG502", "warning", "Template header partly ignored", profiles=EVERY)
def odd_header(source: GraphSource) -> Iterable[Note]:
    """A part of the header is ignored: an unknown key or table, a misspelled word, a value of the
    wrong type, or a name that differs from the file name. An ignored part declares nothing, which
    means fewer rights."""
    yield from _template_notes(source, "warning")
    for name, template in source.templates.items():
        for badge in badges_of(template.header):
            near = "" if badge.word in MEANINGS else closest_name(badge.word, MEANINGS)
            if near:
                path = source.template_files[name]
                before = source.files[path].partition(badge.word.encode())[0]
                yield Note(
                    message=f"{name}: the header has the unknown word {badge.word!r}.",
                    place=Place(path=path, line=before.count(b"\n") + 1, element=f"{KIND}:{name}"),
                    hint=f"Did you mean {near!r}?",
                )


@graph_rule("AG503", "hint", "Template without a header", profiles=EVERY)
def no_header(source: GraphSource) -> Iterable[Note]:
    """The file has no [template] header at its top. It works, but it sets no limits: only the
    settings limit the agents of this role, and by default they grant almost everything."""
    return _template_notes(source, "hint", but=("bom_stripped", "version_coerced"))


@graph_rule("AG504", "warning", "Template with an invalid name", profiles=EVERY)
def misnamed(source: GraphSource) -> Iterable[Note]:
    """A role is the name of a file in docs/templates without its extension: letters, digits,
    underscores and hyphens. No role can name this file, so it is never sent. Move its text to a
    template with a valid name, and remove this file."""
    for path in source.misnamed_templates:
        yield Note(
            message=f"The file {path.rpartition('/')[2]!r} in {FOLDER} has no valid role name.",
            place=Place(path=path, line=1),
            hint=RULE,
            fix=make_fix("Remove the file", RemoveFile(path=path)),
        )
