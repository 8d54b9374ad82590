"""A support pack of eight states and fourteen arrows, from the gallery to its rehearsal, by mouse
and by keys alone. Counted are key presses and mouse actions; a drag is one. Events that are not
named after their target are typed in full."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.page_actions import Canvas, attribute, text_of

MOST_ACTS = 217
MOST_KEYS = 300
NEW = (
    ("intake", "Refund", "refund", 0.3, 0.12),
    ("intake", "Technical", "technical", 0.3, 0.36),
    ("intake", "Account", "account", 0.3, 0.62),
    ("intake", "Billing", "billing", 0.3, 0.86),
    ("billing", "Explained", "answer", 0.54, 0.36),
    ("answer", "Solved", "closed", 0.78, 0.36),
    ("technical", "Unclear", "escalate", 0.54, 0.62),
)
"""An arrow to a new state: source, event, id, and the place of its left edge on the canvas."""
MORE = (
    ("technical", "Repaired", "answer"),
    ("escalate", "Decided", "answer"),
    ("escalate", "Declined", "closed"),
    ("refund", "Approved", "answer"),
    ("refund", "Disputed", "escalate"),
    ("account", "Updated", "answer"),
    ("answer", "Reclassify", "intake"),
)
"""An arrow between existing states."""
ARROWS = sorted(f"{one[0]}|{one[1]}|{one[2]}" for one in (*NEW, *MORE))


@dataclass
class Hands:
    """A person's hands, counted."""

    page: Page
    keys: int = 0
    mouse: int = 0
    canvas: Canvas = field(init=False)

    def __post_init__(self) -> None:
        self.canvas = Canvas(self.page)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)
        self.keys += len(text)

    def click(self, place: Locator) -> None:
        self.page.mouse.click(*self.canvas.middle(place))
        self.mouse += 1

    def drag(self, source: str, end: tuple[float, float]) -> None:
        port = self.canvas.state(source).locator(attribute("data-port", "out"))
        self.canvas.drag(self.canvas.middle(port), end)
        self.mouse += 1

    def name(self, event: str, target: str) -> None:
        """Accept the suggested event, or type another one."""
        expect(self.page.get_by_label("New event")).to_have_value(target.capitalize())
        if event != target.capitalize():
            self.type(event)
        self.press("Enter")

    def new_pack(self) -> None:
        """By keys, for both: the first state is named too."""
        self.page.goto("/")
        self.press("n")
        expect(self.page.get_by_label("Name", exact=True)).to_be_focused()
        self.type("support")
        self.press("Enter")
        self.page.wait_for_url("**/packs/*/")
        expect(self.canvas.state("start")).to_be_visible()
        self.canvas.stand()


def _rehearse(hands: Hands) -> None:
    """The pack is as drawn, every state has a prompt of its own, and the rehearsal covers it."""
    hands.press("Shift+R")
    hands.canvas.wait_saved()
    states = json.loads(text_of(hands.page))["workflow"]["states"]
    arrows = [
        f"{source}|{event}|{target}"
        for source, state in states.items()
        for event, target in state["on_event"].items()
    ]
    assert sorted(arrows) == ARROWS
    assert len(states) == len({state["prompt_task"] for state in states.values()}) == 8
    expect(hands.page.get_by_role("region", name="Coverage")).to_contain_text("100%")
    print(f"{hands.keys} keys + {hands.mouse} mouse actions")


@pytest.mark.slow
def test_a_support_pack_takes_few_acts(page: Page) -> None:
    page.set_viewport_size({"width": 1920, "height": 1080})
    hands = Hands(page)
    hands.new_pack()
    hands.click(hands.canvas.state("start"))
    hands.press("F2")
    hands.type("intake")
    hands.press("Enter")
    expect(hands.canvas.state("intake")).to_be_visible()
    # Room on the right: the only card goes to the left edge.
    ground = page.locator(".react-flow").bounding_box()
    assert ground is not None
    at = (ground["x"] + 130, ground["y"] + ground["height"] * 0.5)
    hands.canvas.drag(hands.canvas.middle(hands.canvas.state("intake")), at)
    hands.mouse += 1
    for source, event, target, across, down in NEW:
        point = (ground["x"] + ground["width"] * across, ground["y"] + ground["height"] * down)
        hands.drag(source, point)
        hands.type(target)
        hands.press("Enter")
        hands.name(event, target)
        expect(hands.canvas.transition(source, event, target)).to_have_count(1)
    for source, event, target in MORE:
        hands.drag(source, hands.canvas.middle(hands.canvas.state(target)))
        hands.name(event, target)
        expect(hands.canvas.transition(source, event, target)).to_have_count(1)
    _rehearse(hands)
    assert hands.keys + hands.mouse <= MOST_ACTS


@pytest.mark.slow
def test_the_same_pack_is_drawn_without_a_mouse(page: Page) -> None:
    """A state is found by a part of its id, or by going back along the last drawn arrow."""
    hands = Hands(page)
    hands.new_pack()
    hands.press("ArrowRight", "F2")
    hands.type("intake")
    hands.press("Enter")
    expect(hands.canvas.state("intake")).to_have_attribute("aria-pressed", "true")
    at = last = "intake"
    for source, event, target in (*(one[:3] for one in NEW), *MORE):
        if source == last != at:
            hands.press("Alt+ArrowLeft")
        elif source != at:
            hands.press("/")
            expect(page.get_by_role("dialog", name="Search the canvas")).to_be_visible()
            hands.type(source[:3])
            hands.press("Enter")
        expect(hands.canvas.state(source)).to_have_attribute("aria-pressed", "true")
        is_new = hands.canvas.state(target).count() == 0
        hands.press("c")
        hands.type(target)
        hands.press("Enter")
        hands.name(event, target)
        expect(hands.canvas.transition(source, event, target)).to_have_count(1)
        last, at = source, target if is_new else ""
    _rehearse(hands)
    assert hands.mouse == 0
    assert hands.keys <= MOST_KEYS
