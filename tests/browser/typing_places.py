"""Places where a person types: fields and editors of what is shown, and the pages that have some,
found by their links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from playwright.sync_api import Dialog, Page

BOXES = """() => {
    const skipped = "[type=search], [role=combobox], [readonly], [type=password], [type=radio], "
        + "[type=checkbox], [type=hidden], [type=file], [type=range], [data-rename], .key-name, "
        + ".pack-name, form[method=get] *";
    const all = [...document.querySelectorAll("input, textarea, .cm-content")];
    const open = document.querySelector("dialog[open]") ?? document;
    return all.filter(one => open.contains(one) && one.checkVisibility()
            && !one.matches(skipped) && !one.disabled
            && one.getAttribute("aria-readonly") !== "true")
        .map((one, index) => {
            one.dataset.box = index;
            const label = one.getAttribute("aria-label") ?? one.labels?.[0]?.innerText.trim();
            return {index, label: label ?? one.name ?? "", kind: one.type ?? ""};
        });
}"""
VALUE = "one => one.value ?? one.innerText"
UNFOLD = """() => document.querySelectorAll("details:not([open])").forEach(one => {
    if (!one.matches("dialog:not([open]) *")) one.open = true;
})"""
TYPED = {"number": "7", "date": "2031-02-03", "email": "sno@example.com", "color": "#010203"}
TYPED["datetime-local"] = "2031-02-03T04:05"
NOT_OURS = re.compile(r"^/(admin|api|static|sign-out|healthz|readyz|metrics)\b|\.svg$|/export/")
ONE_OF_MANY = re.compile(
    r"(?<=^/rules/)[^/]+|(?<=^/templates/)[^/]+|(?<=^/help/).+|[0-9a-f-]{36}|\d+"
)


@dataclass(frozen=True)
class Box:
    """A place to type, found on the page."""

    index: int
    label: str
    kind: str

    @property
    def text(self) -> str:
        return TYPED.get(self.kind, f"Sno{self.index}x")


def boxes_of(page: Page) -> list[Box]:
    return [Box(**one) for one in page.evaluate(BOXES)]


def value_of(page: Page, box: Box) -> str:
    value: str = page.locator(f"[data-box='{box.index}']").evaluate(VALUE)
    return value


def type_into(page: Page, box: Box) -> str:
    """Type with real keys at the end of a box. Returns its text."""
    place = page.locator(f"[data-box='{box.index}']")
    place.scroll_into_view_if_needed()
    if box.kind in ("date", "datetime-local", "color"):
        place.fill(box.text)  # Their keys depend on the language of the browser.
    else:
        place.focus()
        page.keyboard.press("Control+End")
        page.keyboard.type(box.text)
    value = value_of(page, box)
    assert box.text in value, box
    return value


def unfold(page: Page, within: str) -> None:
    """Open all folded parts of a form."""
    for _ in range(20):
        closed = page.locator(f"{within} .disclosure-title[aria-expanded=false]")
        if closed.count() == 0:
            return
        closed.first.click()


def linked_pages(page: Page, start: str) -> Iterator[str]:
    """Addresses that links lead to from there, one of each kind."""
    seen, waiting = {start}, [start]
    kinds: set[str] = set()
    while waiting:
        address = waiting.pop(0)
        answer = page.goto(address)
        assert answer is not None
        if answer.status != 200 or "text/html" not in answer.headers["content-type"]:
            continue
        ready(page)
        yield address
        links = page.locator("a[href]:not([download])").evaluate_all(
            "all => all.map(one => one.href)"
        )
        for link in links:
            parts = urlsplit(link)
            kind = ONE_OF_MANY.sub("#", parts.path)
            if parts.netloc != urlsplit(page.url).netloc or NOT_OURS.search(parts.path):
                continue
            if kind not in kinds and parts.path not in seen:
                kinds.add(kind)
                seen.add(parts.path)
                waiting.append(parts.path)


def ready(page: Page) -> None:
    """Wait until the page has its editors, and open all folded parts."""
    page.wait_for_load_state("networkidle")
    page.evaluate(UNFOLD)


class Asked:
    """Counts the questions of pages that are left, and leaves them."""

    def __init__(self, page: Page) -> None:
        self.count = 0
        self.page = page
        page.on("dialog", self.accept)

    def stop(self) -> None:
        self.page.remove_listener("dialog", self.accept)

    def accept(self, dialog: Dialog) -> None:
        self.count += dialog.type == "beforeunload"
        dialog.accept()
