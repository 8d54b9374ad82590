"""Programs, folders and tests that the Makefile names exist: most of its targets run in no CI."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATHS = re.compile(r"(?<![\w./-])(?:scripts|tests|bench|workflows|signalbox)/[\w./-]+")
MODULES = re.compile(r"-m ((?:scripts|tests|bench|signalbox)(?:\.\w+)*)")


def missing(makefile: str) -> list[str]:
    """The paths and modules in this text that do not exist."""
    paths = [name for name in PATHS.findall(makefile) if not (ROOT / name.rstrip("/.")).exists()]
    return paths + [name for name in MODULES.findall(makefile) if find_spec(name) is None]


def test_all_that_the_makefile_runs_exists() -> None:
    assert missing((ROOT / "Makefile").read_text()) == []


def test_a_program_that_does_not_exist_is_noticed() -> None:
    recipe = "bench:\n\tscripts/gone.sh\n\t.venv/bin/python -m scripts.gone tests/gone/test_a.py\n"
    assert missing(recipe) == ["scripts/gone.sh", "tests/gone/test_a.py", "scripts.gone"]
