"""The main job in Firefox and WebKitGTK: sign in, draw, name, type and run; a watched run of a
model; an export; the height of every dialog."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import start_server
from tests.browser.engines import firefox, webkit
from tests.browser.engines.firefox import Firefox
from tests.browser.engines.person import CONTROL, ENTER, ESCAPE, Person, first, named
from tests.browser.engines.webkit import WebKit
from tests.browser.page_actions import wait_until
from tests.support.model_server import HeldReply, ModelServer, TextReply

pytestmark = [pytest.mark.machine, pytest.mark.slow]

ENGINES = {
    "firefox": (Firefox, (firefox.PROGRAM,)),
    "webkit": (WebKit, (webkit.PROGRAM, webkit.DISPLAY)),
}
STANDS = "window.signalbox.locate !== undefined"
SAVED = first("[data-saved=true]")
NAMING = 'document.activeElement.ariaLabel?.startsWith("New name")'
DIALOG = "dialog[open]"
LEAST = 150
"""Pixels of height that a dialog of the editor shows of what is in it, at least."""
DIALOGS = (
    "Keyboard shortcuts",
    "Run…",
    "Tools: what they do…",
    "Model choices…",
    "Export…",
    "Convert to another dialect…",
    "Export to a git repository…",
)
"""Entries of the command palette that open a dialog."""


@pytest.fixture(params=["firefox", "webkit"])
def person(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Person]:
    """A person on the gallery, signed in."""
    engine_of, programs = ENGINES[request.param]
    if any(shutil.which(program) is None for program in programs):
        pytest.skip(f"There is no {programs[0]} here.")
    for name in ("data", "home"):
        (tmp_path / name).mkdir()
    server = start_server(tmp_path / "data")
    engine = engine_of(tmp_path / "home")
    try:
        engine.open(server.link)
        person = Person(engine)
        person.press("Sign in as operator")
        person.until(named("New pack"))
        yield person
    finally:
        engine.close()
        server.stop()


def new_pack(person: Person) -> None:
    person.press("New pack")
    person.until('document.activeElement.name === "name"')
    person.type(f"parcel desk{ENTER}")
    person.until(state("start"))
    person.until(STANDS)


def state(id: str) -> str:
    return first(f'[data-state="{id}"]')


def open_dialog(person: Person, entry: str) -> tuple[int, int]:
    """Open a dialog from the command palette. The heights of what it shows and of all its text."""
    person.type("k", holding=CONTROL)
    person.until('document.activeElement.getAttribute("role") === "combobox"')
    person.type(entry.rstrip("…"))
    person.until(f'document.querySelector("[role=option]")?.textContent.startsWith("{entry}")')
    person.type(ENTER)
    shown, whole = person.until(
        f"""((dialog, body = dialog.querySelector(".body")) => body.scrollHeight > 0
        && dialog.querySelector("h2").textContent !== "Command palette"
        && [body.clientHeight, body.scrollHeight])(document.querySelector("{DIALOG}"))"""
    )
    return shown, whole


def test_a_pack_is_drawn_named_typed_and_run(person: Person) -> None:
    new_pack(person)

    # A second state. WebDriver does not drag in WebKitGTK what HTML declares draggable.
    person.click("[data-kind=end]")
    fresh = person.until(
        """[...document.querySelectorAll("[data-state]")].map(card => card.dataset.state)
        .find(id => id !== "start")"""
    )
    person.until(NAMING)
    person.type(f"delivered{ENTER}")
    person.until(state("delivered"))
    assert fresh != "delivered"
    person.until(SAVED)

    # An arrow, and its event.
    port = first('[data-state="start"] [data-port=out]')
    person.drag(person.middle(port), person.middle(state("delivered")))
    person.until('document.activeElement.tagName === "INPUT"')
    person.type(f"Weighed{ENTER}")
    person.until(first('[data-transition="start|Weighed|delivered"]'))

    # A prompt, typed after a click on the last row of its box.
    person.drag(person.middle(state("start")))
    field = ".cm-content[aria-label=Prompt]"
    # Until this form has come, that of the other state is shown and takes no input.
    person.until(f'{first(field)} && !{first(field)}.closest("[inert]")')
    x, y = person.middle(first(field))
    height = person.engine.value(f"{first(field)}.getBoundingClientRect().height")
    person.drag((x, y + int(height / 2) - 3))
    person.type(" Weigh it.")
    person.until(f'{first(field)}.textContent.includes("Weigh it.")')
    person.until(SAVED)

    # A rehearsal.
    person.press("Run")
    person.until(f"{first(DIALOG)}.getBoundingClientRect().height > {LEAST}")
    person.engine.value(
        "localStorage.setItem('signalbox.start.' + location.pathname.split('/')[2], '{}')"
    )
    person.press("Run", within=DIALOG)
    person.until(first("[data-run-status=completed]"))
    person.until(first('[data-transition="start|Weighed|delivered"][data-visits="1"]'))


def test_every_dialog_can_be_used(person: Person) -> None:
    new_pack(person)
    for entry in DIALOGS:
        shown, whole = open_dialog(person, entry)
        assert shown >= min(whole, LEAST), f"{entry}: {shown} of {whole} px"
        person.type(ESCAPE)
        person.until(f'document.querySelector("{DIALOG}") === null')


def call(person: Person, path: str, body: dict[str, Any]) -> Any:
    """A request of another program of this user."""
    text = json.dumps(json.dumps(body))
    return person.engine.value(
        f"""fetch("/api/v1/{path}", {{method: "POST", body: {text}, headers: {{
            "Content-Type": "application/json",
            "X-CSRFToken": /csrftoken_[0-9]+=([^;]+)/.exec(document.cookie)[1],
        }}}}).then(answer => answer.json())"""
    )


def test_a_run_of_a_model_is_watched_and_the_pack_exported(person: Person, tmp_path: Path) -> None:
    new_pack(person)
    address = person.engine.value("location.href")
    released = threading.Event()
    reply = HeldReply(
        says=TextReply(text="Let me look at it. All is well."), pieces=5, until=released
    )
    with ModelServer(reply) as server:
        where = {"base_url": server.url("openai"), "key": "sk-x", "model": "gpt-4o"}
        call(person, "connections/", {"name": "Scripted", "kind": "openai", **where})
        pack = int(address.rstrip("/").rpartition("/")[2])
        body = {"pack": pack, "driver": "model", "connection": "Scripted"}
        # Another program starts it; the page shows it from its first words on.
        run = call(person, "runs/", {**body, "paused": True})["id"]
        person.engine.open(address.replace(f"/packs/{pack}/", f"/runs/{run}/"))
        person.press("Resume")
        person.until(f'{first(".streaming")}.textContent.includes("Let me")')
        released.set()
        person.until(first("[data-run-status=completed]"))
        person.until(first('[data-state="start"][data-visits="1"]'))

    person.engine.open(address)
    person.until(STANDS)
    person.click('[data-state="start"]')  # WebKitGTK sends keys only to a page with the focus.
    open_dialog(person, "Export…")
    person.type(ENTER, holding=CONTROL)
    wait_until(lambda: any((tmp_path / "home").rglob("*.pack.json")))
    (file,) = (tmp_path / "home").rglob("*.pack.json")
    wait_until(lambda: b"prompts" in file.read_bytes())
