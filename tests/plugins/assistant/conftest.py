from tests.support.server_fixtures import *  # noqa: F403
