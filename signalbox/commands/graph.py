"""`signalbox graph`: the projection, for machines and for documents."""

from __future__ import annotations

import argparse
import json

from signalbox.commands.packs import pack_at
from workflows.core.graph import Graph, Transition

DASHED = ("redirect", "fallback")


def run(options: argparse.Namespace) -> int:
    """Print one pack's graph. Raises Trouble where it cannot be read."""
    _, graph, _ = pack_at(options.path).graph(options.profile)
    match options.format:
        case "mermaid":
            print(as_mermaid(graph))
        case "dot":
            print(as_dot(graph))
        case _:
            print(json.dumps(graph.to_json(), indent=2, ensure_ascii=False))
    return 0


def as_mermaid(graph: Graph) -> str:
    """A flowchart. States get short names, because Mermaid's own are narrower than ours."""
    names = _names(graph)
    lines = ["flowchart LR"]
    lines += [f'    start{n}((" ")) --> {names[e.state]}' for n, e in enumerate(graph.entries)]
    ends = {state.id for state in graph.states if state.terminal}
    for id, name in names.items():
        text = _mermaid(id)
        lines.append(f'    {name}(["{text}"])' if id in ends else f'    {name}["{text}"]')
    for arrow in graph.transitions:
        line = "-.->" if _dashed(arrow) else "-->"
        label = f'|"{_mermaid(arrow.label)}"|' if arrow.label else ""
        lines.append(f"    {names[arrow.source]} {line}{label} {names[arrow.target]}")
    return "\n".join(lines)


def as_dot(graph: Graph) -> str:
    """Graphviz."""
    lines = [f"digraph {_quoted(graph.name)} {{", "  rankdir=LR;", "  node [shape=box];"]
    for number, entry in enumerate(graph.entries):
        lines.append(f'  "start {number}" [shape=point];')
        lines.append(f'  "start {number}" -> {_quoted(entry.state)};')
    for state in graph.states:
        style = " [peripheries=2]" if state.terminal else ""
        lines.append(f"  {_quoted(state.id)}{style};")
    for arrow in graph.transitions:
        style = ", style=dashed" if _dashed(arrow) else ""
        ends = f"{_quoted(arrow.source)} -> {_quoted(arrow.target)}"
        lines.append(f"  {ends} [label={_quoted(arrow.label)}{style}];")
    return "\n".join([*lines, "}"])


def _names(graph: Graph) -> dict[str, str]:
    """Every state that is drawn or pointed at, and a name for it."""
    ids = [state.id for state in graph.states]
    ids += [entry.state for entry in graph.entries]
    ids += [end for arrow in graph.transitions for end in (arrow.source, arrow.target)]
    return {id: f"s{number}" for number, id in enumerate(dict.fromkeys(ids))}


def _dashed(arrow: Transition) -> bool:
    return arrow.inert or arrow.kind in DASHED


def _mermaid(text: str) -> str:
    codes = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;"}
    return " ".join("".join(codes.get(char, char) for char in text).split()) or " "


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'
