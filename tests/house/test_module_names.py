"""Module names are nouns, and the folders of dialects have one shape."""

from __future__ import annotations

from pathlib import Path

from scripts.module_names import ALLOWED, METAPHORS, ModuleName, is_participle, module_names
from tests.house.test_source_tree import source_names
from tests.support.checks import each_row

ROOT = Path(__file__).resolve().parents[2]
DIALECTS = ROOT / "workflows/core/dialects"
INNER_NAMES = {
    "README.md", "__init__.py", "source.py", "recognise.py", "format", "graph", "forms", "edits",
    "rules", "program", "schemas", "samples",
}  # fmt: skip
OPTIONAL_NAMES = {"convert", "exports"}

OLD_NAMES = """
    asked given sought grown spoken taking trying doorbell mailbox desk brood plate stride stint
    reach sights halves yaml_pen json_pen hearing perform_stint beside circles sketch trail scout
    words plain guards truth kept shown stops left served revived beginning handing saying stand_ins
    looking_back_ways bindingWays placeStandIn
    """.split()  # noqa: SIM905
GOOD_NAMES = """
    claim lease_holder request response workspace encryption egress http_client notifications
    partial_output visits step_context explorer strong_components source feed embed
    read_findings rebase edit_summary placeSpawned runStore simulated bench embedded
    """.split()  # noqa: SIM905


def problem(name: str) -> str:
    return ModuleName(name=name, path="").problem


def test_no_module_is_named_by_a_participle_or_a_metaphor() -> None:
    names = list(module_names())
    assert len(names) > 900
    assert {module.path: module.problem for module in names if module.problem} == {}


@each_row(OLD_NAMES)
def test_an_old_name_is_flagged(name: str) -> None:
    assert problem(name)


@each_row(GOOD_NAMES)
def test_a_good_name_is_not_flagged(name: str) -> None:
    assert problem(name) == ""


def test_every_exception_is_needed() -> None:
    used = {"_".join(module.words) for module in module_names()}
    assert ALLOWED.keys() <= used
    for name, reason in ALLOWED.items():
        assert reason
        assert name in METAPHORS or is_participle(name)


@each_row([path for path in sorted(DIALECTS.iterdir()) if (path / "source.py").exists()])
def test_a_dialect_has_the_inner_names_of_all_dialects(folder: Path) -> None:
    assert source_names(folder) - OPTIONAL_NAMES == INNER_NAMES


def test_every_dialect_is_a_folder_with_a_source() -> None:
    folders = {name for name in source_names(DIALECTS) if (DIALECTS / name).is_dir()}
    assert len(folders) >= 4
    assert all((DIALECTS / name / "source.py").exists() for name in folders)
