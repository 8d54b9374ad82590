"""Packs that Signalbox writes load in the npm client of the format."""

from __future__ import annotations

import json

from tests.dialects.promptpack import upstream_client as upstream


def test_the_rules_of_the_client_agree_with_its_recorded_verdicts() -> None:
    recorded = json.loads(upstream.RECORDED.read_text())
    assert len(recorded) > 30
    assert {item["error"] != "" for item in recorded.values()} == {True, False}
    wrong = {
        name: item["error"]
        for name, item in recorded.items()
        if upstream.refusal(item["pack"]) != bool(item["error"])
    }
    assert wrong == {}


def test_the_client_loads_every_pack_that_signalbox_writes() -> None:
    written = dict(upstream.written_packs())
    assert len(written) >= 20
    assert [name for name, tree in written.items() if upstream.refusal(tree)] == []


if upstream.CLIENT:

    def test_a_copy_of_the_client_loads_them_today() -> None:
        found = upstream.verdicts(dict(upstream.written_packs()))
        assert {name: error for name, error in found.items() if error} == {}
