"""The limits of source files hold."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.support.checks import each_row

ROOT = Path(__file__).resolve().parents[2]


def _tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, check=True, text=True
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_the_core_imports_without_django() -> None:
    probe = (
        "import sys, workflows.core.rules.check; import workflows.core.dialects as d; d.dialects();"
        "assert not any(name.split('.')[0] in {'django', 'channels', 'rest_framework'}"
        " for name in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_no_file_names_a_registry_host() -> None:
    told = re.compile(
        rb'"resolved":\s*"http|(?<!no-emit-)index-url|--registry|//[\w.-]*(?:pypi|npmjs)\.'
    )
    found = [
        path.relative_to(ROOT)
        for path in _tracked()
        if path != Path(__file__).resolve() and told.search(path.read_bytes())
    ]
    assert found == []


@each_row(["py", "ts", "tsx", "css", "html"])
def test_no_source_file_is_longer_than_600_lines(suffix: str) -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in _tracked(f"*.{suffix}")
        if "migrations" not in path.parts
        and path.name != "schema.ts"  # written by a machine from docs/openapi.yaml
        and (lines := len(path.read_text().splitlines())) > 600
    }
    assert long == {}


def test_workflows_has_packages_instead_of_loose_modules() -> None:
    loose = {path.name for path in (ROOT / "workflows").glob("*.py")}
    assert loose == {
        "__init__.py",
        "admin.py",
        "apps.py",
        "errors.py",
        "installation.py",
        "urls.py",
    }


def source_names(folder: Path) -> set[str]:
    """Names in a folder. Folders that hold nothing but compiled files of an older checkout are left
    out."""
    return {
        path.name
        for path in folder.iterdir()
        if path.name != "__pycache__"
        and (path.is_file() or any(file.suffix != ".pyc" for file in path.rglob("*.*")))
    }
