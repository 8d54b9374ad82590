"""Runs as event streams of AG-UI, the protocol between agents and their front ends, over HTTP.
`core/` translates a run's log."""

from __future__ import annotations

from workflows.plugins.base import Plugin

PLUGIN = Plugin(
    name="ag-ui",
    urls="workflows.plugins.ag_ui.urls",
    operations="""
packs_ag_ui   POST   packs/<number:id>/ag-ui/   run    pack:read@id
runs_ag_ui    GET    runs/<uuid:id>/ag-ui/    read   run:read@id
""",
    stop="workflows.plugins.ag_ui.stream.end_streams",
)
