"""Every test here has a database and the `flow` dialect."""

from tests.server import *  # noqa: F403
from tests.server import _flow_dialect  # noqa: F401
