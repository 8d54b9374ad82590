"""Limits on wrong passwords. The settings read them, so nothing here needs Django."""

from __future__ import annotations

from datetime import timedelta

PAIR_FAILURES = 10
"""Wrong passwords for one name from one address before that pair has to wait."""
PAIR_WAIT = timedelta(minutes=15)
ADDRESS_FAILURES = 100
"""Wrong passwords from one address, for any names, before the address has to wait."""
ADDRESS_WAIT = timedelta(hours=1)
