"""Wheels built from the files of this checkout, and installed in a virtual environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TextIO

from tests.support.live_server import ROOT, LiveServer

PATIENCE = 600
"""Seconds for building or installing on a busy machine."""


def copy_checkout(target: Path, *, canvas: bool = True) -> Path:
    """Copy the tracked files, and the built canvas if wanted."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "bench/")):
            place = target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place, follow_symlinks=False)
    if canvas:
        shutil.copytree(ROOT / "frontend_static/dist", target / "frontend_static/dist")
    return target


def build(project: Path, output: Path) -> subprocess.CompletedProcess[str]:
    """Run `pip wheel` without a network."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps"),
            *("--no-build-isolation", "--wheel-dir", str(output), str(project)),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )


def install(wheel: Path, venv: Path) -> Path:
    """Install a wheel in a new environment that borrows the libraries of this one. Returns the
    environment's folder of programs."""
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True, timeout=PATIENCE
    )
    programs = venv / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--python", str(programs / "python"), "install"),
            *("--quiet", "--no-index", "--no-deps", str(wheel)),
        ],
        check=True,
        timeout=PATIENCE,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    return programs


def site_packages(programs: Path) -> Path:
    """The folder that the wheel was installed in."""
    (folder,) = (programs.parent / "lib").glob("python*/site-packages")
    return folder


def packages(programs: Path) -> Path:
    """The folder with the packages of an installed wheel."""
    return site_packages(programs) / "signalbox" / "packages"


def borrow_libraries(programs: Path) -> None:
    """Let the environment import the libraries of this one, but no other copy of Signalbox."""
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site_packages(programs) / "libraries.pth").write_text("\n".join(sorted(folders)) + "\n")


def outside_environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of a user with this home and no setting of Signalbox or Python."""
    left_out = ("SIGNALBOX_", "PYTHON", "XDG_", "DJANGO_", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return {**kept, "HOME": str(home), "PYTHONUNBUFFERED": "1", **more}


class OpenedFolder(LiveServer):
    """`signalbox open FOLDER` (or `serve`) of an installed wheel, from an unrelated working
    directory."""

    def __init__(self, programs: Path, folder: Path, place: Path, *, command: str = "open") -> None:
        """`place`: a new folder for the home, the working directory and the output."""
        self.command = command
        self.home, self.elsewhere = place / "home", place / "elsewhere"
        for needed in (self.home, self.elsewhere, place / "output"):
            needed.mkdir(parents=True, exist_ok=True)
        super().__init__(place / "output", SIGNALBOX_DATABASE="none")
        self.executable, self.folder = programs / "signalbox", folder

    @property
    def env(self) -> dict[str, str]:
        return outside_environment(self.home)

    @property
    def arguments(self) -> tuple[str, ...]:
        options = (str(self.folder), "--no-browser") if self.command == "open" else ()
        return (self.command, *options, "--port", str(self.port))

    def launched(self, log: TextIO) -> subprocess.Popen[str]:
        return self.interpreter(log, [str(self.executable)], self.elsewhere)

    def page(self, address: str) -> bytes:
        """The body of an address, which must answer 200."""
        with self.browser().open(f"{self.url}{address}") as answer:
            assert answer.status == 200
            return bytes(answer.read())

    def static_files(self, page: str) -> set[str]:
        """Addresses of the scripts and styles that a page names."""
        return set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page))
