"""Print the size of the code: lines, files, and the parts of which there should be few.

    python -m scripts.size            # one line a figure
    python -m scripts.size --json

Only files that git knows count. Migrations and generated files are left out.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import re
import subprocess
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("signalbox/", "workflows/", "roles/", "bench/", "scripts/", "distributions/")
"""Python outside tests."""
FRONT_END = "frontend_static/src/"
DIALECTS = "workflows/core/dialects/"
GENERATED = re.compile(r"(^|/)(migrations|vendored|dist)/|/api/schema\.ts$|\.generated\.")
TYPESCRIPT_TEST = re.compile(r"\.test\.tsx?$|/tests?/")
NOT_CODE = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    | {tokenize.ENCODING, tokenize.ENDMARKER}
)
CACHES = frozenset({"cache", "lru_cache"})
FAST_PATHS = re.compile(r"^## Fast paths$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| `", re.MULTILINE)
POOL = re.compile(r"^class \w*Pool\b", re.MULTILINE)


def main() -> None:
    """Print the figures of this checkout."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    figures = sizes(ROOT)
    if parser.parse_args().json:
        print(json.dumps(figures, indent=2))
        return
    for name, figure in figures.items():
        print(f"{figure:>9,}  {name}")


def sizes(root: Path) -> dict[str, int]:
    """Every figure by its name."""
    texts = {path: _text(root / path) for path in _known(root) if not GENERATED.search(path)}
    product = {p: t for p, t in texts.items() if p.endswith(".py") and p.startswith(PACKAGES)}
    tests = {p: t for p, t in texts.items() if p.endswith(".py") and p.startswith("tests/")}
    front = {
        p: t for p, t in texts.items() if p.startswith(FRONT_END) and p.endswith((".ts", ".tsx"))
    }
    drawn = {p: t for p, t in front.items() if not TYPESCRIPT_TEST.search(p)}
    css = {p: t for p, t in texts.items() if p.endswith(".css")}
    trees = {path: ast.parse(text) for path, text in product.items()}
    dialects = [tree for path, tree in trees.items() if path.startswith(DIALECTS)]
    architecture = FAST_PATHS.search(texts.get("docs/architecture.md", ""))
    return {
        "Python files outside tests": len(product),
        "Python lines outside tests": _lines(product.values()),
        "Python lines outside tests, only code": sum(map(code_lines, product.values())),
        "Python files of tests": len(tests),
        "Python lines of tests": _lines(tests.values()),
        "TypeScript files": len(drawn),
        "TypeScript lines": _lines(drawn.values()),
        "TypeScript lines of tests": _lines(front.values()) - _lines(drawn.values()),
        "CSS files": len(css),
        "CSS lines": _lines(css.values()),
        "numeric constants of modules": sum(numeric_constants(tree) for tree in trees.values()),
        "limits of depth": sum(_named(tree, "DEPTH", "DEEP") for tree in trees.values()),
        "isinstance in dialects": sum(_calls(tree, "isinstance") for tree in dialects),
        "functions with a cache": sum(_cached(tree) for tree in trees.values()),
        "rows of fast paths": len(ROW.findall(architecture[1])) if architecture else 0,
        "pools": sum(len(POOL.findall(text)) for text in product.values()),
    }


def _known(root: Path) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True, text=True
    )
    return [path for path in listed.stdout.split("\0") if path and (root / path).is_file()]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _lines(texts: Iterable[str]) -> int:
    return sum(text.count("\n") for text in texts)


def code_lines(text: str) -> int:
    """Lines of Python that are neither empty, nor comments, nor docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - set(_docstring_lines(ast.parse(text))))


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    """Lines of docstrings of all kinds, also below constants."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def numeric_constants(tree: ast.Module) -> int:
    """Constants of the module that are numbers, such as `LONGEST = 4 * 1024`."""
    return sum(_is_number(value) for _, value in _constants(tree))


def _constants(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                yield name, value
            case _:
                pass


def _is_number(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=number):
            return isinstance(number, (int, float)) and not isinstance(number, bool)
        case ast.UnaryOp(operand=operand):
            return _is_number(operand)
        case ast.BinOp(op=ast.BitOr()):  # A union of types, or flags.
            return False
        case ast.BinOp(left=left, right=right):
            return all(isinstance(one, ast.Name) or _is_number(one) for one in (left, right))
        case _:
            return False


def _named(tree: ast.Module, *words: str) -> int:
    return sum(
        _is_number(value) and any(word in name for word in words)
        for name, value in _constants(tree)
    )


def _calls(tree: ast.Module, name: str) -> int:
    return sum(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
        for node in ast.walk(tree)
    )


def _cached(tree: ast.Module) -> int:
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return sum(
        any(_decorator(one) in CACHES for one in node.decorator_list)
        for node in ast.walk(tree)
        if isinstance(node, functions)
    )


def _decorator(node: ast.expr) -> str:
    match node:
        case ast.Call(func=inner):
            return _decorator(inner)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


if __name__ == "__main__":
    main()
