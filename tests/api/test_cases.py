"""Cases over HTTP and on their page: kept from a run, checked, renamed, deleted."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.core.cases.test_cases import FAILING, SCENARIO
from tests.support.server_fixtures import files_of, stored
from workflows.actions import cases, packs, runs
from workflows.core.dialects.promptpack import DIALECT
from workflows.core.engine.fold import pending_effects
from workflows.errors import NotThere
from workflows.models import Pack, Run
from workflows.runner.simulated import rehearse_answer
from workflows.selectors.sources import view

MENDED = DIALECT.samples()["code-review"]["code-review.pack.json"].decode()
BROKEN = MENDED.replace(*FAILING["promptpack/code-review"])
PATH = "code-review.cases/no-end.scenario.yaml"


@pytest.fixture
def failed(ada: User) -> Run:
    """A run that fails because of its pack."""
    pack = stored(BROKEN.encode(), ada, "code-review.pack.json")
    run = runs.start(pack, driver="rehearsal", options={"seed": 1}, owner=ada)
    work, graph = runs.work_of(run.pk), view(pack).graph
    while pending := pending_effects(work.run):
        work = runs.deliver(run.pk, rehearse_answer(pending[0], work.run, graph, {}), held=work)
    return Run.objects.get(pk=run.pk)


def test_a_failed_run_is_a_case_until_its_pack_is_mended(
    ada: User, failed: Run, site: Client, post: Any
) -> None:
    pack = failed.pack_id
    kept = post(f"packs/{pack}/cases/", {"run": str(failed.pk), "name": "No end"})
    assert kept.status_code == 201, kept.json()
    assert (kept.json()["path"], kept.json()["holds"]) == (PATH, False)
    assert "budget exhausted" in kept.json()["message"]
    before = files_of(failed.pack)
    assert before["code-review.pack.json"].decode() == BROKEN
    again = post(f"packs/{pack}/cases/", {"run": str(failed.pk), "name": "no  END"})
    assert (again.status_code, "another name" in again.json()["message"]) == (422, True)
    write = {"code-review.pack.json": MENDED}
    tried = post(f"packs/{pack}/proposals/", {"base": 2, "files": write, "rehearse": False}).json()
    (change,) = tried["cases"]
    assert (change["case"], change["before"], change["after"]) == (PATH, False, True)
    edit = {"type": "write_file", "path": "code-review.pack.json", "text": MENDED}
    assert post(f"packs/{pack}/edits/", {"base": 2, "edits": [edit]}).status_code == 200
    (held,) = site.get(f"/api/v1/packs/{pack}/cases/").json()
    assert (held["holds"], "waits in review." in held["message"]) == (True, True)
    page = site.get(f"/packs/{pack}/verified-runs/").content.decode()
    assert f'data-case="{PATH}" data-holds="true"' in page


def test_cases_are_renamed_and_deleted_on_their_page(ada: User, failed: Run, site: Client) -> None:
    pack = failed.pack_id
    cases.keep(pack, failed, "No end", ada)
    kept = files_of(failed.pack)[PATH]

    def send(**form: str) -> str:
        answer = site.post(f"/packs/{pack}/cases/change/", {"case": PATH, **form}, follow=True)
        return answer.content.decode()

    assert "A case needs a name." in send(do="rename", name=" ")
    assert "The case is now Über &lt;b&gt;" in send(do="rename", name="Über <b>")
    moved = "code-review.cases/uber-b.scenario.yaml"
    files = files_of(Pack.objects.get(pk=pack))
    assert PATH not in files
    assert files[moved] == kept.replace(b"name: No end", "name: Über <b>".encode())
    assert "has no case" in send(do="delete")
    assert 'data-empty="cases"' in send(do="delete", case=moved)
    assert "Unknown form" in send(do="else")
    packs.undo(pack, 4, ada)
    assert moved in files_of(Pack.objects.get(pk=pack))


def test_only_ended_runs_of_the_pack_are_kept(ada: User, failed: Run, post: Any) -> None:
    other = stored(MENDED.encode(), ada, "code-review.pack.json")
    waiting = runs.start(other, driver="manual", options={}, owner=ada)
    for run, words in ((failed, "not of this pack"), (waiting, "has not ended")):
        answer = post(f"packs/{other.pk}/cases/", {"run": str(run.pk), "name": "x"})
        assert answer.status_code in (400, 422)
        assert words in answer.json()["message"]
    for path in ("code-review.pack.json", "../x.scenario.yaml"):
        with pytest.raises(NotThere):
            cases.delete(other.pk, path, ada)


def test_an_imported_scenario_is_a_case(ada: User, site: Client, failed: Run) -> None:
    """It has no verdict until a run is kept under its name, and its bytes stay."""
    tree = {"code-review.pack.json": MENDED.encode(), "scenarios/no-end.scenario.yaml": SCENARIO}
    (pack,) = packs.import_files(tree, owner=ada, origin="upload").packs
    assert files_of(pack)["scenarios/no-end.scenario.yaml"] == SCENARIO
    (shown,) = site.get(f"/api/v1/packs/{pack.pk}/cases/").json()
    assert (shown["name"], shown["holds"]) == ("review twice", None)
    assert shown["unchecked"] == ["content_includes"]
    Run.objects.filter(pk=failed.pk).update(pack=pack)
    run = Run.objects.get(pk=failed.pk)
    assert cases.keep(pack.pk, run, "No end", ada) == "scenarios/no-end.scenario.yaml"
    (shown,) = site.get(f"/api/v1/packs/{pack.pk}/cases/").json()
    assert "to end as completed" in shown["message"]
