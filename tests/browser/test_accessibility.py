"""Accessibility: axe finds nothing by any rule, on any page, in both themes."""

from __future__ import annotations

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.page_actions import Canvas, api, open_sample, pack_of, type_into
from tests.support.live_server import LiveServer

AXE = Axe().axe_script
COLOUR_RULES = ["color-contrast", "link-in-text-block"]
EVERY_RULE = """() => Object.fromEntries(axe.getRules().map(({ruleId}) =>
    [ruleId, {enabled: ruleId !== "color-contrast-enhanced"}]))"""
"""Also those that axe leaves off, such as experimental ones, but for a contrast of 7 to 1."""
AROUND = (
    "/",
    "/?q=no-such-pack",
    "/runs/",
    "/settings/",
    "/second-factor/totp/activate/",
    "/roles/",
    "/roles/modes/",
    "/templates/",
    "/packs/new/",
    "/approvals/",
    "/repositories/",
    "/roles/memory/",
    "/rules/?q=GR1",
    "/rules/GR101/",
    "/settings/groups/",
    "/settings/audit/",
    "/settings/rights/",
)


def _all(page: Page) -> list[str]:
    """Violations of any weight, by every rule in both themes."""
    return [text for _, text in _violations(page)]


def _grave(page: Page, *, within: str = "html") -> list[str]:
    """Serious and critical violations, by every rule in both themes. For the panes of a run, whose
    headings and landmarks are not in order yet. `within`: the only part that has changed since the
    last check of the page."""
    found = _violations(page, within)
    return [text for weight, text in found if weight in ("serious", "critical")]


def _violations(page: Page, within: str = "html") -> list[tuple[str, str]]:
    """The weight and the text of each violation.

    The themes differ in colours only, so the second one is checked by the rules about colours.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = []
    every = {"rules": page.evaluate(EVERY_RULE)}
    for theme, rules in (("dark", every), ("light", {"runOnly": COLOUR_RULES})):
        page.emulate_media(color_scheme=theme)
        options = {"resultTypes": ["violations"], **rules}
        result = page.evaluate("([place, options]) => axe.run(place, options)", [within, options])
        found += [
            (
                one["impact"],
                f"{theme}: {one['id']}: {one['help']}: {node['html'][:160]} "
                f"{node['failureSummary'][:200]}",
            )
            for one in result["violations"]
            for node in one["nodes"]
        ]
    return found


def test_gallery_editor_and_a_waiting_run_are_accessible(page: Page) -> None:
    page.goto("/")
    assert _all(page) == []
    canvas = open_sample(page, "promptpack/code-review", "for-everybody")
    canvas.state("review").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_label("Id", exact=True)).to_have_value("review")
    assert _all(page) == []
    run = api(page, "POST", "runs/", {"pack": int(pack_of(page)), "driver": "manual"})
    page.goto(f"/runs/{run['id']}/")
    expect(page.get_by_role("region", name="Waiting for you")).to_be_visible()
    expect(canvas.state("implement")).to_be_visible()
    assert _all(page) == []


@pytest.mark.slow
def test_the_pages_around_the_canvas_are_accessible(page: Page) -> None:
    for address in AROUND:
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert _all(page) == [], address


@pytest.mark.slow
def test_the_list_of_all_rules_is_accessible(page: Page) -> None:
    page.goto("/rules/")
    assert _all(page) == []


@pytest.mark.slow
def test_a_pack_in_the_gallery_is_accessible(page: Page) -> None:
    made = api(page, "POST", "packs/", {"sample": "promptpack/code-review", "name": "Lynx"})
    api(page, "POST", "groups/", {"name": "Lynxes", "members": []})
    page.goto("/?q=lynx")
    page.get_by_label("More about Lynx").click()
    assert _all(page) == []
    for address in (f"/packs/{made['id']}/rename/", f"/share/packs/{made['id']}/"):
        page.goto(address)
        assert _all(page) == [], address
    page.goto("/settings/groups/")
    assert _all(page) == []
    page.keyboard.press("Control+k")
    page.keyboard.type("lynx")
    expect(page.get_by_role("option")).to_have_count(1)
    assert _all(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    assert _all(page) == []


@pytest.mark.slow
def test_the_sign_in_page_is_accessible(opening: Opening, server: LiveServer) -> None:
    page = opening(server, None).new_page()
    page.goto("/")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert _all(page) == []


@pytest.mark.slow
def test_the_editor_is_accessible(page: Page) -> None:
    canvas = open_sample(page, "promptpack/customer-support", "for-everybody")
    canvas.state("intake").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_label("Id", exact=True)).to_have_value("intake")
    assert _all(page) == []
    page.locator(".canvas").press("w")
    expect(page.get_by_role("button", name="Narrow the prompt (W)")).to_be_visible()
    canvas.zoom_out_to("intake", "answer")
    canvas.state("answer").click(modifiers=["Shift"])
    expect(inspector.get_by_role("heading", name="2 states selected")).to_be_visible()
    inspector.get_by_role("button", name="Rarely used").click()
    assert _all(page) == []
    page.locator(".canvas").press("w")
    canvas.state("intake").click()
    for key, tab in (("Shift+F", "Findings"), ("Shift+H", "History"), ("Shift+O", "Outline")):
        page.locator(".canvas").press(key)
        expect(page.get_by_role("tab", name=tab, selected=True)).to_be_visible()
    page.get_by_role("tab", name="Text").click()
    expect(page.locator(".cm-content").first).to_be_visible()
    assert _all(page) == []


@pytest.mark.slow
def test_levels_and_exports_are_accessible(page: Page) -> None:
    canvas = open_sample(page, "promptpack/mail-triage", "a-level-for-everybody")
    canvas.state("read_letter").dblclick()
    canvas.state("triage/is_complaint").click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_label("Id", exact=True)).to_have_value("is_complaint")
    assert _all(page) == []
    page.locator(".canvas").press("Shift+E")
    dialog = page.get_by_role("dialog", name="Export")
    dialog.get_by_text("PromptPack 1.4", exact=True).click()
    expect(dialog.get_by_role("listitem").first).to_be_visible()
    assert _all(page) == []
    dialog.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Export").click()
    page.get_by_role("menuitem", name="Convert").click()
    page.get_by_role("dialog", name="Convert").get_by_role("button", name="Convert").click()
    expect(page.get_by_role("link", name="Open a-level-for-everybody")).to_be_visible()
    assert _all(page) == []


@pytest.mark.slow
def test_triggers_are_accessible(page: Page) -> None:
    made = api(page, "POST", "packs/", {"sample": "promptpack/code-review"})
    address = f"packs/{made['id']}/triggers/"
    plain = {"driver": "manual", "follows": "newest"}
    hook = api(page, "POST", address, {"kind": "webhook", "name": "Push", **plain})
    api(page, "POST", address, {"kind": "schedule", "name": "Daily", "cron": "@daily", **plain})
    api(page, "POST", f"triggers/{hook['id']}/try/", {"body": "{}"})
    page.goto(f"/{address}")
    for summary in page.locator("[data-trigger=Push] summary").all():
        summary.click()
    assert _all(page) == []
    page.goto("/runs/?source=webhook")
    assert _all(page) == []


@pytest.mark.slow
def test_roles_are_accessible(page: Page) -> None:
    role = api(page, "GET", "agent-roles/")["results"][0]["id"]
    api(page, "POST", "memories/", {"scope": "core", "role": role, "fact": "F", "category": "c"})
    page.goto("/roles/memory/")
    page.get_by_text("Add a fact…").click()
    assert _all(page) == []
    page.goto(f"/roles/{role}/")
    expect(page.locator("[data-message=user]")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Sample values")).click()
    page.get_by_role("textbox", name="Prompts: System prompt").click()
    page.keyboard.type("{{ project.n")
    offered = page.locator(".cm-tooltip-autocomplete")
    expect(offered).to_be_visible()
    assert _all(page) == []
    page.keyboard.press("Escape")
    expect(offered).to_have_count(0)
    page.keyboard.type("ope }}")
    expect(page.locator("[data-problem=unknown_variable]")).to_be_visible()
    page.get_by_role("button", name="Memory profile").click()
    page.get_by_role("button", name="History").click()
    expect(page.get_by_role("dialog").locator("[data-revision]").first).to_be_visible()
    assert _all(page) == []


@pytest.mark.slow
def test_modes_and_templates_are_accessible(page: Page) -> None:
    made = api(
        page, "POST", "modes/", {"name": "For everybody", "manifest": {"mode_type": "review"}}
    )
    page.goto(f"/roles/modes/{made['id']}/")
    assert _all(page) == []
    page.goto("/templates/orchestrator/")
    expect(page.locator(".cm-content")).to_be_visible()
    assert _all(page) == []


@pytest.mark.slow
def test_a_working_agent_is_accessible(page: Page) -> None:
    made = api(page, "POST", "packs/", {"sample": "agent_graph/feature-team"})
    lines = [
        {"name": "spawn_node", "args": {"label": "Scout", "roleTemplate": "investigator"}},
        {"name": "create_edge", "args": {"from": "lead", "to": "scout"}},
        {"name": "send_handoff", "args": {"to": "scout", "message": "Look around."}},
        {"name": "list_files", "args": {}},
    ]
    said = "\n".join(json.dumps({"tool_call": line}) for line in lines)
    script = {"replies": [{"state": "lead", "text": said}, {"state": "scout", "text": "Seen."}]}
    body = {"pack": made["id"], "driver": "script", "script": script, "delay_ms": 1}
    run = api(page, "POST", "runs/", body)
    page.goto(f"/runs/{run['id']}/")
    canvas = Canvas(page)
    lead, scout = canvas.state("lead"), canvas.state("scout")
    expect(lead).to_have_attribute("data-status", "waiting")
    asked = page.get_by_role("region", name="lead waits for you")
    lead.click()
    asked.get_by_role("button", name="Edit…").click()
    expect(asked.get_by_role("textbox", name="Arguments of the call")).to_be_visible()
    assert _grave(page) == []
    asked.get_by_role("button", name="Approve", exact=True).click()
    expect(asked).to_contain_text("create_edge")
    asked.get_by_role("button", name="Approve", exact=True).click()
    expect(scout).to_have_attribute("data-status", "idle")
    agent = page.locator("[data-node=lead]")
    for tab in ("Chat", "Prompts", "Diffs", "Tools", "Usage", "Setup"):
        agent.get_by_role("tab", name=tab).click()
        expect(agent.get_by_role("tab", name=tab, selected=True)).to_be_visible()
        assert _grave(page, within="[data-node=lead]") == [], tab
    scout.click()
    expect(page.locator("[data-node=scout]")).to_contain_text("Added in this run by lead.")
    assert _grave(page) == []


@pytest.mark.slow
def test_replay_is_accessible(page: Page) -> None:
    made = api(page, "POST", "packs/", {"sample": "promptpack/code-review"})
    rounds = [{"event": "ChangeReady"}, {"event": "ChangesRequested"}]
    ends = [{"event": "ChangeReady"}, {"event": "Approved"}, {"text": "Fine."}]
    runs = []
    for replies in (ends, [*rounds, *ends]):
        body = {"pack": made["id"], "driver": "script", "script": {"replies": replies}}
        runs.append(api(page, "POST", "runs/", body)["id"])
        page.goto(f"/runs/{runs[-1]}/")
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "completed")
    type_into(page.get_by_role("searchbox", name="Search the log"), "approved")
    page.keyboard.press("Enter")
    assert _grave(page) == []
    page.get_by_role("tab", name="Prompts").click()
    page.get_by_role("button", name="Changes since the last turn").click()
    assert _grave(page) == []
    page.get_by_role("button", name="More of this run").click()
    page.get_by_role("menuitem", name="Fork from here…").click()
    expect(page.get_by_role("textbox", name="Script", exact=True)).to_be_visible()
    assert _grave(page) == []
    page.goto("/runs/{}/compare/{}/".format(*runs))
    expect(page.locator("[data-departs]")).to_be_visible()
    assert _grave(page) == []
