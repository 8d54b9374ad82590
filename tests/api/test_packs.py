"""Packs over HTTP, as the canvas and programs use them."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from roles.rights import Level, share
from tests.support.checks import failure_note
from tests.support.flow_dialect import flow
from tests.support.server_fixtures import signed_in, stored, text_of
from workflows.models import Pack, Revision

TITLE = {"type": "set_field", "element": "state:A", "field": "/title", "value": "first"}


def test_the_gallery_lists_cards(site: Client, pack: Pack) -> None:
    body = site.get("/api/v1/packs/").json()
    assert (body["count"], body["next"]) == (1, None)
    card = body["results"][0]
    assert card["name"] == "tiny"
    assert (card["states"], card["transitions"], card["head"]) == (3, 2, 1)
    assert len(card["thumbnail"]["states"]) == 3
    assert len(card["thumbnail"]["lines"]) == 2
    assert card["last_run"] is None


def test_the_gallery_is_searched_and_paged(site: Client, ada: User) -> None:
    for name in ("one.flow.json", "two.flow.json", "three.flow.json"):
        stored(flow("A", A={}), ada, name)
    found = site.get("/api/v1/packs/", {"q": "TWO"}).json()
    assert [card["name"] for card in found["results"]] == ["two"]
    page = site.get("/api/v1/packs/", {"limit": 2}).json()
    assert (len(page["results"]), page["count"]) == (2, 3)
    assert len(site.get(page["next"]).json()["results"]) == 1
    assert site.get("/api/v1/packs/", {"dialect": "none"}).json()["count"] == 0


def test_the_gallery_costs_the_same_queries_for_any_number_of_packs(
    site: Client, ada: User, django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        stored(flow("A", A={"Go": "B"}, B={}), ada, f"p{number}.flow.json")
    with django_assert_max_num_queries(12):
        assert site.get("/api/v1/packs/").json()["count"] == 12


def test_a_graph_has_all_the_canvas_draws(site: Client, pack: Pack) -> None:
    body = site.get(f"/api/v1/packs/{pack.pk}/graph/").json()
    assert body["pack"] == pack.pk
    assert body["entry"] == "A"
    assert [state["id"] for state in body["states"]] == ["A", "B", "C"]
    assert body["states"][0]["x"] is None
    assert [arrow["id"] for arrow in body["transitions"]] == ["A|Go|B", "B|Go|C"]
    assert body["palette"][0]["kind"] == "state"
    assert body["undo"] == {"can": False, "label": ""}


def test_an_older_graph_has_its_own_states_and_positions(
    site: Client, pack: Pack, post: Any
) -> None:
    edits(post, pack, 1, {"type": "move", "positions": {"A": [5, 6]}})
    edits(post, pack, 2, {"type": "move", "positions": {"A": [7, 8]}})
    edits(post, pack, 3, {"type": "remove_state", "id": "A"})
    old = site.get(f"/api/v1/packs/{pack.pk}/graph/", {"revision": 2}).json()
    assert (old["states"][0]["id"], old["states"][0]["x"]) == ("A", 5.0)
    new = site.get(f"/api/v1/packs/{pack.pk}/graph/").json()
    assert [s["id"] for s in new["states"]] == ["B", "C"]


def test_an_edit_answers_what_changed(pack: Pack, post: Any) -> None:
    body = edits(post, pack, 1, TITLE).json()
    assert (body["revision"], body["base"], body["rebased"]) == (2, 1, False)
    assert [state["name"] for state in body["graph"]["states"]["set"]] == ["first"]
    assert body["outline"] is None, "unchanged"
    assert body["undo"] == {"can": True, "label": "Change title of A"}


def test_other_pages_fetch_what_they_lack(site: Client, pack: Pack, post: Any) -> None:
    edits(post, pack, 1, TITLE)
    edits(post, pack, 2, {"type": "move", "positions": {"B": [1, 2]}})
    body = site.get(f"/api/v1/packs/{pack.pk}/changes/", {"after": 1}).json()
    assert body["revision"] == 3
    assert {state["id"] for state in body["graph"]["states"]["set"]} == {"A", "B"}
    again = site.get(f"/api/v1/packs/{pack.pk}/changes/", {"after": 3}).json()
    assert again["graph"]["states"] == {"set": [], "gone": []}


def test_the_answer_to_a_move_leaves_out_the_requested_positions(
    site: Client, pack: Pack, post: Any
) -> None:
    def moved(base: int, *more: dict[str, Any]) -> tuple[bool, set[str]]:
        move = {"type": "move", "positions": {"A": [base, 1], "B": [base, 2]}}
        body = {"base": base, "edits": [move, *more], "leave_out_moves": True}
        answer = post(f"packs/{pack.pk}/edits/", body).json()
        return answer["rebased"], {state["id"] for state in answer["graph"]["states"]["set"]}

    assert moved(1) == (False, set())
    everything = site.get(f"/api/v1/packs/{pack.pk}/changes/", {"after": 1}).json()
    assert {state["id"] for state in everything["graph"]["states"]["set"]} == {"A", "B"}
    assert moved(2, {"type": "write_note", "id": "A", "text": "Ask."}) == (False, {"A", "B"})
    edits(post, pack, 3, TITLE)
    assert moved(3) == (True, {"A", "B"})
    states = site.get(f"/api/v1/packs/{pack.pk}/graph/").json()["states"]
    assert [(state["x"], state["y"]) for state in states[:2]] == [(3.0, 1.0), (3.0, 2.0)]


def test_undo_and_redo_answer_changes(pack: Pack, post: Any) -> None:
    before = text_of(pack)
    edits(post, pack, 1, TITLE)
    undone = post(f"packs/{pack.pk}/undo/", {"base": 2}).json()
    assert undone["graph"]["states"]["set"][0]["name"] == "a"
    assert text_of(pack) == before
    redone = post(f"packs/{pack.pk}/redo/", {"base": 3}).json()
    assert redone["graph"]["states"]["set"][0]["name"] == "first"
    assert post(f"packs/{pack.pk}/redo/", {"base": 4}).status_code == 409


def test_a_conflict_shows_both_sides(pack: Pack, post: Any, bob: User) -> None:
    other = signed_in(bob)
    share(pack, bob, Level.EDIT)
    edits(post, pack, 1, TITLE, client=other)
    answer = edits(post, pack, 1, {**TITLE, "value": "mine"})
    body = answer.json()
    assert (answer.status_code, body["code"], body["head"]) == (409, "conflict", 2)
    assert body["theirs"][0]["author"] == "bob"
    assert body["yours"][0]["value"] == "mine"
    (place,) = body["places"]
    assert (place["path"], place["line"], "mine" in place["yours"]) == (pack.main, 6, True)


def test_files_revisions_diff_and_restore(site: Client, pack: Pack, post: Any) -> None:
    edits(post, pack, 1, TITLE)
    base = f"/api/v1/packs/{pack.pk}"
    assert site.get(f"{base}/files/").json()[0]["path"] == pack.main
    old = site.get(f"{base}/files/", {"path": pack.main, "revision": 1}).json()
    assert '"a"' in old["text"]
    listed = site.get(f"{base}/revisions/").json()["results"]
    assert [(one["number"], one["kind"], one["author"]) for one in listed] == [
        (2, "edit", "ada"),
        (1, "import", "ada"),
    ]
    diff = site.get(f"{base}/diff/", {"from": 1, "to": 2}).json()
    assert diff["states"] == {"added": [], "removed": [], "changed": ["A"], "renamed": []}
    assert '-      "title": "a"' in diff["files"][0]["diff"]
    assert '+      "title": "first"' in diff["files"][0]["diff"]
    assert diff["files"][0]["diff"].splitlines()[2].startswith("@@ -3,")
    assert post(f"packs/{pack.pk}/revisions/1/restore/", {}).json()["revision"] == 3
    named = post(f"packs/{pack.pk}/revisions/1/name/", {"name": "first light"})
    assert named.json()["name"] == "first light"


def test_a_binary_file_is_marked_as_binary(site: Client, ada: User) -> None:
    from workflows.actions import packs

    tree = {"a.flow.json": flow("A", A={}), "a.flow.json.notes/x.bin": b"\xff\x00"}
    pack = packs.import_files(tree, owner=ada).packs[0]
    path = {"path": "a.flow.json.notes/x.bin"}
    assert site.get(f"/api/v1/packs/{pack.pk}/files/", path).json()["binary"] is True


def test_a_pack_is_renamed_read_otherwise_and_deleted(site: Client, pack: Pack, post: Any) -> None:
    def patch(body: object) -> Any:
        address = f"/api/v1/packs/{pack.pk}/"
        return site.patch(address, body, content_type="application/json")

    assert patch({"name": " New  name "}).json()["name"] == "New name"
    assert patch({"profile": "strict"}).json()["profile"] == "strict"
    assert site.get(f"/api/v1/packs/{pack.pk}/graph/").json()["profile"] == "strict"
    refused = patch({"profile": "none"})
    assert refused.status_code == 400
    assert "plain, strict" in refused.json()["message"]
    assert patch({"name": "Other", "profile": "none"}).status_code == 400
    assert patch({"name": " ", "profile": "plain"}).status_code == 400
    kept = Pack.objects.get(pk=pack.pk)
    assert (kept.name, kept.profile) == ("New name", "strict"), "nothing half saved"
    assert site.delete(f"/api/v1/packs/{pack.pk}/").status_code == 204
    assert site.get(f"/api/v1/packs/{pack.pk}/").status_code == 404
    assert not Revision.objects.filter(pack=pack.pk).exists()


def test_queries_of_the_editor_about_an_element(site: Client, pack: Pack, post: Any) -> None:
    base = f"/api/v1/packs/{pack.pk}"
    assert site.get(f"{base}/offers/", {"state": "A"}).json()[0]["pattern"] == "^[A-Z]"
    assert site.get(f"{base}/fields/", {"element": "state:A"}).json()["values"]["title"] == "a"
    assert post(f"packs/{pack.pk}/copy/", {"states": ["C"]}).json()["fragment"]["C"]
    assert site.get(f"{base}/fields/", {"element": "state:Z"}).status_code == 422
    assert site.get(f"{base}/offers/", {"state": "Z"}).status_code == 404
    assert site.get(f"{base}/offers/").status_code == 400


def test_samples_become_packs_of_ones_own(site: Client, post: Any) -> None:
    samples = site.get("/api/v1/samples/").json()
    assert {"dialect": "flow", "name": "tiny"}.items() <= next(
        one.items() for one in samples if one["dialect"] == "flow"
    )
    made = post("packs/", {"sample": "flow/tiny", "name": "Mine"})
    assert (made.status_code, made.json()["name"], made.json()["states"]) == (201, "Mine", 2)
    assert post("packs/", {"dialect": "flow", "name": "New"}).status_code == 201
    assert post("packs/", {"sample": "flow/none"}).status_code == 404
    assert post("packs/", {"dialect": "none"}).status_code == 404
    assert post("packs/", {}).status_code == 400


def test_every_shipped_sample_opens(site: Client, post: Any) -> None:
    for sample in site.get("/api/v1/samples/").json():
        card = post("packs/", {"sample": f"{sample['dialect']}/{sample['name']}"}).json()
        graph = site.get(f"/api/v1/packs/{card['id']}/graph/").json()
        first = [state for state in graph["states"] if not state["level"]]
        assert len(first) == sample["states"]


def test_an_export_is_the_file_itself(site: Client, pack: Pack) -> None:
    answer = site.get(f"/api/v1/packs/{pack.pk}/export/")
    assert answer.content == flow("A", A={"Go": "B"}, B={"Go": "C"}, C={})
    assert "tiny.flow.json" in answer["Content-Disposition"]
    zipped = site.get(f"/api/v1/packs/{pack.pk}/export/", {"format": "zip"}).content
    with zipfile.ZipFile(io.BytesIO(zipped)) as archive:
        assert archive.read("tiny.flow.json") == answer.content


def test_dialects_describe_their_rules(site: Client) -> None:
    dialects = {one["name"]: one for one in site.get("/api/v1/dialects/").json()}
    rules = {rule["code"]: rule for rule in dialects["flow"]["rules"]}
    assert rules["FL001"]["help"] == "An arrow ends at a state that is not in the file."


INVALID: list[tuple[object, str, str]] = [
    ({"base": 1, "edits": []}, "bad_edit", "edits"),
    ({"base": 1, "edits": [{"type": "nonsense"}]}, "bad_edit", "edits/0"),
    ({"base": 1, "edits": [{"type": "add_state"}]}, "bad_edit", "edits/0/id"),
    ({"base": 1, "edits": [{"type": "add_state", "id": 3}]}, "bad_edit", "edits/0/id"),
    ({"edits": [TITLE]}, "bad_request", "base"),
    ({"base": "x", "edits": [TITLE]}, "bad_request", "base"),
    ({"base": 7, "edits": [TITLE]}, "bad_request", "base"),
    ([], "bad_edit", "edits"),
]


def test_an_invalid_edit_is_refused_with_its_place(pack: Pack, post: Any) -> None:
    for body, code, where in INVALID:
        with failure_note(repr(body)[:200]):
            answer = post(f"packs/{pack.pk}/edits/", body)
            assert answer.status_code == 400
            assert (answer.json()["code"], answer.json()["where"]) == (code, where)
            assert answer.json()["message"]
            assert Pack.objects.get(pk=pack.pk).head == 1


def edits(post: Any, pack: Pack, base: int, *several: object, **more: Any) -> Any:
    return post(f"packs/{pack.pk}/edits/", {"base": base, "edits": list(several)}, **more)


def test_the_required_inputs_of_a_pack_are_listed(site: Client, pack: Pack) -> None:
    assert site.get(f"/api/v1/packs/{pack.pk}/inputs/").json() == []
    made = site.post("/api/v1/packs/", {"sample": "stages/blank"}, content_type="application/json")
    assert site.get(f"/api/v1/packs/{made.json()['id']}/inputs/").json() == ["task"]
