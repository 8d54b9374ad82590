"""The start of a run: its dialog knows the inputs of the pack."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.page_actions import PATIENCE, api, open_sample, pack_of
from tests.support.checks import failure_note, quick_and_slow
from tests.support.model_server import ModelServer, NoReply, TextReply
from workflows.core.dialects import dialects

SAMPLES = {
    dialect.name: sorted(f"{dialect.name}/{name}" for name in dialect.samples())
    for dialect in dialects().values()
}
REQUIRED = {
    "promptpack/review-loop": ["brief"],
    "stages/review-loop": ["brief"],
    "stages/feature-delivery": ["task"],
    "stages/blank": ["task"],
    "steps_registry/triage-bot": ["issue"],
    "steps_registry/review-loop": ["brief"],
}
"""The inputs that the files of the samples require. The others require none."""


ASKS_A_PERSON_FIRST = (
    "climpt_workflow/blank",
    "climpt_workflow/issue-flow",
    "promptpack/mail-triage",
)
"""Samples whose runs wait for a person before they call a model."""
READ_ARGUMENTS = {
    "workflow_scripts/contract-review": "asks a model without them",
    "workflow_scripts/deep-question": "ends without them",
    "workflow_scripts/migrate-components": "ends without them",
}
"""Samples with the optional input `args`, which a rehearsal simulates."""
NO_DELAY = "pack => localStorage.setItem(`signalbox.start.${pack}`, JSON.stringify({delay: '0'}))"


@pytest.mark.parametrize("by", quick_and_slow(["key"], ["mouse"]))
def test_a_run_waits_for_its_inputs_and_shows_its_result(page: Page, by: str) -> None:
    canvas = open_sample(page, "promptpack/code-review", f"early-{by}")
    held: list[Route] = []
    page.route("**/api/v1/packs/*/start/**", lambda route: held.append(route))
    page.evaluate(NO_DELAY, pack_of(page))
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    button = dialog.locator(".dialog-buttons .primary")
    if by == "key":
        button.press("Enter")
    else:
        page.mouse.move(*canvas.middle(button))
        page.mouse.down()
    expect(dialog.get_by_role("button", name="Starting…")).to_be_disabled()
    held.pop().continue_()
    expect(dialog).to_have_count(0)
    expect(page.locator("[data-story-visit]").first).to_be_visible()
    if by == "mouse":
        page.mouse.up()
    (run,) = api(page, "GET", f"runs/?pack={pack_of(page)}")["results"]

    # Its result is one press away.
    line = page.locator("[data-result-line]")
    expect(line).to_contain_text("Ended in")
    line.get_by_role("button", name="Show the result").click()
    result = page.locator("[data-result]")
    whole = api(page, "GET", f"runs/{run['id']}/result/")
    expect(result.locator("[data-total='Model calls']")).to_have_text(
        str(whole["totals"]["model_calls"])
    )
    for state in whole["ends"]:
        expect(result.locator(".result-end")).to_contain_text(state)
    assert api(page, "GET", f"runs/{run['id']}/")["answer"] == whole["answer"][:600]


def test_a_run_with_a_model_asks_for_what_is_required(page: Page) -> None:
    with ModelServer(TextReply(text="A first draft about ducks.")) as server:
        page.goto("/")
        connection = {
            "name": "Own server",
            "kind": "compatible",
            "base_url": server.url("compatible"),
            "model": "local-model",
            "prices": {"*": {"input": 5, "output": 10}},
        }
        api(page, "POST", "connections/", connection)
        open_sample(page, "promptpack/review-loop", "asks-for-inputs")
        page.get_by_role("button", name="Run", exact=True).click()
        dialog = page.get_by_role("dialog", name="Run")
        dialog.get_by_role("radio", name="Model A real").check()
        expect(dialog.locator("[data-estimate]")).to_contain_text("No run with a model")
        brief = dialog.get_by_label("Value of input brief")
        expect(dialog.locator("[data-required=true]")).to_have_count(1)
        dialog.get_by_role("button", name="Run", exact=True).click()
        expect(dialog.get_by_role("alert")).to_contain_text("The run needs the input “brief”.")
        expect(brief).to_be_focused()
        assert server.asked == []
        page.keyboard.type("A text about ducks.")
        dialog.get_by_label("Start paused").check()
        dialog.get_by_role("button", name="Run", exact=True).click()
        expect(dialog).to_have_count(0)
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "paused")
        page.get_by_role("button", name="Cancel the run").click()
        expect(page.locator("[data-result-line=cancelled]")).to_be_visible()
    # The dialog offers the value that was used last.
    page.get_by_role("button", name="Run", exact=True).click()
    again = page.get_by_role("dialog", name="Run").get_by_label("Value of input brief")
    expect(again).to_have_value("A text about ducks.")


@pytest.mark.slow
@pytest.mark.parametrize("dialect", SAMPLES)
def test_each_sample_starts_with_what_its_files_require(page: Page, dialect: str) -> None:
    """A rehearsal starts at the first press. A run with a model asks for the required inputs."""
    with ModelServer(otherwise=NoReply()) as model:
        name = f"Server for {dialect}"
        url = model.url("compatible")
        new = {"name": name, "kind": "compatible", "base_url": url, "model": "local-model"}
        page.goto("/")
        api(page, "POST", "connections/", new)
        for sample in SAMPLES[dialect]:
            with failure_note(f"Sample: {sample}"):
                open_sample(page, sample, f"start-{sample.replace('/', '-')}")
                rehearses_at_the_first_press(page, sample)
                asks_for_what_a_model_needs(page, sample, model, connection=name)


def rehearses_at_the_first_press(page: Page, sample: str) -> None:
    page.evaluate(NO_DELAY, pack_of(page))
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    required = dialog.locator("[data-required=true]")
    expect(dialog.locator("[data-inputs]")).to_be_visible()
    expect(required).to_have_count(len(REQUIRED.get(sample, [])))
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(page.locator("[data-story-visit]").first).to_be_visible()
    expect(page.locator("[data-result-line=completed]")).to_be_visible()
    (run,) = api(page, "GET", f"runs/?pack={pack_of(page)}")["results"]
    assert run["status"] == "completed", run["reason"]
    assert run["ends"]
    (started, *_) = api(page, "GET", f"runs/{run['id']}/events/")["events"]
    simulated = ["args"] if sample in READ_ARGUMENTS else REQUIRED.get(sample, [])
    assert started.get("simulated_inputs", []) == simulated


def asks_for_what_a_model_needs(
    page: Page, sample: str, model: ModelServer, *, connection: str
) -> None:
    """It asks for the required inputs one by one, and for nothing else."""
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_role("radio", name="Model A real").check()
    dialog.get_by_role("combobox", name="Connection").select_option(connection)
    required, before = REQUIRED.get(sample, []), len(model.asked)
    expect(dialog.locator("[data-inputs]")).to_be_visible()
    expect(dialog.locator("[data-required=true]")).to_have_count(len(required))
    press = dialog.get_by_role("button", name="Run", exact=True)
    for input in required:
        press.click()
        expect(dialog.get_by_role("alert")).to_contain_text(f"“{input}”")
        expect(dialog.get_by_label(f"Value of input {input}")).to_be_focused()
        page.keyboard.type(f"The {input} of a test.")
    press.click()
    expect(dialog).to_have_count(0)
    if READ_ARGUMENTS.get(sample) == "ends without them":
        line = page.locator("[data-result-line=failed]")
        expect(line).to_contain_text("The script calls no agent with these args.")
        assert len(model.asked) == before
        return
    runs = api(page, "GET", f"runs/?pack={pack_of(page)}")["results"]
    assert len(runs) == 2
    (run,) = [one["id"] for one in runs if one["status"] != "completed"]
    if sample in ASKS_A_PERSON_FIRST:
        status = page.locator(".run-area [data-run-status]")
        expect(status).to_have_attribute("data-run-status", "waiting")
        assert len(model.asked) == before
    else:
        sent = model.arrived.get(timeout=PATIENCE / 1000).body
        assert all(f"The {input} of a test." in str(sent) for input in required)
    api(page, "POST", f"runs/{run}/signals/", {"type": "cancel"})


@pytest.mark.slow
def test_the_dialog_names_what_will_ask_and_the_cost_of_the_worst_case(page: Page) -> None:
    page.goto("/")
    connection = {
        "name": "Priced server",
        "kind": "compatible",
        "base_url": "http://127.0.0.1:1/v1",
        "model": "local-model",
        "prices": {"*": {"input": 5, "output": 10}},
    }
    api(page, "POST", "connections/", connection)
    open_sample(page, "promptpack/mail-triage", "names-the-worst-cost")
    page.get_by_role("button", name="Run", exact=True).click()
    dialog = page.get_by_role("dialog", name="Run")
    dialog.get_by_role("radio", name="Model A real").check()
    dialog.get_by_role("combobox", name="Connection").select_option("Priced server")
    cost = "The tokens written cost at most $0.050 with local-model"
    expect(dialog.locator("[data-estimate]")).to_contain_text(cost)
    dialog.get_by_role("textbox", name="Model").click()
    page.keyboard.type("gpt-4o-mini")
    expect(dialog.locator("[data-estimate]")).to_contain_text("with gpt-4o-mini")
    open_sample(page, "agent_graph/feature-team", "names-what-asks")
    tool = {"kind": "files", "settings": {"operation": "read", "ask": True}}
    api(page, "PUT", f"packs/{pack_of(page)}/tools/read_file/", tool)
    page.get_by_role("button", name="Run", exact=True).click()
    dialog.get_by_role("radio", name="Model A real").check()
    asking = dialog.get_by_role("list", name="Tools that ask a person")
    expect(asking).to_contain_text("read_file is bound so that each call asks a person first.")
    expect(asking).to_contain_text("checker may call tools only after a person approved each call")
    expect(asking).to_contain_text("spawn_node of lead changes the graph")
