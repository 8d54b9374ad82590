"""Packs that ship with us: what a first visitor opens, and what a new pack begins with."""

from __future__ import annotations

from workflows.core.pack.sample_files import shipped

samples = shipped(__name__)
