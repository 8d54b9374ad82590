"""The database of a server that was started once, which servers of tests copy.

Migrations and samples take most of the time of a first start, so both run once for each state of
the sources.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".make"
NAME = "signalbox.sqlite3"
DAY = 86_400
FIRST = (
    "from signalbox.database import prepare; prepare('serve');"
    "from workflows.actions.samples import load_samples; load_samples()"
)


def copy_first_database(data: Path) -> None:
    """Copy it into this folder, unless a database exists there."""
    if not (data / NAME).exists():
        shutil.copyfile(first(), data / NAME)


@cache
def first() -> Path:
    """Return the file. If several processes make it at the same time, the last one wins."""
    kept = KEPT / f"first-{_program()}.sqlite3"
    if not kept.exists():
        KEPT.mkdir(exist_ok=True)
        for old in KEPT.glob("first-*"):
            if old.stat().st_mtime < time.time() - DAY:
                old.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as folder:
            env = {**os.environ, "SIGNALBOX_DATABASE": "", "SIGNALBOX_DATA": folder}
            subprocess.run([sys.executable, "-c", FIRST], cwd=ROOT, env=env, check=True)
            (Path(folder) / NAME).replace(kept)
    return kept


def _program() -> str:
    """A digest of everything that determines the content of the file."""
    digest = hashlib.sha256((ROOT / "requirements.txt").read_bytes())
    for folder in ("signalbox", "roles", "workflows"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
