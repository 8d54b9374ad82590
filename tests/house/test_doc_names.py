"""Names in docs exist: paths, modules, functions and identifiers in backticks."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from tests.house.test_source_tree import _tracked
from tests.support.checks import each_row

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("signalbox", "workflows", "roles", "tests", "bench", "scripts")
CODE = {".py", ".ts", ".tsx"}
SOURCES = {*CODE, ".css", ".html", ".json", ".mjs", ".sh", ".toml", ".yaml", ".yml"}
FOREIGN = {
    "OTEL_EXPORTER_OTLP_HEADERS": "a variable of OpenTelemetry",
    "StagePostFired": "an audit record of stud-cli",
    "StagePreFired": "an audit record of stud-cli",
    "assert_never": "from Python's typing",
    "workflows.run_commands": "a permission in the database",
    "mcpServers": "a key in the settings of MCP clients",
    "existing_ids": "an example of a local name",
}


def documents() -> list[Path]:
    named = [path for path in _tracked("*.md") if "samples" not in path.parts]
    return [
        path
        for path in named
        if path.parent == ROOT or path.parts[len(ROOT.parts)] == "docs" or path.name == "README.md"
    ]


@each_row(documents())
def test_names_in_a_document_exist(document: Path) -> None:
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
    quoted = sorted(set(re.findall(r"`([^`\n]+)`", text)))
    assert [name for name in quoted if missing(name, document.parent)] == []


@each_row(
    [
        "workflows/core/gone.py",
        "docs/gone/",
        "gone.py",
        "workflows.core.gone",
        "workflows.core.engine.transition.gone",
        "actions.gone.edit",
        "gone_function(source)",
        "GoneClass",
        "gone_name",
    ]
)
def test_a_name_that_does_not_exist_is_noticed(name: str) -> None:
    assert missing(name, ROOT)


@each_row(
    [
        "workflows/core/",
        "workflows/core/dialects/*/README.md",
        "base.py",
        "workflows.core.engine.transition",
        "core.engine.transition.transition",
        "transition(program, run, signal)",
        "AskModel",
        "tool_calls",
        "make run",
        "POST /api/v1/hooks/",
        "docs",
        "{{ticket.title}}",
    ]
)
def test_a_name_that_exists_passes(name: str) -> None:
    assert not missing(name, ROOT)


def missing(name: str, folder: Path) -> bool:
    """Return True if this quoted text is a name in this project that does not exist.

    Pages of dialects also name paths and keys of packs, so only full names are checked there.
    """
    of_packs = "dialects" in folder.parts
    if re.fullmatch(r"[\w.*-]+(?:/[\w.*-]*)+", name):
        first = name.partition("/")[0]
        ours = first in PACKAGES or (not of_packs and (ROOT / first).exists())
        return ours and first not in ("..", ".") and not any(ROOT.glob(name.rstrip("/")))
    if re.fullmatch(r"[\w-]+\.(?:py|tsx?)", name):
        return name not in file_names() and not (folder / name).exists()
    if re.fullmatch(r"[a-z_]\w*(?:\.\w+)+", name):
        if of_packs and name.partition(".")[0] not in PACKAGES:
            return False
        return _dotted_missing(name)
    if call := re.fullmatch(r"([A-Za-z_]\w*)\([^()]*\)", name):
        return call[1] not in defined()
    if re.fullmatch(r"[A-Za-z]\w*(?:_\w+|[a-z][A-Z]\w*)", name):
        return name not in words() and name not in FOREIGN
    return False


def _dotted_missing(name: str) -> bool:
    """Resolve `package.module.name`; the package may be one of `workflows` or `roles`."""
    first = name.partition(".")[0]
    if first in PACKAGES:
        return not _resolves(name)
    homes = [home for home in ("workflows", "roles") if (ROOT / home / first).is_dir()]
    # A name such as `templates.ticket_task` is a key of a file and no module.
    homes = [home for home in homes if (ROOT / home / first / "__init__.py").exists()]
    return bool(homes) and not any(_resolves(f"{home}.{name}") for home in homes)


def _resolves(name: str) -> bool:
    path = ROOT
    parts = name.split(".")
    while parts and (path / parts[0]).is_dir():
        path /= parts.pop(0)
    if not parts:
        return True
    module = path / f"{parts[0]}.py"
    parts = parts[1:] if module.exists() else parts
    module = module if module.exists() else path / "__init__.py"
    if not module.exists():
        return False
    return not parts or parts[0] in _names_of(module)


@cache
def _names_of(module: Path) -> frozenset[str]:
    """Names that a module defines or imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text())):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Name(ctx=ast.Store()):
                names.add(node.id)
            case ast.alias():
                names.add(node.asname or node.name)
    return frozenset(names)


@cache
def file_names() -> frozenset[str]:
    return frozenset(path.name for path in _tracked())


@cache
def defined() -> frozenset[str]:
    """Functions and classes of all Python and TypeScript sources."""
    pattern = re.compile(r"\b(?:def|class|function|const)\s+(\w+)|^\s+(\w+)\(", re.MULTILINE)
    return frozenset(
        name
        for path in _tracked()
        if path.suffix in CODE
        for pair in pattern.findall(path.read_text())
        for name in pair
        if name
    )


@cache
def words() -> frozenset[str]:
    """All words of the sources, without those of this module."""
    return frozenset(
        word
        for path in _tracked()
        if (path.suffix in SOURCES or path.name == "Makefile") and path != Path(__file__).resolve()
        for word in re.findall(r"\w+", path.read_text())
    )
