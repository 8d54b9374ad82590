"""`signalbox lsp`, seen by the client of pygls over the streams of a real process."""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from workflows.core.dialects import dialects

MAIN = "review-loop.pack.json"


async def test_an_editor_gets_findings_rules_and_states(tmp_path: Path) -> None:
    for path, data in dialects()["promptpack"].samples()["review-loop"].items():
        tmp_path.joinpath(path).write_bytes(data)
    file = tmp_path / MAIN
    whole = file.read_text()
    published: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
    messages: asyncio.Queue[str] = asyncio.Queue()
    client = LanguageClient("test", "1")
    client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(published.put_nowait))
    client.feature(lsp.WINDOW_LOG_MESSAGE)(lambda said: messages.put_nowait(said.message))
    await client.start_io(sys.executable, "-m", "signalbox", "lsp")
    await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    client.initialized(lsp.InitializedParams())
    document = lsp.TextDocumentIdentifier(file.as_uri())

    client.text_document_did_open(
        lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(document.uri, "json", 1, whole))
    )
    first = await published.get()
    assert (first.uri, [one.code for one in first.diagnostics]) == (document.uri, ["GR114"])
    symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
    assert symbols
    lines = whole.splitlines()
    for symbol in symbols:
        assert f'"{symbol.name}":' in lines[symbol.location.range.start.line]
    target = next(one for one in symbols if whole.count(f'"{one.name}"') > 1)
    line = max(n for n, text in enumerate(lines) if f'"{target.name}"' in text)
    at = lsp.Position(line, lines[line].index(target.name) + 1)
    found = await client.text_document_definition_async(lsp.DefinitionParams(document, at))
    assert found == target.location
    nowhere = lsp.DefinitionParams(document, lsp.Position(0, 0))
    assert await client.text_document_definition_async(nowhere) is None

    broken = whole.replace(f'"{target.name}":', '"renamed":', 1)
    file.write_text(broken)
    client.text_document_did_save(lsp.DidSaveTextDocumentParams(document))
    second = await published.get()
    one = next(one for one in second.diagnostics if target.name in one.message)
    assert one.severity == lsp.DiagnosticSeverity.Error
    hover = await client.text_document_hover_async(lsp.HoverParams(document, one.range.start))
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    assert hover.contents.value.startswith(f"**{one.code} ")

    file.unlink()
    client.text_document_did_save(lsp.DidSaveTextDocumentParams(document))
    assert not (await published.get()).diagnostics
    assert "does not exist" in await messages.get()
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
