"""The features of the language server. Each reads the files on disk, as `signalbox check` does."""

from __future__ import annotations

import re
from collections import defaultdict

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from signalbox.arguments import parser
from signalbox.commands.check import checked_packs, compared
from signalbox.commands.errors import trouble_of
from signalbox.commands.packs import forget_packs
from signalbox.commands.report import Checked
from signalbox.project.settings_file import forget_settings
from workflows.core.pack.findings import Finding, Place
from workflows.core.pack.graph import State
from workflows.core.rules.check import rules_for
from workflows.installation import version

SEVERITIES = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "hint": lsp.DiagnosticSeverity.Information,
}


class Server(LanguageServer):
    """`known`: the checked packs of each file that was opened or saved."""

    def __init__(self) -> None:
        super().__init__("signalbox", version())
        self.known: dict[str, list[Checked]] = {}

    def check(self, uri: str) -> None:
        """Check the packs of a file and publish the findings of all their files. A file of no pack
        has none. A file that cannot be checked is a message of the server."""
        forget_packs()
        forget_settings()
        before = self.known.pop(uri, [])
        try:
            options = parser().parse_args(["check", "--skip-unknown", "--", to_fs_path(uri) or ""])
            self.known[uri] = list(compared(checked_packs(options), options).packs)
        except Exception as error:
            trouble = trouble_of(error)
            if trouble is None:
                raise
            text = f"{trouble.message} {trouble.hint}".rstrip()
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, text))
        found: dict[str, list[lsp.Diagnostic]] = defaultdict(list)
        for one in (*before, *self.known.get(uri, ())):
            for path in one.pack.files:
                found[_uri(one, path)] = []
        for one in self.known.get(uri, ()):
            for finding in one.findings:
                found[_uri(one, finding.place.path)].append(_diagnostic(finding))
        for file, diagnostics in found.items():
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(file, diagnostics))

    def states(self, uri: str) -> list[tuple[State, lsp.Location]]:
        """The states of the packs of a file with their places."""
        if uri not in self.known:
            self.check(uri)
        found = []
        for one in self.known.get(uri, ()):
            if one.readable:
                source, graph, _ = one.pack.graph(one.profile)
                for state in graph.states:
                    place = source.locate(state.place)
                    found.append((state, lsp.Location(_uri(one, place.path), _range(place))))
        return found


SERVER = Server()


@SERVER.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
def opened(server: Server, params: lsp.DidOpenTextDocumentParams) -> None:
    """Check the packs of an opened file."""
    server.check(params.text_document.uri)


@SERVER.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
def saved(server: Server, params: lsp.DidSaveTextDocumentParams) -> None:
    """Check the packs of a saved file again."""
    server.check(params.text_document.uri)


@SERVER.feature(lsp.TEXT_DOCUMENT_HOVER)
def rules_of_line(server: Server, params: lsp.HoverParams) -> lsp.Hover | None:
    """The help of the rules that found something on this line."""
    helps = {
        rule.code: f"**{rule.code} {rule.title}**\n\n{rule.help}"
        for one in server.known.get(params.text_document.uri, ())
        for finding in one.findings
        for rule in rules_for(one.pack.dialect)
        if rule.code == finding.code
        and _uri(one, finding.place.path) == params.text_document.uri
        and _range(finding.place).start.line == params.position.line
    }
    if not helps:
        return None
    text = "\n\n".join(helps.values())
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))


@SERVER.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def states_of_file(server: Server, params: lsp.DocumentSymbolParams) -> list[lsp.SymbolInformation]:
    """The states that this file declares."""
    return [
        lsp.SymbolInformation(place, state.id, lsp.SymbolKind.Object, container_name=state.kind)
        for state, place in server.states(params.text_document.uri)
        if place.uri == params.text_document.uri
    ]


@SERVER.feature(lsp.TEXT_DOCUMENT_DEFINITION)
def state_at(server: Server, params: lsp.DefinitionParams) -> lsp.Location | None:
    """The place of the state whose id is at this position; of several, the longest id."""
    lines = server.workspace.get_text_document(params.text_document.uri).lines
    if params.position.line >= len(lines):
        return None
    line, column = lines[params.position.line], params.position.character
    at = (
        (len(state.id), place)
        for state, place in server.states(params.text_document.uri)
        for word in re.finditer(rf"(?<!\w){re.escape(state.id)}(?!\w)", line)
        if word.start() <= column <= word.end()
    )
    return max(at, key=lambda one: one[0], default=(0, None))[1]


def _uri(one: Checked, path: str) -> str:
    return (one.pack.home / (path or one.pack.location.main)).as_uri()


def _diagnostic(finding: Finding) -> lsp.Diagnostic:
    return lsp.Diagnostic(
        range=_range(finding.place),
        message=f"{finding.message} {finding.hint}".rstrip(),
        severity=SEVERITIES[finding.level],
        code=finding.code,
        source="signalbox",
    )


def _range(place: Place) -> lsp.Range:
    """The whole line, because a place has no columns."""
    line = max(0, place.line - 1)
    return lsp.Range(lsp.Position(line, 0), lsp.Position(line + 1, 0))
