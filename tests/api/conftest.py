"""Every test here has a database and the `flow` dialect."""

from django.conf import settings

from tests.support.server_fixtures import *  # noqa: F403
from tests.support.server_fixtures import _flow_dialect  # noqa: F401

ON_SQLITE = ["test_busy.py"]
"""About what only SQLite does."""
collect_ignore = [] if "sqlite" in settings.DATABASES["default"]["ENGINE"] else ON_SQLITE
