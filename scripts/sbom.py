"""Bills of materials of a release, in CycloneDX: one for Python, one for JavaScript.

`make sbom` writes `dist/signalbox-python.cdx.json` and `dist/signalbox-javascript.cdx.json`. Both
are validated against the schema of their version before they are written.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.utils import canonicalize_name

from scripts.licences import python_licences
from scripts.locked_packages import REQUIREMENTS, ROOT

VERSION = "1.6"


class InvalidBom(Exception):
    """A bill of materials does not fit the schema of CycloneDX."""


def main(argv: list[str] | None = None) -> int:
    """Write both files."""
    options = argparse.ArgumentParser(prog="scripts.sbom", description=__doc__)
    options.add_argument("--to", type=Path, default=ROOT / "dist", help="folder of the files")
    folder: Path = options.parse_args(argv).to
    folder.mkdir(parents=True, exist_ok=True)
    for name, bom in (("python", python_bom()), ("javascript", javascript_bom())):
        validate(bom)
        path = folder / f"signalbox-{name}.cdx.json"
        path.write_text(json.dumps(bom, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"wrote {path}: {len(bom['components'])} components")
    return 0


def python_bom() -> dict[str, Any]:
    """The packages of requirements.txt with their hashes and licences."""
    command = [
        sys.executable, "-m", "cyclonedx_py", "requirements", str(REQUIREMENTS), "--pyproject",
        str(ROOT / "pyproject.toml"), "--spec-version", VERSION, "--output-format", "JSON",
        "--output-reproducible",
    ]  # fmt: skip
    bom: dict[str, Any] = json.loads(_output(command))
    licences = {
        (package.name, package.version): licence for package, licence in python_licences().items()
    }
    for component in bom["components"]:
        licence = licences[canonicalize_name(component["name"]), component["version"]]
        component["licenses"] = [{"expression": licence}]
    return bom


def javascript_bom() -> dict[str, Any]:
    """The packages that the canvas needs at run time, from package-lock.json."""
    command = [
        str(ROOT / "scripts" / "node.sh"), "sbom", "--sbom-format", "cyclonedx", "--sbom-type",
        "application", "--omit", "dev", "--package-lock-only",
    ]  # fmt: skip
    bom: dict[str, Any] = json.loads(_output(command))
    return bom


def validate(bom: dict[str, Any]) -> None:
    """Check a bill of materials against the schema of its version. Raises InvalidBom."""
    version = SchemaVersion.from_version(bom["specVersion"])
    if error := JsonStrictValidator(version).validate_str(json.dumps(bom)):
        raise InvalidBom(str(error))


def _output(command: list[str]) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
