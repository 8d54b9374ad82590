"""The assistant: runs of a pack of its own, whose tools read one pack and propose edits of it."""

from __future__ import annotations

from workflows.plugins.base import Plugin

PLUGIN = Plugin(
    name="assistant",
    urls="workflows.plugins.assistant.views",
    operations="packs_assistant  POST  packs/<number:id>/assistant/  run  pack:edit@id",
)
