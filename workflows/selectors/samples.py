"""Sample packs, by dialect and by the job they do."""

from __future__ import annotations

from functools import cache
from typing import Any

from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect
from workflows.core.pack.files import Files
from workflows.core.pack.graph import Graph
from workflows.core.pack.thumbnail import thumbnail_of
from workflows.core.pack.thumbnail_svg import thumbnail_svg
from workflows.errors import NotThere

STARTING_POINTS = ("blank", "empty", "minimal")
"""Names of samples that can be the start of a new pack."""
JOBS = {
    "Support": ("customer-support", "mail-triage"),
    "Review": ("code-review", "review-loop", "branch-lenses", "contract-review"),
    "Research": ("research-desk", "deep-question"),
    "Release": ("release",),
    "Delivery": ("feature-delivery", "feature-team", "migrate-components"),
    "Issues": ("triage-bot", "issue-flow"),
}
"""Job → names of the samples that do it. Other samples are under `OTHER_JOB`."""
OTHER_JOB = "More"
FORMATS = {
    "promptpack": "One JSON file: prompts, tools and a state machine of events.",
    "stages": "Markdown stages with a completion tool, joined by a pipeline.",
    "steps_registry": "A Climpt agent: steps, intents and prompt files.",
    "agent_graph": "A team of agents that hand tasks to each other.",
    "climpt_workflow": "Phases of an issue, each worked on by an agent.",
    "workflow_scripts": "A script of a coding agent: who is called, how often at most.",
}
"""Dialect → the line on its tile, in the order of the tiles."""


def samples() -> list[dict[str, Any]]:
    """Every pack that ships with a dialect."""
    return [sample for name in dialects() for sample in _samples(name)]


def blank_packs() -> list[dict[str, Any]]:
    """The start of a new pack in each dialect that has one."""
    samples = []
    order = list(FORMATS)
    ordered = sorted(
        dialects().values(),
        key=lambda one: order.index(one.name) if one.name in order else len(order),
    )
    for dialect in ordered:
        keys = list(dialect.samples())
        if not keys:
            continue
        key = next((key for key in STARTING_POINTS if key in keys), keys[0])
        about = {"about": FORMATS.get(dialect.name, ""), "file": next(iter(dialect.file_names), "")}
        samples += [one | about for one in _samples(dialect.name) if one["name"] == key]
    return samples


def by_job() -> list[tuple[str, list[dict[str, Any]]]]:
    """Samples that are worth opening, by job."""
    names = {name: job for job, keys in JOBS.items() for name in keys}
    groups: dict[str, list[dict[str, Any]]] = {job: [] for job in (*JOBS, OTHER_JOB)}
    for sample in samples():
        if sample["name"] not in STARTING_POINTS:
            groups[names.get(sample["name"], OTHER_JOB)].append(sample)
    return [(job, members) for job, members in groups.items() if members]


@cache
def sample_document(dialect: str, name: str) -> str:
    """The drawing of a sample as SVG. Raises NotThere."""
    implementation = dialects().get(dialect)
    files = implementation.samples().get(name) if implementation else None
    if implementation is None or files is None:
        raise NotThere(f"There is no sample {dialect}/{name}.")
    return thumbnail_svg(thumbnail_of(_graph(implementation, files)))


@cache
def _samples(dialect: str) -> tuple[dict[str, Any], ...]:
    """Cached samples: they do not change while the server runs."""
    implementation = dialects()[dialect]
    return tuple(
        _sample(implementation, key, files) for key, files in implementation.samples().items()
    )


def _graph(dialect: Dialect, files: Files) -> Graph:
    return dialect.graph(dialect.read(files), dialect.profiles[0])


def _sample(dialect: Dialect, key: str, files: Files) -> dict[str, Any]:
    source, profile = dialect.read(files), dialect.profiles[0]
    graph = dialect.graph(source, profile)
    agents = (one for one in dialect.outline(source) if one.kind == "agent")
    about = ["pack", *(element for one in agents for element, _ in one.items[:1])]
    forms = (dialect.fields(source, element, profile).values for element in about)
    return {
        "dialect": dialect.name,
        "dialect_label": dialect.label,
        "name": key,
        "title": graph.name or key,
        "description": next(
            (str(form["description"]) for form in forms if form.get("description")), ""
        ),
        "states": len(graph.on("").states),
    }
