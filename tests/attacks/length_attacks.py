"""Long texts that repeat one or two characters, at each place that once took quadratic time. Run
the functions in a process with limits (`tests.attacks.limited_process`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from roles.core.tokens import estimate
from tests.attacks.pack_attacks import START, Tree, events, promptpack, references
from workflows.core.dialects import dialects
from workflows.core.dialects.stages.graph.labels import parse_condition
from workflows.core.dialects.steps_registry.program.extractors import extract
from workflows.core.dialects.steps_registry.program.texts import inject_values
from workflows.core.pack.files import Files
from workflows.core.rules.check import check


def skill_filter(text: str) -> Tree:
    states = {"s0": {"prompt_task": "x", "terminal": True, "skills": text}}
    skill = b"---\nname: a\ndescription: b\n---\nText.\n"
    return {**promptpack(states, skills=[{"path": "skills/a"}]), "skills/a/SKILL.md": skill}


def schema_address(text: str) -> Tree:
    return promptpack(START, **{"$schema": text})


def _offered(tree: Tree) -> None:
    one = dialects()["promptpack"]
    assert one.offers(one.read(Files.of(tree)), "s0", one.profiles[0])


def _checked(tree: Tree) -> None:
    one = dialects()["promptpack"]
    source = one.read(Files.of(tree))
    for profile in one.profiles:
        check(one, source, profile, one.graph(source, profile))


def _read(data: bytes) -> None:
    for one in dialects().values():
        one.read(Files.of({"p.pack.json": data}))


def _extracted(name: str, text: str) -> Any:
    return extract(name, {"stdout": text, "stderr": "", "exit": 1})


ATTACKS: dict[str, Callable[[], Any]] = {
    "references that are not closed": lambda: _checked(references("${" * 2_500)),
    "references with a name": lambda: _checked(references("${a" * 20_000)),
    "a long reference": lambda: _checked(references("${" + "a" * 60_000)),
    "spaces in a prompt": lambda: estimate(" " * 120_000),
    "tabs and spaces in a prompt": lambda: estimate("\t " * 60_000),
    "brackets in a skill filter": lambda: _checked(skill_filter("[" * 16_000)),
    "stars in a skill filter": lambda: _checked(skill_filter("*[!]" * 4_000)),
    "an address of numbers": lambda: _checked(schema_address("/v0." + "0" * 40_000)),
    "letters of a command": lambda: _extracted("files", "a" * 256_000),
    "file endings of a command": lambda: _extracted("files", ".ts" * 80_000),
    "lines of a command": lambda: _extracted("failedTests", "\n" * 256_000),
    "spaces of a command": lambda: _extracted("lintErrors", " " * 256_000),
    "escaped quotes in a file that is cut off": lambda: _read(b'{"a": "' + b'a\\"' * 300_000),
    "numbers before a long one": lambda: _read(b"[" + b"1" * 3_999 * 200 + b"]"),
    "quotes before a number that is too long": lambda: _read(
        b'["' + b'a\\"' * 20_000 + b'", ' + (b"1" * 3_999 + b",") * 200 + b"1" * 9_999 + b"]"
    ),
    "blocks of a prompt that are not closed": lambda: inject_values("{{#if a}}" * 10_000, {}),
    "blocks of a prompt after their end": lambda: inject_values(
        "{{/each}}" + "{{#each a}}" * 10_000, {}
    ),
    "offers of a prompt with 5,000 events": lambda: _offered(events(5_000)),
    "spaces in a condition": lambda: parse_condition("a" + " " * 120_000 + "b"),
    "tabs in a condition": lambda: parse_condition("a" + "\t in" * 40_000 + " b"),
}


def run() -> dict[str, float]:
    """Processor seconds of each attack. Imports are not the attack's."""
    _checked(promptpack(START))
    seconds = {}
    for name, attack in ATTACKS.items():
        begun = time.process_time()
        attack()
        seconds[name] = time.process_time() - begun
    return seconds
