"""Signing in: the one-time link, a password, and the code of an authenticator app."""

from __future__ import annotations

import re
import time
from urllib.parse import urlsplit

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Page, expect

from tests.browser.conftest import Opening
from tests.browser.page_actions import Canvas, tab_to, type_into
from tests.browser.page_monitor import PageMonitor
from tests.support.live_server import LiveServer

PASSWORD = "correct horse battery"


def enter_code(page: Page, key: str, button: str) -> None:
    """Enter the present code, and the next one if it expired on the way."""
    for _ in range(2):
        code = format_hotp_value(hotp_value(key, int(time.time()) // 30))
        type_into(page.get_by_label("Code", exact=True), code)
        with page.expect_navigation():
            page.get_by_role("button", name=button).click()
        if not page.get_by_role("alert").is_visible():
            return


def test_a_newcomer_signs_in_looks_around_and_uses_a_second_factor(
    own_server: LiveServer, opening: Opening, watch: PageMonitor
) -> None:
    watch.host = urlsplit(own_server.url).netloc
    page = opening(own_server, None).new_page()
    page.goto(own_server.link)
    expect(page.get_by_text("This link signs you in as operator")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="Sign in as operator").click()
    page.wait_for_url(own_server.url + "/")
    steps = page.locator("[data-first-visit]").get_by_role("listitem")
    expect(steps).to_have_count(3)
    expect(steps.nth(2).get_by_text("Choose your files")).to_be_visible()
    tab_to(page, steps.nth(0).get_by_role("button"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/packs/*/")
    expect(Canvas(page).state("intake")).to_be_visible()
    page.goto("/")
    expect(page.locator("[data-cards]").first).to_be_visible()
    expect(page.locator("[data-first-visit]")).to_have_count(0)

    page.goto("/settings/")
    page.get_by_role("link", name="Set up an authenticator app").click()
    key = page.locator("[data-totp-key]").inner_text()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    enter_code(page, key, "Turn on")
    codes = page.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(codes).to_have_count(10)
    recovery = codes.first.inner_text()
    page.get_by_role("link", name="Done").click()
    type_into(page.get_by_label("New password", exact=True), PASSWORD)
    type_into(page.get_by_label("New password again"), PASSWORD)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_text("signing in needs a code")).to_be_visible()

    page.get_by_role("button", name="Sign out").click()
    sign_in(page)
    enter_code(page, key, "Sign in")
    page.wait_for_url(own_server.url + "/")

    page.get_by_role("button", name="Sign out").click()
    sign_in(page)
    type_into(page.get_by_label("Code", exact=True), recovery)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(own_server.url + "/")


def sign_in(page: Page) -> None:
    type_into(page.get_by_label("Name"), "operator")
    type_into(page.get_by_label("Password"), PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(re.compile("/second-factor/authenticate/"))


def test_a_token_is_created_with_scopes(page: Page) -> None:
    page.goto("/settings/")
    type_into(page.get_by_label("Name of a new token"), "nightly export")
    page.get_by_role("checkbox", name="start runs").check()
    page.get_by_label("Expires after").select_option("30 days")
    page.get_by_role("button", name="Create token").click()
    token = page.locator("[data-fresh-token]").inner_text()
    row = page.locator("[data-token='nightly export']")
    expect(row).to_contain_text("readrun")
    expect(row).to_contain_text(token[:8])
    bearer = {"Authorization": f"Bearer {token}"}
    assert page.request.get("/api/v1/packs/", headers=bearer).ok
    page.get_by_role("button", name="Revoke nightly export").click()
    expect(row).to_have_count(0)
