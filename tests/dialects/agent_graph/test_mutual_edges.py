"""Edges that are made two-way."""

from __future__ import annotations

import pytest

from tests.dialects.agent_graph.packs import pack
from workflows.core.dialects.agent_graph import DIALECT
from workflows.core.pack.edits import Connect, EditRefused, SetField


def test_a_second_edge_back_keeps_an_edge_one_way() -> None:
    back = Connect(source="checker", target="coder", label="task")
    both_ways = SetField(
        element="transition:coder|diff|checker", field="/bidirectional", value=True
    )
    with pytest.raises(EditRefused, match="'checker' may hand off to 'coder' already"):
        DIALECT.apply(DIALECT.apply(pack(), back), both_ways)
    assert DIALECT.apply(pack(), both_ways) != pack()
