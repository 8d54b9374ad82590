"""Paths and version of this installation: pages, canvas and data.

A wheel has the pages and the canvas in `workflows/web`. In a checkout they are next to the
packages.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder with the packages: a checkout, or site-packages."""
_PACKAGED = ROOT / "workflows" / "web"
_IS_PACKAGED = _PACKAGED.is_dir()
PAGES = _PACKAGED if _IS_PACKAGED else ROOT
"""The folder with the templates and the documentation."""
TEMPLATES = PAGES / "templates"
CANVAS = _PACKAGED / "dist" if _IS_PACKAGED else ROOT / "frontend_static" / "dist"
IS_CHECKOUT = not _IS_PACKAGED and (ROOT / "manage.py").is_file() and TEMPLATES.is_dir()
DISTRIBUTIONS = ("signalbox-cli", "signalboxd")
HAS_PAGES = _IS_PACKAGED or IS_CHECKOUT
EXTRAS = {
    "pydantic_ai": "models",
    "genai_prices": "models",
    "mcp": "mcp",
    "lsprotocol": "lsp",
    "pygls": "lsp",
    "psycopg": "server",
    "procrastinate": "server",
    "channels_redis": "server",
    "opentelemetry": "server",
}
"""Modules of libraries that few need, and the extra of `signalboxd` that installs them."""


def data_folder() -> Path:
    """`SIGNALBOX_DATA`; by default `var` in a checkout, else a folder of the user."""
    named = os.environ.get("SIGNALBOX_DATA")
    if named is not None:
        return Path(named).absolute()
    return ROOT / "var" if IS_CHECKOUT else user_data_folder() / "server"


def user_data_folder() -> Path:
    """The folder in which this system keeps the user's data of Signalbox."""
    match sys.platform:
        case "win32":
            named = os.environ.get("LOCALAPPDATA", "")
            base = Path(named) if named else Path.home() / "AppData" / "Local"
        case "darwin":
            base = Path.home() / "Library" / "Application Support"
        case _:
            # The specification ignores a relative path.
            named = os.environ.get("XDG_DATA_HOME", "")
            base = Path(named) if named.startswith("/") else Path.home() / ".local" / "share"
    return base / "signalbox"


def missing_library(error: BaseException) -> str:
    """The library of another project that could not be imported, and the package that has it; ""
    for any other error."""
    name = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
    top = name.partition(".")[0]
    if top in ("", "signalbox", "workflows", "roles"):
        return ""
    package = f"signalboxd[{EXTRAS[top]}]" if top in EXTRAS else "signalboxd"
    return f"{top!r} is not installed. Install `{package}`, which has it."


@cache
def version() -> str:
    """The version of the checkout, else that of the installed distribution."""
    import tomllib
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    project = ROOT / "pyproject.toml"
    if project.is_file():
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])
    for name in DISTRIBUTIONS:
        try:
            return installed(name)
        except PackageNotFoundError:
            continue
    return "unknown"
