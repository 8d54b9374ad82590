"""A parsed script: its bytes, its syntax tree, its meta and its plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from workflows.core.dialects.base import SourceDefaults
from workflows.core.dialects.workflow_scripts.format.definitions import Definition, definitions
from workflows.core.dialects.workflow_scripts.format.meta import Meta, read_meta
from workflows.core.dialects.workflow_scripts.format.neighbours import Script, child_of
from workflows.core.dialects.workflow_scripts.format.syntax import (
    MOST_BYTES,
    MOST_LEVELS,
    Node,
    Tree,
    depth_of,
    parse,
    text,
    walk,
)
from workflows.core.dialects.workflow_scripts.graph.model import Cost, Plan, PlanState
from workflows.core.dialects.workflow_scripts.graph.sites import Site, sites_of
from workflows.core.dialects.workflow_scripts.graph.walk import Walker, call_sites
from workflows.core.dialects.workflow_scripts.recognise import main_of, name_of, scripts_of
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Place
from workflows.core.text import spans

COMPARISONS = ("===", "==", "!==", "!=")


@dataclass(frozen=True, kw_only=True)
class ScriptSource(SourceDefaults):
    """Immutable. `tree` is None if the file is not a script."""

    files: Files
    main: str
    tree: Tree | None
    findings: tuple[Finding, ...] = ()

    @property
    def readable(self) -> bool:
        return self.tree is not None

    @property
    def data(self) -> bytes:
        return self.files[self.main]

    @property
    def root(self) -> Node:
        assert self.tree is not None
        return self.tree.root_node

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every node of the tree, in source order."""
        return tuple(walk(self.root))

    @cached_property
    def declarators(self) -> Mapping[str, tuple[Node, ...]]:
        """The declarations of each name."""
        found: dict[str, tuple[Node, ...]] = {}
        for one in self.nodes:
            name = one.child_by_field_name("name") if one.type == "variable_declarator" else None
            if name is not None:
                found[text(name)] = (*found.get(text(name), ()), one)
        return found

    @cached_property
    def compared(self) -> frozenset[str]:
        """The names of properties that the script compares or switches on."""
        found = set()
        for node in self.nodes:
            head = None
            if node.type == "switch_statement":
                head = node.child_by_field_name("value")
            elif node.type == "binary_expression" and text(node.children[1]) in COMPARISONS:
                head = node
            for one in walk(head) if head is not None else ():
                if one.type == "property_identifier":
                    found.add(text(one))
        return frozenset(found)

    @cached_property
    def meta(self) -> Meta:
        return read_meta(self.root) if self.tree is not None else Meta()

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """The agent definitions of the pack, by name."""
        return definitions(self.files)

    @cached_property
    def scripts(self) -> Mapping[str, Script]:
        """The scripts of the pack: its own, and those that it refers to."""
        return scripts_of(self.files)

    @cached_property
    def children(self) -> Mapping[str, ScriptSource]:
        """The scripts of the pack that this one starts, by the name that it uses."""
        main = self.scripts.get(self.main)
        paths = {name: child_of(main, name, self.scripts) for name in main.starts} if main else {}
        return {name: read(self.files, path) for name, path in paths.items() if path}

    def child_cost(self, name: str) -> Cost | None:
        """The bound of another workflow, whose unknowns begin with its name: the agents of the
        workflows that it tries to start are none, because such a call throws."""
        child = self.children.get(name)
        if child is None or not child.readable or child.root.has_error:
            return None
        return child.plan.cost.renamed(lambda one: one.inside(name))

    @cached_property
    def plan(self) -> Plan:
        models = {name: one.model for name, one in self.definitions.items() if one.model}
        return Walker(self.root, models, self.child_cost).plan()

    @cached_property
    def states(self) -> Mapping[str, PlanState]:
        return {state.id: state for state in self.plan.states}

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """Every call of `agent` in the text, in source order."""
        return sites_of(call_sites(self.root), self.plan.states)

    @property
    def name(self) -> str:
        return self.meta.name or name_of(self.main)

    def place(self, node: Node | None, element: str = "") -> Place:
        """The place of a node in the script."""
        line = int(node.start_point[0]) + 1 if node is not None else 1
        return Place(path=self.main, line=line, element=element)

    def locate(self, place: Place) -> Place:
        return replace(place, path=place.path or self.main, line=place.line or 1)

    def changed(self, changes: list[tuple[int, int, bytes]]) -> ScriptSource:
        """The source with these byte ranges replaced."""
        ordered = sorted(set(changes))
        return read(self.files.changed({self.main: spans.apply(self.data, ordered)}), self.main)


def read(files: Files, main: str = "") -> ScriptSource:
    """Parse one pack. Never raises: problems become findings."""
    main = main or main_of(files)
    data = files.get(main, b"")
    problem = ""
    step = "Start the file with export const meta = { name: …, description: … }."
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as bad:
        problem = f"{name_of(main)} is not UTF-8 text: byte {bad.start} cannot be read."
        step = "Save the file as UTF-8."
    if main not in files:
        problem = "The files contain no workflow script."
    elif len(data) > MOST_BYTES:
        problem = f"The script has more than {MOST_BYTES:,} bytes."
    if not problem:
        tree = parse(data)
        source = ScriptSource(files=files, main=main, tree=tree)
        if depth_of(tree.root_node) > MOST_LEVELS:
            problem = f"The script is nested deeper than {MOST_LEVELS} levels."
        elif source.meta.statement is not None or call_sites(tree.root_node):
            return source
        elif not data.strip():
            problem = "The file is empty."
        problem = problem or "The file has neither `export const meta` nor a call of agent()."
    finding = Finding(
        code="WS101",
        level="error",
        message=problem,
        place=Place(path=main, line=1),
        hint=step,
    )
    return ScriptSource(files=files, main=main, tree=None, findings=(finding,))
