"""A failed run becomes a case, which fails until its pack is mended."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.page_actions import api, open_sample, pack_of, text_of
from tests.core.cases.test_cases import FAILING


def test_a_failed_run_is_a_case_that_an_accepted_proposal_mends(page: Page) -> None:
    """Three clicks: keep, confirm, accept."""
    open_sample(page, "promptpack/code-review", "never ends")
    pack, main = pack_of(page), "never-ends.pack.json"
    mended = text_of(page)

    def write(where: str, text: str, **more: Any) -> None:
        edit = {"type": "write_file", "path": main, "text": text}
        base = api(page, "GET", f"packs/{pack}/")["head"]
        api(page, "POST", f"packs/{pack}/{where}/", {"base": base, "edits": [edit], **more})

    write("edits", mended.replace(*FAILING["promptpack/code-review"]))
    write("proposals", mended, keep=True, note="Ends.", rehearse=False)
    body = {"pack": int(pack), "driver": "rehearsal", "delay_ms": 0}
    run = api(page, "POST", "runs/", body)["id"]
    page.goto(f"/runs/{run}/")
    line = page.locator("[data-result-line=budget_exhausted]")
    line.get_by_role("button", name="Keep as a case").click()
    dialog = page.get_by_role("dialog", name="Keep as a case")
    expect(dialog.get_by_label("Name")).to_have_value("out of budget in implement")
    dialog.get_by_role("button", name="Keep").click()
    case = page.locator("[data-case]")
    expect(case).to_have_attribute("data-holds", "false")
    expect(case).to_contain_text("The run was to end as completed")
    proposal = page.get_by_role("region", name="Proposal of")
    expect(proposal.locator("[data-case-with]")).to_have_attribute("data-holds", "true")
    proposal.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("status")).to_have_text("The proposal was accepted as r4.")
    expect(case).to_have_attribute("data-holds", "true")
    assert api(page, "GET", f"packs/{pack}/files/?path={main}")["text"] == mended
    case.get_by_role("textbox").fill("Ends")
    case.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("status")).to_have_text("The case is now Ends.")
    expect(case).to_have_attribute("data-case", "never-ends.cases/ends.scenario.yaml")
    case.get_by_role("button", name="Delete Ends").click()
    expect(page.locator("[data-empty=cases]")).to_be_visible()
