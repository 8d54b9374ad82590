"""Signalbox's own regular expressions, and texts that repeat what each of them looks for.

Run `slow` in a process with limits (`tests.attacks.limited_process`).
"""

from __future__ import annotations

import ast
import builtins
import math
import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from re import _constants as kinds  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("workflows", "roles", "signalbox")
LENGTH = 4_000
"""Characters of a text. Linear time is below a millisecond."""
SECONDS = 0.004
"""Processor time after which a text is tried at half and at full length."""
RATIO = 2.9
"""Full length against half: 2 in linear time, 4 in quadratic time."""
ALARM = 1
UNITS = (" ", "\n", " \n", "\n ", "\t", "a", "A", "0", "a ", "a.", "a-", "a/", "é", "_", "{{", "${",
         "[", "(", "<", "`", "#", "*", "- ", '"a', "\\", ": ", ",", "@")  # fmt: skip
ENDS = ("\0!", "")
METHODS = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn")
ANCHORED = frozenset(("match", "fullmatch"))
USES = re.compile(rf"\.(?:{'|'.join(METHODS)})\b|\bre\.")
"""Text of every module with an expression or a use of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """An expression of a module, and the methods that are called on it."""

    place: str
    line: int
    pattern: re.Pattern[Any]
    methods: frozenset[str]


def own_patterns() -> Iterator[Own]:
    """Every expression of the program."""
    texts = {path: path.read_text() for path in _modules()}
    trees = {path: ast.parse(text) for path, text in texts.items() if USES.search(text)}
    everywhere = [_methods_of(tree) for tree in trees.values()]
    for path, tree in trees.items():
        yield from _in_module(path, tree, everywhere)


def _modules() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def _methods_of(tree: ast.Module) -> dict[str, set[str]]:
    """The methods that a module calls on a name, or on an attribute of that name."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name), attr=attr):
                if attr in METHODS:
                    found.setdefault(name, set()).add(attr)
    return found


def _in_module(
    path: Path, tree: ast.Module, everywhere: list[dict[str, set[str]]]
) -> Iterator[Own]:
    names = {
        id(node.value): node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    place = path.relative_to(ROOT).as_posix()
    here = _methods_of(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=function), args=[_, *_]):
                if function not in (*METHODS, "compile"):
                    continue
                name = names.get(id(node), "")
                # A private name is used in its own module only.
                uses = [here] if name.startswith("_") else everywhere
                methods = frozenset().union(*(use.get(name, ()) for use in uses))
                if function in METHODS:
                    methods = frozenset((function,))
                for pattern in _compiled(node, place):
                    where = f"{place}:{name or ast.unparse(node.args[0])}"
                    yield Own(place=where, line=node.lineno, pattern=pattern, methods=methods)


def _compiled(call: ast.Call, place: str) -> Iterator[re.Pattern[Any]]:
    module = import_module(place.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    compiles = isinstance(call.func, ast.Attribute) and call.func.attr == "compile"
    flags = [word.value for word in call.keywords if word.arg == "flags"]
    flags += call.args[1:2] if compiles else []
    known = {**vars(module), "re": re}
    value = sum(int(_evaluated(flag, known, local=0)) for flag in flags)
    for text in _texts(call.args[0], known):
        yield re.compile(text, value)


def _texts(node: ast.expr, known: dict[str, Any]) -> list[Any]:
    """The expressions that a node can be: local texts in it are two letters."""
    if isinstance(node, ast.Subscript):
        return list(_evaluated(node.value, known, local=LOCAL).values())
    return [_evaluated(node, known, local=LOCAL)]


LOCAL = "ab"


def _evaluated(node: ast.expr, known: dict[str, Any], local: Any) -> Any:
    """The value of a node of a module, with `local` for what only a running function knows."""
    bound = {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }
    names = bound | set(known) | set(vars(builtins))
    return eval(ast.unparse(_Local(names, local).visit(node)), known)


class _Local(ast.NodeTransformer):
    """Replaces names that are unknown, and texts that are escaped."""

    def __init__(self, known: set[str], local: Any) -> None:
        self.known = known
        self.local = local

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "escape":
            return ast.Constant(self.local)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return node if node.id in self.known else ast.Constant(self.local)


def samples(pattern: re.Pattern[Any]) -> list[str]:
    """A character for each place of an expression, in order."""
    text = pattern.pattern
    source = text.decode("latin-1") if isinstance(text, bytes) else text
    return list(_samples(parser.parse(source, pattern.flags & ~re.UNICODE)))


def _samples(tree: Any) -> Iterator[str]:
    for kind, value in tree:
        if kind is kinds.LITERAL:
            yield chr(value)
        elif kind in (kinds.NOT_LITERAL, kinds.ANY):
            yield "a"
        elif kind is kinds.IN:
            yield _member(value)
        elif kind is kinds.BRANCH:
            for branch in value[1]:
                yield from _samples(branch)
        elif kind in (kinds.ASSERT, kinds.ASSERT_NOT, kinds.SUBPATTERN):
            yield from _samples(value[-1])
        elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
            yield from _samples(value[2])
        elif kind is kinds.ATOMIC_GROUP:
            yield from _samples(value)


_CATEGORIES = {
    kinds.CATEGORY_DIGIT: "0",
    kinds.CATEGORY_SPACE: " ",
    kinds.CATEGORY_NOT_WORD: "-",
}


def _member(options: Any) -> str:
    """One character of a class."""
    kind, value = options[0]
    if kind is kinds.NEGATE:
        excluded = {chr(one) for kind, one in options[1:] if kind is kinds.LITERAL}
        return next(one for one in "a -b" if one not in excluded)
    if kind is kinds.LITERAL:
        return chr(value)
    return chr(value[0]) if kind is kinds.RANGE else _CATEGORIES.get(value, "a")


def attacks(pattern: re.Pattern[Any], length: int) -> Iterator[str]:
    """Texts that begin as the expression does, repeat a part of it, and then do not fit."""
    every = samples(pattern)[:60]
    beginnings = ("".join(every[:size]) for size in range(2, 13))
    parts = [one for one, after in pairwise([*every, ""]) if one != after]
    pieces = {*UNITS, *parts, *map("".join, pairwise(parts)), "".join(parts), *beginnings} - {""}
    for unit in sorted(pieces):
        for end in ENDS:
            yield unit * (length // len(unit)) + end
    for at in range(1, len(parts)):
        for unit in {parts[at - 1], parts[at], parts[at] + parts[(at + 1) % len(parts)]}:
            yield "".join(parts[:at]) + unit * (length // len(unit)) + ENDS[0]


def seconds_of(own: Own, text: str) -> float:
    """Processor time of one use of an expression; infinite after `ALARM` seconds."""
    given: Any = text.encode() if isinstance(own.pattern.pattern, bytes) else text
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_REAL, ALARM)
    try:
        for method in own.methods & ANCHORED:
            getattr(own.pattern, method)(given)
        if not own.methods or own.methods - ANCHORED:
            for _ in own.pattern.finditer(given):
                pass
    except TimeoutError:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return time.process_time() - begun


def is_slow(own: Own, length: int = LENGTH) -> str:
    """The beginning of a text that takes more than linear time; "" if there is none."""
    for text in attacks(own.pattern, length):
        took = seconds_of(own, text)
        if took == math.inf:
            return text[:40]
        if took > SECONDS:
            half = text[: len(text) // 2] + text[-2:]
            long, short = (min(seconds_of(own, one) for _ in range(2)) for one in (text, half))
            if long > SECONDS and long > RATIO * short:
                return text[:40]
    return ""


def slow() -> dict[str, Any]:
    """The number of expressions, and the slow ones: place → the beginning of a text."""
    _set_up()
    every = list(own_patterns())
    return {
        "count": len(every),
        "slow": {own.place: text for own in every if (text := is_slow(own))},
    }


def slow_ones(*expressions: str) -> list[str]:
    """The beginning of a text for each expression."""
    _set_up()
    compiled = [(one, re.compile(one)) for one in expressions]
    return [is_slow(Own(place=one, line=0, pattern=p, methods=frozenset())) for one, p in compiled]


def _set_up() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "signalbox.settings")
    import django

    django.setup()
    signal.signal(signal.SIGALRM, _stop)


def _stop(*_: object) -> None:
    raise TimeoutError
