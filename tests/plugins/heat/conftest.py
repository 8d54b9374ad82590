from tests.api.conftest import support
from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect

__all__ = ["_flow_dialect", "support"]
