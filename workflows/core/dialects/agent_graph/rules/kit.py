"""The rule kit for agent graphs. A check reads the source."""

from __future__ import annotations

from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import SetField, UnsetField
from workflows.core.pack.findings import Fix
from workflows.core.pack.forms import Json
from workflows.core.rules.kit import RuleKit, make_fix
from workflows.core.text.json.document import Pointer, pointer_text


def element_at(source: GraphSource, pointer: Pointer) -> str:
    """The element to which a value of the main file belongs."""
    match pointer:
        case ("nodes", int(index), *_):
            for node in source.shape.nodes.values():
                if node.index == index:
                    return f"state:{node.id}"
        case ("edges", int(index), *_):
            for transition in source.transitions.values():
                if transition.edge.index == index:
                    return f"transition:{transition.id}"
    return "pack"


graph_rule = RuleKit[GraphSource, GraphSource](
    view=lambda source: source, element_at=element_at
).rule


def set_fix(label: str, pointer: Pointer, value: Json) -> Fix:
    """A fix that sets one value of the main file."""
    return make_fix(label, SetField(element="pack", field=pointer_text(pointer), value=value))


def unset_fix(label: str, pointer: Pointer) -> Fix:
    """A fix that removes one value of the main file, or one element of a list."""
    return make_fix(label, UnsetField(element="pack", field=pointer_text(pointer)))
