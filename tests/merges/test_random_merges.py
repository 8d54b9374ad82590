"""Random merges of packs of four dialects through a real `git merge` with the merge driver,
compared with git's own and with an oracle by keys."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.merges.key_oracle import Clash, lost, merged
from tests.merges.random_sides import Versions, versions
from tests.support.checks import quick_or_slow
from tests.support.git_program import GitRepository, init
from tests.support.live_server import ROOT
from tests.support.packs import all_packs
from workflows.core.text.frontmatter import Frontmatter

DIALECTS = ("promptpack", "steps_registry", "stages", "agent_graph")
DRIVER = (
    f"PYTHONPATH={ROOT} {sys.executable} -m signalbox merge %O %A %B --path %P --marker-size %L"
)


@pytest.mark.parametrize("count", quick_or_slow(4, 200))
def test_a_merge_has_the_changes_of_both_sides(tmp_path: Path, count: int) -> None:
    cases = _cases(count)
    results = _merge(init(tmp_path / "driver"), cases, DRIVER)
    by_lines = _merge(init(tmp_path / "plain"), cases, "")
    figures: Counter[str] = Counter()
    for folder, one in cases.items():
        sides = [_meaning(one.path, data) for data in (one.base, one.mine, one.theirs)]
        try:
            expected = merged(*sides)
        except Clash:
            expected = None
        data = results[folder]
        figures["oracle"] += expected is not None
        figures["git"] += by_lines[folder] is not None
        if data is None:
            continue
        figures["clean"] += 1
        result = _meaning(one.path, data)
        for side, other in ((sides[1], sides[2]), (sides[2], sides[1])):
            assert not lost(sides[0], side, other, result), (folder, one)
        if expected is not None:
            figures["both"] += 1
            assert _unordered(result) == _unordered(expected), (folder, one)
    print(dict(figures))
    assert figures["oracle"] > count // 2
    assert figures["both"] >= 0.95 * figures["oracle"], figures
    assert figures["clean"] > figures["git"], figures


def _cases(count: int) -> dict[str, Versions]:
    known = all_packs()
    packs = {name: [one for one in known if one.dialect == name] for name in DIALECTS}
    cases: dict[str, Versions] = {}
    seed = 0
    while len(cases) < count:
        chance = Random(seed)
        found = versions(chance.choice(packs[DIALECTS[seed % 4]]), chance)
        if found is not None:
            cases[f"{seed:03}"] = found
        seed += 1
    return cases


def _merge(
    repository: GitRepository, cases: dict[str, Versions], driver: str
) -> dict[str, bytes | None]:
    """All cases as one merge, each in a folder of its own. None for a conflict."""
    repository.git("config", "core.autocrlf", "false")
    if driver:
        repository.git("config", "merge.signalbox.driver", driver)
    paths = {folder: f"{folder}/{one.path}" for folder, one in cases.items()}

    def commit(side: str) -> None:
        repository.commit({paths[name]: getattr(one, side) for name, one in cases.items()})

    repository.write({".gitattributes": b"*.json merge=signalbox\n*.md merge=signalbox\n"})
    commit("base")
    repository.git("switch", "--quiet", "--create", "theirs")
    commit("theirs")
    repository.git("switch", "--quiet", "main")
    commit("mine")
    repository.attempt("merge", "--quiet", "--no-edit", "theirs")
    listed = repository.run("diff", "--name-only", "--diff-filter=U", "-z").decode()
    conflicts = set(listed.split("\0"))
    return {
        folder: None if path in conflicts else (repository.folder / path).read_bytes()
        for folder, path in paths.items()
    }


def _meaning(path: str, data: bytes) -> Any:
    if path.endswith(".json"):
        return json.loads(data)
    file = Frontmatter.parse(data)
    assert file.head is not None
    return {"head": file.head.value, "body": file.body.decode(errors="surrogateescape")}


def _unordered(value: Any) -> Any:
    """A value whose lists are compared without their order."""
    if isinstance(value, dict):
        return {key: _unordered(one) for key, one in value.items()}
    if isinstance(value, list):
        return sorted(json.dumps(_unordered(one), sort_keys=True) for one in value)
    return value
