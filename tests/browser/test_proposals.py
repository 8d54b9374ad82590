"""A proposal is reviewed on the canvas with keys: ghosts, findings, parts, one undo."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.page_actions import (
    api,
    attribute,
    head_of,
    open_sample,
    pack_of,
    text_of,
    wait_until,
)

EDITS = [
    {"type": "add_state", "id": "audit"},
    {"type": "connect", "source": "review", "target": "audit", "label": "Audit"},
    {"type": "connect", "source": "audit", "target": "audit", "label": "Again"},
    {"type": "set_field", "element": "state:draft", "field": "/description", "value": "Short."},
    {"type": "disconnect", "transition": "draft|Next|review"},
]


def test_two_of_three_parts_are_accepted_with_keys_and_undone_at_once(page: Page) -> None:
    canvas = open_sample(page, "promptpack/review-loop", "proposed")
    pack = pack_of(page)
    run = api(page, "POST", "runs/", {"pack": int(pack), "driver": "rehearsal"})["id"]
    wait_until(lambda: api(page, "GET", f"runs/{run}/")["status"] == "completed")
    before, head = text_of(page), head_of(page)
    body = {"base": head, "edits": EDITS, "keep": True, "note": "Audits.", "rehearse": False}
    api(page, "POST", f"packs/{pack}/proposals/", body)

    waiting = page.get_by_role("complementary", name="Proposals")
    expect(waiting).to_contain_text("proposes 3 changes Audits.")
    expect(canvas.state("audit")).to_have_count(0)
    waiting.get_by_role("button", name="Review").click()
    bar = page.locator("[data-proposal]")
    parts = bar.get_by_role("list", name="Proposed changes").get_by_role("listitem")
    expect(parts).to_have_count(3)
    expect(canvas.state("audit")).to_have_attribute("data-diff", "added")
    expect(canvas.state("audit").locator("[data-proposed-finding]")).to_be_visible()
    gone = canvas.transition("draft", "Next", "review")
    expect(gone).to_have_attribute("data-diff", "removed")
    expect(bar.locator("[data-removed-taken]").get_by_role("link")).to_have_attribute(
        "href", f"/runs/{run}/?at={_taken(page, run)}"
    )
    numbers = bar.get_by_role("region", name="Consequences")
    coverage = numbers.locator(attribute("data-number", "Transitions in rehearsals"))
    expect(coverage).to_have_text("Transitions in rehearsals: 3/3 → 0/4")
    expect(numbers).to_contain_text("1 of 1 recorded run diverges")

    page.keyboard.press("j")
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.locator(attribute("data-proposed-field", "/description"))).to_contain_text(
        "→ Short."
    )
    page.keyboard.press("y")
    expect(parts.nth(2)).to_have_attribute("aria-current", "true")
    page.keyboard.press("n")
    expect(gone).not_to_have_attribute("data-diff", "removed")
    expect(coverage).to_have_text("Transitions in rehearsals: 3/3 → 5/5")
    _walk_and_outline(page)
    expect(canvas.state("audit")).to_have_attribute("data-diff", "added")
    expect(bar.get_by_role("button", name="Accept 2 of 3")).to_be_enabled()

    page.keyboard.press("Shift+Y")
    expect(canvas.state("audit")).not_to_have_attribute("data-diff", "added")
    assert head_of(page) == head + 1
    assert '"Short."' in text_of(page)
    expect(bar).to_contain_text("proposes 1 change ")
    expect(gone).to_have_attribute("data-diff", "removed")

    page.keyboard.press("Control+z")
    expect(canvas.state("audit")).to_have_count(0)
    canvas.wait_saved()
    assert (text_of(page), head_of(page)) == (before, head + 2)
    page.keyboard.press("Shift+N")
    expect(bar.get_by_label("Reason of the rejection")).to_be_focused()
    page.keyboard.type("It is needed.")
    page.keyboard.press("Enter")
    expect(bar).to_have_count(0)
    expect(gone).not_to_have_attribute("data-diff", "removed")
    (row,) = api(page, "GET", f"packs/{pack}/proposals/?status=accepted")["results"]
    assert [(one["status"], one["reason"]) for one in row["parts"]] == [
        ("accepted", ""),
        ("accepted", ""),
        ("rejected", "It is needed."),
    ]


def _walk_and_outline(page: Page) -> None:
    """The proof of a new finding leads through ghosts, and the outline has the same changes."""
    finding = page.locator("[data-proposal] .finding-changes li", has_text="audit")
    path = finding.get_by_role("button", name="Show the path")
    path.click()
    ghost = page.locator(attribute("data-transition", "review|Audit|audit"))
    expect(ghost).to_have_attribute("data-visits", "1")
    expect(ghost).to_have_attribute("data-diff", "added")
    path.click()
    expect(ghost).not_to_have_attribute("data-visits", "1")
    page.get_by_role("tab", name="Outline").click()
    row = page.get_by_role("treeitem", name="audit proposed: added new finding")
    expect(row).to_be_visible()


def _taken(page: Page, run: str) -> int:
    events = api(page, "GET", f"runs/{run}/events/")["events"]
    return next(int(one["n"]) for one in events if one.get("transition") == "draft|Next|review")
