from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect  # noqa: F401
