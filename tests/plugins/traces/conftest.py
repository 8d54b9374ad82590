"""Runs of a tiny dialect."""

from tests.runner.conftest import _tiny_dialect, begin

__all__ = ["_tiny_dialect", "begin"]
