"""Rules over the pack's own role templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.agent_graph.edits.templates import KIND
from workflows.core.dialects.agent_graph.rules.kit import Say, button, graph_rule
from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import RemoveFile
from workflows.core.pack.findings import Place
from workflows.core.prompts.role_templates.header import Level
from workflows.core.prompts.role_templates.names import FOLDER, RULE


def _template_notes(
    source: GraphSource, level: Level, *, but: tuple[str, ...] = ()
) -> Iterator[Say]:
    for name, template in source.templates.items():
        for found in template.diagnostics:
            if found.level == level and found.code not in but:
                element = f"{KIND}:{name}"
                path = source.template_files[name]
                yield Say(
                    message=f"{name}: {found.message}",
                    place=Place(path=path, line=found.line, element=element),
                )


@graph_rule("AG501", "error", "Template that cannot be read")
def unreadable_header(source: GraphSource) -> Iterable[Say]:
    """The block below [template] has to be TOML: name = "…", and lists of quoted words. This one is
    not, or the file is not UTF-8. The file is still sent as it is, but it declares nothing, so the
    settings of its agents alone decide what they may do."""
    return _template_notes(source, "error")


@graph_rule("AG502", "warning", "Template header with a slip")
def odd_header(source: GraphSource) -> Iterable[Say]:
    """Something in the header is not read: a key or table that nobody knows, a value of another
    kind, or a name that is not the file's. What cannot be read declares nothing, and that means
    fewer rights."""
    return _template_notes(source, "warning")


@graph_rule("AG503", "hint", "Template that declares nothing")
def no_header(source: GraphSource) -> Iterable[Say]:
    """The file has no [template] header at its top. It works, but it sets no bounds: what agents of
    this role may do is up to their settings alone, and these grant almost everything unless they
    say otherwise."""
    return _template_notes(source, "hint", but=("bom_stripped", "version_coerced"))


@graph_rule("AG504", "warning", "Template that no role can name")
def misnamed(source: GraphSource) -> Iterable[Say]:
    """A role is the name of a file in docs/templates without its ending, and may have letters,
    digits, underscores and hyphens. This file is called otherwise, so no agent ever gets it. Write
    its text into a template with another name, and remove it."""
    for path in source.misnamed_templates:
        yield Say(
            message=f"No role can name the file {path.rpartition('/')[2]!r} in {FOLDER}.",
            place=Place(path=path, line=1),
            hint=RULE,
            fix=button("Remove the file", RemoveFile(path=path)),
        )
