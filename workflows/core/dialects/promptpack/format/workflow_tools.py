"""Tools of the runtime that every state of a workflow has. Packs cannot declare them."""

from __future__ import annotations

TRANSITION = "workflow__transition"
SET_ARTIFACT = "workflow__set_artifact"
RESERVED = (TRANSITION, SET_ARTIFACT)
