"""The examples of the document about prompts and agent templates, each completed to a graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.documents.example import Arrow, Completed, Example
from tests.documents.quotes import after

DOCUMENT = "prompts-and-agent-templates"
ROLES = ("orchestrator", "planner", "implementer", "reviewer", "investigator")
Tree = dict[str, Any]


def fenced(anchor: str) -> str:
    """The first code block after a sentence."""
    return after(DOCUMENT, anchor).split("```")[1].lstrip("\n")


def call(name: str, **args: Any) -> str:
    return json.dumps({"tool_call": {"id": name, "name": name, "args": args}})


DONE = call("complete_run", summary="All is done.", met=["It is done."])


def team(
    nodes: Iterable[Tree],
    edges: Iterable[Tree],
    arrows: Iterable[Arrow],
    replies: Iterable[tuple[str, str]],
    *,
    templates: Mapping[str, str] | None = None,
    **more: Any,
) -> Completed:
    """A graph in AUTO with a goal. `replies` are the state and the text of each turn."""
    given = list(nodes)
    main = {
        "agent_graph": 1,
        "name": "example",
        "goal": "Do it.",
        "definition_of_done": ["It is done."],
        "run_mode": "AUTO",
        "global_mode": "IMPLEMENTATION",
        "nodes": given,
        "edges": list(edges),
        **more,
    }
    said = tuple({"state": state, "text": text} for state, text in replies)
    beside = {f"docs/templates/{name}.md": text for name, text in (templates or {}).items()}
    return Completed(
        files={"example.agents.json": main, **beside},
        path="example.agents.json",
        states=frozenset(str(node["id"]) for node in given),
        transitions=frozenset(arrows),
        walk=tuple(reply["state"] for reply in said),
        replies=said,
    )


def node(id: str, role: str, **more: Any) -> Tree:
    return {"id": id, "role": role, **more}


def both(source: str, label: str, target: str) -> list[Arrow]:
    return [(source, label, target), (target, label, source)]


def header() -> Completed:
    """A role template with the header that the document recommends."""
    return team(
        [node("lead", "orchestrator"), node("coder", "implementer")],
        [{"from": "lead", "to": "coder"}],
        both("lead", "task", "coder"),
        [
            ("lead", call("send_handoff", to="coder", message="Do it.")),
            ("coder", call("send_handoff", to="lead", message="Done.")),
            ("lead", DONE),
        ],
        templates={"orchestrator": fenced("a small, structured preamble block") + "\nYou lead.\n"},
    )


def default_roles() -> Completed:
    """An agent for each of the five default templates."""
    text = after(DOCUMENT, "### Default template files")
    assert all(f"templates/{role}.md" in text for role in ROLES)
    others = ROLES[1:]
    turns: list[tuple[str, str]] = []
    for role in others:
        turns += [
            ("orchestrator", call("send_handoff", to=role, message="Do it.")),
            (role, call("send_handoff", to="orchestrator", message="Done.")),
        ]
    return team(
        [node(role, role) for role in ROLES],
        [{"from": "orchestrator", "to": role} for role in others],
        [arrow for role in others for arrow in both("orchestrator", "task", role)],
        [*turns, ("orchestrator", DONE)],
    )


def excerpts() -> Completed:
    """The two excerpts as the templates of an orchestrator and an implementer."""
    texts = {
        "orchestrator": fenced("### Orchestrator template (excerpt)"),
        "implementer": fenced("### Implementer template (excerpt)"),
    }
    return team(
        [node("lead", "orchestrator"), node("coder", "implementer")],
        [{"from": "lead", "to": "coder", "bidirectional": False}],
        [("lead", "task", "coder")],
        [
            ("lead", call("send_handoff", to="coder", message="Do it.")),
            ("coder", "Done."),
            ("lead", DONE),
        ],
        templates=texts,
    )


def tool_calls() -> Completed:
    """The three calls of the document: an agent is added, connected, and gets a message."""
    lines = fenced("Examples (single-line JSON only):").strip()
    assert len(lines.splitlines()) == 3
    return team(
        [node("node-a", "orchestrator"), node("coder", "implementer")],
        [{"from": "node-a", "to": "coder"}],
        both("node-a", "task", "coder"),
        [
            ("node-a", lines),
            ("docs-agent", call("send_handoff", to="node-a", message="Summarized.")),
            ("node-a", DONE),
        ],
    )


def edge_types() -> Completed:
    """Both types of an edge, with and without a label."""
    return team(
        [node("lead", "orchestrator"), node("checker", "reviewer")],
        [
            {"from": "lead", "to": "checker", "type": "handoff", "bidirectional": False},
            {"from": "checker", "to": "lead", "type": "report", "bidirectional": False},
        ],
        [("lead", "task", "checker"), ("checker", "report", "lead")],
        [
            ("lead", call("send_handoff", to="checker", message="Check.")),
            ("checker", call("send_handoff", to="lead", message="Checked.")),
            ("lead", DONE),
        ],
    )


EXAMPLES = tuple(
    Example(place=f"{DOCUMENT}: {heading}", complete=make)
    for heading, make in (
        ("Template fields", header),
        ("Default template files", default_roles),
        ("Template examples", excerpts),
        ("CLI tool protocol", tool_calls),
        ("create_edge", edge_types),
    )
)
