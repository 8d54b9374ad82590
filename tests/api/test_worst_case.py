"""The worst case of a run over HTTP, with assumptions."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from workflows.actions.packs import create_from_sample, import_files
from workflows.core.pack.files import Files
from workflows.providers.call_costs import price_of


def test_a_script_is_bounded_with_numbers_for_its_unknowns(site: Client, ada: User) -> None:
    pack = create_from_sample("workflow_scripts/branch-lenses", owner=ada)
    place = f"/api/v1/packs/{pack.pk}/worst-case/"
    bound = site.get(place).json()
    assert (bound["formula"], bound["most"]) == ("7 + 18*len(find.findings)", None)
    assert bound["unknowns"] == bound["open"] == ["len(find.findings)"]
    assert bound["phases"] == {"Find": "6", "Refute": "18*len(find.findings)", "Critic": "1"}
    assert site.get(place, {"assume": "len(find.findings)=10"}).json()["most"] == 187
    assert bound["cost"]["most"] is None
    given = ["len(find.findings)=10", "tokens=1000000"]
    cost = site.get(place, {"assume": given, "session_model": "sonnet"}).json()["cost"]
    price = price_of("sonnet")
    assert price is not None
    assert cost["most"] == pytest.approx(sum(cost["models"].values()))
    assert cost["models"]["(session)"] % price.output == pytest.approx(0)
    assert "1,000,000 tokens at the price of output" in cost["basis"]
    (missing,) = site.get(place, {"assume": given}).json()["cost"]["missing"]
    assert "session's model" in missing
    for wrong in ("findings", "findings=-1", "=3", f"findings={'9' * 5_000}"):
        refused = site.get(place, {"assume": wrong})
        assert (refused.status_code, refused.json()["where"]) == (400, "assume")


def test_other_packs_are_bounded_by_their_graph(site: Client, ada: User) -> None:
    pack = create_from_sample("stages/feature-delivery", owner=ada)
    bound = site.get(f"/api/v1/packs/{pack.pk}/worst-case/").json()
    assert bound["unit"] == "model calls"
    assert bound["most"] is None or bound["formula"] == f"{bound['most']:,}"


def test_nothing_bounds_a_pack_that_cannot_be_read(site: Client, ada: User) -> None:
    broken = Files.of({"a.pack.json": b'{"id": "a", "template_engine": {'})
    (pack,) = import_files(broken, owner=ada).packs
    bound = site.get(f"/api/v1/packs/{pack.pk}/worst-case/").json()
    assert (bound["formula"], bound["most"], bound["open"]) == ("?", None, ["unreadable files"])
