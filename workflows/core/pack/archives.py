"""Zip archives as files, without trust: counted, measured and checked before any is kept."""

from __future__ import annotations

import io
import lzma
import stat
import struct
import zipfile
import zlib

from workflows.core.pack.files import (
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    BadFiles,
    Files,
    TooMuch,
)

MAX_RATIO = 200
"""A member that unpacks to more than this many times its packed size is a bomb…"""
RATIO_MATTERS = 1024 * 1024
"""…if it is larger than this."""
_CHUNK = 64 * 1024
_SKIPPED = ("__MACOSX/", ".git/")
# ValueError: an offset before the file. OSError: a damaged bzip2 stream.
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError,
    ValueError, OverflowError, OSError,
)  # fmt: skip


def looks_like_zip(data: bytes) -> bool:
    """True for bytes that begin like a zip archive."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def unpack(data: bytes) -> Files:
    """The archive's files. Archives inside stay as they are.

    Raises BadFiles for what is no zip, too large, encrypted, a link, or would leave its folder.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return Files.of(_read(archive))
    except _DAMAGED:
        raise BadFiles(
            "This is not a zip archive, or a damaged one.", hint="Pack the folder again."
        ) from None


def _read(archive: zipfile.ZipFile) -> dict[str, bytes]:
    members = [member for member in archive.infolist() if not _ignored(member)]
    if len(members) > MAX_FILES:
        raise TooMuch(
            f"The archive has {len(members):,} files; one import may hold {MAX_FILES:,}.",
            hint="Pack the folder that holds the pack, not the whole repository.",
        )
    files: dict[str, bytes] = {}
    total = 0
    for member in members:
        _check(member)
        if _path(member) in files:
            raise BadFiles("Two files in the archive have the same path.", where=member.filename)
        content = _content(archive, member, MAX_TOTAL_BYTES - total)
        total += len(content)
        files[_path(member)] = content
    return files


def _path(member: zipfile.ZipInfo) -> str:
    """The member's path. Some programs of Windows separate folders with backslashes."""
    return member.filename.replace("\\", "/")


def _ignored(member: zipfile.ZipInfo) -> bool:
    name = _path(member)
    return name.endswith("/") or name.startswith(_SKIPPED) or "/.git/" in name


def _check(member: zipfile.ZipInfo) -> None:
    where = member.filename[:120]
    if stat.S_ISLNK(member.external_attr >> 16):
        raise BadFiles("The archive holds a symbolic link.", where=where, hint="Pack real files.")
    if member.flag_bits & 0x1:
        raise BadFiles("The archive is encrypted.", where=where, hint="Pack it without a password.")


def _content(archive: zipfile.ZipFile, member: zipfile.ZipInfo, left: int) -> bytes:
    """One member, never trusting the size its header claims."""
    limit = min(MAX_FILE_BYTES, left)
    bomb = max(RATIO_MATTERS, member.compress_size * MAX_RATIO)
    parts: list[bytes] = []
    size = 0
    with archive.open(member) as stream:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > limit:
                raise TooMuch(
                    f"Unpacked, the archive is over {limit:,} bytes.", where=member.filename[:120]
                )
            if size > bomb:
                raise TooMuch(
                    "A file in the archive unpacks to far more bytes than an author writes.",
                    where=member.filename[:120],
                )
            parts.append(chunk)
    return b"".join(parts)
