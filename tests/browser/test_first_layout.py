"""A graph without positions is shown at once. The layout of elkjs replaces the first one, but not
under the hands of a person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.page_actions import NEXT_FRAME, Canvas, api

BUSY = ".canvas[aria-busy=true]"


@dataclass
class HeldLayout:
    """The code of elkjs, which the browser gets with `release`."""

    page: Page
    waiting: list[Route] = field(default_factory=list)

    def release(self) -> None:
        for route in self.waiting:
            route.continue_()
        expect(self.page.locator(BUSY)).to_have_count(0)
        self.page.evaluate(NEXT_FRAME)


@pytest.fixture
def held(page: Page) -> Iterator[HeldLayout]:
    layout = HeldLayout(page)
    page.route("**/elkWorker-*.js", lambda route: layout.waiting.append(route))
    yield layout
    page.unroute("**/elkWorker-*.js")


def open_unplaced(page: Page) -> Canvas:
    """A pack without positions, shown and not yet laid out by elkjs."""
    body = {"sample": "promptpack/customer-support", "name": "Support"}
    made = api(page, "POST", "packs/", body)
    page.goto(f"/packs/{made['id']}/")
    expect(page.locator(BUSY)).to_have_count(1)
    expect(page.locator("[data-state]").first).to_be_visible()
    return Canvas(page)


def boxes(canvas: Canvas) -> dict[str, Any]:
    return {name: canvas.state(name).bounding_box() for name in canvas.states()}


def test_the_cards_stay_where_a_person_has_begun_to_work(page: Page, held: HeldLayout) -> None:
    canvas = open_unplaced(page)
    name = min(canvas.states())
    canvas.state(name).click()
    expect(canvas.state(name)).to_have_class(re.compile("selected"))
    first = boxes(canvas)
    held.release()
    assert boxes(canvas) == first


@pytest.mark.slow
def test_the_layout_replaces_the_first_positions(page: Page, held: HeldLayout) -> None:
    canvas = open_unplaced(page)
    first = boxes(canvas)
    held.release()
    assert boxes(canvas) != first
    assert boxes(canvas).keys() == first.keys()
