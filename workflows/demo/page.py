"""The calls of the page: plain values in; status and body out, as JSON text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from workflows.core.dialects import dialects
from workflows.core.pack.archives import looks_like_zip, unpack
from workflows.core.pack.files import Files
from workflows.demo.answers import Demo, answered
from workflows.security.uploads import read_pasted


class Page:
    """The packs that the page has open. Each method returns `[status, body]` as JSON text."""

    def __init__(self) -> None:
        self._demo: Demo | None = None

    def samples(self) -> str:
        """The names of the samples, by format."""
        return json.dumps(
            [
                {"dialect": one.name, "format": one.label, "names": list(one.samples())}
                for one in dialects().values()
                if one.samples()
            ]
        )

    def open_sample(self, dialect: str, name: str) -> str:
        """Open a sample."""
        return self._open(lambda: dialects()[dialect].samples()[name])

    def open_text(self, text: str) -> str:
        """Open a pasted text."""
        return self._open(lambda: read_pasted(text))

    def open_files(self, files: Mapping[str, bytes]) -> str:
        """Open a tree of files, or one zip."""
        return self._open(lambda: _tree(files))

    def answer(self, method: str, address: str, text: str) -> str:
        """Answer a request to the API about the open packs."""
        assert self._demo is not None, "a pack is opened first"
        return json.dumps(self._demo.answer(method, address, text))

    def _open(self, read: Callable[[], Files]) -> str:
        def opened() -> Any:
            self._demo = Demo(read())
            return self._demo.packs

        return json.dumps(answered(opened))


def _tree(files: Mapping[str, bytes]) -> Files:
    data = next(iter(files.values()), b"")
    return unpack(data) if len(files) == 1 and looks_like_zip(data) else Files.of(files)
