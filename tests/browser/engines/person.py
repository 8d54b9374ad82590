"""Actions of a person in any browser: look, click, drag and type."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tests.browser.page_actions import PATIENCE

ENTER, ESCAPE, F2, CONTROL = "\ue007", "\ue00c", "\ue032", "\ue009"
LOOK = 2_000
"""Milliseconds for which one page is watched: a page that is left may take its answer along."""
_VISIBLE = "element => element.getClientRects().length > 0"
_NAMED = """(scope, name) => [...(document.querySelector(scope) ?? document.body).querySelectorAll(
    "button, a, [role=menuitem], [role=tab], [role=option], label, summary, input[type=submit]")]
  .find(element => element.getClientRects().length > 0 && !element.disabled &&
    (element.getAttribute("aria-label") ?? element.textContent ?? element.value).trim() === name)"""


class PageLeft(RuntimeError):
    """The page was left before the expression had its value."""


class Engine(Protocol):
    """A browser with one page."""

    def open(self, url: str) -> None: ...
    def value(self, expression: str) -> Any: ...
    def perform(self, actions: Sequence[dict[str, Any]]) -> None: ...
    def picture(self) -> str: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class Person:
    """Everything waits for what it needs, and fails with the name of what does not come."""

    engine: Engine

    def until(self, expression: str) -> Any:
        """The first value of an expression that is not null or false, on this page or the next."""
        for _ in range(PATIENCE // LOOK):
            try:
                if value := self.engine.value(_looking(expression)):
                    return value
            except PageLeft:
                continue
        raise AssertionError(f"Never so: {expression}")

    def middle(self, element: str) -> tuple[int, int]:
        """The middle of an element in the window, once it is there and does not move."""
        self.until(element)
        return tuple(  # type: ignore[return-value]
            self.engine.value(
                f"""new Promise(done => {{
                    let before = "";
                    const look = () => {{
                        const element = {element};
                        if (!element) {{ requestAnimationFrame(look); return; }}
                        element.scrollIntoView({{block: "nearest", inline: "nearest"}});
                        const box = element.getBoundingClientRect();
                        const now = JSON.stringify(box);
                        if (now === before)
                            done([Math.round(box.x + box.width / 2),
                                  Math.round(box.y + box.height / 2)]);
                        else {{ before = now; setTimeout(look, 30); }}
                    }};
                    look();
                }})"""
            )
        )

    def click(self, selector: str) -> None:
        self.drag(self.middle(first(selector)))

    def press(self, name: str, *, within: str = "body") -> None:
        """Click a button, link or entry of a menu by its name."""
        self.drag(self.middle(named(name, within)))

    def drag(self, start: tuple[int, int], *ways: tuple[int, int]) -> None:
        """Press the mouse at a point, move it over others, and release it; or click."""
        moves = [_move(*start), {"type": "pointerDown", "button": 0}]
        moves += [_move(*way, duration=40) for way in ways]
        moves.append({"type": "pointerUp", "button": 0})
        mouse = {"pointerType": "mouse"}
        self.engine.perform(
            [{"type": "pointer", "id": "mouse", "parameters": mouse, "actions": moves}]
        )

    def type(self, text: str, *, holding: str = "") -> None:
        """Press keys, one after another, with another held."""
        keys = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        if holding:
            keys = [
                {"type": "keyDown", "value": holding},
                *keys,
                {"type": "keyUp", "value": holding},
            ]
        self.engine.perform([{"type": "key", "id": "keyboard", "actions": keys}])


def wait_while_alive(process: subprocess.Popen[bytes]) -> None:
    """Wait a moment for a program that starts. Raises RuntimeError if it ended."""
    try:
        code = process.wait(0.05)
    except subprocess.TimeoutExpired:
        return
    raise RuntimeError(f"The browser ended with code {code}.")


def _looking(expression: str) -> str:
    return f"""new Promise(done => {{
        const end = Date.now() + {LOOK};
        const look = () => {{
            let value = null;
            try {{ value = {expression}; }} catch (error) {{ value = null; }}
            if (value || Date.now() > end) done(value instanceof Node ? true : value || null);
            else setTimeout(look, 30);
        }};
        look();
    }})"""


def first(selector: str) -> str:
    """An expression for the first visible element of a selector."""
    return f"[...document.querySelectorAll({json.dumps(selector)})].find({_VISIBLE})"


def named(name: str, within: str = "body") -> str:
    """An expression for the control with this name inside the element of a selector."""
    return f"({_NAMED})({json.dumps(within)}, {json.dumps(name)})"


def _move(x: int, y: int, *, duration: int = 0) -> dict[str, Any]:
    return {"type": "pointerMove", "x": x, "y": y, "duration": duration, "origin": "viewport"}
