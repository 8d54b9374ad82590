"""Damaged packs are converted or refused with a message, and the report stays complete."""

from __future__ import annotations

import copy
import json
import random

import pytest

from tests.core.convert.packs import NAMES, CannotConvert, KnownPack, converted, samples, targets
from tests.core.convert.reports import told_twice, uncovered
from workflows.core.pack.files import Files

STRANGE = (
    None, True, 7, -1, 0, 1.5, "", "x", "a|b", [], {}, [1], {"a": 1}, ["x", None], ".",
    {"target": ["x"]}, "run.input.", "result.parsed", "{{ctx.a}}{{artifacts.}}{uv-x}", "a.b.c",
)  # fmt: skip
LINES = (
    "", "key: [1,2]", "allowedTools: 7", "completionSchema: []", "id: [a]", "name: 5", "---",
    "{{ctx.upstream[3].parsed.x-y}}", "turnCap: x", "retryPolicy: 3",
)  # fmt: skip
TIMES = 10


@pytest.mark.parametrize("dialect", NAMES)
def test_every_leaf_of_a_damaged_pack_is_reported_once(dialect):
    rng = random.Random(f"damaged {dialect}")
    whole = [known for known in samples() if known.dialect == dialect]
    done = 0
    for _ in range(TIMES):
        known = damaged(rng, rng.choice(whole))
        if not known.source().readable:
            continue
        for target in targets(known):
            try:
                report = converted(known, target).report
            except CannotConvert as cannot:
                assert cannot.message.endswith(".")
                continue
            assert list(uncovered(known, report)) == []
            assert told_twice(report) == []
            done += 1
    assert done > TIMES


def damaged(rng, known):
    files = dict(known.files)
    path = rng.choice([path for path in files if path.endswith((".json", ".md"))])
    if path.endswith(".md"):
        lines = files[path].decode().split("\n")
        lines[rng.randrange(len(lines))] = rng.choice(LINES)
        files[path] = "\n".join(lines).encode()
    else:
        value = json.loads(files[path])
        for _ in range(3):
            damage(rng, value)
        files[path] = json.dumps(value).encode()
    return KnownPack(name="damaged", dialect=known.dialect, files=Files.of(files))


def damage(rng, value):
    """Take out, rename or replace one part."""
    *way, last = rng.choice([pointer for pointer in places(value) if pointer])
    for step in way:
        value = value[step]
    match rng.randrange(6) if isinstance(value, dict) else 5:
        case 0:
            del value[last]
        case 1:
            value[rng.choice(("", ".", "a/b", "x y", "é"))] = value.pop(last)
        case _:
            value[last] = copy.deepcopy(rng.choice(STRANGE))


def places(value, pointer=()):
    yield pointer
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*pointer, key))
