"""Rules over the tools of the agent."""

from __future__ import annotations

from workflows.core.dialects.steps_registry.format.tools import BOUNDARY_TOOLS, named_tools
from workflows.core.dialects.steps_registry.rules.kit import registry_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, Notes
from workflows.core.tools.mcp_names import server_of
from workflows.core.tools.standard import STANDARD


@registry_rule("SR730", "warning", "Tool of the agent is not known", profiles=EVERY)
def unknown_tool(source: RegistrySource) -> Notes:
    """`runner.boundaries.allowedTools` names a tool that neither Climpt nor another known agent
    has. Names are case-sensitive. A run needs a binding of that name on the server: see GR115.
    Correct the name, or remove it."""
    for tool in named_tools(source):
        is_known = tool.name in STANDARD or tool.name in BOUNDARY_TOOLS
        if not is_known and not server_of(tool.name):
            yield Note(
                message=f"The agent allows {tool.name!r}, which is not a known tool.",
                place=tool.place,
                hint="Correct the name, or bind the tool on the server that runs the agent.",
            )
