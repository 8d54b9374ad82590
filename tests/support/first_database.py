"""Databases that are made once for each state of the sources, and copied by tests and by servers of
tests: migrations and samples take most of the time of a first start."""

from __future__ import annotations

import fcntl
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
MIGRATED = "from signalbox.database import prepare; prepare('serve')"
FIRST = f"{MIGRATED}; from workflows.actions.samples import load_samples; load_samples()"


def copy_first_database(data: Path) -> None:
    """Copy the database of a server that was started once into this folder, unless a database
    exists there."""
    if not (data / NAME).exists():
        packages = (ROOT / name for name in ("signalbox", "roles", "workflows"))
        shutil.copyfile(_kept("first", FIRST, *packages), data / NAME)


def copy_migrated_database(file: Path) -> None:
    """Copy a database with all tables, and with the roles that migrations load."""
    sources = (ROOT / name for name in ("signalbox/settings.py", "roles", "workflows/migrations"))
    shutil.copyfile(_kept("migrated", MIGRATED, *sources), file)


@cache
def _kept(name: str, program: str, *sources: Path) -> Path:
    """The database that a program makes. Other processes wait while one makes it."""
    kept = KEPT / f"{name}-{_digest(sources)}.sqlite3"
    KEPT.mkdir(exist_ok=True)
    with (KEPT / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            for old in KEPT.glob(f"{name}-*"):
                if old.stat().st_mtime < time.time() - DAY:
                    old.unlink(missing_ok=True)
            with tempfile.TemporaryDirectory(dir=KEPT) as folder:
                env = {**os.environ, "SIGNALBOX_DATABASE": "", "SIGNALBOX_DATA": folder}
                subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=env, check=True)
                (Path(folder) / NAME).replace(kept)
    return kept


def _digest(sources: tuple[Path, ...]) -> str:
    """A digest of the files and folders that determine the content of a database."""
    digest = hashlib.sha256((ROOT / "requirements.txt").read_bytes())
    for path in sorted(path for one in sources for path in (one, *one.rglob("*"))):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
