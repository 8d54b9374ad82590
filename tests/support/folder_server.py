"""`signalbox open` of a folder, in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.live_server import LiveServer


class FolderServer(LiveServer):
    """A server that has opened `folder`."""

    folder: Path
    options: tuple[str, ...] = ()

    @classmethod
    def opening(cls, folder: Path, data: Path, *options: str) -> FolderServer:
        """Start it with more options, and with its data in another folder."""
        data.mkdir(exist_ok=True)
        server = cls(data)
        server.folder, server.options = folder, options
        server.start()
        return server

    @property
    def arguments(self) -> tuple[str, ...]:
        return ("open", str(self.folder), "--no-browser", "--port", str(self.port), *self.options)

    def packs(self) -> dict[str, dict[str, Any]]:
        """The packs of the folder by main file, as in the gallery. The database of a test server
        begins with the samples."""
        rows = self.get("packs/?limit=100")["results"]
        return {one["main"]: one for one in rows if one["origin"] == f"folder {self.folder}"}

    def files(self, pack: int) -> dict[str, bytes]:
        """The files of the newest revision."""
        paths = [one["path"] for one in self.get(f"packs/{pack}/files/")]
        texts = [self.get(f"packs/{pack}/files/?path={path}")["text"] for path in paths]
        return {path: text.encode() for path, text in zip(paths, texts, strict=True)}
