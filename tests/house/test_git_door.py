"""Git is started through one module, so that no command lacks the safe settings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOOR = "workflows/repos/git.py"


def uses_of_git(tree: ast.AST) -> Iterator[int]:
    """Lines where a list of words begins with git, or the program is looked for."""
    for node in ast.walk(tree):
        words = node.elts if isinstance(node, ast.List | ast.Tuple) else []
        if isinstance(node, ast.Call):
            words = node.args
        first = words[0] if words else None
        if isinstance(first, ast.Starred) or not isinstance(first, ast.Constant):
            continue
        name = str(first.value)
        if name == "git" or (name.startswith("git ") and _is_shell(node)):
            yield first.lineno


def _is_shell(node: ast.AST) -> bool:
    called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return called.rpartition(".")[2] in ("system", "popen", "Popen", "run", "call", "check_output")


def test_only_the_door_names_the_program() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for folder in ("workflows", "signalbox", "roles")
        for path in (ROOT / folder).rglob("*.py")
        if '"git' in (text := path.read_text())
        for line in uses_of_git(ast.parse(text))
    }
    assert {place.partition(":")[0] for place in found} == {DOOR}


def test_the_check_finds_a_second_door() -> None:
    for text in ("run(['git', 'status'])", "run(('git', 'x'))", "which('git')", "system('git x')"):
        assert list(uses_of_git(ast.parse(text))) == [1], text
