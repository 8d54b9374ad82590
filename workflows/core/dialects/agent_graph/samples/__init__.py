"""Shipped packs, for first visitors and as a start for new packs."""

from __future__ import annotations

from workflows.core.pack.sample_files import shipped

samples = shipped(__name__, "feature-team", "research-desk", "blank")
