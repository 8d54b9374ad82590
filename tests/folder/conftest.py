"""Every test here has a database and the `flow` dialect."""

from pathlib import Path

import pytest

from tests.support.opened_folder import FIRST, MAIN, opened_folder
from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect  # noqa: F401
from workflows.folder.sync import FolderSync


@pytest.fixture
def sync(tmp_path: Path) -> FolderSync:
    (tmp_path / MAIN).write_bytes(FIRST)
    made = opened_folder(tmp_path)
    made.scan()
    return made
