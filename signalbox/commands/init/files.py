"""The contents of the files, added to those that a project has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from signalbox.commands.errors import Trouble
from workflows.core.pack.forms import Json
from workflows.core.text.json.document import JsonText
from workflows.core.text.json.errors import JsonTextError

HERE = Path(__file__).parent
SERVER: Json = {"command": "signalbox", "args": ["mcp", "."]}
HEADING = b"## Agent workflows"
SKILLS = "skills/signalbox/SKILL.md"

Content = tuple[bytes | None, bytes]
"""A file before and after; None for a file that is new."""


def files_of(folder: Path, what: Sequence[str]) -> dict[str, Content]:
    """The files to write, by path below `folder`. Raises Trouble and OSError."""
    if not folder.is_dir():
        raise Trouble(f"{folder} is not a folder.")
    files: dict[str, Content] = {}
    if "mcp" in what:
        files[".mcp.json"] = _server(folder / ".mcp.json")
    if "skill" in what:
        for tool in (".agents", ".claude"):
            if tool == ".agents" or (folder / tool).is_dir():
                files[f"{tool}/{SKILLS}"] = _skill(folder / tool / SKILLS)
    if "agents" in what:
        files["AGENTS.md"] = _paragraph(folder / "AGENTS.md")
    return files


def _server(file: Path) -> Content:
    before = _bytes(file)
    place = ("mcpServers", "signalbox")
    try:
        text = JsonText.parse(before or b"{}\n")
        return before, (text if text.has(place) else text.put(place, SERVER)).data
    except (JsonTextError, LookupError, TypeError) as error:
        raise Trouble(
            f"{file} is no JSON object with servers in 'mcpServers': {error}",
            hint="Mend it, or add the server by hand: docs/agents.md has its entry.",
        ) from None


def _skill(file: Path) -> Content:
    before, skill = _bytes(file), (HERE / "SKILL.md").read_bytes()
    if before not in (None, skill):
        raise Trouble(
            f"{file} exists with another text.",
            hint="Remove it, and call `signalbox init skill` again for the text of this version.",
        )
    return before, skill


def _paragraph(file: Path) -> Content:
    before = _bytes(file)
    paragraph = (HERE / "AGENTS.md").read_bytes()
    if before is None:
        return None, paragraph
    if any(line.strip() == HEADING for line in before.splitlines()):
        return before, before
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    end = b"" if before.endswith(b"\n") or not before else newline
    return before, before + end + newline + paragraph.replace(b"\n", newline)


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None
