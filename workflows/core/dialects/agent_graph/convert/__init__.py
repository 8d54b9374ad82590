"""Conversion of agent graphs to other dialects. docs/convert.md lists the mappings."""

from workflows.core.convert.conversion import Converter
from workflows.core.dialects.agent_graph.convert.to_neutral import to_neutral
from workflows.core.dialects.agent_graph.format.vocabulary import GRAPH_TOOLS

CONVERTER = Converter(to_neutral=to_neutral, built_in=frozenset({*GRAPH_TOOLS, "complete_run"}))

__all__ = ["CONVERTER"]
