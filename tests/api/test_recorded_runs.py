"""A run that another runtime has recorded, shown on the graph of the pack."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from tests.cli.test_vendor_runs import SCRIPT, claude_code, opencode
from workflows.actions.packs import import_files
from workflows.core.pack.files import Files


def test_a_recorded_run_has_its_path_and_what_each_state_has_used(
    post: Any, ada: User, tmp_path: Any
) -> None:
    (pack,) = import_files(Files.of({"hunt.js": SCRIPT.encode()}), owner=ada).packs
    place = f"packs/{pack.pk}/recorded-run/"
    runs = []
    for runtime, write in (("claude-code", claude_code), ("opencode", opencode)):
        folder = tmp_path / runtime
        folder.mkdir()
        write(folder)
        files = {path.name: path.read_text() for path in folder.rglob("*") if path.is_file()}
        run = post(place, {"files": files}).json()
        assert (run["runtime"], run["holds"], run["message"]) == (runtime, True, "")
        runs.append({one["state"]: one for one in run["states"]})
        entered = [one["state"] for one in run["events"] if one["type"] == "state.entered"]
        assert entered[0] == "find"
        assert {"fix", "check"} <= set(entered)
    assert runs[0]["fix"]["money"] == "$0.02 to $1.00"
    assert runs[1]["fix"] == {"state": "fix", "calls": 2, "tokens": 32, "money": "$0.50"}


def test_other_files_are_no_recorded_run(post: Any, ada: User) -> None:
    (pack,) = import_files(Files.of({"hunt.js": SCRIPT.encode()}), owner=ada).packs
    odd: list[dict[str, str]] = [
        {"a.json": "{"}, {"a.json": "[]"}, {}, {"a.json": '{"workflowProgress": [], "script": ""}'},
        {"a.json": '{"runId": 1, "workflowProgress": [1], "script": "x", "args": {}}'},
    ]  # fmt: skip
    for files in odd:
        answer = post(f"packs/{pack.pk}/recorded-run/", {"files": files})
        assert answer.status_code == 422, answer.json()
        assert answer.json()["hint"] == "Choose the files of one run together."
