"""The reasons of a conversion report are derived from the files: what a reason claims is so."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from functools import cache

import pytest

from tests.core.convert.packs import (
    CannotConvert,
    KnownPack,
    converted,
    everything,
    graphs,
    samples,
    some_of_corpus,
    targets,
    to_neutral,
)
from tests.support.checks import quick_or_slow
from workflows.core.convert.facts import facts
from workflows.core.dialects import dialects
from workflows.core.pack.files import Files

MEANT = re.compile(r"“([^”]*)”")


def kind(element: str, feature: str) -> tuple[str, str]:
    """Fact without its names: `keeps plan` of `state:a` is `keeps` of `state`."""
    first = feature.partition(" ")[0]
    plain = first if first in ("keeps", "field", "without") else feature
    return element.partition(":")[0], plain


@cache
def supported() -> dict[str, set[tuple[str, str]]]:
    """Dialect → the facts that any pack of it has, of files and of conversions."""
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for known in everything():
        found[known.dialect] |= {kind(*key) for key in facts(to_neutral(known).machine)}
    return found


def text_of(files) -> str:
    return "\n".join(data.decode("utf-8", "replace") for data in files.values())


def check_reasons(known: KnownPack, target: str) -> int:
    """Derive what each reason claims; return the number of reasons."""
    made = converted(known, target)
    before = facts(to_neutral(known).machine)
    again = KnownPack(name=known.name, dialect=target, files=made.files)
    after = facts(to_neutral(again).machine)
    tools = {tool.name for tool in dialects()[target].named_tools(again.source())}
    counted = 0
    for entry in made.report:
        about = (known.name, target, entry)
        assert (entry.fate == "kept") == (entry.why == ""), about
        if entry.fate == "kept":
            continue
        counted += 1
        key = (entry.element, entry.feature)
        assert "does not support this" not in entry.why, about
        if "The conversion does not read this value" in entry.why or not entry.keys:
            assert entry.fate == "dropped", about
            assert not set(entry.keys) & before.keys(), about
            continue
        if entry.fate == "dropped":
            assert key not in after, about
            moved = "copied into each prompt" in entry.why
            assert moved or kind(*key) not in supported()[target] or old_only(key, before), about
        if entry.fate == "added":
            assert key in after or key[0] in {element for element, _ in after}, about
            assert key not in before, about
        if entry.fate == "approximated" and before.get(key) == after.get(key):
            names = MEANT.findall(entry.why)
            shown = "written as text" in entry.why or "mentions" in entry.why
            assert shown or (names and all(name in text_of(made.files) for name in names)), about
        for name in re.findall(r"workflow__\w+", entry.why):
            assert name in text_of(known.files), about
            assert name not in tools, about
        for number in re.findall(r"run: (\d+) iterations", entry.why):
            assert f'"maxIterations": {number}' in text_of(made.files), about
        if "has the name" in entry.why:
            (label,) = MEANT.findall(entry.why)
            assert f"{entry.element.partition('|')[0]}|{label}" in {e for e, _ in after}, about
        if "one after another" in entry.why:
            chain = entry.why.rpartition(": ")[2].removesuffix(".").split(" → ")
            states = {f"state:{name}" for name in chain} & {element for element, _ in before}
            assert len(states) > 1, about
            assert states <= {element for element, _ in after}, about
        if "separate state" in entry.why or "new state" in entry.why:
            assert f"state:{MEANT.findall(entry.why)[-1]}" in {element for element, _ in after}
        if "is “" in entry.why and "in the new pack" in entry.why:
            assert all(MEANT.findall(entry.why)), about
    return counted


def old_only(key: tuple[str, str], before) -> bool:
    """True for a value that the target supports, but not of this kind: a slot filled with a whole
    answer."""
    element, feature = key
    name = feature.partition(" ")[2]
    return kind(*key)[1] in ("keeps", "field") and before.get((element, f"field of {name}")) == ""


@pytest.mark.parametrize("known", [*samples(), *graphs()], ids=lambda known: known.name)
def test_the_reasons_of_a_sample(known):
    assert sum(check_reasons(known, target) for target in targets(known)) > 0


@pytest.mark.parametrize("every", quick_or_slow(9, 2))
def test_the_reasons_of_the_corpus(every):
    count = 0
    for dialect in ("promptpack", "steps_registry", "stages"):
        for known in some_of_corpus(dialect, every):
            for target in targets(known):
                try:
                    count += check_reasons(known, target)
                except CannotConvert:
                    continue
    assert count > 20


def test_a_shared_artifact_stays_one():
    shared = {"findings": {"type": "text/plain"}}
    states = {
        "draft": {"prompt_task": "draft", "on_event": {"Go": "review"}, "artifacts": shared},
        "review": {"prompt_task": "review", "on_event": {"Go": "done"}, "artifacts": shared},
        "done": {"prompt_task": "done", "terminal": True},
    }
    prompts = {
        key: {"id": key, "name": key, "version": "1.0.0", "system_template": f"Do {key}."}
        for key in states
    }
    for shown in ("", " Read {{artifacts.findings}}."):
        prompts["done"]["system_template"] = f"Do done.{shown}"
        tree = {
            "id": "shared", "name": "Shared", "version": "1.0.0", "prompts": prompts,
            "template_engine": {"version": "v1", "syntax": "{{variable}}"},
            "workflow": {"version": 1, "entry": "draft", "states": states},
        }  # fmt: skip
        known = known_pack(tree)
        for target in targets(known):
            there = converted(known, target)
            between = KnownPack(name="shared", dialect=target, files=there.files)
            back = converted(between, "promptpack")
            (data,) = back.files.values()
            found = json.loads(data)["workflow"]["states"]
            names = {name for state in found.values() for name in state.get("artifacts", {})}
            assert names == {"findings"}, (target, shown)


def known_pack(tree) -> KnownPack:
    files = {"shared.pack.json": json.dumps(tree).encode()}
    return KnownPack(name="shared", dialect="promptpack", files=Files.of(files))
