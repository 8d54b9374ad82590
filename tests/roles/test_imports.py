"""The rules of prompts import neither Django nor workflows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(f"roles.core.{path.stem}" for path in (ROOT / "roles" / "core").glob("[a-z]*.py"))


@pytest.mark.parametrize("wanted", [", ".join(MODULES), "roles.rendering.child"])
def test_it_is_imported_alone(wanted: str) -> None:
    probe = (
        f"import sys; import {wanted}; "
        "loaded = {name.partition('.')[0] for name in sys.modules}; "
        "assert not loaded & {'django', 'rest_framework', 'workflows', 'signalbox'}, loaded"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
