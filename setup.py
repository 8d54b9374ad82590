"""The part of the build that needs code: pages, documentation and the built canvas become package
data."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
TEMPLATES, CANVAS = HERE / "templates", HERE / "frontend_static" / "dist"


class BuildWithPages(build_py):
    """Copies templates, documentation and canvas to `workflows/web`, where
    `workflows.installation` finds them."""

    def run(self) -> None:
        if self.editable_mode:  # an editable installation uses those of the checkout
            super().run()
            return
        if not (CANVAS / "manifest.json").exists():
            sys.exit(
                "The canvas is not built. Run `make wheel`, which builds it. Missing: "
                f"{CANVAS / 'manifest.json'}"
            )
        # Files of an earlier build would be part of the wheel.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        web = Path(self.build_lib) / "workflows" / "web"
        shutil.copytree(TEMPLATES, web / "templates")
        shutil.copytree(CANVAS, web / "dist")
        shutil.copytree(HERE / "docs", web / "docs")
        for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
            shutil.copyfile(HERE / name, web / name)
        top = Path(self.build_lib)
        for name in ("roles", "workflows"):  # See `signalbox/__init__.py`.
            shutil.move(top / name, top / "signalbox" / "packages" / name)


setup(cmdclass={"build_py": BuildWithPages})
