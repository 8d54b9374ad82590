"""The installed version of Signalbox."""

from __future__ import annotations
