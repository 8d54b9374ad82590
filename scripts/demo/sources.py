"""The Python sources of the demo page as a zip: `python -m scripts.demo.sources FILE`.

They are the core with the modules that the page imports, and libraries. Modules of
`replacements` replace those with native code.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import workflows.demo.page

HOME = Path(__file__).parents[2]
REPLACEMENTS = Path(__file__).with_name("replacements")
OWN = ("workflows", "roles")
WHOLE = (HOME / "workflows/core",)
"""Folders whose modules are also imported when a pack needs them."""
LIBRARIES = (
    "attr", "attrs", "jsonschema", "jsonschema_specifications", "referencing", "ruamel.yaml",
    "yaml",
)  # fmt: skip
LEFT_OUT = (".pyc", ".so", ".pyi", ".typed", ".pyx", ".pxd", "README.md")


def main(argv: list[str] | None = None) -> int:
    """Write the zip."""
    (target,) = sys.argv[1:] if argv is None else argv
    with zipfile.ZipFile(target, "w") as packed:
        for name, path in sources().items():
            packed.writestr(name, path.read_bytes())
    return 0


def sources() -> dict[str, Path]:
    """Name in the zip → file."""
    assert workflows.demo.page
    imported = [one for name, one in sys.modules.items() if name.split(".")[0] in OWN]
    own = {file: HOME for module in imported if (file := _file(module))}
    own |= {file: HOME for folder in WHOLE for file in _files(folder)}
    libraries = {
        file: _file(library).parents[name.count(".") + 1]
        for name in LIBRARIES
        for library in (import_module(name),)
        for file in _files(_file(library).parent)
    }
    replaced = dict.fromkeys(_files(REPLACEMENTS), REPLACEMENTS)
    found = own | libraries | replaced
    return {str(file.relative_to(root)): file for file, root in found.items()}


def _file(module: ModuleType) -> Path:
    return Path(module.__file__ or "")


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        left_out = path.name.endswith(LEFT_OUT) or {"__pycache__", "tests"} & set(path.parts)
        if path.is_file() and not left_out:
            yield path


if __name__ == "__main__":
    sys.exit(main())
