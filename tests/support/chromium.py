"""The browser of the tests."""

from __future__ import annotations

import os
import shutil

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def chromium() -> str:
    """Path of the browser that `scripts/test_programs.sh` saw to. The shell without windows comes
    first: a page costs a fifth less processor time there. ``LookupError`` without any."""
    for name in (os.environ.get("SIGNALBOX_CHROMIUM"), *PROGRAMS):
        if name and (path := shutil.which(name)):
            return path
    raise LookupError("No Chromium: run scripts/test_programs.sh")
