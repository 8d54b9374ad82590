"""A pack's files as values: relative path to bytes, with limits. No dialect ever opens a path."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from workflows.core.pack.path_aliases import first_clash, is_device, is_git_alias, is_hidden_text
from workflows.core.text.visible import escaped

MAX_FILES = 5_000
MAX_FILE_BYTES = 16 * 1024 * 1024
MAX_TOTAL_BYTES = 48 * 1024 * 1024
MAX_PATH = 400


class BadFiles(Exception):
    """These files cannot be imported."""

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint


class TooMuch(BadFiles):
    """These files are too many or too large to be imported."""


def clean_path(path: str) -> str:
    """The path as it is stored: relative, `/` between parts, NFC.

    Raises BadFiles for anything that could leave the folder it is written into, or that git or a
    common file system would read as another name.
    """
    where = escaped(path[:120])
    plain = unicodedata.normalize("NFC", path)
    if not plain or len(plain) > MAX_PATH:
        raise BadFiles("A path is empty or longer than 400 characters.", where=where)
    if any(is_hidden_text(char) or char in '\\:*?"<>|' for char in plain):
        raise BadFiles("A path has a character that not every file system can keep.", where=where)
    parts = plain.split("/")
    for part in parts:
        if part in ("", ".", ".."):
            raise BadFiles(f"The path “{where}” does not stay inside its folder.", where=where)
        if part.endswith((".", " ")) or is_git_alias(part) or is_device(part):
            raise BadFiles("A path has a part that git or a file system reserves.", where=where)
    return plain


def _require_distinct(paths: Iterable[str]) -> None:
    """Raise BadFiles for paths that cannot both be written to every file system."""
    clash = first_clash(paths)
    if clash is not None:
        one, other = map(escaped, clash)
        raise BadFiles(
            f"“{one}” and “{other}” are one name on a file system that ignores case, or one is a "
            "folder of the other.",
            where=other,
            hint="Rename one of them.",
        )


@dataclass(frozen=True, slots=True)
class Files(Mapping[str, bytes]):
    """Immutable path → bytes, in the order given. Build it with `Files.of`, which checks."""

    _items: Mapping[str, bytes]

    @classmethod
    def of(cls, items: Mapping[str, bytes]) -> Files:
        """Check paths and limits. Raises BadFiles naming the first offender."""
        if len(items) > MAX_FILES:
            raise TooMuch(
                f"{len(items):,} files are more than the {MAX_FILES:,} that one import may hold.",
                hint="Import the folder that holds the pack, not the whole repository.",
            )
        kept: dict[str, bytes] = {}
        total = 0
        for path, data in items.items():
            name = clean_path(path)
            if name in kept:
                raise BadFiles("Two files have the same path.", where=escaped(name))
            if len(data) > MAX_FILE_BYTES:
                raise TooMuch(
                    f"A file has {len(data):,} bytes; the limit is {MAX_FILE_BYTES:,}.", where=name
                )
            total += len(data)
            if total > MAX_TOTAL_BYTES:
                raise TooMuch(
                    f"Together the files are over {MAX_TOTAL_BYTES:,} bytes.",
                    where=name,
                    hint="Import the folder that holds the pack, not the whole repository.",
                )
            kept[name] = data
        _require_distinct(kept)
        return cls(kept)

    def __getitem__(self, path: str) -> bytes:
        return self._items[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __contains__(self, path: object) -> bool:
        return path in self._items

    def __len__(self) -> int:
        return len(self._items)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(map(len, self._items.values()))

    def as_dict(self) -> dict[str, bytes]:
        """A copy as a plain dict, which is faster for thousands of lookups."""
        return dict(self._items)

    def under(self, folder: str) -> Files:
        """The files below `folder` (no slash at the end; "" is all), paths unchanged."""
        prefix = f"{folder}/" if folder else ""
        return Files({path: data for path, data in self.items() if path.startswith(prefix)})

    def changed(self, changes: Mapping[str, bytes | None]) -> Files:
        """A copy with these files replaced, added, or (None) removed. Only they are checked, and
        the sums: a pack may have thousands of files. Raises BadFiles."""
        fresh = {path: data for path, data in changes.items() if data is not None}
        kept = {path: data for path, data in self.items() if changes.get(path, data) is not None}
        if fresh.keys() - self._items.keys():
            _require_distinct({**kept, **fresh})
        items = {**kept, **Files.of(fresh)}
        if len(items) > MAX_FILES or sum(map(len, items.values())) > MAX_TOTAL_BYTES:
            return Files.of(items)
        return Files(items)

    def digest(self, of: str = "") -> str:
        """A name of these bytes, 32 hexadecimal digits. `of` is a part of what it names."""
        digest = blake2b(of.encode(), digest_size=16)
        for path, data in self.items():
            name = path.encode(errors="surrogatepass")
            digest.update(b"%d %d " % (len(name), len(data)))
            digest.update(name)
            digest.update(data)
        return digest.hexdigest()

    def difference(self, other: Files) -> dict[str, bytes | None]:
        """The changes from these files to `other`, as `changed` accepts them."""
        changes: dict[str, bytes | None] = {path: None for path in self if path not in other}
        changes.update({path: data for path, data in other.items() if self.get(path) != data})
        return changes
