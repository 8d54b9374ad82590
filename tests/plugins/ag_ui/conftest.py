from collections.abc import AsyncIterator

import pytest

from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect  # noqa: F401
from workflows.live.hub import close_hub


@pytest.fixture
async def hubs() -> AsyncIterator[None]:
    yield
    await close_hub()
