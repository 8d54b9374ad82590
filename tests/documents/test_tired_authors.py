"""Files of tired authors, each with one mistake.

Each has one leading finding that names the place, the cause and the next step; all others are its
consequences or hints. Encodings that are no mistake have no finding.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from roles.core.new_role import blank_config
from roles.core.prompt_config import problems
from tests.dialects.agent_graph.packs import TEAM
from tests.dialects.promptpack.packs import GOOD
from tests.documents import tired_files
from tests.documents.tired_files import sample_files
from workflows.core.dialects import dialects, recognise
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding
from workflows.core.rules.check import check

PACK = json.dumps(GOOD, indent=2)
GRAPH = TEAM.replace(', "x-own": [1, 2.50]', "")


@dataclass(frozen=True, kw_only=True)
class Tired:
    """A mistake: `old` is replaced by `new`. The leading finding is on the line with `at`, and its
    words contain `says`."""

    old: str
    new: str
    at: str
    says: tuple[str, ...]

    def text_of(self, text: str) -> str:
        assert self.old in text, self.old
        return text.replace(self.old, self.new, 1)


def row(old: str, new: str, at: str, *says: str) -> Tired:
    return Tired(old=old, new=new, at=at, says=says)


# ruff: noqa: E501
PACKS = {
    "missing comma": row('"name": "Good",', '"name": "Good"', '"version": "1.0.0"', ","),
    "trailing comma": row(
        '"terminal": true\n', '"terminal": true,\n', '"terminal": true', ","
    ),
    "single quotes": row('"Good"', "'Good'", "'Good'", "double quotes"),
    "comment": row('"id": "good"', '// my pack\n  "id": "good"', "// my pack", "omment"),
    "duplicate key": row('"entry": "draft",', '"entry": "draft",\n    "entry": "review",', '"entry"', "entry"),
    "typo in a target": row('"Submit": "review"', '"Submit": "reveiw"', "reveiw", "reveiw", "review"),
    "typo in the entry": row('"entry": "draft"', '"entry": "darft"', "darft", "darft", "draft"),
    "typo in a prompt": row('"prompt_task": "review"', '"prompt_task": "reviw"', "reviw", "reviw", "review"),
    "typo in a key": row('"on_event": {\n          "Submit"', '"on_events": {\n          "Submit"', "on_events", "on_events", "on_event"),
    "text for a boolean": row('"terminal": true', '"terminal": "true"', '"true"', "terminal", "true or false, without quotes"),
    "version of two numbers": row('"version": "1.0.0",\n  "template', '"version": "1.0",\n  "template', '"1.0"', "1.0"),
    "missing template": row('"system_template": "Do it."', '"template": "Do it."', '"draft": {', "system_template"),
    "unknown variable": row("Do it.", "Do {{topic}}.", "{{topic}}", "topic"),
    "missing brace": row("Do it.", "Do {{fragments.tone}.", "{{fragments.tone}", "brace"),
}  # fmt: skip
GRAPHS = {
    "missing comma": row('"goal": "Ship \\u00e9 it",', '"goal": "Ship it"', '"entry"', ","),
    "typo in a role": row('"role": "reviewer"', '"role": "reveiwer"', "reveiwer", "reveiwer", "reviewer"),
    "typo in an edge": row('"from": "lead", "to": "coder"', '"from": "lead", "to": "codr"', '"codr"', "codr", "coder"),
    "typo in the entry": row('"entry": "lead"', '"entry": "laed"', '"laed"', "laed", "lead"),
    "source for from": row('{"from": "lead"', '{"source": "lead"', '"source"', "source", "from"),
    "two nodes of one id": row('"id": "checker"', '"id": "coder"', '"id": "coder"', "coder"),
    "nodes as an object": row('"nodes": [', '"nodes": {"a": 1}, "others": [', '"nodes"', "nodes", "Write a list"),
    "text for a boolean": row('"bidirectional": false, "label"', '"bidirectional": "no", "label"', '"no"', "bidirectional"),
}  # fmt: skip


def judge(dialect: str, path: str, data: bytes, tired: Tired) -> None:
    here = dialects()[dialect]
    source = here.read(Files.of({path: data}))
    findings = check(here, source, here.profiles[0])
    assert findings, "silent"
    leading = findings[0]
    assert leading.level in ("error", "warning"), leading
    words = " ".join((leading.message, leading.hint, *([leading.fix.label] if leading.fix else ())))
    for part in tired.says:
        assert part in words, words
    assert leading.hint or leading.fix, words
    lines = data.decode().splitlines()
    near = "\n".join(lines[leading.place.line - 1 : leading.place.line])
    assert tired.at in near, (leading.place, near, words)


@pytest.mark.parametrize("name", PACKS)
def test_a_tired_author_of_a_pack(name: str) -> None:
    tired = PACKS[name]
    judge("promptpack", "good.pack.json", tired.text_of(PACK).encode(), tired)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_tired_author_of_an_agent_graph(name: str) -> None:
    tired = GRAPHS[name]
    judge("agent_graph", "team.agents.json", tired.text_of(GRAPH).encode(), tired)


def removed(*keys: str) -> Callable[[dict[str, Any]], None]:
    def change(tree: dict[str, Any]) -> None:
        for key in keys[:-1]:
            tree = tree[key]
        del tree[keys[-1]]

    return change


def put(value: Any, *keys: str) -> Callable[[dict[str, Any]], None]:
    def change(tree: dict[str, Any]) -> None:
        for key in keys[:-1]:
            tree = tree.setdefault(key, {})
        tree[keys[-1]] = value

    return change


ROLES: dict[str, tuple[Callable[[dict[str, Any]], None], str, str]] = {
    "no system prompt": (removed("system_prompt"), "/system_prompt", "required"),
    "blank system prompt": (put("  ", "system_prompt"), "/system_prompt", "empty"),
    "no gate template": (removed("templates", "gate_eval"), "/templates/gate_eval", "required"),
    "typo in a template": (
        put("x", "templates", "tiket_task"), "/templates/tiket_task", "ticket_task",
    ),
    "typo in a variable": (
        put("{{ ticket.titel }}", "templates", "ticket_task"),
        "/templates/ticket_task", "ticket.titel",
    ),
    "missing braces": (
        put("Do {{ ticket.title.", "templates", "ticket_task"),
        "/templates/ticket_task", "no closing braces",
    ),
    "one brace": (
        put("Do {{ ticket.title }.", "templates", "ticket_task"),
        "/templates/ticket_task", "{{ ticket.title }}",
    ),
    "number for a text": (put(3, "templates", "chat_task"), "/templates/chat_task", "text"),
    "list for a text": (put(["a"], "developer_prompt"), "/developer_prompt", "text"),
    "text for a list": (
        put("architecture", "memory_profile", "core_focus"), "/memory_profile/core_focus", "list",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROLES)
def test_a_tired_author_of_a_role(name: str) -> None:
    change, path, words = ROLES[name]
    tree = json.loads(json.dumps(blank_config()))
    assert not problems(tree)
    change(tree)
    leading = problems(tree)[0]
    assert leading.path == path
    assert words in leading.message


FILES = {
    f"{kind}: {name}": tired
    for kind, rows in (
        ("registry", tired_files.REGISTRY),
        ("stages", tired_files.STAGES),
        ("script", tired_files.SCRIPTS),
        ("pack", tired_files.PACKS),
        ("graph", tired_files.GRAPHS),
        ("workflow", tired_files.WORKFLOWS),
    )
    for name, tired in rows.items()
}
SAMPLES = sorted({tired.sample for tired in FILES.values()})


def loud(files: dict[str, bytes]) -> list[Finding]:
    """The findings of every pack in this tree that are no hints, as `check` lists them."""
    found: list[Finding] = []
    for pack in recognise(Files.of(files)):
        dialect = dialects()[pack.dialect]
        source = dialect.read(Files.of({path: files[path] for path in pack.paths}))
        found += check(dialect, source, dialect.profiles[0])
    return [one for one in found if one.level != "hint"]


@pytest.mark.parametrize("name", FILES)
def test_a_tired_author(name: str) -> None:
    tired = FILES[name]
    files = sample_files(tired.sample)
    files[tired.path] = tired.change(files[tired.path])
    findings = loud(files)
    assert findings, "silent"
    assert [one.code for one in findings if not one.cause] == [findings[0].code]
    leading = findings[0]
    words = " ".join((leading.message, leading.hint, *([leading.fix.label] if leading.fix else ())))
    assert not [part for part in tired.says if part not in words], words
    assert leading.hint or leading.fix, words
    assert leading.place.path == tired.found_in
    lines = files[leading.place.path].decode(errors="replace").splitlines()
    assert tired.at in "".join(lines[leading.place.line - 1 : leading.place.line]), leading.place


ENCODINGS = {
    "byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "mixed line ends": lambda data: data.replace(b"\n", b"\r\n", 3),
    "no last line end": lambda data: data.rstrip(b"\n"),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("sample", SAMPLES)
def test_an_encoding_that_is_no_mistake(sample: str, encoding: str) -> None:
    files = sample_files(sample)
    assert loud({path: ENCODINGS[encoding](data) for path, data in files.items()}) == []


def test_there_are_ninety_files() -> None:
    assert len(PACKS) + len(GRAPHS) + len(ROLES) + len(FILES) >= 90
