"""From an empty pack to a commit: the whole main job in one sitting."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, type_into
from tests.support.live_server import ROOT, LiveServer


def _repository(folder: Path) -> Path:
    home = folder / "team"
    home.mkdir()
    (home / "README.md").write_text("A repository of prompts.\n")
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "."],
        ["-c", "user.name=test", "-c", "user.email=test@example.org", "commit", "-qm", "Begin"],
    ):
        subprocess.run(["git", *command], cwd=home, check=True)
    return home


def test_a_pack_is_drawn_rehearsed_and_committed(page: Page, server: LiveServer) -> None:
    made = api(page, "POST", "packs/", {"sample": "promptpack/blank", "name": "parcel-desk"})
    page.goto(f"/packs/{made['id']}/")
    canvas = Canvas(page)
    expect(canvas.state("start")).to_be_visible()

    # Five states: the one there is, and four dragged in.
    ground = page.locator(".react-flow").bounding_box()
    assert ground is not None
    for number, (kind, x, y) in enumerate(
        [
            ("internal", 0.3, 0.2),
            ("internal", 0.68, 0.2),
            ("internal", 0.3, 0.8),
            ("end", 0.68, 0.8),
        ]
    ):
        before = canvas.states()
        canvas.drag_in(
            kind, (ground["x"] + ground["width"] * x, ground["y"] + ground["height"] * y)
        )
        expect(page.locator("[data-state]")).to_have_count(number + 2)
        (fresh,) = canvas.states() - before
        canvas.wait_saved()
        canvas.rename(fresh, ("sort", "weigh", "ask_back", "delivered")[number])

    # Arrows, a loop and a self-loop.
    canvas.draw_arrow("start", "sort", "Received")
    canvas.draw_arrow("sort", "weigh", "Sorted")
    canvas.draw_arrow("weigh", "delivered", "Weighed")
    canvas.draw_arrow("sort", "ask_back", "Unclear")
    canvas.draw_arrow("ask_back", "sort", "Answered")
    canvas.draw_arrow("weigh", "weigh", "WeighAgain")
    canvas.wait_saved()
    drawn = canvas.transitions()
    assert len(drawn) == 6

    canvas.rename("weigh", "scale")
    expect(canvas.transition("scale", "WeighAgain", "scale")).to_have_count(1)

    # Undo and redo with the keyboard.
    page.locator(".react-flow").press("Control+z")
    expect(canvas.state("weigh")).to_have_count(1)
    canvas.wait_saved()
    assert canvas.transitions() == drawn
    page.keyboard.press("Control+Shift+z")
    expect(canvas.state("scale")).to_have_count(1)
    canvas.wait_saved()

    after = canvas.transitions()
    page.reload()
    expect(canvas.state("scale")).to_be_visible()
    expect(page.locator("[data-transition]")).to_have_count(6)
    assert canvas.transitions() == after
    canvas.expect_states({"start", "sort", "scale", "ask_back", "delivered"})

    # Rehearse it live, and scrub back to a state that glows.
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    type_into(dialog.get_by_label("Delay per answer"), "0")
    dialog.get_by_role("button", name="Run").click()
    expect(page.locator("[data-run-status]").first).to_have_attribute(
        "data-run-status", "completed"
    )
    for arrow in after:
        source, label, target = arrow.split("|")
        expect(canvas.transition(source, label, target)).to_have_attribute("data-visits", "1")
    slider = page.get_by_label("Event shown")
    slider.focus()
    slider.press("Home")
    expect(page.locator("[data-transition][data-visits]")).to_have_count(0)
    for _ in range(3):
        slider.press("ArrowRight")
    expect(canvas.state("start")).to_have_attribute("data-active", "true")

    # Into a repository, on a branch of its own.
    home = _repository(server.data / "repositories")
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="git").click()
    type_into(page.get_by_role("textbox", name="Repository"), str(home))
    type_into(page.get_by_role("textbox", name="Branch"), "parcel-desk")
    page.get_by_role("button", name="Commit").click()
    expect(page.get_by_role("dialog", name="Committed")).to_be_visible()
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "--name-only", "parcel-desk"],
        cwd=home,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert "README.md" in listed
    (name,) = [path for path in listed if path != "README.md"]
    content = subprocess.run(
        ["git", "show", f"parcel-desk:{name}"], cwd=home, check=True, capture_output=True
    ).stdout
    assert set(json.loads(content)["workflow"]["states"]) == canvas.states()
    assert not (home / name).exists(), "the work tree was touched"

    out = server.data / "repositories" / "checked.pack.json"
    out.write_bytes(content)
    checked = subprocess.run(
        [sys.executable, "-m", "signalbox", "check", str(out)],
        cwd=ROOT,
        env=server.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
