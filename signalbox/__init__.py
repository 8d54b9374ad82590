"""Wiring without behaviour: settings, URLs, ASGI and the command line.

A wheel has `workflows` and `roles` in the folder `packages` of this package, so that an environment
gets one new name, and modules of a project that are called like them stay importable there.
"""

import sys
from pathlib import Path

_packages = str(Path(__file__).resolve().parent / "packages")
if Path(_packages).is_dir() and _packages not in sys.path:
    sys.path.insert(0, _packages)
