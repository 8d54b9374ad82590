"""Conversion of an agent graph to the neutral machine: every agent is a state, and every direction
of an edge is a transition. An agent without one returns to the entry, as an idle team does."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from workflows.core.convert.conversion import NeutralPack
from workflows.core.convert.coverage import (
    BODY,
    CoverageReport,
    Key,
    Pointer,
    Tree,
    json_tree,
)
from workflows.core.convert.facts import PACK, transition_key
from workflows.core.convert.neutral import Limits, Machine, State, Transition, slug, unique_name
from workflows.core.dialects.agent_graph.format.model import Edge, Node
from workflows.core.dialects.agent_graph.program.definition import GraphDefinition
from workflows.core.dialects.agent_graph.source import GraphSource

DONE = "done"
"""The outcome that ends the run, or returns the work to the entry."""
REASONS = {
    (): "Only agent graphs have this.",
    ("agent_graph",): "The version of the format of agent graphs.",
    ("run_mode",): "A machine continues by its transitions, without a mode.",
    ("global_mode",): "The mode of a run is chosen when the run starts.",
    ("stall_threshold",): "Only agent graphs detect stalls.",
    ("limits", "nodes"): "Only agent graphs add agents in a run.",
}
NODE_REASONS = {
    "alias": "Only calls between agents use an alias.",
    "provider": "A connection chooses the provider.",
    "model": "A connection chooses the model.",
    "capabilities": "A right of an agent. The state lists the tools that all its rights permit.",
    "permissions": "Only agents have approvals of their own.",
}
EDGE_REASONS = {"type": "A transition has no type."}


def to_neutral(source: GraphSource, profile: str) -> NeutralPack:
    """Convert a readable pack."""
    return _Reader(source).read()


class _Reader:
    def __init__(self, source: GraphSource) -> None:
        assert source.text is not None, "only readable packs are converted"
        self.source, self.shape = source, source.shape
        self.tree: Any = source.text.value
        self.definition = GraphDefinition(graph=self.shape, pack=source.template_bytes)
        trees = {source.main: json_tree(source.text)}
        for path, data in source.files.items():
            if path != source.main:
                body = data.decode("utf-8", "replace")
                trees[path] = Tree(value=None, line=lambda _: 1, body=body)
        self.coverage = CoverageReport(trees=trees, element=self._element)

    def _element(self, path: str, pointer: Pointer) -> str:
        match pointer:
            case ("nodes", int(index), *_):
                found = [node for node in self.shape.nodes.values() if node.index == index]
                return f"state:{found[0].id}" if found else PACK
        return PACK

    def read(self) -> NeutralPack:
        shape = self.shape
        mark = partial(self.coverage.mark, self.source.main)
        for pointer, why in REASONS.items():
            self.coverage.skip(self.source.main, pointer, why)
        for key in ("goal", "definition_of_done"):
            mark((key,), (PACK, "system"))
        mark(("name",), (PACK, "name"))
        mark(("entry",), (PACK, "entry"))
        mark(("limits", "turns"), (PACK, "visits"))
        self.coverage.imply(self.source.main, (), (PACK, "visits"))
        machine = Machine(
            id=slug(shape.name, "team"),
            name=shape.name,
            entry=shape.entry,
            states=tuple(self._state(node) for node in shape.nodes.values()),
            system=tuple(filter(None, ["\n\n".join(self._goal())])),
            limits=Limits(visits=shape.most_turns),
        )
        self._templates()
        return NeutralPack(machine=machine, coverage=self.coverage)

    def _goal(self) -> Iterator[str]:
        if self.shape.goal:
            yield f"Goal: {self.shape.goal}"
        if self.shape.definition_of_done:
            statements = (f"- {one}" for one in self.shape.definition_of_done)
            yield "\n".join(("It is done when:", *statements))

    def _state(self, node: Node) -> State:
        at: Pointer = ("nodes", node.index)
        element = f"state:{node.id}"
        mark = partial(self.coverage.mark, self.source.main)
        mark((*at, "id"), (element, "id"))
        mark((*at, "label"), (element, "name"))
        for key in ("role", "customSystemPrompt", "instructions", "override"):
            mark((*at, key), (element, "prompt"))
        for key, why in NODE_REASONS.items():
            self.coverage.skip(self.source.main, (*at, key), why)
        self.coverage.imply(self.source.main, at, (element, "tools"))
        template = self.source.role(node.role)
        own = node.custom_system_prompt or (template.template.body if template else node.role)
        texts = (own.strip(), node.instructions.strip(), node.override.strip())
        return State(
            id=node.id,
            name=node.label if node.label != node.id else "",
            prompt=tuple(filter(None, ["\n\n".join(filter(None, texts))])),
            tools=tuple(self._tools(node)),
            transitions=tuple(self._transitions(node)),
        )

    def _tools(self, node: Node) -> Iterator[str]:
        rights = self.definition.rights(node)
        writes = (rights.write_code or rights.write_docs) and not rights.delegate_only
        commands = rights.run_commands and not rights.delegate_only
        yield from ("Read", "Glob")
        yield from ("Write",) if writes else ()
        yield from ("Bash",) if commands else ()

    def _transitions(self, node: Node) -> Iterator[Transition]:
        outgoing = [
            (edge, other)
            for edge in self.shape.edges
            for other in self.shape.nodes
            if other != node.id and edge.lets(node.id, other)
        ]
        labels = [edge.label for edge, _ in outgoing]
        taken: list[str] = []
        for edge, target in outgoing:
            label = edge.label if labels.count(edge.label) == 1 else f"{edge.label}-{target}"
            label = slug(unique_name(label, taken), "task")
            taken.append(label)
            self._mark_edge(edge, transition_key(node.id, label))
            yield Transition(label=label, targets=(target,))
        lead = self.shape.nodes.get(self.shape.entry)
        if node.is_orchestrator or node.id == self.shape.entry:
            yield Transition(label=unique_name(DONE, taken))
        elif not outgoing and lead is not None and lead.is_orchestrator:
            yield Transition(label=DONE, targets=(lead.id,))

    def _mark_edge(self, edge: Edge, key: Key) -> None:
        at: Pointer = ("edges", edge.index)
        self.coverage.mark(self.source.main, at, key)
        for name, why in EDGE_REASONS.items():
            self.coverage.skip(self.source.main, (*at, name), why)

    def _templates(self) -> None:
        """Each template belongs to the prompts of the agents that have its role."""
        for name, path in self.source.template_files.items():
            users = [node for node in self.shape.nodes.values() if node.role == name]
            for node in users:
                if not node.custom_system_prompt:
                    self.coverage.mark(path, (BODY,), (f"state:{node.id}", "prompt"))
            if not users:
                self.coverage.skip(path, (BODY,), "No agent has this role.")
        for path in self.source.misnamed_templates:
            self.coverage.skip(path, (BODY,), "Its name is no role.")
