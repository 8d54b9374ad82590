"""Reads for pages, the API and runs."""

from roles.selectors.memory import memory_block
from roles.selectors.modes import mode_for_run
from roles.selectors.roles import role_for_run

__all__ = ["memory_block", "mode_for_run", "role_for_run"]
