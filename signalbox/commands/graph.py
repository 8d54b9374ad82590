"""`signalbox graph`: the projection, for machines and for documents."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

from signalbox.commands.packs import pack_at
from workflows.core.pack.graph import END, Entry, Graph, Transition

DASHED = ("redirect", "fallback")


def run(options: argparse.Namespace) -> int:
    """Print one pack's graph. Raises Trouble if it cannot be read."""
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
    """A flowchart. States get short ids, because Mermaid restricts them; levels below the first are
    subgraphs."""
    names, starts = _names(graph), {entry: n for n, entry in enumerate(graph.entries)}
    lines = ["flowchart LR"]
    for number, level in enumerate(graph.levels):
        inner = _mermaid_level(graph.on(level), names, starts)
        if level:
            frame = f'    subgraph l{number}["{mermaid_text(level)}"]'
            inner = [frame, *(f"    {line}" for line in inner), "    end"]
        lines += inner
    return "\n".join(lines)


def _mermaid_level(
    graph: Graph, names: Mapping[str, str], starts: Mapping[Entry, int]
) -> list[str]:
    lines = [f'    start{starts[e]}((" ")) --> {names[e.state]}' for e in graph.entries]
    ends = {state.id for state in graph.states if state.terminal}
    for id in _names(graph):
        name, text = names[id], mermaid_text(id)
        if id == END:
            lines.append(f'    {name}(("end"))')
            continue
        lines.append(f'    {name}(["{text}"])' if id in ends else f'    {name}["{text}"]')
    for arrow in graph.transitions:
        line = "-.->" if _dashed(arrow) else "-->"
        label = f'|"{mermaid_text(arrow.label)}"|' if arrow.label else ""
        lines.append(f"    {names[arrow.source]} {line}{label} {names[arrow.target]}")
    return lines


def as_dot(graph: Graph) -> str:
    """Graphviz. Levels below the first are clusters."""
    starts = {entry: n for n, entry in enumerate(graph.entries)}
    lines = [f"digraph {_quoted(graph.name)} {{", "  rankdir=LR;", "  node [shape=box];"]
    for number, level in enumerate(graph.levels):
        inner = _dot_level(graph.on(level), starts)
        if level:
            frame = [f"  subgraph cluster{number} {{", f"    label={_quoted(level)};"]
            inner = [*frame, *(f"  {line}" for line in inner), "  }"]
        lines += inner
    return "\n".join([*lines, "}"])


def _dot_level(graph: Graph, starts: Mapping[Entry, int]) -> list[str]:
    lines = []
    for entry in graph.entries:
        start = f'"start {starts[entry]}"'
        lines.append(f"  {start} [shape=point];")
        lines.append(f"  {start} -> {_quoted(entry.state)};")
    for state in graph.states:
        style = " [peripheries=2]" if state.terminal else ""
        lines.append(f"  {_quoted(state.id)}{style};")
    if any(arrow.target == END for arrow in graph.transitions):
        lines.append(f'  {_quoted(END)} [shape=doublecircle, label="end"];')
    for arrow in graph.transitions:
        style = ", style=dashed" if _dashed(arrow) else ""
        ends = f"{_quoted(arrow.source)} -> {_quoted(arrow.target)}"
        lines.append(f"  {ends} [label={_quoted(arrow.label)}{style}];")
    return lines


def _names(graph: Graph) -> dict[str, str]:
    """Every state that is drawn or is a target, and an id for it."""
    ids = [state.id for state in graph.states]
    ids += [entry.state for entry in graph.entries]
    ids += [end for arrow in graph.transitions for end in (arrow.source, arrow.target)]
    return {id: f"s{number}" for number, id in enumerate(dict.fromkeys(ids))}


def _dashed(arrow: Transition) -> bool:
    return arrow.inert or arrow.kind in DASHED


def mermaid_text(text: str) -> str:
    """A text inside the quotes of a Mermaid label."""
    codes = {"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "`": "#96;"}
    return " ".join("".join(codes.get(char, char) for char in text).split()) or " "


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'
