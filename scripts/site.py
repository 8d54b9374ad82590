"""The documentation as a folder of static files: `python -m scripts.site -o FOLDER`.

The pages are those of the app below `/help/`. The Markdown of each is next to it, and `llms.txt`
lists them. Exit 1 if a link leads nowhere.
"""

from __future__ import annotations

import argparse
import os
import posixpath
import shutil
import sys
from pathlib import Path

from workflows.help.links import broken_links
from workflows.help.markdown import relative
from workflows.help.pages import files, pages
from workflows.help.presentation import context

STYLES = "assets"
DEMO = Path(__file__).parents[1] / "frontend_static/dist-demo"
"""Made by `make .make/demo`."""


def main(argv: list[str] | None = None) -> int:
    """Write the site into an empty or earlier folder."""
    options = argparse.ArgumentParser(prog="scripts.site", description=__doc__)
    options.add_argument("-o", "--output", default="dist/site", type=Path, metavar="FOLDER")
    folder: Path = options.parse_args(argv).output
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "signalbox.settings")
    import django

    django.setup()
    write(folder)
    broken = broken_links()
    print("".join(f"{one}\n" for one in broken), end="")
    print(f"{len(pages())} pages in {folder}")
    return 1 if broken else 0


def write(folder: Path) -> None:
    """Write all pages and files. Raises OSError."""
    from django.template.loader import render_to_string

    from workflows.installation import CANVAS
    from workflows.views.canvas_files import entry

    shutil.rmtree(folder, ignore_errors=True)
    styles = [style.removeprefix("dist/") for style in entry("site").styles]
    for style in styles:
        _write(folder / STYLES / posixpath.basename(style), (CANVAS / style).read_bytes())
    for address in pages():
        base = relative(address, STYLES)
        links = {
            "styles": [base + posixpath.basename(style) for style in styles],
            "demo": relative(address, "demo") if DEMO.exists() else "",
        }
        html = render_to_string("help_site.html", context(address) | links | {"results": None})
        _write(folder / address / "index.html", html.encode())
    for name, content in files().items():
        _write(folder / name, content)
    if DEMO.exists():
        shutil.copytree(DEMO, folder / "demo")


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
