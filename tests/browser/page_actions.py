"""Actions of a person on the page, found by the marks that every page has."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

PATIENCE = 90_000
"""Milliseconds that anything may take, on a machine that is busy with other things."""
expect.set_options(timeout=PATIENCE)


ONCE = {"Connection": "close"}
"""A server closes idle connections, and a request on one that closes is lost."""
NEXT_FRAME = """() => new Promise(done =>
    requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"""


def attribute(name: str, value: str) -> str:
    """A selector for one element with this mark."""
    return f"[{name}={json.dumps(value)}]"


@dataclass(frozen=True)
class Canvas:
    """The editor page, used with mouse and keyboard."""

    page: Page

    def state(self, id: str) -> Locator:
        return self.page.locator(attribute("data-state", id))

    def transition(self, source: str, label: str, target: str) -> Locator:
        return self.page.locator(attribute("data-transition", f"{source}|{label}|{target}"))

    def stand(self) -> None:
        """Wait until the graph is laid out and shown, as cards or painted, and stays in place."""
        self.page.wait_for_function(
            """() => document.querySelector("[data-state], canvas[data-far=true]") !== null
                && window.signalbox.locate !== undefined"""
        )
        # Cards are drawn in the frame after the layout.
        self.page.evaluate(NEXT_FRAME)

    def wait_saved(self) -> None:
        expect(self.page.locator("[data-saved]")).to_have_attribute("data-saved", "true")

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
        mouse.move(*end, steps=4)
        mouse.up()

    def middle(self, place: Locator) -> tuple[float, float]:
        place.scroll_into_view_if_needed()
        box = place.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag_in(self, kind: str, at: tuple[float, float]) -> None:
        """Drag a palette item onto the canvas at this point of the page."""
        self.page.mouse.move(*self.middle(self.page.locator(attribute("data-kind", kind))))
        self.page.mouse.down()
        self.page.mouse.move(at[0] - 30, at[1] - 10, steps=3)
        self.page.mouse.move(*at, steps=3)
        self.page.mouse.up()

    def draw_arrow(self, source: str, target: str, label: str) -> None:
        """Drag from the out port of a card to another or itself, then type the event."""
        port = self.state(source).locator(attribute("data-port", "out"))
        self.drag(self.middle(port), self.middle(self.state(target)))
        menu = self.page.get_by_role("dialog", name=f"Arrow from {source} to {target}")
        expect(menu).to_be_visible()
        expect(menu.get_by_label("New event")).to_be_focused()
        self.page.keyboard.type(label)
        self.page.keyboard.press("Enter")
        expect(self.transition(source, label, target)).to_have_count(1)

    def rename(self, old: str, new: str) -> None:
        self.state(old).click()
        self.page.keyboard.press("F2")
        expect(self.page.get_by_label(f"New name for {old}")).to_be_focused()
        self.page.keyboard.type(new)
        self.page.keyboard.press("Enter")
        expect(self.state(new)).to_have_count(1)
        expect(self.state(old)).to_have_count(0)
        self.wait_saved()

    def find(self, id: str) -> None:
        """Search for a state, which brings it into view at a size that can be read."""
        self.stand()
        self.page.keyboard.press("Control+f")
        box = self.page.get_by_role("dialog", name="Search the canvas").get_by_role("combobox")
        type_into(box, id)
        self.page.keyboard.press("Enter")
        expect(self.state(id)).to_be_visible()

    def zoom_out_to(self, *ids: str) -> None:
        """Zoom out until all of these cards are whole in view."""
        ground = self.page.get_by_role("main", name="Canvas")
        for _ in range(20):
            room = ground.bounding_box()
            cards = [self.state(id).bounding_box() for id in ids]
            assert room is not None
            if all(card and _within(card, room) for card in cards):
                return
            self.page.get_by_role("button", name="Zoom out (−)").click()
        raise AssertionError(f"{ids} do not fit into the view")

    def transitions(self) -> set[str]:
        marks: list[str] = self.page.locator("[data-transition]").evaluate_all(
            "all => all.map(one => one.dataset.transition)"
        )
        return set(marks)

    def expect_states(self, ids: set[str]) -> None:
        """Wait until exactly these are drawn: cards follow the graph by a frame."""
        expect(self.page.locator("[data-state]")).to_have_count(len(ids))
        assert self.states() == ids

    def states(self) -> set[str]:
        marks: list[str] = self.page.locator("[data-state]").evaluate_all(
            "all => all.map(one => one.dataset.state)"
        )
        return set(marks)


def _within(card: Any, room: Any) -> bool:
    """Return True if one rectangle is inside another."""
    return all(
        room[at] <= card[at] and card[at] + card[length] <= room[at] + room[length]
        for at, length in (("x", "width"), ("y", "height"))
    )


def api(page: Page, method: str, path: str, body: Any = None) -> Any:
    """Ask the API as the page itself does: with its session and its CSRF token."""
    kept = page.context.cookies()
    token = next((one["value"] for one in kept if one["name"].startswith("csrftoken_")), "")
    answer = page.request.fetch(
        f"/api/v1/{path}", method=method, headers={"X-CSRFToken": token, **ONCE}, data=body
    )
    text = answer.text()
    assert answer.ok, f"{answer.status} {text}"
    return json.loads(text) if text else None


def wait_until(condition: Callable[[], bool], detail: object = "") -> None:
    """For states outside of the page. `detail` is shown if it does not come."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not condition():
        assert time.monotonic() < deadline, detail
        time.sleep(0.02)


def type_into(field: Locator, text: str) -> None:
    """Replace a field's text with real keys."""
    field.click()
    field.press("Control+a")
    field.page.keyboard.type(text)


def import_text(page: Page, text: str, name: str) -> None:
    """Paste a file on the first page."""
    page.goto("/")
    page.get_by_text("Paste text…").click()
    page.get_by_label("Pasted text").click()
    page.keyboard.insert_text(text)
    type_into(page.get_by_label("File name"), name)
    page.get_by_role("button", name="Import text").click()
    page.wait_for_url("**/packs/*/")


def pack_zip(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def zipped(root: Path) -> tuple[bytes, dict[str, bytes]]:
    files = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
    return pack_zip(files), files


def exported(page: Page, pack: str) -> dict[str, bytes]:
    answer = page.request.get(f"/api/v1/packs/{pack}/export/?format=zip", headers=ONCE)
    assert answer.ok
    with zipfile.ZipFile(io.BytesIO(answer.body())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def import_zip(page: Page, name: str, packed: bytes) -> str:
    page.goto("/")
    page.locator("input[name=files]").set_input_files(
        {"name": f"{name}.zip", "mimeType": "application/zip", "buffer": packed}
    )
    page.wait_for_url("**/packs/*/")
    return page.url.rstrip("/").rpartition("/")[2]


def open_sample(page: Page, sample: str, name: str) -> Canvas:
    """A fresh copy of a sample, open in the editor."""
    made = api(page, "POST", "packs/", {"sample": sample, "name": name})
    page.goto(f"/packs/{made['id']}/")
    canvas = Canvas(page)
    canvas.stand()
    return canvas


def pack_of(page: Page) -> str:
    """The number of the pack whose editor this is."""
    return urlsplit(page.url).path.rstrip("/").rpartition("/")[2]


def text_of(page: Page, path: str | None = None) -> str:
    """A file of the pack as stored on the server; by default the main one."""
    pack = pack_of(page)
    wanted = path or api(page, "GET", f"packs/{pack}/")["main"]
    text: str = api(page, "GET", f"packs/{pack}/files/?path={wanted}")["text"]
    return text


def head_of(page: Page) -> int:
    """The number of the newest revision."""
    head: int = api(page, "GET", f"packs/{pack_of(page)}/")["head"]
    return head


def tab_to(page: Page, place: Locator, *, most: int = 150) -> None:
    """Press Tab until this has the focus, as a keyboard user does."""
    for _ in range(most):
        if place.evaluate("one => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{most} times Tab did not lead to {place}")
