"""Five hundred states: painted instead of drawn, and still every one can be found and moved."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.page_actions import Canvas, api, head_of

COUNT = 500
FURTHER = [(x, y) for y in (30, -30, 45, -45, 90, -90) for x in (0, 20, -20, 60, -60, 100, -100)]


def _large(count: int) -> str:
    names = [f"step_{number:03}" for number in range(count)]
    states: dict[str, Any] = {
        name: {"prompt_task": "work", "on_event": {"Next": after, "Skip": far}}
        for name, after, far in zip(
            names[:-1], names[1:], [*names[20:], *names[-1:] * 19], strict=True
        )
    }
    states[names[-1]] = {"prompt_task": "work", "on_event": {}, "terminal": True}
    prompt = {"id": "work", "name": "work", "version": "1.0.0", "system_template": "Do it."}
    return json.dumps(
        {
            "id": "large",
            "name": "Large",
            "version": "1.0.0",
            "template_engine": {"version": "v1", "syntax": "{{variable}}"},
            "prompts": {"work": prompt},
            "workflow": {"version": 1, "entry": names[0], "states": states},
        }
    )


def open_large(page: Page, count: int = COUNT) -> Canvas:
    """A pack with so many states that they are painted, open in the editor."""
    made = api(page, "POST", "import/", {"text": _large(count), "name": "large.pack.json"})
    page.goto(f"/packs/{made['packs'][0]['id']}/")
    expect(page.locator("canvas[data-far=true]")).to_be_visible()
    page.wait_for_function("() => window.signalbox.locate('step_000') !== null")
    return Canvas(page)


@pytest.fixture
def canvas(page: Page) -> Canvas:
    return open_large(page)


def _where(page: Page, id: str) -> tuple[float, float]:
    found: dict[str, float] = page.evaluate("id => window.signalbox.locate(id)", id)
    return found["x"], found["y"]


def _what(page: Page, at: tuple[float, float]) -> Any:
    return page.evaluate("([x, y]) => window.signalbox.at(x, y)", list(at))


def _free_shift(page: Page, start: tuple[float, float]) -> tuple[int, int]:
    """Distance to drag a card so that it covers no other."""
    for right, down in [
        (40, 30),
        (40, -30),
        (-40, 30),
        (-40, -30),
        (0, 60),
        (0, -60),
        (80, 80),
        *FURTHER,
    ]:
        around = [(x, y) for x in (-26, -13, 0, 13, 26) for y in (-10, 0, 10)]
        places = [_what(page, (start[0] + right + x, start[1] + down + y)) for x, y in around]
        if all(place is None or place["kind"] != "state" for place in places):
            return right, down
    raise AssertionError("There is no free place around the card.")


def test_painted_states_are_found_clicked_dragged_and_searched(canvas: Canvas) -> None:
    page = canvas.page
    for number in range(0, COUNT, 25):
        id = f"step_{number:03}"
        assert _what(page, _where(page, id)) == {"kind": "state", "id": id}
    expect(page.locator("[data-state]")).to_have_count(0)

    page.mouse.click(*_where(page, "step_125"))
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector.get_by_label("Id", exact=True)).to_have_value("step_125")

    before = head_of(page)
    start = _where(page, "step_250")
    right, down = _free_shift(page, start)
    canvas.drag(start, (start[0] + right, start[1] + down))
    canvas.wait_saved()
    expect(page.locator("[data-saved]")).to_contain_text(f"r{before + 1}")
    moved = _where(page, "step_250")
    assert abs(moved[0] - start[0] - right) < 8
    assert abs(moved[1] - start[1] - down) < 8
    assert _what(page, moved) == {"kind": "state", "id": "step_250"}

    canvas.find("step_375")
    expect(page.locator("canvas[data-far=true]")).to_have_count(0)
    box = canvas.state("step_375").bounding_box()
    assert box is not None
    at = _where(page, "step_375")
    assert abs(at[0] - box["x"] - box["width"] / 2) < 2
    assert abs(at[1] - box["y"] - box["height"] / 2) < 2
