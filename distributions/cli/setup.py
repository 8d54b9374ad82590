"""The part of the build that needs code: the wheel has one package, see `signalbox/__init__.py`."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildOnePackage(build_py):
    """Moves the other packages into `signalbox`."""

    def run(self) -> None:
        super().run()
        top = Path(self.build_lib)
        for name in ("roles", "workflows"):
            shutil.move(top / name, top / "signalbox" / "packages" / name)


setup(cmdclass={"build_py": BuildOnePackage})
