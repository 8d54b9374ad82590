"""Visits, seconds, tokens, cost and failures of each state, summed over the runs of a revision."""

from __future__ import annotations

from workflows.plugins.base import Plugin

PLUGIN = Plugin(
    name="heat",
    urls="workflows.plugins.heat.views",
    operations="packs_heat   GET   packs/<number:id>/heat/   read   pack:read@id",
)
