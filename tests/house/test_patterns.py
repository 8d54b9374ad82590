"""Expressions that are not constants run in `workflows.core.patterns` only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATTERNS = ROOT / "workflows" / "core" / "patterns"
ENGINES = {"regex", "re2", "quickjs", "sre_compile", "sre_parse"}
FUNCTIONS = {
    "compile",
    "search",
    "match",
    "fullmatch",
    "findall",
    "finditer",
    "split",
    "sub",
    "subn",
}
OURS = {
    "workflows/core/dialects/promptpack/edits/objects.py": "_ID[kind]",
    "workflows/core/dialects/stages/format/repair.py": "key",
    "workflows/core/dialects/steps_registry/rules/drift_routes.py": "ALIASES",
    "workflows/core/rules/secrets.py": "shape",
    "workflows/runner/models/reasoning.py": "mark",
}
"""Module → an expression in it that is one of several constants."""


def modules() -> Iterator[Path]:
    for package in ("workflows", "roles", "signalbox"):
        yield from (path for path in (ROOT / package).rglob("*.py") if PATTERNS not in path.parents)


def is_constant(node: ast.expr) -> bool:
    """True for a text, a constant of the module, and both joined with escaped texts."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper()
        case ast.Call(func=ast.Attribute(attr="escape")):
            return True
        case ast.FormattedValue(value=value):
            return is_constant(value)
        case ast.JoinedStr(values=values):
            return all(is_constant(value) for value in values)
        case ast.BinOp(left=left, right=right):
            return is_constant(left) and is_constant(right)
    return False


def test_expressions_are_constants() -> None:
    assert [found for path in modules() for found in foreign(path)] == []


def foreign(path: Path) -> Iterator[str]:
    """Places of a module that import an engine, or run an expression that is not a constant."""
    name = path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names) if {one.name for one in names} & ENGINES:
                yield f"{name}:{node.lineno}: import"
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in ENGINES:
                yield f"{name}:{node.lineno}: import"
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=attr), args=[given, *_]
            ) if attr in FUNCTIONS and not is_constant(given):
                text = ast.unparse(given)
                if name not in OURS or OURS[name] not in text:
                    yield f"{name}:{node.lineno}: {text}"


def test_other_expressions_are_found() -> None:
    tree = ast.parse("re.search(pattern, text)\nre.compile(rf'{re.escape(x)}{WORD}')").body
    calls = [node.value for node in tree if isinstance(node, ast.Expr)]
    given = [call.args[0] for call in calls if isinstance(call, ast.Call)]
    assert [is_constant(one) for one in given] == [False, True]
