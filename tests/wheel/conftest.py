"""One wheel, built and installed once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.wheel import borrow_libraries, build, copy_checkout, install


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of `signalboxd`."""
    place = tmp_path_factory.mktemp("wheel")
    done = build(copy_checkout(place / "checkout"), place / "wheels")
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = (place / "wheels").glob("signalboxd-*.whl")
    return made


@pytest.fixture(scope="session")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment with the wheel."""
    found = install(wheel, tmp_path_factory.mktemp("venv") / "venv")
    borrow_libraries(found)
    return found
