"""Mutated packs and archives from a seed, and cases that were found."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from tests.fuzz.packs.mutations import mutated
from tests.fuzz.packs.operations import check_archive, check_pack, check_tree
from tests.support.packs import KnownPack, all_packs
from workflows.core.dialects import dialects
from workflows.core.pack.files import BadFiles, Files

CASES = Path(__file__).with_name("cases")
LARGEST = 40_000
"""Bytes of a pack that is mutated. Larger ones only take longer."""


@cache
def packs() -> tuple[KnownPack, ...]:
    """The packs that mutations start from, each once."""
    once = {
        tuple(sorted(known.files.items())): known
        for known in all_packs()
        if sum(map(len, known.files.values())) <= LARGEST
    }
    return tuple(once.values())


@cache
def contents() -> tuple[bytes, ...]:
    """The files of all packs, to splice from."""
    return tuple({data for known in packs() for data in known.files.values()})


@dataclass(frozen=True, kw_only=True)
class FuzzInput:
    """One input to check: an archive, a pack of a dialect, or a tree (dialect "")."""

    seed: str
    dialect: str = ""
    files: Mapping[str, bytes]
    archive: bytes | None = None

    def check(self) -> None:
        """Raises what is wrong."""
        chance = Random(f"check {self.seed}")
        if self.archive is not None:
            check_archive(self.archive, chance)
            return
        try:
            files = Files.of(self.files)
        except BadFiles:
            return
        if self.dialect:
            check_pack(dialects()[self.dialect], files, chance)
        else:
            check_tree(files, chance)

    def to_json(self) -> str:
        """The text of a case. Files that are not UTF-8 are base64."""
        body: dict[str, object] = {"seed": self.seed, "dialect": self.dialect}
        if self.archive is not None:
            body["archive"] = base64.b64encode(self.archive).decode()
        body["files"] = {path: _text(data) for path, data in self.files.items()}
        return json.dumps(body, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> FuzzInput:
        body = json.loads(text)
        archive = body.get("archive")
        return cls(
            seed=body["seed"],
            dialect=body["dialect"],
            files={
                path: data.encode() if isinstance(data, str) else base64.b64decode(data["base64"])
                for path, data in body["files"].items()
            },
            archive=None if archive is None else base64.b64decode(archive),
        )


def _text(data: bytes) -> object:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def fuzz_input(seed: str) -> FuzzInput:
    """A mutated file in a pack; for one seed in twelve a mutated archive or a tree."""
    chance = Random(seed)
    known = chance.choice(packs())
    files = dict(known.files)
    path = chance.choice(list(files))
    files[path] = mutated(files[path], chance, contents())
    kind = chance.random()
    if kind < 0.05:
        archive = _spoiled(zipped(files), chance)
        return FuzzInput(seed=seed, files={}, archive=archive)
    if kind < 0.08:
        return FuzzInput(seed=seed, files=files)
    return FuzzInput(seed=seed, dialect=known.dialect, files=files)


def with_content(data: bytes) -> FuzzInput:
    """The input that a coverage-guided fuzzer describes: two bytes for the pack, one for the file,
    then the file."""
    known = packs()[int.from_bytes(data[:2]) % len(packs())]
    files = dict(known.files)
    path = list(files)[(data[2] if len(data) > 2 else 0) % len(files)]
    files[path] = data[3:]
    return FuzzInput(seed=f"{hash_of(data):x}", dialect=known.dialect, files=files)


def hash_of(data: bytes) -> int:
    """The same number for the same bytes in every process."""
    return Random(data).getrandbits(64)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """The files as an archive, the same bytes each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _spoiled(data: bytes, chance: Random) -> bytes:
    """The archive with bytes of its headers or contents changed; some stay whole."""
    changed = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        # Central directory and end record are the last part, and the most interesting one.
        start = max(0, len(changed) - 300) if chance.random() < 0.6 else 0
        changed[chance.randrange(start, len(changed))] = chance.randrange(256)
    if chance.random() < 0.1:
        del changed[chance.randrange(len(changed)) :]
    return bytes(changed)


def cases() -> Iterator[tuple[str, FuzzInput]]:
    """Inputs that were found to fail, by name."""
    for path in sorted(CASES.glob("*.json")):
        yield path.stem, FuzzInput.from_json(path.read_text(encoding="utf-8"))
