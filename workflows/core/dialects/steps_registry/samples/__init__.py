"""Agents that ship with us: what a first visitor opens, and a new pack's start. Each folder is a
repository root, with `.agent` written as `agent`, because packaging leaves out what begins with a
dot."""

from __future__ import annotations

from workflows.core.pack.sample_files import shipped

samples = shipped(
    __name__,
    *("triage-bot", "review-loop", "blank"),
    at=lambda path: f".{path}" if path.startswith("agent/") else path,
)
