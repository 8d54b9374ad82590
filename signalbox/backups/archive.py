"""The file of a backup: a zip with a manifest, which has the checksum of every other entry."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, BinaryIO

from signalbox.commands.errors import Trouble

FORMAT = 1
MANIFEST = "manifest.json"
CHUNK = 1 << 20
UNREADABLE_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""Errors of `zipfile` about a file that is damaged, encrypted or something else."""


class ArchiveWriter:
    """Writes entries one after the other, then the manifest. The file gets its name when it is
    complete, so that no half of a backup counts as one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._part = path.with_name(f"{path.name}.part")
        self.checksums: dict[str, str] = {}

    def __enter__(self) -> ArchiveWriter:
        self._part.touch(mode=0o600)
        self._zip = zipfile.ZipFile(self._part, "w", zipfile.ZIP_DEFLATED, compresslevel=3)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._zip.fp = None  # no directory for an incomplete file
            self._part.unlink(missing_ok=True)

    @contextmanager
    def entry(self, name: str, mode: int = 0o100600) -> Iterator[HashedWriter]:
        """A stream for the bytes of one entry. `mode` is that of `os.stat`."""
        info = zipfile.ZipInfo(name)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = mode << 16
        with self._zip.open(info, "w", force_zip64=True) as stream:
            hashed = HashedWriter(stream)
            yield hashed
        self.checksums[name] = hashed.digest.hexdigest()

    def finish(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest with all checksums, and give the file its name."""
        body = {"format": FORMAT, **manifest, "checksums": self.checksums}
        info = zipfile.ZipInfo(MANIFEST)
        info.external_attr = 0o100600 << 16
        self._zip.writestr(info, json.dumps(body, indent=1))
        self._zip.close()
        self._part.replace(self.path)


class HashedWriter:
    """A stream that computes the checksum of what is written."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self.digest.update(data)
        self._stream.write(data)


class Archive:
    """A backup that is complete and undamaged. Raises Trouble for any other file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._zip = zipfile.ZipFile(path)
            self.manifest: dict[str, Any] = json.loads(self._zip.read(MANIFEST))
            self._check()
        except (*UNREADABLE_ZIP, KeyError, TypeError, ValueError) as bad:
            raise _damaged(path, str(bad)) from bad

    def _check(self) -> None:
        if self.manifest["format"] > FORMAT:
            raise Trouble(
                f"{self.path} was made by Signalbox {self.manifest['version']}, which is newer.",
                hint="Restore it with that version.",
            )
        checksums = self.manifest["checksums"]
        names = {name for name in self._zip.namelist() if name != MANIFEST}
        if names != set(checksums):
            raise ValueError("an entry is missing, or was added")
        for name, expected in checksums.items():
            digest = hashlib.sha256()
            with self.open(name) as stream:
                while data := stream.read(CHUNK):
                    digest.update(data)
            if digest.hexdigest() != expected:
                raise ValueError(f"the checksum of {name!r} differs")

    def open(self, name: str) -> IO[bytes]:
        """The bytes of one entry."""
        return self._zip.open(name)

    def names(self, folder: str) -> list[str]:
        """The entries below a folder, with its name."""
        return [name for name in self._zip.namelist() if name.startswith(f"{folder}/")]

    def mode(self, name: str) -> int:
        """The mode of an entry, as in `os.stat`."""
        return self._zip.getinfo(name).external_attr >> 16

    def close(self) -> None:
        self._zip.close()


def copy_stream(source: BinaryIO | IO[bytes], target: HashedWriter | IO[bytes]) -> None:
    """Copy all bytes in pieces of one megabyte."""
    while data := source.read(CHUNK):
        target.write(data)


def _damaged(path: Path, reason: str) -> Trouble:
    return Trouble(
        f"{path} is damaged, or is no backup of Signalbox: {reason}.",
        hint="Nothing was changed. Use another backup.",
    )
