"""Git directories that the server makes for itself, to work with the objects of a repository.

An untrusted user may have written the repository. Its configuration is not used: the new directory
borrows its objects, and takes over a few settings that describe how files are stored, and that name
no program.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path

from workflows.errors import RepositoryRefused
from workflows.repos.git import Git

STORAGE = ("core.autocrlf", "core.eol", "core.safecrlf", "core.bigFileThreshold")
"""Settings of the way in which files become blobs."""
TREES = ("core.fileMode", "core.ignoreCase", "core.symlinks", "core.precomposeUnicode",
         "core.sparseCheckout", "core.sparseCheckoutCone")  # fmt: skip
"""Settings of a work tree."""
LISTS = ("info/attributes", "info/exclude", "info/sparse-checkout", "shallow")
"""Files with patterns of paths, and the list of commits without parents."""
MAX_LIST = 4 * 1024 * 1024
MAX_BORROWED = 50
_WORD = re.compile(r"[A-Za-z0-9]{1,20}")


def make_directory(folder: Path, source: Git, objects: Sequence[Path]) -> None:
    """An empty repository at `folder` that borrows these folders of objects. `source`: git in the
    directory of the repository, for the format of its ids and the files of `LISTS`."""
    for name in ("objects/info", "objects/pack", "refs/heads", "info"):
        (folder / name).mkdir(parents=True)
    (folder / "objects/info/alternates").write_bytes(b"".join(map(_alternate, objects)))
    (folder / "HEAD").write_text("ref: refs/heads/signalbox/none\n")
    (folder / "config").write_text(_config(hash_length_of(source), partial=is_partial(source)))
    control = Path(source.variables["GIT_DIR"])
    common = Path(source.variables.get("GIT_COMMON_DIR", control))
    for name in LISTS:
        text = read_file(control / name) or read_file(common / name)
        if text:
            (folder / name).write_bytes(text)


def settings_of(source: Git, keys: Sequence[str]) -> dict[str, str]:
    """The settings of a repository among `keys`, if each is a plain word; also those of the user,
    where git reads them."""
    wanted = {key.lower(): key for key in keys}
    pattern = "|".join(re.escape(key) for key in wanted)
    asked = ("config", "--null", "--show-scope", "--get-regexp", f"^({pattern})$")
    listed = source.attempt(*asked).stdout.decode(errors="replace").split("\0")
    found: dict[str, str] = {}
    for scope, entry in zip(listed[0::2], listed[1::2], strict=False):
        key, _, value = entry.partition("\n")
        if scope != "command" and key in wanted:
            # A name without a value is true.
            found[wanted[key]] = value if _WORD.fullmatch(value) else "true"
    return found


def is_partial(source: Git) -> bool:
    """True for a clone that lacks objects which its remote has."""
    named = r"^(extensions\.partialclone|remote\..*\.promisor)$"
    return source.attempt("config", "--local", "--get-regexp", named).returncode == 0


def hash_length_of(source: Git) -> int:
    """Digits of an id of the repository: 40, or 64 for SHA-256."""
    return 64 if source.text("rev-parse", "--show-object-format") == "sha256" else 40


def borrowed(objects: Path, allowed: Sequence[Path] | None) -> Sequence[Path]:
    """A folder of objects and those that it borrows from, resolved. `allowed`: the folders below
    which they may be; None: any folder of objects. Raises RepositoryRefused."""
    found: list[Path] = []
    waiting = [objects]
    while waiting:
        place = Path(os.path.realpath(waiting.pop(0)))
        if place in found:
            continue
        if not _may_borrow(place, allowed) or len(found) >= MAX_BORROWED:
            raise RepositoryRefused(
                f"The repository borrows objects from {place}, which the server may not use.",
                hint="Run `git repack -a -d` in it, and delete its objects/info/alternates.",
                where="repository",
            )
        found.append(place)
        for line in read_file(place / "info/alternates").splitlines():
            if line and not line.startswith(b"#"):
                waiting.append(place / os.fsdecode(_unquoted(line)))
    return found


def read_file(path: Path) -> bytes:
    """The bytes of a regular file that is not a link; empty for others, and for large ones."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_LIST:
            return b""
        return file.read(MAX_LIST)


def _may_borrow(place: Path, allowed: Sequence[Path] | None) -> bool:
    if allowed is None:
        return place.name == "objects" and (place.parent / "HEAD").is_file()
    return any(place.is_relative_to(root) for root in allowed)


def _config(hash_length: int, *, partial: bool) -> str:
    """The configuration of a new directory. `partial`: objects may be missing; there is nothing at
    the address to fetch them from."""
    lines = ["[core]", "repositoryformatversion = 1", "bare = false"]
    if hash_length == 64:
        lines += ["[extensions]", "objectformat = sha256"]
    if partial:
        lines += ["[extensions]", "partialclone = origin"]
        lines += ['[remote "origin"]', "promisor = true", f"url = {os.devnull}"]
    return "\n".join(lines) + "\n"


def _alternate(folder: Path) -> bytes:
    """A line of `info/alternates`; git reads a quoted one as a C string."""
    text = str(folder)
    if text.startswith(("#", '"')) or "\n" in text:
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        text = f'"{escaped}"'
    return os.fsencode(text) + b"\n"


_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"v": b"\v"}


def _unquoted(line: bytes) -> bytes:
    if len(line) < 2 or not (line.startswith(b'"') and line.endswith(b'"')):
        return line

    def plain(match: re.Match[bytes]) -> bytes:
        if match[1]:
            return bytes([int(match[1], 8) & 255])
        return _LETTERS.get(match[2], match[2])

    return _ESCAPE.sub(plain, line[1:-1])
