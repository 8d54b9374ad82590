"""Patterns that stop or fill a process that compiles or matches them without limits, and the places
of a pack that hold one. Run the functions in a process with limits
(`tests.attacks.limited_process`)."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

from tests.dialects.promptpack import packs as promptpack
from tests.dialects.steps_registry import packs as registry
from workflows.core.dialects import dialects
from workflows.core.dialects.promptpack.program.measures.base import BadParams, Observation
from workflows.core.dialects.promptpack.program.measures.text import TEXT_MEASURES
from workflows.core.dialects.steps_registry.format.prompt_paths import permits
from workflows.core.dialects.steps_registry.format.success_when import matches
from workflows.core.engine.rehearsal.rehearse import rehearse
from workflows.core.pack.files import Files
from workflows.core.rules.check import check
from workflows.core.tools.arguments import argument_problem
from workflows.runner.tools.base import ToolFailed
from workflows.runner.tools.files import WORK

PATTERNS: dict[str, str] = {
    "nested repeats": "(?:(?:a{300}){300}){300}",
    "nested groups": "((a{300}){300}){300}",
    "nested ranges": "((a{1,1000}){1,1000}){1,1000}",
    "nested open repeats": "((a{300,}){300,}){300,}",
    "repeats of a class": "(?:(?:[a-z]{200}){200}){200}",
    "repeats of a wide class": "(?:(?:[^x]{200}){200}){200}",
    "repeats of a property": r"(?:(?:\p{L}{100}){100}){100}",
    "repeats of any character": "(?:(?:.{500}){500}){500}",
    "repeats of a boundary": r"(?:(?:\b{300}){300}){300}",
    "repeats of nothing": "(?:(?:(?:){1000}){1000}){1000}",
    "repeats of an option": "(?:(?:a?){500}){500}",
    "four levels": "(?:(?:(?:a{50}){50}){50}){50}",
    "eight levels": "(?:(?:(?:(?:(?:(?:(?:a{9}){9}){9}){9}){9}){9}){9}){9}",
    "repeats side by side": "(?:a{1000}){1000}" * 50,
    "repeats in alternatives": "|".join(["(?:a{999}){999}"] * 60),
    "a large count": "a{2147483647}",
    "a count beyond integers": "a{99999999999999999999}",
    "a count of a thousand digits": "a{" + "9" * 1_000 + "}",
    "an inverted count": "(?:a{300,2}){300}",
    "lazy repeats": "(?:(?:a{300}?){300}?){300}?",
    "possessive repeats": "(?:(?:a{300}+){300}+){300}+",
    "ignored case": "(?i)(?:(?:a{300}){300}){300}",
    "ignored case of properties": r"(?i)(?:\p{Lu}\p{Ll}){400}",
    "repeats in a look-ahead": "(?=(?:(?:a{300}){300}){300})",
    "repeats in a look-behind": "(?<=(?:(?:a{300}){300}){300})b",
    "repeats of a look-ahead": "(?:(?:(?=a){300}){300}){300}",
    "repeats of a reference": r"(a)(?:(?:\1{300}){300}){300}",
    "plus in plus": "(a+)+$",
    "star in star": "(a*)*b",
    "three stars": "((a*)*)*b",
    "same alternatives": "(a|a)*$",
    "overlapping alternatives": "(a|aa)+$",
    "overlapping classes": r"(\w|[a-z])+\d$",
    "options before letters": "(?:a?){300}a{300}$",
    "many stars": ".*" * 30 + "x",
    "many lazy stars": ".*?" * 30 + "x",
    "many groups of stars": "(.*)" * 40 + "x",
    "words with spaces": r"^(\w+\s?)*$",
    "an address": r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}$",
    "backreferences": r"(a+)(a+)(a+)\1\2\3b$",
    "a backreference in a star": r"((a|aa)+)\1\2c$",
    "a look-ahead in a star": "(x(?=.*y)|.)*z",
    "a look-behind over everything": "(?<=(?:a|b)*x)y",
    "a negative look-ahead": "^(?!(a+)+b)(a+)+c$",
    "states beyond counting": "[ab]*a[ab]{60}c[ab]*a[ab]{60}d",
    "many alternatives with tails": "|".join(f"[ab]*a[ab]{{{size}}}c" for size in range(1, 90)),
    "deep groups": "(" * 900 + "a" + ")" * 900,
    "deep plain groups": "(?:" * 600 + "a" + ")" * 600,
    "deep repeats": "(?:" * 300 + "a" + "){2}" * 300,
    "deep stars": "(?:" * 400 + "a" + ")*" * 400,
    "deep classes": "[" * 1_000,
    "open groups": "(" * 1_999,
    "long alternatives": "|".join("ab" for _ in range(600)),
    "many properties": r"\p{L}" * 390,
    "many classes": r"[^\x00-\x10]" * 160,
    "a long pattern": "a" * 100_000,
    "a long pattern of groups": "(?:" * 50_000 + ")" * 50_000,
    "a surrogate": "\ud800+",
    "zeros": "\0" * 1_000,
}
"""Attack → pattern. The first is the one that stopped a server for 14 seconds."""

TEXTS = ("", "a" * 3_000 + "!", "ab" * 5_000, "x" * 20_000, "é" * 4_000, "aaaa bbbb " * 300 + "!")

Outcome: TypeAlias = list[str]
Attack: TypeAlias = Callable[[str], Outcome]


def _codes(dialect: str, files: Files) -> Outcome:
    """Import, drawing and check, in every profile."""
    one = dialects()[dialect]
    source = one.read(files)
    found: list[str] = []
    for profile in one.profiles:
        graph = one.graph(source, profile)
        found += (f"{item.code} {item.message}" for item in check(one, source, profile, graph))
    return found


def promptpack_file(pattern: str, name: str = "Good") -> str:
    """A pack that has the pattern in every place."""
    params = {"pattern": pattern}
    tree = promptpack.pack(
        {
            "name": name,
            "prompts/draft/validators": [{"type": "regex", "params": params}],
            "evals": [
                {"id": "a", "type": "tool_result_matches", "trigger": "every_turn",
                 "params": params, "when": {"tool_called_pattern": pattern}},
                {"id": "b", "type": "json_schema", "trigger": "every_turn",
                 "params": {"schema": {"pattern": pattern}}},
            ],
            "tools/find": {"name": "find", "description": "Find.", "parameters": _schema(pattern)},
        }
    )  # fmt: skip
    return json.dumps(tree)


def _pack(pattern: str) -> Files:
    return Files.of({"good.pack.json": promptpack_file(pattern).encode()})


def _schema(pattern: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": pattern}},
        "patternProperties": {pattern: {"type": "string"}},
    }


def _registry(pattern: str) -> Files:
    def change(whole: dict[str, Any]) -> None:
        whole["registry"]["validators"] = {
            "clean": {"type": "command", "phase": "x", "command": "check", "extractParams": {},
                      "successWhen": f"matches:{pattern}", "failurePattern": "dirty"},
        }  # fmt: skip
        whole["registry"]["failurePatterns"] = {
            "dirty": {"description": "d", "edition": "failed", "semanticMatch": [f"/{pattern}/"]}
        }
        config = {"directiveType": {"pattern": pattern}, "layerType": {"pattern": pattern}}
        path = ".agent/climpt/config/t-steps-user.yml"
        whole["files"][path] = json.dumps({"params": {"two": config}})

    return registry.pack(change).files


def _stages(pattern: str) -> Files:
    main = {"entryStage": "a", "stages": {"a": {"file": "a.md", "next": None}}}
    head = {"id": "a", "name": "A", "completionSchema": _schema(pattern)}
    text = f"---\n{json.dumps(head)}\n---\nWork.\n"
    return Files.of({"pipeline.json": json.dumps(main).encode(), "a.md": text.encode()})


def check_promptpack(pattern: str) -> Outcome:
    return _codes("promptpack", _pack(pattern))


def check_registry(pattern: str) -> Outcome:
    return _codes("steps_registry", _registry(pattern))


def check_stages(pattern: str) -> Outcome:
    return _codes("stages", _stages(pattern))


def rehearse_promptpack(pattern: str) -> Outcome:
    one, files = dialects()["promptpack"], _pack(pattern)
    source = one.read(files)
    if not source.readable:
        return [finding.message for finding in source.findings]
    profile = one.profiles[0]
    done = rehearse(one.program(source, profile), one.graph(source, profile), runs=3, seed=1)
    return [f"{name} {count}" for name, count in done.outcomes.items()]


def measure(pattern: str) -> Outcome:
    """The check of replies, in a run."""
    found = []
    for text in TEXTS:
        try:
            TEXT_MEASURES["regex"]({"pattern": pattern}, Observation(text=text))
            found.append("measured")
        except BadParams as problem:
            found.append(problem.message)
    return found


def success(pattern: str) -> Outcome:
    """The check of a command's output, in a run, and of a folder."""
    return [str(matches(pattern, text)) for text in TEXTS] + [str(permits(pattern, "issue"))]


def arguments(pattern: str) -> Outcome:
    """The check of a call's arguments, in a run."""
    return [argument_problem("find", _schema(pattern), {"a": text, "b": 3}) for text in TEXTS]


def search(pattern: str) -> Outcome:
    """The tools that search a workspace, whose pattern a model wrote."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "long.txt").write_text("\n".join(TEXTS))
        for operation, more in (("grep", {}), ("glob", {}), ("grep", {"glob": pattern})):
            given = {"pattern": "a" if more else pattern, **more}
            try:
                found.append(WORK[operation](root, given)[:80])
            except ToolFailed as refused:
                found.append(str(refused))
    return found


ATTACKS: dict[str, Attack] = {
    one.__name__: one
    for one in (
        check_promptpack,
        check_registry,
        check_stages,
        rehearse_promptpack,
        measure,
        success,
        arguments,
        search,
    )
}


def patterns_of(name: str, step: int) -> list[str]:
    """Every `step`th attack, another first one for each place."""
    return list(PATTERNS)[list(ATTACKS).index(name) % step :: step]


def run(name: str, step: str) -> list[tuple[str, float, Outcome]]:
    """(attack, processor seconds, outcome) of patterns in one place."""
    return list(_run(ATTACKS[name], patterns_of(name, int(step))))


def _run(attack: Attack, names: list[str]) -> Iterator[tuple[str, float, Outcome]]:
    with suppress(UnicodeEncodeError):
        attack("a")  # imports and caches are not the attack's
    for name in names:
        pattern = PATTERNS[name]
        begun = time.process_time()
        outcome = attack(deepcopy(pattern))
        yield name, time.process_time() - begun, outcome
