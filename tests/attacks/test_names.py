"""Misleading names: paths that a file system or git takes for others, and text that acts on a
terminal."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import PACK
from tests.support.checks import quick_and_slow
from workflows.core.pack.archives import unpack
from workflows.core.pack.files import BadFiles, Files, clean_path
from workflows.telemetry.logs import JsonFormatter, TextFormatter

ROOT = Path(__file__).resolve().parents[2]
ALIASES = [
    ".git/config", ".GIT/config", "a/.Git", ".g\u200cit/config", ".gi\u200dt/x",
    "\ufeff.git/hooks/x", ".g\u202eit", ".git\u2060/config", "git~1/config", "GIT~2",
    ".ｇｉｔ/config", ".git./x", ".git /x",
    ".GITMODULES", ".gitmodule\u200cs", ".Gitattributes", ".git\u00ad/config",
]  # fmt: skip
DEVICES = [
    "CON", "con.md", "a/nul", "Aux.txt", "PRN.json", "com1", "COM9.md", "lpt¹.md",
    "conin$", "NUL .md",
]  # fmt: skip
HIDDEN = [
    "a\u202egnp.md", "a\u2066b", "x\u200fy.md", "a\x1b[31m.md", "a\x7f", "a\x9b31m.md", "a\u2028b",
    "a\nb", "\u061ca",
]  # fmt: skip


@pytest.mark.parametrize("path", [*ALIASES, *DEVICES, *HIDDEN])
def test_a_misleading_path_is_refused_and_shown_escaped(path: str) -> None:
    with pytest.raises(BadFiles) as bad:
        clean_path(path)
    shown = f"{bad.value.message} {bad.value.where} {bad.value.hint}"
    assert not [char for char in shown if ord(char) < 32 or 0x7F <= ord(char) < 0xA0]
    assert not set(shown) & set("\u202e\u2066\u200f\u061c\u2028")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(path, b"{}")
    if not path.startswith(".git/"):
        with pytest.raises(BadFiles):
            unpack(packed.getvalue())


@pytest.mark.parametrize(
    "path",
    [".gitignore", ".gitattributes", "docs/.gitmodules", "console.md", "com.md", "com10", "lpt.txt",
     "auxiliary.md", "ä.md", "日本.md", "👩‍👩‍👧.md", "nullable.json", "a b.md", "git.md",
     "digit~1"],
)  # fmt: skip
def test_ordinary_paths_stay(path: str) -> None:
    assert clean_path(path)


@pytest.mark.parametrize(
    ("one", "other"),
    [("a", "A"), ("x/Readme.md", "x/README.md"), ("é", "e\u0301"), ("É.md", "é.md"), ("a", "a/b"),
     ("A", "a/b"), ("a\u200c.md", "a.md")],
)  # fmt: skip
def test_two_paths_of_one_file_are_refused(one: str, other: str) -> None:
    with pytest.raises(BadFiles):
        Files.of({one: b"1", other: b"2"})
    with pytest.raises(BadFiles):
        Files.of({one: b"1"}).changed({other: b"2"})


def test_a_file_can_be_renamed_to_another_case() -> None:
    assert list(Files.of({"a": b"1"}).changed({"a": None, "A": b"1"})) == ["A"]


# -- terminals

ACTS = "\x1b]0;owned\x07\x1b[2J\x9b31m\r\u202e"


@pytest.mark.parametrize(
    "arguments",
    quick_and_slow(
        [("check",), ("run", "--seed", "1")],
        [("graph",), ("graph", "--format", "json"), ("rehearse",)],
    ),
)
def test_no_escape_byte_reaches_a_terminal(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """Neither on standard output nor as an error."""
    pack = {**PACK, "name": f"Named {ACTS}"}
    text = json.dumps(pack).replace('"draft"', json.dumps(f"dr{ACTS}aft"))
    file = tmp_path / "work.pack.json"
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "signalbox", arguments[0], str(file), *arguments[1:]],
        cwd=ROOT,
        capture_output=True,
        check=False,
        timeout=60,
    )
    said = (done.stdout + done.stderr).decode()
    assert said
    acting = [char for char in said if char in "\x1b\x07\x9b\r\u202e"]
    assert acting == [], said[:2000]
    if "json" in arguments:
        json.loads(done.stdout)


def test_no_escape_byte_reaches_a_log() -> None:
    record = logging.LogRecord("a", 40, "f", 1, "Pack %s\nFAKE LINE", (ACTS,), None)
    line = TextFormatter("{message}", style="{").format(record)
    assert not set(line) & set("\x1b\x07\x9b\r\u202e")
    assert not set(JsonFormatter().format(record)) & set("\x1b\x07\x9b\r\u202e\n")
