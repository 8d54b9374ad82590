"""Every test here has a database and the `flow` dialect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.support.model_server import ModelServer
from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect  # noqa: F401
from workflows.actions.packs import create_from_sample
from workflows.models import Pack


@pytest.fixture
def support(ada: User) -> Pack:
    """The sample of a customer support."""
    return create_from_sample("promptpack/customer-support", owner=ada)


@pytest.fixture
def server(settings: Any) -> Iterator[ModelServer]:
    """A model server on this computer, which connections may use."""
    settings.SIGNALBOX_PRIVATE_HOSTS = ["127.0.0.1"]
    with ModelServer() as server:
        yield server
