"""The process that renders imports neither Django nor workflows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROBE = """
import sys
import roles.rendering.child
loaded = {name.partition(".")[0] for name in sys.modules}
assert not loaded & {"django", "rest_framework", "workflows", "signalbox"}, loaded
"""


def test_it_is_imported_alone() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
